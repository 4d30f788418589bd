import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { PassThrough, Readable } from "node:stream";
import zlib from "node:zlib";

/**
 * The Brotli decoder of Node before 24.22.1 can be made to write out of bounds (CVE-2026-111497), and `fetch` decodes what
 * any host sends. Here it leaves Brotli as it came. To be deleted when the packages have a newer Node.
 */
Object.defineProperty(zlib, "createBrotliDecompress", { value: () => new PassThrough() });

/** `fetch` that asks for no Brotli. */
export function fetchOnce(url: string | URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Accept-Encoding", "gzip, deflate");
  return fetch(url, { ...init, headers });
}

/** `fetch` waits no longer for an answer to begin, whatever its signal says. */
const FETCH_WAITS = 300_000;

/** The answer to a request that may take longer. */
async function slowAnswer(url: string, init: RequestInit): Promise<Response> {
  const { request } = url.startsWith("https:") ? https : http;
  const { method = "GET", signal } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  const asked = request(url, { method, headers, ...(signal && { signal }) });
  asked.end(init.body as string | undefined);
  const [answer] = (await once(asked, "response")) as [http.IncomingMessage];
  return new Response(Readable.toWeb(answer) as ReadableStream, {
    status: answer.statusCode!,
    headers: { location: answer.headers.location ?? "" },
  });
}

/**
 * The body of a request or a response. Null as soon as it is longer than `most` bytes: the rest is not read, and its
 * stream is cancelled.
 */
export async function readAtMost(
  { body }: { body: AsyncIterable<Uint8Array> | null },
  most: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Throws if the response redirects, with the host that it names. For requests with `redirect: "manual"`: a redirect is
 * refused because it lets the answering host choose where a request, its body and its credentials go.
 */
export function refuseRedirect(response: Response, url: string): void {
  const location = response.status >= 300 && response.status < 400 && response.headers.get("location");
  if (!location) return;
  const host = URL.parse(location, url)?.host || "a URL without a host";
  throw new Error(`redirects to ${host}; redirects are not followed`);
}

/**
 * The body of the answer to a request. Throws an Error that says what is wrong if the answer redirects, has another
 * status than success or more than `most` bytes, or is not complete after `timeout` milliseconds (a TimeoutError).
 * `quoted`: a refusal of at most so many bytes is repeated. By default none is: it may name the key of a URL.
 */
export async function fetchBody(
  url: string,
  init: RequestInit,
  { most, timeout, quoted = 0 }: { most: number; timeout: number; quoted?: number },
): Promise<Buffer> {
  // Always aborted in the end: the rest of a refused answer is not read, and its connection closes.
  const done = new AbortController();
  const ends = [AbortSignal.timeout(timeout), done.signal, ...(init.signal ? [init.signal] : [])];
  try {
    const answerTo = timeout > FETCH_WAITS ? slowAnswer : fetchOnce;
    const response = await answerTo(url, { ...init, redirect: "manual", signal: AbortSignal.any(ends) });
    refuseRedirect(response, url);
    if (!response.ok) {
      const said = String((await readAtMost(response, quoted).catch(() => null)) ?? "").trim();
      throw new Error(`HTTP ${response.status}${said && `: ${said}`}`);
    }
    const body = await readAtMost(response, most);
    if (!body) throw new Error(`the answer is longer than ${most} bytes`);
    return body;
  } finally {
    done.abort();
  }
}

/** Why a request failed, in one line: `fetch` hides the reason in its error's cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
