import { LRUCache } from "lru-cache";
import { ApiError, isApiError } from "#lib/contract/errors.ts";
import type { AccessToken } from "#lib/store/rows.ts";

const MINUTE = 60_000;
/** Callers whose requests are counted. Beyond that, the least recent ones start again. */
const MAX_CALLERS = 10_000;

/** A caller's requests in the current minute. `start` is in milliseconds since the Unix epoch. */
export interface RequestsOfMinute {
  start: number;
  used: number;
}

export interface RequestCounter {
  count(callerId: string, now: number): RequestsOfMinute | Promise<RequestsOfMinute>;
}

export class RequestCounts implements RequestCounter {
  readonly #minutes = new LRUCache<string, RequestsOfMinute>({ max: MAX_CALLERS });

  count(callerId: string, now: number): RequestsOfMinute {
    let minute = this.#minutes.get(callerId);
    // The clock may have been set back.
    if (!minute || Math.abs(now - minute.start) >= MINUTE) {
      minute = { start: now, used: 0 };
      this.#minutes.set(callerId, minute);
    }
    minute.used += 1;
    return minute;
  }
}

type Caller = Pick<AccessToken, "id" | "ratePerMinute">;

/** Response headers about a caller's rate limit; empty without one. */
export type RateLimitHeaders = Record<string, string>;

export class RateLimits {
  readonly #perMinute: number;
  readonly #requests: RequestCounter;

  /** @param perMinute limit for access tokens without one of their own; 0: no limit */
  constructor(perMinute: number, requests: RequestCounter = new RequestCounts()) {
    this.#perMinute = perMinute;
    this.#requests = requests;
  }

  /** Counts a request and runs `work`, whose ApiError gets the headers. Throws TOO_MANY_REQUESTS (429) over the rate limit. */
  async counted<T>(
    caller: Caller,
    now: number,
    work: (rateLimit: RateLimitHeaders) => Promise<T>,
  ): Promise<T> {
    const perMinute = caller.ratePerMinute ?? this.#perMinute;
    const headers = perMinute === 0 ? {} : check(perMinute, await this.#requests.count(caller.id, now), now);
    try {
      return await work(headers);
    } catch (error) {
      if (isApiError(error)) Object.assign(error.headers, headers);
      throw error;
    }
  }
}

/** The headers of the response. Throws TOO_MANY_REQUESTS (429) if the limit is exceeded. */
function check(perMinute: number, { start, used }: RequestsOfMinute, now: number): RateLimitHeaders {
  const reset = Math.max(1, Math.ceil((start + MINUTE - now) / 1000));
  const headers = {
    "RateLimit-Limit": String(perMinute),
    "RateLimit-Remaining": String(Math.max(0, perMinute - used)),
    "RateLimit-Reset": String(reset),
  };
  if (used > perMinute) {
    throw new ApiError("TOO_MANY_REQUESTS", [], { ...headers, "Retry-After": String(reset) });
  }
  return headers;
}
