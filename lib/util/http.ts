import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { PassThrough, Readable } from "node:stream";
import zlib from "node:zlib";

/**
 * Disables Brotli in `fetch`, which decodes what any host sends. The decoder of Node before 24.22.1 can write out of bounds
 * (CVE-2026-111497). Delete this when the packages have a newer Node.
 */
Object.defineProperty(zlib, "createBrotliDecompress", { value: () => new PassThrough() });

/** `fetch` that does not accept Brotli. */
export function fetchOnce(url: string | URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Accept-Encoding", "gzip, deflate");
  return fetch(url, { ...init, headers });
}

/** The time after which `fetch` itself gives up waiting for a response. */
const FETCH_TIMEOUT_MS = 300_000;

/** Like `fetch`, without its own timeout. */
async function fetchSlowly(url: string, init: RequestInit): Promise<Response> {
  const { request } = url.startsWith("https:") ? https : http;
  const { method = "GET", signal } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  const sent = request(url, { method, headers, ...(signal && { signal }) });
  sent.end(init.body as string | undefined);
  const [response] = (await once(sent, "response")) as [http.IncomingMessage];
  return new Response(Readable.toWeb(response) as ReadableStream, {
    status: response.statusCode!,
    headers: { location: response.headers.location ?? "" },
  });
}

/** The body of a request or a response. Null if it is longer than `most` bytes; the stream is then cancelled. */
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

/** Refuses redirects, which let the remote host choose where the request, its body and its credentials go. */
export function refuseRedirect(response: Response, url: string): void {
  const location = response.status >= 300 && response.status < 400 && response.headers.get("location");
  if (!location) return;
  const host = URL.parse(location, url)?.host || "a URL without a host";
  throw new Error(`redirects to ${host}; redirects are not followed`);
}

export type Send = (url: string, init: RequestInit) => Promise<Response>;

interface FetchLimits {
  most: number;
  timeout: number;
  quoted?: number;
  /** Sends the request. */
  send?: Send;
}

/**
 * The body of the response to a request. Throws an Error if the response redirects, fails, has more than `most` bytes, or is
 * not complete after `timeout` milliseconds (a TimeoutError). The Error quotes the body of a failure of at most `quoted`
 * bytes. By default it quotes nothing, because the body may contain the key of a URL.
 */
export async function fetchBody(
  url: string,
  init: RequestInit,
  { most, timeout, quoted = 0, send = timeout > FETCH_TIMEOUT_MS ? fetchSlowly : fetchOnce }: FetchLimits,
): Promise<Buffer> {
  // Aborted at the end, so that the rest of a refused response is not read and its connection closes.
  const done = new AbortController();
  const ends = [AbortSignal.timeout(timeout), done.signal, ...(init.signal ? [init.signal] : [])];
  try {
    const response = await send(url, { ...init, redirect: "manual", signal: AbortSignal.any(ends) });
    refuseRedirect(response, url);
    if (!response.ok) {
      const said = String((await readAtMost(response, quoted).catch(() => null)) ?? "").trim();
      throw new Error(`HTTP ${response.status}${said && `: ${said}`}`);
    }
    const body = await readAtMost(response, most);
    if (!body) throw new Error(`the response is longer than ${most} bytes`);
    return body;
  } finally {
    done.abort();
  }
}

/** The reason of a failed request in one line. `fetch` hides it in the cause of its error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
