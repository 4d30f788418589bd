import { z } from "zod";
import { asOfOneBlock, type Contract, count, cursorPage, text } from "#lib/contract/operation.ts";
import { contract as addressUtxos } from "../address-utxos/contract.ts";
import { assetParams } from "../asset/contract.ts";

const { pageSize, cursor, at } = addressUtxos.query.shape;

const holder = z
  .object({
    address: text.describe("The holder"),
    amount: text.describe(
      "Exact integer in the smallest unit: the sum over its unspent outputs of the asset",
    ),
    capacity: text.describe("The native asset in these outputs, an exact integer in its smallest unit"),
    outputCount: count.describe("How many outputs these are"),
  })
  .meta({ id: "Holder" });
export type Holder = z.infer<typeof holder>;

export const contract = {
  operationId: "listAssetHolders",
  tag: "Assets",
  extension: true,
  summary: "Who holds an asset",
  description:
    "The largest first; equal amounts by the hash of the address's script, the highest first. Amounts add up to the supply, except for the native asset: outputs of other assets hold the rest. Paging and NDJSON work as for unspent outputs. All pages are as of the block of the first one. If a reorganisation replaces that block, its cursors get 404 with the issue `replaced`. If blocks that moved the asset have too many outputs both before and after that block, the response is 400 with the issue `too_far`. 404 if no indexed block mentions the asset.",
  path: "/v0/assets/{id}/holders",
  scope: "utxos:read",
  params: assetParams,
  query: z.object({ pageSize, cursor, at }),
  entry: holder,
  response: cursorPage(holder).meta({ id: "HolderPage", description: "A page of holders" }),
  ...asOfOneBlock,
  walk: { free: ["pageSize", "cursor"] },
} as const satisfies Contract;
