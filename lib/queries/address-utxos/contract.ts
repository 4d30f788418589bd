import { z } from "zod";
import { asOf } from "#lib/contract/block-reference.ts";
import { coded } from "#lib/contract/errors.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import {
  asOfOneBlock,
  type Contract,
  count,
  cursorPage,
  extension,
  including,
  integer,
  text,
  tokenInfo,
} from "#lib/contract/operation.ts";

/** Cursors and chains store an index in four bytes. */
export const MAX_OUTPUT_INDEX = 2 ** 32 - 1;

/** `<transaction hash>:<output index>`. The index may also be in hex, as some nodes write it: `0xa`. */
export const outPoint = z
  .string()
  .regex(
    /^(0x|0X)?[0-9a-fA-F]{64}:(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$/,
    "Expected an out point: <transaction hash>:<output index>",
  )
  .refine(
    (given) => Number(given.split(":")[1]) <= MAX_OUTPUT_INDEX,
    coded("invalid_out_point", `Expected an output index of at most ${MAX_OUTPUT_INDEX}`),
  )
  .transform((given): OutPoint => {
    const [hash = "", index] = given.toLowerCase().split(":");
    return { transactionHash: `0x${hash.slice(-64)}`, outputIndex: Number(index) };
  });

export const assetId = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,64}$/, "Expected a token id: 0x and hex digits")
  .transform((id) => id.toLowerCase());

/** A field that entries have only if a request has this parameter. */
export const onRequest = (parameter: string, what: string) =>
  text.optional().describe(`Only with \`${parameter}\`. ${what}`).meta(extension);

export const utxoEntry = z
  .object({
    token: text.describe("The token's id, the same as tokenInfo.id"),
    tokenInfo,
    blockHeight: count.describe("Height of the block that created the output"),
    outPoint: text.describe("<transaction hash>:<output index in decimal>"),
    amount: text.describe("Exact integer in the token's smallest unit; divide by 10^decimals to show it"),
    capacity: text.describe("Exact integer in the native asset's smallest unit"),
    // Extensions of the original v0.
    kind: onRequest(
      "include=kind",
      "The output's kind as of the list's block: the standard of its token, or another kind of the chain; empty if the output is not indexed",
    ),
    until: onRequest(
      "include=kind",
      "What the chain has to reach before the output can be spent: `block 12`, a time in RFC 3339 or another measure of the chain; `never`; empty if nothing holds it back",
    ),
    compensation: onRequest(
      "include=kind",
      "What its owner gets for it as of that block on top of `capacity`, an exact integer in the native asset's smallest unit; empty for other outputs, or if it is unknown",
    ),
    blockTime: onRequest(
      "include=time",
      "Time of the block that created the output: RFC 3339, UTC, with milliseconds",
    ),
    blockHash: onRequest("include=block", "Hash of that block, which names it even after a reorganisation"),
    priceUsd: onRequest(
      "value=usd",
      "The price of one whole token, the latest as of the time of the list's block; empty without a price",
    ),
    valueUsd: onRequest("value=usd", "The amount at that price, at most 8 decimals; empty without one"),
  })
  .meta({ id: "UtxoEntry" });
/** An output in any list. */
export type UtxoEntry = z.infer<typeof utxoEntry>;

export const contract = {
  operationId: "listAddressUtxos",
  tag: "Addresses",
  summary: "The unspent outputs of an address",
  description:
    "Oldest first: by block height, transaction index, output index. Follow `lastCursor` until `hasNext` is false. With `Accept: application/x-ndjson` the response has every entry from the cursor to the end, one per line, and then the cursor. If `Accept` gives JSON more weight, the response is a page.",
  path: "/v0/addresses/{address}/utxos",
  scope: "utxos:read",
  params: z.object({
    address: text.describe("An address of the served network, in any of its text forms"),
  }),
  query: z.object({
    pageSize: integer(100, 1, 1000).describe("Entries per page"),
    cursor: text.default("").describe("`lastCursor` of the previous page; empty or missing: the first page"),
    after: outPoint
      .optional()
      .describe("Instead of a cursor: only outputs that follow this one in the list, which may be spent")
      .meta(extension),
    token: assetId.optional().describe("Only outputs holding the asset with this id").meta(extension),
    order: z.enum(["asc", "desc"]).default("asc").describe("Oldest first, or newest first").meta(extension),
    include: including({
      kind: "what the output is: `kind`, `until` and `compensation`",
      time: "the time of its block: `blockTime`",
      block: "the hash of its block: `blockHash`",
    }),
    value: z.enum(["usd"]).optional().describe("`usd`: entries have a price and a value").meta(extension),
    at: asOf.meta(extension),
  }),
  entry: utxoEntry,
  response: cursorPage(utxoEntry).meta({ id: "UtxoPage", description: "A page of unspent outputs" }),
  ...asOfOneBlock,
  walk: { free: ["pageSize", "cursor", "after", "include", "value"], live: true },
} as const satisfies Contract;
export type UtxoList = z.infer<typeof contract.response>;
