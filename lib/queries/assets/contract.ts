import { z } from "zod";
import {
  asOfOneBlock,
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
      "The id of an asset that this one may imitate: its name or symbol looks alike, and it is older or in the registry. Empty if there is none, and always for listed assets, the native asset and NFTs",
    ),
  })
  .meta({ id: "AssetEntry" });
export type AssetEntry = z.infer<typeof assetEntry>;

export const contract = {
  operationId: "listAssets",
  tag: "Assets",
  extension: true,
  summary: "All assets, or those that match a text",
  description:
    "Sorted by id. With `search`, sorted by the id, name or symbol that begins with the text, exact matches first. Then come those with a later word that begins with it. Among equal names, those of the registry come first, then older ones. Paging and NDJSON work as for unspent outputs.",
  path: "/v0/assets",
  scope: scopes,
  params: z.object({}),
  query: z.object({
    search: text
      .max(MAX_SEARCH, `Expected at most ${MAX_SEARCH} characters`)
      .default("")
      .describe(
        "The start of the asset's id, name or symbol, or of one of the next eight words of its name or symbol. Names are those of the registry or the chain. Case does not matter, and there are no wildcards. The first 80 characters are compared. Empty: all assets",
      ),
    pageSize,
    cursor,
  }),
  entry: assetEntry,
  response: cursorPage(assetEntry).meta({ id: "AssetEntryPage", description: "A page of assets" }),
  headers: asOfOneBlock.headers,
  errors: openErrors,
  walk: { free: ["pageSize", "cursor"], live: true },
} as const satisfies Contract;
