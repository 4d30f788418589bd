import { ApiError, isApiError } from "#lib/contract/errors.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { MINUTE, type RequestCounter, RequestCounts, type RequestsOfMinute } from "./request-counts.ts";

type Caller = Pick<AccessToken, "id" | "ratePerMinute">;

/** Response headers that tell a caller its quota; empty if there is none. */
export type Quota = Record<string, string>;

export class Limits {
  readonly #perMinute: number;
  readonly #requests: RequestCounter;

  /** @param perMinute requests in a minute of an access token without a rate of its own; 0: no limit */
  constructor(perMinute: number, requests: RequestCounter = new RequestCounts()) {
    this.#perMinute = perMinute;
    this.#requests = requests;
  }

  /**
   * Counts a request of the caller and runs `work`. An ApiError of `work` gets the quota's headers. Throws
   * TOO_MANY_REQUESTS instead of running `work` if the quota is used up.
   */
  async counted<T>(caller: Caller, now: number, work: (quota: Quota) => Promise<T>): Promise<T> {
    const perMinute = caller.ratePerMinute ?? this.#perMinute;
    const quota = perMinute === 0 ? {} : quotaOf(perMinute, await this.#requests.count(caller.id, now), now);
    try {
      return await work(quota);
    } catch (error) {
      if (isApiError(error)) Object.assign(error.headers, quota);
      throw error;
    }
  }
}

/** Throws TOO_MANY_REQUESTS if it is used up. */
function quotaOf(perMinute: number, { start, used }: RequestsOfMinute, now: number): Quota {
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
