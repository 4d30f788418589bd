import { ApiError, isApiError } from "#lib/contract/errors.ts";
import type { AccessToken } from "#lib/store/store.ts";
import { MINUTE, type RequestCounter, RequestCounts } from "./request-counts.ts";

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
    const quota = await this.#count(caller, now);
    try {
      return await work(quota);
    } catch (error) {
      if (isApiError(error)) Object.assign(error.headers, quota);
      throw error;
    }
  }

  async #count({ id, ratePerMinute }: Caller, now: number): Promise<Quota> {
    const perMinute = ratePerMinute ?? this.#perMinute;
    if (perMinute === 0) return {};
    const { start, used } = await this.#requests.count(id, now);
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
}
