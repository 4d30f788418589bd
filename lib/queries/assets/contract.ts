import { z } from "zod";
import {
  type Contract,
  count,
  cursorPage,
  openErrors,
  scopes,
  text,
  tokenInfo,
} from "#lib/contract/operation.ts";
import { contract as addressUtxos } from "../address-utxos/contract.ts";

const { pageSize, cursor } = addressUtxos.query.shape;

/** Maximum length of a search, in UTF-16 code units: the length of the longest id. */
const MAX_SEARCH = 130;

export const assetEntry = z
  .object({
    token: text.describe("The asset's id, the same as tokenInfo.id"),
    tokenInfo,
    standard: text.describe("What issued it: `native`, or the standard of the token"),
    tags: z.array(text.describe("From the operator's registry, sorted")),
    holderCount: count.describe("Addresses with a live output of it"),
    outputCount: count.describe("Live outputs of it"),
    priceUsd: text.describe("US dollars for one whole unit, the latest as of the tip; empty without a price"),
    resembles: text.describe(
      "The id of an asset whose name or symbol looks like its own, and which the registry lists or which is older: this one may imitate it; empty if there is none. Only of fungible assets that the registry does not list",
    ),
  })
  .meta({ id: "AssetEntry" });
export type AssetEntry = z.infer<typeof assetEntry>;

export const contract = {
  operationId: "listAssets",
  tag: "Assets",
  extension: true,
  summary: "All assets, or those that a text finds",
  description:
    "In order of id. With `search`, in order of the id, name or symbol that begins with it, exact matches first; then of what has a later word that does. Of equal names, those of the registry come first, then older ones. The list is followed, and had as NDJSON, as that of unspent outputs.",
  path: "/v0/assets",
  scope: scopes,
  params: z.object({}),
  query: z.object({
    search: text
      .max(MAX_SEARCH, `Expected at most ${MAX_SEARCH} characters`)
      .default("")
      .describe(
        "How the asset's id, name or symbol begins, or one of the next eight words of name or symbol; by the registry or the chain; in any case, without wildcards; empty: all assets",
      ),
    pageSize,
    cursor,
  }),
  entry: assetEntry,
  response: cursorPage(assetEntry).meta({ id: "AssetEntryPage", description: "A page of assets" }),
  headers: [],
  errors: openErrors,
  walk: { free: ["pageSize", "cursor"], live: true },
} as const satisfies Contract;
