import { LRUCache } from "lru-cache";
import { ApiError, isApiError } from "#lib/contract/errors.ts";

const MINUTE = 60_000;
/** Callers whose requests are counted; beyond that, the ones that asked longest ago start again. */
const MAX_CALLERS = 10_000;

/** A caller's requests in the current minute. */
interface Window {
  start: number;
  used: number;
}

/** Response headers that tell a caller its quota; empty if there is none. */
export type Quota = Record<string, string>;

/** Keeps callers to their quota and the server to what it can do, within one process. */
export class Limits {
  readonly #perMinute: number;
  readonly #concurrent: number;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_CALLERS });
  #active = 0;

  /** @param perMinute requests of one access token in a minute; 0: no limit */
  constructor(perMinute: number, concurrent: number) {
    this.#perMinute = perMinute;
    this.#concurrent = concurrent;
  }

  /**
   * Counts a request of the caller and runs `work`. An ApiError of `work` gets the quota's headers. Throws
   * TOO_MANY_REQUESTS instead of running `work` if the quota is used up.
   */
  async counted<T>(caller: string, now: number, work: (quota: Quota) => Promise<T>): Promise<T> {
    const quota = this.#count(caller, now);
    try {
      return await work(quota);
    } catch (error) {
      if (isApiError(error)) Object.assign(error.headers, quota);
      throw error;
    }
  }

  /** The quota after one more request. */
  #count(caller: string, now: number): Quota {
    if (this.#perMinute === 0) return {};
    let window = this.#windows.get(caller);
    if (!window || now - window.start >= MINUTE) {
      window = { start: now, used: 0 };
      this.#windows.set(caller, window);
    }
    window.used += 1;
    const reset = Math.max(1, Math.ceil((window.start + MINUTE - now) / 1000));
    const headers = {
      "RateLimit-Limit": String(this.#perMinute),
      "RateLimit-Remaining": String(Math.max(0, this.#perMinute - window.used)),
      "RateLimit-Reset": String(reset),
    };
    if (window.used > this.#perMinute) {
      throw new ApiError("TOO_MANY_REQUESTS", [], { ...headers, "Retry-After": String(reset) });
    }
    return headers;
  }

  /** Runs `work`. Throws SERVICE_UNAVAILABLE instead if too many requests are being answered. */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active >= this.#concurrent)
      throw new ApiError("SERVICE_UNAVAILABLE", [], { "Retry-After": "1" });
    this.#active += 1;
    try {
      return await work();
    } finally {
      this.#active -= 1;
    }
  }
}
