import { z } from "zod";
import { asOfOneBlock, type Contract } from "#lib/contract/operation.ts";
import { contract as addressUtxos, outPoint } from "../address-utxos/contract.ts";
import { outputEntry } from "../transaction-outputs/contract.ts";

const { include, value } = addressUtxos.query.shape;

export const contract = {
  operationId: "getOutput",
  tag: "Transactions",
  extension: true,
  summary: "One output, live or spent",
  description:
    "One entry, with the fields of a transaction's lists, as of the tip. 404 if no indexed block creates or spends the output.",
  path: "/v0/outputs/{outPoint}",
  scope: "utxos:read",
  params: z.object({
    outPoint: outPoint.describe("<transaction hash>:<output index>, in decimal or after `0x` in hex"),
  }),
  query: z.object({ include, value }),
  entry: outputEntry,
  response: outputEntry,
  ...asOfOneBlock,
} as const satisfies Contract;
