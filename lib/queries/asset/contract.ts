import { z } from "zod";
import { asOfOneBlock, type Contract, openErrors, scopes } from "#lib/contract/operation.ts";
import { assetId } from "../address-utxos/contract.ts";
import { assetEntry } from "../assets/contract.ts";

export const assetParams = z.object({
  id: assetId.describe("The asset's id: `0x` and hex digits, any case"),
});

export const contract = {
  operationId: "getAsset",
  tag: "Assets",
  extension: true,
  summary: "One asset",
  description:
    "Its supply, first block and first mint, how many addresses hold it, and its latest price. 404 if no indexed block mentions it.",
  path: "/v0/assets/{id}",
  scope: scopes,
  params: assetParams,
  query: z.object({}),
  entry: assetEntry,
  response: assetEntry,
  headers: asOfOneBlock.headers,
  errors: [...openErrors, "NOT_FOUND"],
} as const satisfies Contract;
