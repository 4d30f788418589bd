import { z } from "zod";
import { type Contract, cursorPage, openErrors, scopes, text, tokenInfo } from "#lib/contract/operation.ts";
import { contract as addressUtxos } from "../address-utxos/contract.ts";

const { pageSize, cursor } = addressUtxos.query.shape;

/** In UTF-16 code units: the longest id has as many. */
const MAX_SEARCH = 130;

export const assetEntry = z
  .object({
    token: text.describe("The asset's id, the same as tokenInfo.id"),
    tokenInfo,
    standard: text.describe("What issued it: `native`, or its standard (`xUDT`, `Spore`)"),
    tags: z.array(text.describe("From the operator's registry, sorted")),
    holderCount: z.int().describe("Addresses with a live output of it"),
    outputCount: z.int().describe("Live outputs of it"),
    priceUsd: text.describe("US dollars for one whole unit, the latest as of the tip; empty without a price"),
    resembles: text.describe(
      "The id of an asset whose name or symbol looks the same, and that the registry lists or that was indexed earlier: this one may imitate it; empty if there is none",
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
    "All, in order of id; with `search`, in order of the name, symbol or id that it begins, so that those which are called exactly so come first. Of assets with the same name, those that the registry lists come first, then the earlier ones. It is followed, and had as NDJSON, as the list of unspent outputs.",
  path: "/v0/assets",
  scope: scopes,
  params: z.object({}),
  query: z.object({
    search: text
      .max(MAX_SEARCH, `Expected at most ${MAX_SEARCH} characters`)
      .default("")
      .describe(
        "Begins the asset's id, name or symbol, in any case, by the registry or the chain; no wildcards; empty finds all",
      ),
    pageSize,
    cursor,
  }),
  entry: assetEntry,
  response: cursorPage(assetEntry).meta({ id: "AssetEntryPage", description: "A page of assets" }),
  headers: [],
  errors: openErrors,
  walk: { free: ["pageSize", "cursor"] },
} as const satisfies Contract;
