import { getHeapStatistics } from "node:v8";
import { LRUCache } from "lru-cache";
import type { Given } from "#lib/queries/operation.ts";
import type { IndexTip } from "#lib/store/rows.ts";

/** A finished page: what its 200 is made of. */
export interface CacheableResponse {
  body: Buffer;
  /** Of the body: the same for the same bytes, whenever they were made. */
  digest: string;
  /** At which it was read. */
  tip: IndexTip | null;
  /** The operation's own header fields. */
  headers: Record<string, string>;
  /** The body by content coding, as far as it was asked for. */
  compressed: Map<string, Buffer>;
}

/**
 * When the memory is full, one new answer in so many takes the place of others. A client that walks a long list asks for no
 * page twice. Keeping all of its pages for a while would take longer than making them, because what dies young costs the collector nothing.
 */
const STORED_ONE_IN = 16;

/** Bytes that an answer takes beside its bodies and the text it is found by, roughly. */
const OVERHEAD = 1_024;

/** An answer in the memory; the body of one that nobody has asked for again is a text, each character a byte. */
type CachedResponse = Omit<CacheableResponse, "body"> & { body: Buffer | string };

/**
 * Bytes up to which bodies become texts, a quarter of what the heap may hold. With some hundred buffers of such a size, V8
 * marks the whole heap after every 200 requests; with as many texts, after every 2,000. That is a quarter of a page's time.
 */
const MAX_TEXT_BYTES = getHeapStatistics().heap_size_limit / 4;

function sizeOf({ body, compressed }: CachedResponse, request: string): number {
  let bytes = OVERHEAD + 2 * request.length + body.length;
  for (const each of compressed.values()) bytes += each.length;
  return bytes;
}

/**
 * Answers to requests, for as long as the data's version stays the same. Little would outlive a block: nearly every block
 * changes the supply of the native asset, which most entries show.
 *
 * An answer's version must be read before anything that the answer is made of. If the data change meanwhile, the answer is
 * newer than its version, but no later request finds that version.
 */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null;
  #version: string | null = null;
  readonly #counts = { hits: 0, misses: 0, evictions: 0 };

  /** @param maxBytes of all answers together; 0: none are kept */
  constructor(maxBytes: number) {
    const dispose = (_answer: CachedResponse, _request: string, reason: string) => {
      if (reason === "evict") this.#counts.evictions++;
    };
    this.#responses =
      maxBytes === 0 ? null : new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf, dispose });
  }

  /** Bytes of all answers, with what they take beside their bodies. */
  get bytes(): number {
    return this.#responses?.calculatedSize ?? 0;
  }

  /**
   * What is kept now, and since the start: requests that found an answer or not, and answers that had to go for others
   * before the data changed.
   */
  get figures() {
    return { entries: this.#responses?.size ?? 0, bytes: this.bytes, ...this.#counts };
  }

  get(version: string | null, request: string): CacheableResponse | undefined {
    if (version === null || !this.#responses) return undefined;
    if (version !== this.#version) {
      this.#responses.clear();
      this.#version = version;
    }
    const response = this.#responses.get(request);
    this.#counts[response ? "hits" : "misses"]++;
    if (typeof response?.body === "string") {
      const bytes = Buffer.allocUnsafeSlow(response.body.length);
      bytes.write(response.body, "latin1");
      response.body = bytes;
    }
    return response as CacheableResponse | undefined;
  }

  /** Keeps the answer if there is room or its turn, or notes that it has grown; not if the version is no longer the current one. */
  keep(version: string | null, request: string, response: CacheableResponse): void {
    if (!this.#responses || version === null || version !== this.#version) return;
    // The size of a value that is there already would not be calculated again.
    const isKnown = this.#responses.delete(request);
    const isFull = this.bytes + sizeOf(response, request) > this.#responses.maxSize;
    if (!isKnown && isFull && this.#counts.misses % STORED_ONE_IN !== 0) return;
    const isText = !isKnown && this.bytes < MAX_TEXT_BYTES;
    this.#responses.set(request, isText ? { ...response, body: response.body.toString("latin1") } : response);
  }
}

/**
 * An operation whose answers are kept: it makes a new one only if the data have changed since the same request. `grown`
 * is there for a kept answer; call it once the answer has another compressed form.
 *
 * @param version of the data, read before anything that the answer is made of
 */
export function cached<Request extends Given>(
  answers: ResponseCache,
  operation: string,
  make: (request: Request) => Promise<CacheableResponse>,
): (request: Request, version: string | null) => Promise<{ answer: CacheableResponse; grown?: () => void }> {
  return async (request, version) => {
    const asked = `${operation} ${JSON.stringify(request.params)} ${request.query}`;
    const known = answers.get(version, asked);
    if (known) return { answer: known, grown: () => answers.keep(version, asked, known) };
    const response = await make(request);
    answers.keep(version, asked, response);
    return { answer: response };
  };
}
