import { z } from "zod";
import { asOfOneBlock, type Contract, count, cursorPage, integer, text } from "#lib/contract/operation.ts";
import { contract as addressUtxos, MAX_OUTPUT_INDEX, utxoEntry } from "../address-utxos/contract.ts";
import { transactionParams } from "../transaction/contract.ts";

const { pageSize, cursor, include, value } = addressUtxos.query.shape;
const firstIndex = integer(0, 0, MAX_OUTPUT_INDEX).describe(
  "Index of the first entry. With a cursor, the list goes on after that instead",
);

export const outputEntry = z
  .object({
    address: text.describe("Who may spend it; empty, as all other text, if the output is not indexed"),
    ...utxoEntry.shape,
    blockHeight: count
      .nullable()
      .describe("Height of the block that created the output; null if the output is not indexed"),
    spent: z
      .object({
        transaction: text.describe("Hash of the transaction that spends it"),
        height: count.describe("Height of that transaction's block"),
        time: text.describe("Time of that block: RFC 3339, UTC, with milliseconds"),
      })
      .nullable()
      .describe("What spends it; null if no block up to the response's block does"),
  })
  .meta({ id: "TransactionOutput", description: "An output, and what became of it" });
export type OutputEntry = z.infer<typeof outputEntry>;

/** What the lists of a transaction's inputs and outputs have in common. */
export const listOfTransaction = {
  tag: "Transactions",
  extension: true,
  scope: "utxos:read",
  params: transactionParams,
  query: z.object({ pageSize, cursor, include, value, firstIndex }),
  entry: outputEntry,
  response: cursorPage(outputEntry).meta({
    id: "TransactionOutputPage",
    description: "A page of what a transaction spends or creates",
  }),
  ...asOfOneBlock,
  walk: { free: ["pageSize", "cursor", "include", "value", "firstIndex"] },
} as const satisfies Partial<Contract>;

export const contract = {
  ...listOfTransaction,
  operationId: "listTransactionOutputs",
  summary: "What a transaction created, and who spent it",
  description:
    "All outputs in order of their indexes, spent or not. Those that nobody can ever spend have `spent: null`, and with `include=kind` also `until: never`. All pages are as of the tip of the first one. 404 if no indexed block has the transaction.",
  path: "/v0/transactions/{hash}/outputs",
} as const satisfies Contract;
