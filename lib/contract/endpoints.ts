import { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/** What an access token may be allowed to do: one scope an operation. */
export const scopes = ["utxos:read", "asset-changes:read"] as const;
export type Scope = (typeof scopes)[number];

const text = z.string();

/**
 * A plain decimal integer: no sign, exponent, point, space or leading zero; `fallback` where it is not given.
 * Without a maximum any length is good; what a number cannot hold counts as the largest that it can, which
 * is past every end.
 */
function integer(fallback: number, min: number, max?: number) {
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

/** How the API's description shows a value, where it is read from other text than it stands for. */
function describedAs(schema: Record<string, unknown>) {
  return ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
    for (const key of Object.keys(jsonSchema)) if (key !== "description") delete jsonSchema[key];
    for (const [key, value] of Object.entries(schema)) if (value !== undefined) jsonSchema[key] = value;
  };
}

/** 64 hex digits, `0x` optional, any case → lower case with `0x`. */
const blockHash = z
  .string()
  .regex(/^(0x|0X)?[0-9a-fA-F]{64}$/, "Expected 64 hex digits, with or without 0x")
  .transform((hash) => `0x${hash.slice(-64).toLowerCase()}`)
  .describe("64 hex digits, `0x` optional, any case");

const tokenId = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,64}$/, "Expected a token id: 0x and hex digits")
  .transform((id) => id.toLowerCase());

/** What an asset is called, and how its amounts are read. */
const naming = {
  id: text.describe("Lower-case `0x` hex, unique on the chain"),
  name: text.describe("As its issuer or the operator's registry has it: not unique; empty for none"),
  icon: text.describe("URL of a picture on this server (absolute or a path); empty for none"),
  symbol: text.describe("As the name: not unique; empty for none"),
  decimals: z.int().describe("Of the whole unit: an amount of 10^decimals is 1"),
};

export const tokenInfo = z.object({
  layer: z.int().describe("1: a chain's native asset; 2: a token issued on the chain"),
  parentId: text.describe("The cluster of a Spore, or the asset this one derives from; empty for none"),
  totalSupply: text.describe("Exact integer in the smallest unit: the sum over all live outputs"),
  description: text.describe("From the operator's registry; empty for none"),
  public: z.boolean().describe("Listed by the operator's asset registry"),
  firstFoundBlock: text.describe("Hash of the first indexed block that holds the token"),
  firstMintAt: text.describe("RFC 3339 UTC with milliseconds; empty where no mint is indexed"),
  keywords: text.describe("Comma-separated"),
  ...naming,
});
export type TokenInfo = z.infer<typeof tokenInfo>;

export const utxoEntry = z.object({
  token: text.describe("The token's id, the same as tokenInfo.id"),
  tokenInfo,
  blockHeight: z.int().describe("Of the block that made the output"),
  outPoint: text.describe("<transaction hash>:<output index in decimal>"),
  amount: text.describe("Exact integer in the token's smallest unit; divide by 10^decimals to show it"),
  capacity: text.describe("Exact integer in the native asset's smallest unit"),
});
export type UtxoEntry = z.infer<typeof utxoEntry>;

export const assetChange = z.object({
  amount: z
    .bigint()
    .describe("Gross amount moved, smallest unit; a JSON integer with all its digits")
    .meta({ override: describedAs({ type: "integer" }) }),
  amountUsd: text
    .describe("That amount at the asset's price at the block's time, at most 8 decimals; 0 without a price")
    .meta({ override: describedAs({ type: "number" }) }),
  asset: z.object(naming),
  tags: z.array(text.describe("From the operator's registry, sorted")),
});
export type AssetChange = z.infer<typeof assetChange>;

interface Endpoint {
  /** Path below the base URL, with `{name}` for parameters. */
  path: string;
  scope: Scope;
  params: z.ZodObject;
  query: z.ZodObject;
  response: z.ZodObject;
  /** The codes it may answer with, besides success. */
  errors: readonly ErrorCode[];
}

const commonErrors = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "METHOD_NOT_ALLOWED",
  "TOO_MANY_REQUESTS",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
] as const satisfies ErrorCode[];

/** Lists the unspent outputs of an address, paged by cursor. */
export const addressUtxos = {
  path: "/v0/addresses/{address}/utxos",
  scope: "utxos:read",
  params: z.object({
    address: text.describe("An address of the served network, in any of its text forms"),
  }),
  query: z.object({
    pageSize: integer(100, 1, 1000).describe("Entries a page"),
    cursor: text.default("").describe("`lastCursor` of the page before; empty or none: the first page"),
    token: tokenId.optional().describe("Only outputs holding the asset with this id"),
    order: z.enum(["asc", "desc"]).default("asc").describe("Oldest first, or newest first"),
  }),
  response: z.object({
    result: z.array(utxoEntry),
    hasNext: z.boolean().describe("Whether more entries follow this page"),
    lastCursor: text.describe(
      "The place after this page, to be passed as `cursor`; of an empty page the one sent",
    ),
  }),
  errors: commonErrors,
} as const satisfies Endpoint;
export type UtxoList = z.infer<typeof addressUtxos.response>;

/** Lists the asset changes of one block, paged by page number. */
export const blockAssetChanges = {
  path: "/v0/blocks/{blockHash}/asset-changes",
  scope: "asset-changes:read",
  params: z.object({ blockHash }),
  query: z.object({
    assetName: text.default("").describe("A part of the asset's name, whatever its case; taken literally"),
    tags: z.array(text).default([]).describe("Entries with any of these tags; repeat the parameter"),
    orderKey: z
      .enum(["volume"])
      .optional()
      .describe("By value in US dollars, ties in order of first appearance; none: order of first appearance"),
    orderDirection: z.enum(["asc", "desc"]).default("desc").describe("Lowest or highest volume first"),
    page: integer(1, 1).describe("From 1; past the end it is empty"),
    pageSize: integer(10, 1, 100).describe("Entries a page"),
  }),
  response: z.object({
    result: z.array(assetChange),
    total: z.int().describe("Entries that match, on all pages"),
  }),
  errors: [...commonErrors, "NOT_FOUND"],
} as const satisfies Endpoint;
export type AssetChangeList = z.infer<typeof blockAssetChanges.response>;

/** Every operation of the API, by its operation id. */
export const endpoints = { addressUtxos, blockAssetChanges } as const;
