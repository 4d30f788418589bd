import { isAscii } from "node:buffer";
import { hash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { ApiError } from "#lib/contract/errors.ts";
import type { Lines } from "#lib/queries/operation.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { ApiRequest, ApiResponse, StreamedResponse } from "./http-messages.ts";
import type { CacheableResponse } from "./response-cache.ts";

export const PAGE_TYPE = "application/json";
const JSON_TYPE = `${PAGE_TYPE}; charset=utf-8`;
/** The request headers that responses depend on. A session cookie carries a token, too. */
const VARY = "Authorization, Accept-Encoding, Cookie, Accept";
const MIN_COMPRESSED_BYTES = 1024;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

const CODINGS = ["br", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

/**
 * Compresses a body, better if it is a file. A page of 100 outputs with 51,131 bytes becomes 5,914 and 5,575 bytes with brotli 1
 * and 4, in 0.14 and 0.65 ms; 6,698 and 6,247 bytes with gzip 1 and 6, in 0.33 and 0.56 ms. Higher levels of brotli take
 * longer and save nothing.
 */
function compress(body: Buffer, coding: Coding, isFile: boolean): Promise<Buffer> {
  if (coding === "gzip") return deflate(body, { level: isFile ? 6 : 1 });
  return brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: isFile ? 4 : 1 } });
}

/** Copies content into a buffer of its own. A slice of Node's shared pool would keep the whole pool alive. */
function bytesOf(content: string | Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(content.length);
  if (typeof content !== "string") {
    content.copy(bytes);
    return bytes;
  }
  // Nearly all text is ASCII, with as many bytes as characters. Counting the bytes first would take longer.
  if (bytes.write(content) === content.length && isAscii(bytes)) return bytes;
  return bytesOf(Buffer.from(content));
}

/** A response that was read at this tip, before compression and conditional requests. */
export function cacheable(
  content: string | Buffer,
  tip: IndexTip | null,
  headers: Record<string, string> = {},
): CacheableResponse {
  const body = bytesOf(content);
  // 162 bits are enough for an ETag.
  const digest = hash("sha256", body, "base64url").slice(0, 27);
  return { body, digest, tip, headers, compressed: new Map() };
}

/**
 * A 200 with a strong ETag, compressed as the client prefers, or a 304 if the client already has it
 * (RFC 9110, sections 8.8.3 and 13.1.2). Different bytes never have the same tag: each content coding has its own.
 * `onCompressed` is given for a cached page, and called when it has one more compressed body. `isFile`: all requests get the
 * same bytes, so they are compressed better.
 */
export async function pageResponse(
  request: Pick<ApiRequest, "header">,
  page: CacheableResponse,
  onCompressed?: () => void,
  isFile = false,
): Promise<ApiResponse> {
  const { body, digest, compressed } = page;
  const coding = preferredCoding(request.header("accept-encoding"), body.length);
  const etag = coding === null ? `"${digest}"` : `"${digest}-${coding}"`;
  const headers: Record<string, string> = {
    ...tipHeaders(page.tip),
    ...page.headers,
    "Cache-Control": "private",
    Vary: VARY,
    ETag: etag,
  };
  if (matches(request.header("if-none-match"), etag)) return { status: 304, headers, body: "" };

  headers["Content-Type"] = JSON_TYPE;
  if (coding === null) return { status: 200, headers, body };
  headers["Content-Encoding"] = coding;
  let smaller = compressed.get(coding);
  if (!smaller) {
    smaller = await compress(body, coding, isFile);
    if (onCompressed) {
      compressed.set(coding, bytesOf(smaller));
      onCompressed();
    }
  }
  return { status: 200, headers, body: smaller };
}

export const LINES_TYPE = "application/x-ndjson";
export const EVENTS_TYPE = "text/event-stream";

/**
 * The media type of the response (RFC 9110, section 12.5.1). Clients that name none get the `usual` one. Wildcards stand for
 * it, too: another type must be named with at least its weight, unless the client refuses the usual one. Throws
 * NOT_ACCEPTABLE if `Accept` allows none of them.
 */
export function typeOf(
  request: Pick<ApiRequest, "header">,
  usual: string,
  others: readonly string[] = [],
): string {
  const weights = weightsIn(request.header("accept"));
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.split("/")[0]}/*`) ?? weights.get("*/*");
  const usualWeight = weightOf(usual);
  const preferred = others.find((type) => {
    const weight = (usualWeight === 0 ? weightOf(type) : weights.get(type)) ?? 0;
    return weight > 0 && weight >= (usualWeight ?? 0);
  });
  if (preferred !== undefined) return preferred;
  const asksForNone = weights.values().every((weight) => weight === 0);
  if (usualWeight === undefined ? asksForNone : usualWeight > 0) return usual;
  const message = `Accept allows none of the formats of this response: ${[usual, ...others].join(" or ")}`;
  throw new ApiError("NOT_ACCEPTABLE", [{ path: [], code: "not_acceptable", message }]);
}

/** A 200 with a list as NDJSON. The first lines have been read; the client's reading of the body drives the rest. */
export function linesResponse(
  request: Pick<ApiRequest, "header">,
  first: Lines,
  body: Readable,
): StreamedResponse {
  const coding = preferredCoding(request.header("accept-encoding"), Buffer.byteLength(first.text));
  return {
    status: 200,
    headers: {
      ...tipHeaders(first.tip),
      ...first.headers,
      "Cache-Control": "no-store",
      Vary: VARY,
      "Content-Type": LINES_TYPE,
      ...(coding && { "Content-Encoding": coding }),
    },
    body: coding === null ? body : compressed(body, coding),
  };
}

/**
 * Compresses a body piece by piece. If one of the two streams is destroyed, so is the other. The windows are small, because
 * every slow reader holds one, and because entries mostly repeat what stands just before them.
 */
function compressed(body: Readable, coding: Coding): Readable {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  const compressor =
    coding === "gzip"
      ? createGzip({ flush: Z_SYNC_FLUSH, level: 1, windowBits: 13, memLevel: 6 })
      : createBrotliCompress({
          flush: BROTLI_OPERATION_FLUSH,
          params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_LGWIN]: 14 },
        });
  return pipeline(body, compressor, () => {});
}

export function streamHeaders(tip: IndexTip | null): Record<string, string> {
  return {
    ...tipHeaders(tip),
    "Cache-Control": "no-store",
    Vary: VARY,
    "Content-Type": EVENTS_TYPE,
    // An open connection would delay the stop of the server.
    Connection: "close",
    // Without it, nginx buffers events.
    "X-Accel-Buffering": "no",
  };
}

export function errorResponse(error: ApiError, tip: IndexTip | null): ApiResponse & { body: string } {
  return {
    status: error.status,
    headers: {
      ...tipHeaders(tip),
      "Cache-Control": "no-store",
      Vary: VARY,
      ...error.headers,
      "Content-Type": JSON_TYPE,
    },
    body: JSON.stringify(error.body),
  };
}

export function tipHeaders(tip: IndexTip | null): Record<string, string> {
  if (!tip) return {};
  const { height, hash, coverage } = tip;
  const headers: Record<string, string> = { "X-Tip-Height": String(height), "X-Tip-Hash": hash };
  // The ellipsis of a long list is sent as the bytes of its UTF-8, because each character of a header is a byte.
  if (coverage !== undefined) headers["X-Index-Coverage"] = Buffer.from(coverage).toString("latin1");
  return headers;
}

/** Weights by item in lower case (RFC 9110, section 12.4.2). `negotiator` takes six times as long. */
function weightsIn(header: string | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of (header ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    if (name !== "") weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

/** The supported coding with the highest weight (RFC 9110, section 12.5.3); null for a short body if allowed. */
function preferredCoding(acceptEncoding: string | undefined, bytes: number): Coding | null {
  if (acceptEncoding === undefined) return null;
  const weights = weightsIn(acceptEncoding);
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const plainAllowed = weights.get("identity") ?? weights.get("*") ?? 1;
  if (bytes < MIN_COMPRESSED_BYTES && plainAllowed > 0) return null;
  // The sort is stable, so br wins a tie.
  const [best] = CODINGS.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : null;
}

/** Compares weakly (RFC 9110, section 13.1.2). The package `fresh` would obey `Cache-Control: no-cache`. */
export function matches(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch == null) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
