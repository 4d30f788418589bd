import { ApiError } from "#lib/contract/errors.ts";
import type { Reply } from "./reply.ts";

const MINUTE = 60_000;

/** A caller's requests in the current minute. */
interface Window {
  start: number;
  used: number;
}

/** Keeps callers to their quota and the server to what it can do, within one process. */
export class Limits {
  readonly #perMinute: number;
  readonly #concurrent: number;
  readonly #windows = new Map<string, Window>();
  #active = 0;

  /** @param perMinute requests of one access token in a minute; 0: no limit */
  constructor(perMinute: number, concurrent: number) {
    this.#perMinute = perMinute;
    this.#concurrent = concurrent;
  }

  /**
   * Answers a request of the caller by `work` and counts it, whatever comes of it: the answer and every ApiError tell
   * the quota. Throws TOO_MANY_REQUESTS instead of working.
   */
  async counted(caller: string, now: number, work: () => Promise<Reply>): Promise<Reply> {
    const quota = this.#count(caller, now);
    try {
      const reply = await work();
      Object.assign(reply.headers, quota);
      return reply;
    } catch (error) {
      if (error instanceof ApiError) Object.assign(error.headers, quota);
      throw error;
    }
  }

  /** The headers that tell the caller's quota, after one more request. */
  #count(caller: string, now: number): Record<string, string> {
    if (this.#perMinute === 0) return {};
    let window = this.#windows.get(caller);
    if (!window || now - window.start >= MINUTE) {
      if (this.#windows.size > 10_000) this.#windows.clear();
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

  /** Runs `work` unless too much is under way already; then throws SERVICE_UNAVAILABLE. */
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
