import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LRUCache } from "lru-cache";
import type { TokenCheck } from "#lib/api/access-tokens.ts";
import { READER_HEADER, readerHeader } from "#lib/api/authenticate.ts";
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { CacheableResponse } from "#lib/api/response-cache.ts";
import { cacheable } from "#lib/api/responses.ts";
import { READING } from "./api-handler.ts";
import type { Renderer } from "./framework.ts";
import { fileResponse } from "./public-files.ts";
import { REQUEST_ID_HEADER } from "./rendered-request.ts";

const POLICY = "content-security-policy";
/** The pages that are the same for everybody without a session, whatever is indexed. */
const KEPT = ["/docs", "/sign-in"];
/** Of kept pages, with their compressed forms. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

export interface PageRequest extends Pick<ApiRequest, "method" | "header"> {
  /** Below the base path. */
  path: string;
  /** The whole path, and the query. */
  url: string;
  headers: IncomingHttpHeaders;
  id: string;
  /** What the session's token is worth; null without a session. */
  reader: TokenCheck | null;
}

/** Makes pages with the framework, each with a policy that lets no other script run in it. */
export class Pages {
  readonly #framework: Renderer;
  readonly #kept = new LRUCache<string, CacheableResponse>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ body, compressed }, key) =>
      [...compressed.values()].reduce((bytes, { length }) => bytes + length, body.length + key.length),
  });

  constructor(framework: Renderer) {
    this.#framework = framework;
  }

  /** Whether the answer need not be rendered. */
  isKept(request: Omit<PageRequest, "reader">): boolean {
    const key = keyOf(request);
    return key !== null && this.#kept.has(key);
  }

  async answer(request: PageRequest): Promise<ApiResponse> {
    const { url, headers, reader, id } = request;
    const key = keyOf(request);
    const known = key === null ? undefined : this.#kept.get(key);
    if (known) return fileResponse(request, known, () => this.#kept.set(key!, known));

    const nonce = randomBytes(16).toString("base64");
    const policy = pagePolicy(`'nonce-${nonce}' 'strict-dynamic' ${this.#framework.scripts ?? ""}`);
    // From here the framework takes the nonce that it puts on its scripts.
    const asked = {
      ...(key === null ? ownHeaders(headers) : commonHeaders(headers)),
      ...(reader && { [READER_HEADER]: readerHeader(reader) }),
      [POLICY]: policy,
      [REQUEST_ID_HEADER]: id,
    };
    const method = key === null ? request.method : "GET";
    const { status, body: bytes, ...rendered } = await this.#framework.render(method, url, asked);
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (key !== null && status === 200) {
      const kept = pagePolicy(hashesOf(body.toString(), nonce));
      const answer = cacheable(body, null, { ...rendered.headers, [POLICY]: kept });
      this.#kept.set(key, answer);
      return fileResponse(request, answer);
    }
    // Only what is kept may be asked for by its ETag.
    const header = (name: string) => (name === "accept-encoding" ? request.header(name) : undefined);
    const answer = cacheable(body, null, { ...rendered.headers, [POLICY]: policy });
    return { ...(await fileResponse({ header }, answer)), status };
  }
}

/** What a page that is kept depends on, and the framework gets to know of its request; null if it is not kept. */
function keyOf({ path, url, method, headers }: Omit<PageRequest, "reader">): string | null {
  const isPlain = READING.includes(method) && headers.cookie === undefined && headers.rsc === undefined;
  return isPlain && KEPT.includes(path) ? JSON.stringify([url, commonHeaders(headers)]) : null;
}

const commonHeaders = ({ host, "x-forwarded-proto": scheme }: IncomingHttpHeaders): IncomingHttpHeaders => ({
  ...(host !== undefined && { host }),
  ...(scheme !== undefined && { "x-forwarded-proto": scheme }),
});

/**
 * All but those of the connection (RFC 9110, section 7.6.1), of a body, and ours: Node refuses to send some of them on. The
 * app has no server actions: the framework would only log one.
 */
function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const left = [
    READER_HEADER,
    "connection",
    "keep-alive",
    "proxy-connection",
    "upgrade",
    "expect",
    "te",
    "trailer",
    "transfer-encoding",
    "content-length",
    "next-action",
  ];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name)));
}

/** The hashes of the framework's own scripts in a page, which have the nonce. A page that is kept can have no nonce. */
function hashesOf(html: string, nonce: string): string {
  const scripts = html.matchAll(/<script(?=[^>]* nonce="([^"]+)")(?![^>]* src=)[^>]*>(.*?)<\/script>/gs);
  return [...scripts]
    .filter(([, given]) => given === nonce)
    .map(([, , text]) => `'sha256-${createHash("sha256").update(text!).digest("base64")}'`)
    .join(" ");
}

/** The content security policy of a page. Styles may be inline, because dialogs lock scrolling with them. */
export function pagePolicy(scripts = ""): string {
  return [
    "default-src 'self'",
    `script-src 'self' ${scripts}`.trimEnd(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
