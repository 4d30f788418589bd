/** The documented headers of responses, and the responses that have them. */
import type { ErrorCode } from "./errors.ts";

interface HeaderDeclaration {
  description: string;
  type?: "integer";
  /** Whether it is never missing where it may occur. */
  always?: true;
  extension?: true;
}

const declarations = {
  "X-Request-Id": {
    description:
      "Identifies the request in the server's log. You can send your own: 1 to 128 letters, digits, `_`, `.`, `:` or `-`",
    always: true,
    extension: true,
  },
  "X-Tip-Height": {
    description: "Height of the newest indexed block; missing while none is indexed",
    type: "integer",
    extension: true,
  },
  "X-Tip-Hash": { description: "Hash of the newest indexed block", extension: true },
  "X-Index-Coverage": {
    description:
      "The indexed heights, such as `12043751, 14110309-14110312`. Sent only if some heights up to the tip are missing. After 10 ranges it ends with `…`. Unspent outputs and totals count only these heights",
    extension: true,
  },
  "X-Block-Height": {
    description: "Height of the block that the response is as of",
    type: "integer",
    extension: true,
  },
  "X-Block-Hash": { description: "Hash of the block that the response is as of", extension: true },
  "X-From-Height": {
    description: "Height of the block that `from` names: the range begins after it. Missing without `from`",
    type: "integer",
    extension: true,
  },
  "X-Parent-Hash": { description: "Hash of the block before it", always: true, extension: true },
  "X-Block-Time": {
    description: "The block's time: RFC 3339, UTC, with milliseconds",
    always: true,
    extension: true,
  },
  "Content-Location": {
    description:
      "The URL of this request with the block's hash. Sent if the request named the block by height, time or `tip`, and the URL has at most 2,000 characters",
    extension: true,
  },
  ETag: {
    description:
      "Identifies these bytes; a whole list as NDJSON has none. Send it back as `If-None-Match`: if nothing has changed, the response is a 304 without a body",
  },
  "Content-Encoding": {
    description: "`br` or `gzip`, for bodies of 1 KB or more if `Accept-Encoding` allows it",
  },
  "Cache-Control": { description: "`private` on success; `no-store` on errors and streams", always: true },
  Vary: { description: "The request headers that the response depends on", always: true },
  "X-Content-Type-Options": {
    description: "`nosniff`: browsers take the body for what it is",
    always: true,
  },
  "X-Accel-Buffering": {
    description: "`no`: proxies such as nginx pass events on at once",
    always: true,
  },
  "Strict-Transport-Security": { description: "Sent over https: browsers use only https for a year" },
  "RateLimit-Limit": {
    description: "Requests per minute for this token; sent if it has a rate limit",
    type: "integer",
  },
  "RateLimit-Remaining": { description: "How many of them are left", type: "integer" },
  "RateLimit-Reset": { description: "Seconds until the count starts again", type: "integer" },
  "Retry-After": {
    description: "Seconds to wait before you try again",
    type: "integer",
    always: true,
  },
  "WWW-Authenticate": {
    description: "What is wrong with the token, or which scope it lacks (RFC 6750)",
    always: true,
  },
  Allow: { description: "The methods that the path takes", always: true },
} as const satisfies Record<string, HeaderDeclaration>;

export type HeaderName = keyof typeof declarations;
export const headerDeclarations: Readonly<Record<HeaderName, HeaderDeclaration>> = declarations;

const common: readonly HeaderName[] = [
  "X-Request-Id",
  "X-Tip-Height",
  "X-Tip-Hash",
  "X-Index-Coverage",
  "Cache-Control",
  "Vary",
  "X-Content-Type-Options",
  "Strict-Transport-Security",
];
const rateLimit: readonly HeaderName[] = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

export const notModifiedHeaders: readonly HeaderName[] = [...common, ...rateLimit, "ETag"];
export const successHeaders: readonly HeaderName[] = [...notModifiedHeaders, "Content-Encoding"];
export const eventStreamHeaders: readonly HeaderName[] = [...common, ...rateLimit, "X-Accel-Buffering"];
/** Headers of errors. Requests are counted after the check of token and scope, so earlier errors have no rate limit. */
export const errorHeaders: Readonly<Record<ErrorCode, readonly HeaderName[]>> = {
  BAD_REQUEST: [...common, ...rateLimit],
  UNAUTHORIZED: [...common, "WWW-Authenticate"],
  FORBIDDEN: [...common, "WWW-Authenticate"],
  NOT_FOUND: [...common, ...rateLimit],
  METHOD_NOT_ALLOWED: [...common, "Allow"],
  NOT_ACCEPTABLE: [...common, ...rateLimit],
  TOO_MANY_REQUESTS: [...common, ...rateLimit, "Retry-After"],
  INTERNAL_SERVER_ERROR: common,
  SERVICE_UNAVAILABLE: [...common, ...rateLimit, "Retry-After"],
};
