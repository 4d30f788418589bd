import { z } from "zod";
import { blockRange } from "#lib/contract/block-reference.ts";
import { asOfRange, type Contract, count, numberedPage } from "#lib/contract/operation.ts";
import { assetChange, contract as blockAssetChanges } from "../block-asset-changes/contract.ts";

const rangeAssetChange = z
  .object({
    ...assetChange.shape,
    blocks: count.describe("Blocks of the range that moved the asset"),
    transactions: count.describe("Transactions of the range that moved the asset"),
  })
  .meta({ id: "RangeAssetChange" });
export type RangeAssetChange = z.infer<typeof rangeAssetChange>;

export const contract = {
  operationId: "listAssetChanges",
  tag: "Blocks",
  extension: true,
  summary: "What moved in a range of blocks, by asset",
  description:
    "The asset changes of all blocks after `from` up to `to`, summed by asset; each at its block's price. 404 if one of the two is above the tip or no longer canonical.",
  path: "/v0/asset-changes",
  scope: "asset-changes:read",
  params: z.object({}),
  query: z.object({ ...blockRange, ...blockAssetChanges.query.shape }),
  entry: rangeAssetChange,
  response: numberedPage(rangeAssetChange).meta({
    id: "RangeAssetChangePage",
    description: "A page of asset changes over a range of blocks",
  }),
  ...asOfRange,
} as const satisfies Contract;
