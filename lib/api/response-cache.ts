import { getHeapStatistics } from "node:v8";
import { LRUCache } from "lru-cache";
import type { IndexTip } from "#lib/store/rows.ts";

export interface CacheableResponse {
  body: Buffer;
  digest: string;
  /** The tip when the response was read. */
  tip: IndexTip | null;
  headers: Record<string, string>;
  /** Compressed bodies by content coding. */
  compressed: Map<string, Buffer>;
}

/**
 * When the cache is full, only one new response in this many evicts others. A client that walks a long list requests no page
 * twice. Caching all its pages for a while costs more than it saves: garbage is cheap to collect only if it dies young.
 */
const STORED_ONE_IN = 16;

/** Rough number of bytes that a response takes besides its bodies and its key. */
const OVERHEAD = 1_024;

/** A response in the cache. Until it is requested again, its body is a string with one character per byte. */
type CachedResponse = Omit<CacheableResponse, "body"> & { body: Buffer | string };

/**
 * Cache size up to which bodies become strings: a quarter of the heap's limit. With some hundred buffers, V8 marks the whole
 * heap after every 200 requests; with as many strings, after every 2,000. That saves a tenth of a page's time.
 */
const MAX_TEXT_BYTES = getHeapStatistics().heap_size_limit / 4;

function sizeOf({ body, compressed }: CachedResponse, request: string): number {
  let bytes = OVERHEAD + 2 * request.length + body.length;
  for (const each of compressed.values()) bytes += each.length;
  return bytes;
}

/**
 * Caches responses while the version of the data stays the same. Few responses would survive a block: nearly every block
 * changes the supply of the native asset, which most entries show.
 *
 * The version must be read before the data of the response. If the data change in between, the response is newer than its
 * version, but no later request looks for that version.
 */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null;
  #version: string | null = null;
  readonly #counts = { hits: 0, misses: 0, evictions: 0 };

  /** @param maxBytes of all responses together; 0 disables the cache */
  constructor(maxBytes: number) {
    const dispose = (_response: CachedResponse, _request: string, reason: string) => {
      if (reason === "evict") this.#counts.evictions++;
    };
    this.#responses =
      maxBytes === 0 ? null : new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf, dispose });
  }

  get bytes(): number {
    return this.#responses?.calculatedSize ?? 0;
  }

  /** The current size, and counts since the start. An eviction is of a response that was still valid. */
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

  /** Stores a response if there is room, or updates its size. Does nothing if the version is no longer current. */
  set(version: string | null, request: string, response: CacheableResponse): void {
    if (!this.#responses || version === null || version !== this.#version) return;
    // Setting an existing key again would not recalculate its size.
    const isKnown = this.#responses.delete(request);
    const isFull = this.bytes + sizeOf(response, request) > this.#responses.maxSize;
    if (!isKnown && isFull && this.#counts.misses % STORED_ONE_IN !== 0) return;
    const isText = !isKnown && this.bytes < MAX_TEXT_BYTES;
    this.#responses.set(request, isText ? { ...response, body: response.body.toString("latin1") } : response);
  }
}
