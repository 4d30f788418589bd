import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { HeaderName } from "./headers.ts";
import { MAX_ADDRESSES } from "./texts.ts";

export const scopes = ["utxos:read", "asset-changes:read"] as const;
export type Scope = (typeof scopes)[number];
/** The scope that a caller needs, or several of which one is enough. */
export type Access = Scope | readonly Scope[];

export const tags = {
  Addresses: "What an address holds, output by output.",
  Assets: "What assets there are, and who holds them.",
  Blocks: "What a block moved, by asset.",
  Events: "What changes, as it happens.",
  Transactions: "What a transaction spent and created, and what became of it.",
} as const;

/** Marks an addition to the original v0. Clients that do not know it are not affected. */
export const extension = { "x-extension": true } as const;

export const text = z.string();
export const count = z.int().nonnegative();

/** Describes the notations of a list parameter. */
export const LIST_FORMS =
  "repeat the parameter, or separate values by commas; `name[]=`, `name[0]=` and `name.0=` also work";

export const addresses = z.array(text).max(MAX_ADDRESSES, `Expected at most ${MAX_ADDRESSES} addresses`);

/**
 * A plain decimal integer without sign, exponent, point, spaces or leading zeros; `fallback` if missing. Without a maximum,
 * it may have any length, and is capped at the largest safe integer, which is past every end.
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

/** Replaces OpenAPI's description of a value that its schema reads from text. */
export function describedAs(schema: Record<string, unknown>) {
  return ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
    for (const key of Object.keys(jsonSchema)) if (key !== "description") delete jsonSchema[key];
    for (const [key, value] of Object.entries(schema)) if (value !== undefined) jsonSchema[key] = value;
  };
}

/** A parameter with two values. The first is the default, and is read as undefined, so that older cursors stay valid. */
export const choice = <First extends string, Second extends string>(first: First, second: Second) =>
  z
    .enum([first, second])
    .optional()
    .transform((chosen) => (chosen === second ? second : undefined))
    .meta({ override: describedAs({ type: "string", enum: [first, second], default: first }) });

export const naming = {
  id: text.describe("Lower-case `0x` hex, unique on the chain"),
  name: text.describe("From its issuer or the operator's registry; not unique; empty if there is none"),
  icon: text.describe("URL of a picture on this server (absolute or a path); empty if there is none"),
  symbol: text.describe("From its issuer or the operator's registry; not unique; empty if there is none"),
  decimals: count.describe("Decimal places of the whole unit: an amount of 10^decimals is 1"),
};

export const tokenInfo = z
  .object({
    layer: z.int().min(1).describe("1: a chain's native asset; 2: a token issued on the chain"),
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

/** A parameter that selects optional fields of entries. `fields` describes each. */
export const including = <Name extends string>(fields: Record<Name, string>) =>
  z
    .array(z.enum(Object.keys(fields) as [Name, ...Name[]]))
    .default([])
    .describe(
      `${Object.entries(fields)
        .map(([name, adds]) => `\`${name}\`: entries have ${adds}`)
        .join(". ")}. ${LIST_FORMS[0]!.toUpperCase()}${LIST_FORMS.slice(1)}`,
    )
    .meta(extension);

/** The contract of an operation. Router, OpenAPI, reference page, MCP, samples and browser client derive from it. */
export interface Contract {
  operationId: string;
  tag: keyof typeof tags;
  extension?: true;
  summary: string;
  description: string;
  /** Path below the base URL, with `{name}` for parameters. */
  path: string;
  scope: Access;
  params: z.ZodObject;
  query: z.ZodObject;
  entry: z.ZodType;
  response: z.ZodObject;
  /** Header fields that only this operation's successful responses have. */
  headers: readonly HeaderName[];
  errors: readonly ErrorCode[];
  /** Present for a list with cursors, which is also available as NDJSON. */
  walk?: {
    /** Parameters that may change from page to page. Cursors are bound to all others. */
    free: readonly string[];
    /** Whether a walk without `at` follows the chain. The cursors of any other walk carry the block that it is as of. */
    live?: true;
  };
}

/** Describes contracts that differ from `C` only in their names and texts. */
export type Alike<C extends Contract> = Omit<C, Own> & Pick<Contract, Own>;
type Own = "operationId" | "summary" | "description" | "path";

export const commonErrors = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "METHOD_NOT_ALLOWED",
  "NOT_ACCEPTABLE",
  "TOO_MANY_REQUESTS",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
] as const satisfies ErrorCode[];

/** Operations that answer as of one block share these. They respond with 404 if the block or the subject is not indexed. */
export const asOfOneBlock = {
  headers: ["X-Block-Height", "X-Block-Hash"],
  errors: [...commonErrors, "NOT_FOUND"],
} as const satisfies Partial<Contract>;

/** The same for operations that take `from`. */
export const asOfRange = {
  ...asOfOneBlock,
  headers: [...asOfOneBlock.headers, "X-From-Height"],
} as const satisfies Partial<Contract>;

/** Errors of an operation that any access token may use. */
export const openErrors = commonErrors.filter((code) => code !== "FORBIDDEN");

export const cursorPage = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    result: z.array(entry),
    hasNext: z.boolean().describe("Whether more entries follow this page"),
    lastCursor: text.describe(
      "Pass it as `cursor` to get the next page; an empty page returns the cursor that was sent",
    ),
  });

export const numberedPage = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    result: z.array(entry),
    total: count.describe("Entries that match, on all pages"),
  });

/** A complete program that reads all pages, honours `Retry-After`, and keeps every digit. */
export interface Sample {
  language: "cURL" | "JavaScript" | "Python";
  code: string;
}
