import { z } from "zod";
import { HASH } from "#lib/contract/block-text.ts";
import { asOfOneBlock, type Contract, count, text, tokenInfo } from "#lib/contract/operation.ts";

/** Maximum number of assets in one response. */
export const MAX_ASSETS = 1_000;

export const transactionParams = z.object({
  hash: z
    .string()
    .regex(HASH, "Expected a transaction hash: 64 hex digits, with or without 0x")
    .transform((given) => `0x${given.slice(-64).toLowerCase()}`)
    .describe("The transaction's hash: 64 hex digits, `0x` optional, any case")
    .meta({ pattern: HASH.source }),
});

const unlessUnknown = "empty if an output that it spends is not indexed";
const movedAsset = z
  .object({
    token: text.describe("The asset's id, the same as tokenInfo.id"),
    tokenInfo,
    in: text.describe(`Exact sum of the outputs that the transaction spends; ${unlessUnknown}`),
    out: text.describe("Exact sum of the outputs that it creates"),
    minted: text.describe(`\`out\` − \`in\` if that is positive, or 0; ${unlessUnknown}`),
    burnt: text.describe(`\`in\` − \`out\` if that is positive, or 0; ${unlessUnknown}`),
  })
  .meta({ id: "TransactionAsset" });
export type TransactionAsset = z.infer<typeof movedAsset>;

const transaction = z
  .object({
    hash: text.describe("The transaction's hash"),
    blockHeight: count.describe("Height of its block"),
    blockHash: text.describe("Hash of its block"),
    blockTime: text.describe("Time of its block: RFC 3339, UTC, with milliseconds"),
    index: count.describe("Its place in the block, from 0"),
    fee: text.describe(
      "What it pays, an exact integer in the native asset's smallest unit; `0` for a block's reward; empty if an output that it spends, or interest that it is paid, is not indexed",
    ),
    inputCount: count.describe("Number of outputs that it spends; 0 for a block's reward"),
    outputCount: count.describe("Number of outputs that it creates"),
    assets: z
      .array(movedAsset)
      .describe(
        `The native asset, then the others in the order in which they were first indexed: at most ${MAX_ASSETS}`,
      ),
    moreAssets: count.describe("Number of assets beyond those in `assets`"),
  })
  .meta({ id: "Transaction", description: "What a transaction moves" });
export type Transaction = z.infer<typeof transaction>;

export const contract = {
  operationId: "getTransaction",
  tag: "Transactions",
  extension: true,
  summary: "A transaction and what it moves",
  description:
    "Its block, fee, and the amounts of each asset that it spends and creates: `in` + `minted` = `out` + `burnt`. Of the native asset, all outputs count with their capacity; `burnt` is the fee, `minted` a block's reward, or interest beyond the fee. 404 if no indexed block has the transaction.",
  path: "/v0/transactions/{hash}",
  scope: "utxos:read",
  params: transactionParams,
  query: z.object({}),
  entry: movedAsset,
  response: transaction,
  ...asOfOneBlock,
} as const satisfies Contract;
