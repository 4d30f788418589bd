import type { Contract } from "#lib/contract/operation.ts";
import { listOfTransaction } from "../transaction-outputs/contract.ts";

export const contract = {
  ...listOfTransaction,
  operationId: "listTransactionInputs",
  summary: "What a transaction spent",
  description:
    "The outputs that the transaction spends, in order of its inputs. Of an output whose block is not indexed, only `outPoint` and `spent` are known: `blockHeight` is null, and all text empty. All pages are as of the tip of the first one. 404 if no indexed block has the transaction.",
  path: "/v0/transactions/{hash}/inputs",
} as const satisfies Contract;
