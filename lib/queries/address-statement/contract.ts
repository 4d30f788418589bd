import { z } from "zod";
import { blockRange } from "#lib/contract/block-reference.ts";
import {
  type Contract,
  commonErrors,
  count,
  cursorPage,
  including,
  text,
  tokenInfo,
} from "#lib/contract/operation.ts";
import { contract as addressUtxos, onRequest } from "../address-utxos/contract.ts";

const { pageSize, cursor, token } = addressUtxos.query.shape;

const statementLine = z
  .object({
    height: count.describe("Height of the block"),
    blockHash: text.describe("Hash of the block"),
    time: text.describe("The block's time: RFC 3339, UTC, with milliseconds"),
    token: text.describe("The token's id"),
    tokenInfo: tokenInfo.optional().describe("Only with `include=token`"),
    standard: onRequest("include=token", "What issued it: `native`, or the standard of the token"),
    opening: text.describe("The amount before the block: an exact integer in the token's smallest unit"),
    in: text.describe("What the outputs hold that the block created"),
    out: text.describe("What the outputs held that the block spent"),
    closing: text.describe("The amount after the block: opening + in - out"),
    priceUsd: onRequest(
      "value=usd",
      "Of one whole token, the latest as of the block's time; empty without one",
    ),
    valueUsd: onRequest(
      "value=usd",
      "The closing amount at that price, at most 8 decimals; empty without one",
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
    .describe("Only on the last page: what the address holds as of `to`, by the token's id"),
});

export const contract = {
  operationId: "listAddressStatement",
  tag: "Addresses",
  extension: true,
  summary: "The statement of an address: what each block brought and took, by token",
  description:
    "A line for each block after `from`, up to `to`, and each token of which the block created or spent outputs of the address: by height, then by the token's id. Each line opens with what the token's last one closed with. The last page ends with the `holdings` as of `to`, and so does the last line of NDJSON. They are the last closings: the server answers 500 if they differ. Outputs that were created outside the indexed blocks do not count. All pages are as of the block that `to` named for the first one. If a reorganisation replaces that block, its cursors get 404 with the issue `replaced`.",
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
  }),
  entry: statementLine,
  response: statementPage.meta({ id: "StatementPage", description: "A page of a statement" }),
  headers: ["X-Block-Height", "X-Block-Hash"],
  errors: [...commonErrors, "NOT_FOUND"],
  walk: { free: ["pageSize", "cursor", "include", "value"] },
} as const satisfies Contract;
