import { z } from "zod";
import { type Contract, commonErrors, count, text } from "#lib/contract/operation.ts";
import { contract as blockAssetChanges } from "../block-asset-changes/contract.ts";

export const blockEntry = z
  .object({
    height: count.describe("How many blocks are below it on its branch"),
    hash: text.describe("Lower-case `0x` hex"),
    parentHash: text.describe("Hash of the block before it"),
    time: text.describe("RFC 3339, UTC, with milliseconds; empty for a replaced block"),
    transactionCount: count.nullable().describe("Null for a replaced block"),
    assetCount: count.nullable().describe("How many assets it moved; null for a replaced block"),
    movedUsd: text.describe(
      "The sum of `amountUsd` over its asset changes, at most 8 decimals; empty for a replaced block",
    ),
    canonical: z.boolean().describe("Whether it is on the chain; false if a reorganisation replaced it"),
    forkHeight: count
      .nullable()
      .optional()
      .describe(
        "Only of a replaced block: the height of the highest block that its branch shares with the chain; null if that block is not indexed",
      ),
  })
  .meta({ id: "Block" });
export type BlockEntry = z.infer<typeof blockEntry>;

export const contract = {
  operationId: "getBlock",
  tag: "Blocks",
  extension: true,
  summary: "One block",
  description:
    "The header of a block, and sums over what it moved. A block that a reorganisation replaced has only its height, hash and parent: other texts are empty, and numbers null. 404 if the block is not indexed, or if all blocks are later than the given time.",
  path: "/v0/blocks/{blockHash}",
  scope: "asset-changes:read",
  params: blockAssetChanges.params,
  query: z.object({}),
  entry: blockEntry,
  response: blockEntry,
  headers: ["X-Block-Height", "X-Block-Hash", "Content-Location"],
  errors: [...commonErrors, "NOT_FOUND"],
} as const satisfies Contract;
