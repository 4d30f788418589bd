import { z } from "zod";
import { blockRange } from "#lib/contract/block-reference.ts";
import {
  asOfRange,
  type Contract,
  choice,
  count,
  cursorPage,
  including,
  text,
  tokenInfo,
} from "#lib/contract/operation.ts";
import { newestFirst } from "../address-changes/contract.ts";
import { contract as addressUtxos, onRequest } from "../address-utxos/contract.ts";

const { pageSize, cursor, token } = addressUtxos.query.shape;

const statementLine = z
  .object({
    height: count.describe("Height of the block"),
    transaction: onRequest("per=transaction", "Hash of the transaction"),
    blockHash: text.describe("Hash of the block"),
    time: text.describe("The block's time: RFC 3339, UTC, with milliseconds"),
    token: text.describe("The token's id"),
    tokenInfo: tokenInfo.optional().describe("Only with `include=token`"),
    standard: onRequest("include=token", "What issued it: `native`, or the standard of the token"),
    opening: text.describe("The amount before the line: an exact integer in the token's smallest unit"),
    in: text.describe("The sum over its transactions of what each gave beyond what it took"),
    out: text.describe("The sum over its transactions of what each took beyond what it gave"),
    closing: text.describe("The amount after the line: opening + in - out"),
    priceUsd: onRequest(
      "value=usd",
      "The price of one whole token, the latest as of the block's time; empty without a price",
    ),
    valueUsd: onRequest(
      "value=usd",
      "The closing amount at that price, at most 8 decimals; empty without a price",
    ),
  })
  .meta({ id: "StatementLine" });
export type StatementLine = z.infer<typeof statementLine>;

const holding = z.object({
  token: text.describe("The token's id"),
  amount: text.describe("What is held of it: an exact integer in its smallest unit"),
});
export type StatementHolding = z.infer<typeof holding>;
const statementPage = cursorPage(statementLine).extend({
  holdings: z
    .array(holding)
    .optional()
    .describe("Only on the last page: what is held as of `to`, by the token's id"),
});

export const contract = {
  operationId: "listAddressStatement",
  tag: "Addresses",
  extension: true,
  summary: "The statement of an address: what came in and went out in each block, by token",
  description:
    "A line for each block after `from`, up to `to`, and each token of which the block created or spent outputs of the address: by height, then by the token's id. Change counts neither in `in` nor in `out`, so both may be 0. The `opening` of each line is the `closing` of the token's line before. With `order=desc` the same lines come in reverse order. The last page ends with the `holdings` as of `to`, and so does the last line of NDJSON. They must equal each token's last `closing`, or the server responds with 500. Outputs that were created outside the indexed blocks do not count. All pages are as of the block that `to` named for the first one. If a reorganisation replaces that block, its cursors get 404 with the issue `replaced`.",
  path: "/v0/addresses/{address}/statement",
  scope: "utxos:read",
  params: addressUtxos.params,
  query: z.object({
    pageSize,
    cursor,
    token,
    ...blockRange,
    include: including({ token: "the token's names and decimals" }),
    value: z.enum(["usd"]).optional().describe("`usd`: lines have a price and a value"),
    order: newestFirst,
    per: choice("block", "transaction").describe(
      "What has lines of its own: each block, or each transaction",
    ),
  }),
  entry: statementLine,
  response: statementPage.meta({ id: "StatementPage", description: "A page of a statement" }),
  ...asOfRange,
  walk: { free: ["pageSize", "cursor", "include", "value"] },
} as const satisfies Contract;
