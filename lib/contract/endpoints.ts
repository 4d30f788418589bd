import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { OutPoint } from "./ledger.ts";

/** What an access token may be allowed to do: one scope for each operation. */
export const scopes = ["utxos:read", "asset-changes:read"] as const;
export type Scope = (typeof scopes)[number];

/** The groups of operations in OpenAPI, for reference pages and generated clients. */
export const tags = {
  Addresses: "What an address holds, output by output.",
  Blocks: "What a block moved, by asset.",
  Events: "What changes, as it happens.",
} as const;

/** Marks what is an addition to the original v0: a client that does not know it never notices it. */
const extension = { "x-extension": true } as const;

const text = z.string();

/**
 * A plain decimal integer without sign, exponent, point, spaces or leading zeros; `fallback` if it is missing.
 * Without a maximum, it may have any length, and is capped at the largest safe integer, which is past every end.
 */
export function integer(fallback: number, min: number, max?: number) {
  const bounds = z.bigint().min(BigInt(min), `Expected at least ${min}`);
  return z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/, "Expected a plain decimal integer")
    .transform(BigInt)
    .pipe(max === undefined ? bounds : bounds.max(BigInt(max), `Expected at most ${max}`))
    .transform((value) => Math.min(Number(value), Number.MAX_SAFE_INTEGER))
    .default(fallback)
    .meta({ override: describedAs({ type: "integer", minimum: min, maximum: max, default: fallback }) });
}

/** How OpenAPI describes a value whose schema reads it from text. */
function describedAs(schema: Record<string, unknown>) {
  return ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
    for (const key of Object.keys(jsonSchema)) if (key !== "description") delete jsonSchema[key];
    for (const [key, value] of Object.entries(schema)) if (value !== undefined) jsonSchema[key] = value;
  };
}

const HASH = /^(0x|0X)?[0-9a-fA-F]{64}$/;
const HEIGHT = /^(0|[1-9][0-9]*)$/;

/** How a request names a block. */
export type BlockReference = { hash: string } | { height: number } | "tip";

/** 64 digits are always a hash. */
const blockReference = z
  .string()
  .refine(
    (given) => HASH.test(given) || HEIGHT.test(given) || given === "tip",
    "Expected 64 hex digits, with or without 0x; or a height in decimal; or tip",
  )
  .transform((given): BlockReference => {
    if (given === "tip") return given;
    if (HASH.test(given)) return { hash: `0x${given.slice(-64).toLowerCase()}` };
    return { height: Math.min(Number(given), Number.MAX_SAFE_INTEGER) };
  })
  .describe("The block's hash: 64 hex digits, `0x` optional, any case. Or its height in decimal, or `tip`")
  .meta({ pattern: `${HASH.source}|${HEIGHT.source}|^tip$` });

/** As entries have it: `<transaction hash>:<output index in decimal>`. */
const outPoint = z
  .string()
  .regex(
    /^0x[0-9a-fA-F]{64}:(0|[1-9][0-9]{0,9})$/,
    "Expected an out point: <transaction hash>:<output index>",
  )
  .transform((given): OutPoint => {
    const [hash = "", index] = given.toLowerCase().split(":");
    return { transactionHash: hash, outputIndex: Number(index) };
  });

const tokenId = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,64}$/, "Expected a token id: 0x and hex digits")
  .transform((id) => id.toLowerCase());

/** An asset's names, and the scale of its amounts. */
const naming = {
  id: text.describe("Lower-case `0x` hex, unique on the chain"),
  name: text.describe("From its issuer or the operator's registry; not unique; empty if there is none"),
  icon: text.describe("URL of a picture on this server (absolute or a path); empty if there is none"),
  symbol: text.describe("From its issuer or the operator's registry; not unique; empty if there is none"),
  decimals: z.int().describe("Decimal places of the whole unit: an amount of 10^decimals is 1"),
};

export const tokenInfo = z
  .object({
    layer: z.int().describe("1: a chain's native asset; 2: a token issued on the chain"),
    parentId: text.describe("The collection or asset that this one derives from; empty if there is none"),
    totalSupply: text.describe("Exact integer in the smallest unit: the sum over all live outputs"),
    description: text.describe("From the operator's registry; empty if there is none"),
    public: z.boolean().describe("Listed by the operator's asset registry"),
    firstFoundBlock: text.describe("Hash of the first indexed block that holds the token"),
    firstMintAt: text.describe("RFC 3339 UTC with milliseconds; empty if no mint is indexed"),
    keywords: text.describe("Comma-separated"),
    ...naming,
  })
  .meta({ id: "TokenInfo" });
export type TokenInfo = z.infer<typeof tokenInfo>;

/** Extra fields of the entries, for those who ask. */
const include = z
  .enum(["kind"])
  .optional()
  .describe("`kind`: entries say what they are, in fields beyond those that they always have")
  .meta(extension);

export const utxoEntry = z
  .object({
    token: text.describe("The token's id, the same as tokenInfo.id"),
    tokenInfo,
    blockHeight: z.int().describe("Height of the block that created the output"),
    outPoint: text.describe("<transaction hash>:<output index in decimal>"),
    amount: text.describe("Exact integer in the token's smallest unit; divide by 10^decimals to show it"),
    capacity: text.describe("Exact integer in the native asset's smallest unit"),
    // Extensions.
    kind: text
      .optional()
      .describe(
        "Only with `include=kind`. What the output is as of the tip: the standard of its token (`xUDT`, `Spore`), `plain`, or another word of the chain; empty if it was indexed before kinds were",
      ),
    until: text
      .optional()
      .describe(
        "Only with `include=kind`. What the chain has to reach before the output can be spent: `block 12`, a time in RFC 3339 or another measure of the chain; `never`; empty if nothing holds it back",
      ),
    compensation: text
      .optional()
      .describe(
        "Only with `include=kind`. What its owner gets for it as of the tip on top of `capacity`, an exact integer in the native asset's smallest unit; empty if that is nothing or unknown",
      ),
  })
  .meta({ id: "UtxoEntry" });
export type UtxoEntry = z.infer<typeof utxoEntry>;

export const assetChange = z
  .object({
    amount: z
      .bigint()
      .describe("Gross amount moved, smallest unit; a JSON integer with all its digits")
      .meta({ override: describedAs({ type: "integer" }) }),
    amountUsd: text
      .describe("That amount at the asset's price at the block's time, at most 8 decimals; 0 without a price")
      .meta({ override: describedAs({ type: "number" }) }),
    asset: z.object(naming).meta({ id: "Asset" }),
    tags: z.array(text.describe("From the operator's registry, sorted")),
    amountExact: text
      .describe("`amount` as decimal digits, for clients whose JSON numbers are doubles")
      .meta(extension),
    amountUsdExact: text
      .describe("`amountUsd` as decimal digits, for clients whose JSON numbers are doubles")
      .meta(extension),
    // An extension.
    kind: text
      .optional()
      .describe(
        "Only with `include=kind`. What issued the asset: `native`, or its standard (`xUDT`, `Spore`)",
      ),
  })
  .meta({ id: "AssetChange" });
export type AssetChange = z.infer<typeof assetChange>;

/**
 * What the API promises of one operation, and the only place that says it. Router, encoders, OpenAPI, reference
 * page, samples and the browser's client are typed by these declarations, so the compiler names what has to follow a
 * change here.
 */
export interface OperationDeclaration {
  /** OpenAPI's name of the operation, for generated clients. */
  operationId: string;
  tag: keyof typeof tags;
  summary: string;
  /** Markdown: backticks mark code. */
  description: string;
  /** Path below the base URL, with `{name}` for parameters. */
  path: string;
  scope: Scope;
  params: z.ZodObject;
  query: z.ZodObject;
  response: z.ZodObject;
  /** An entry of the list, if the whole of it can be had as NDJSON: an entry a line, and then the cursor. */
  entry?: z.ZodType;
  /** Error codes that it may answer with. */
  errors: readonly ErrorCode[];
}

/** Every operation may answer with these. */
export const commonErrors = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "METHOD_NOT_ALLOWED",
  "TOO_MANY_REQUESTS",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
] as const satisfies ErrorCode[];

export const addressUtxos = {
  operationId: "listAddressUtxos",
  tag: "Addresses",
  summary: "The unspent outputs of an address",
  description:
    "Oldest first: by block height, transaction index, output index. Follow `lastCursor` until `hasNext` is false. With `Accept: application/x-ndjson` the answer has every entry from the cursor to the end, one a line, and then the cursor; if `Accept` gives JSON more weight, it is a page.",
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
    token: tokenId.optional().describe("Only outputs holding the asset with this id").meta(extension),
    order: z.enum(["asc", "desc"]).default("asc").describe("Oldest first, or newest first").meta(extension),
    include,
  }),
  response: z
    .object({
      result: z.array(utxoEntry),
      hasNext: z.boolean().describe("Whether more entries follow this page"),
      lastCursor: text.describe(
        "Pass it as `cursor` to get the next page; an empty page returns the cursor that was sent",
      ),
    })
    .meta({ id: "UtxoPage", description: "A page of unspent outputs" }),
  entry: utxoEntry,
  errors: commonErrors,
} as const satisfies OperationDeclaration;
export type UtxoList = z.infer<typeof addressUtxos.response>;

export const blockAssetChanges = {
  operationId: "listBlockAssetChanges",
  tag: "Blocks",
  summary: "What moved in a block, by asset",
  description:
    "`amount` is a JSON integer with all its digits, which may be more than a double holds: read `amountExact` if your JSON parser has no big integers. 404 if the block is not indexed or no longer canonical.",
  path: "/v0/blocks/{blockHash}/asset-changes",
  scope: "asset-changes:read",
  params: z.object({ blockHash: blockReference }),
  query: z.object({
    assetName: text.default("").describe("Part of the asset's name, in any case; no wildcards"),
    search: text
      .default("")
      .describe(
        "Part of the asset's name (in any case), symbol (ASCII letters in any case) or id; no wildcards",
      )
      .meta(extension),
    tags: z
      .array(text)
      .default([])
      .describe(
        "Entries with any of these tags; repeat the parameter. `tags[]=` and `tags[0]=` are read, too",
      ),
    orderKey: z
      .enum(["volume"])
      .optional()
      .describe(
        "By value in US dollars, ties in order of first appearance; missing: order of first appearance",
      ),
    orderDirection: z.enum(["asc", "desc"]).default("desc").describe("Lowest or highest volume first"),
    page: integer(1, 1).describe("Starts at 1; a page past the end is empty"),
    pageSize: integer(10, 1, 100).describe("Entries per page"),
    include,
  }),
  response: z
    .object({
      result: z.array(assetChange),
      total: z.int().describe("Entries that match, on all pages"),
    })
    .meta({ id: "AssetChangePage", description: "A page of asset changes" }),
  errors: [...commonErrors, "NOT_FOUND"],
} as const satisfies OperationDeclaration;
export type AssetChangeList = z.infer<typeof blockAssetChanges.response>;

/** Every operation of the API, by the name that the code has for it. */
export const endpoints = { addressUtxos, blockAssetChanges } as const;
export type OperationName = keyof typeof endpoints;
export const operationNames = Object.keys(endpoints) as OperationName[];
