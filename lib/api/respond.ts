import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ApiError } from "#lib/contract/errors.ts";
import type { IndexTip } from "#lib/store/store.ts";
import type { ApiRequest, Reply } from "./reply.ts";

const JSON_TYPE = "application/json; charset=utf-8";
/** What an answer depends on: the token of the header or of the session cookie, the coding, and the format. */
const VARY = "Authorization, Accept-Encoding, Cookie, Accept";
/** Below this, compressing costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1024;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

type Coding = "br" | "gzip" | "identity";

const compressors: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  // Level 4 of 11: nearly gzip's speed, and smaller.
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => deflate(body, { level: 5 }),
  identity: async (body) => body,
};

/**
 * A 200 with a strong ETag, compressed as the client prefers, or a 304 if the client already has it
 * (RFC 9110, sections 8.8.3 and 13.1.2). Each content coding has its own tag.
 */
export async function respond(request: ApiRequest, json: string, tip: IndexTip | null): Promise<Reply> {
  const body = Buffer.from(json);
  const coding = preferredCoding(request.header("accept-encoding"), body.length);
  const digest = hash("sha256", body, "base64url").slice(0, 27);
  const etag = coding === "identity" ? `"${digest}"` : `"${digest}-${coding}"`;
  const headers: Record<string, string> = {
    ...tipHeaders(tip),
    "Cache-Control": "private",
    Vary: VARY,
    ETag: etag,
  };
  if (matches(request.header("if-none-match"), etag)) return { status: 304, headers, body: "" };

  headers["Content-Type"] = JSON_TYPE;
  if (coding !== "identity") headers["Content-Encoding"] = coding;
  return { status: 200, headers, body: await compressors[coding](body) };
}

const LINES_TYPE = "application/x-ndjson";

/** Whole lines of a list, and the tip at which they were read, where it is known. */
export interface Lines {
  tip: IndexTip | null;
  text: string;
}

/** Whether the client names NDJSON among what it accepts. `*` does not ask for it. */
export function acceptsLines(request: ApiRequest): boolean {
  const accepted = (request.header("accept") ?? "").toLowerCase().split(",");
  return accepted.some((item) => {
    const [type = "", ...parameters] = item.split(";").map((part) => part.trim());
    return type === LINES_TYPE && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/**
 * A 200 whose body is read from the store as the client takes it, a piece at a time. A failure of the first piece is
 * thrown; after that the status is out, and a failure cuts the connection.
 */
export async function respondLines(lines: AsyncIterable<Lines>): Promise<Reply> {
  const pieces = lines[Symbol.asyncIterator]();
  const first = await pieces.next();
  const tip = first.done ? null : first.value.tip;
  return {
    status: 200,
    headers: {
      ...tipHeaders(tip),
      "Cache-Control": "no-store",
      Vary: VARY,
      "Content-Type": LINES_TYPE,
    },
    body: texts(first, pieces),
  };
}

async function* texts(
  first: IteratorResult<Lines, unknown>,
  pieces: AsyncIterator<Lines, unknown>,
): AsyncGenerator<string> {
  for (let piece = first; !piece.done; piece = await pieces.next()) {
    yield piece.value.text;
    // Reading may not wait for anything: other requests have their turn between two pieces.
    await setImmediate();
  }
}

/** The answer to every failed request. */
export function respondError(error: ApiError, tip: IndexTip | null): Reply & { body: string } {
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

function tipHeaders(tip: IndexTip | null): Record<string, string> {
  if (!tip) return {};
  const { height, hash, coverage } = tip;
  const headers: Record<string, string> = { "X-IndexTip-Height": String(height), "X-IndexTip-Hash": hash };
  // The ellipsis of a long list goes as the bytes of its UTF-8: a header's characters are bytes.
  if (coverage !== undefined) headers["X-Index-Coverage"] = Buffer.from(coverage).toString("latin1");
  return headers;
}

/**
 * The supported coding with the highest weight (RFC 9110, section 12.5.3); br before gzip on a tie, and none for a
 * short body if the client allows that.
 */
function preferredCoding(acceptEncoding: string | undefined, bytes: number): Coding {
  const weights = new Map<string, number>();
  for (const item of (acceptEncoding ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    if (name !== "") weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const plainAllowed = weights.get("identity") ?? weights.get("*") ?? 1;
  if (bytes < MIN_COMPRESSED_BYTES && plainAllowed > 0) return "identity";
  let best: Coding = "identity";
  let bestWeight = 0;
  for (const coding of ["br", "gzip"] as const) {
    if (weightOf(coding) > bestWeight) {
      best = coding;
      bestWeight = weightOf(coding);
    }
  }
  return (weights.get("identity") ?? 0) > bestWeight ? "identity" : best;
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2): a `W/` before a tag does not matter. */
export function matches(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch == null) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
