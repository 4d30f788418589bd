import { z } from "zod";
import { blockRange } from "#lib/contract/block-reference.ts";
import { asOfRange, type Contract, cursorPage } from "#lib/contract/operation.ts";
import { contract as addressUtxos } from "../address-utxos/contract.ts";
import { blockEntry } from "../block/contract.ts";

const { pageSize, cursor } = addressUtxos.query.shape;

export const contract = {
  operationId: "listBlocks",
  tag: "Blocks",
  extension: true,
  summary: "The blocks of a range, the newest first",
  description:
    "The indexed blocks after `from` up to `to`. With `canonical=false`, the replaced blocks at these heights instead, and without `to` also those above the tip: the log of reorganisations. All pages are as of the block that `to` named for the first one. If a reorganisation replaces that block, its cursors get 404 with the issue `replaced`.",
  path: "/v0/blocks",
  scope: "asset-changes:read",
  params: z.object({}),
  query: z.object({
    pageSize,
    cursor,
    ...blockRange,
    canonical: z
      .enum(["true", "false"])
      .default("true")
      .describe("`false`: the blocks that reorganisations replaced, instead of those on the chain"),
  }),
  entry: blockEntry,
  response: cursorPage(blockEntry).meta({ id: "BlockPage", description: "A page of blocks" }),
  ...asOfRange,
  walk: { free: ["pageSize", "cursor"] },
} as const satisfies Contract;
