import { z } from "zod";
import { asOf } from "#lib/contract/block-reference.ts";
import { asOfOneBlock, type Contract, count, cursorPage, text, tokenInfo } from "#lib/contract/operation.ts";
import { contract as addressUtxos, utxoEntry } from "../address-utxos/contract.ts";

const { pageSize, cursor } = addressUtxos.query.shape;

const holding = z
  .object({
    token: utxoEntry.shape.token,
    tokenInfo,
    amount: text.describe("The sum of the outputs' amounts: an exact integer in the token's smallest unit"),
    capacity: text.describe("What these outputs hold of the native asset, in its smallest unit"),
    outputCount: count.describe("How many outputs hold the token"),
    priceUsd: text.describe(
      "The price of one whole token, the latest as of the block's time; empty without a price",
    ),
    valueUsd: text.describe("The amount at that price, at most 8 decimals; empty without a price"),
  })
  .meta({ id: "Holding" });
export type HoldingEntry = z.infer<typeof holding>;

export const contract = {
  operationId: "listAddressHoldings",
  tag: "Addresses",
  extension: true,
  summary: "What an address holds or held, by token",
  description:
    "The sums of the list of unspent outputs, by token: the most valuable first, then those without a price by their number of outputs. All pages are as of the block of the first one. If a reorganisation replaces that block, its cursors get 404 with the issue `replaced`.",
  path: "/v0/addresses/{address}/holdings",
  scope: "utxos:read",
  params: addressUtxos.params,
  query: z.object({ pageSize, cursor, at: asOf }),
  entry: holding,
  response: cursorPage(holding).meta({ id: "HoldingPage", description: "A page of holdings" }),
  ...asOfOneBlock,
  walk: { free: ["pageSize", "cursor"] },
} as const satisfies Contract;
