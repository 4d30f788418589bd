import { LRUCache } from "lru-cache";

export const MINUTE = 60_000;
/** Callers whose requests are counted; beyond that, the ones that asked longest ago start again. */
const MAX_CALLERS = 10_000;

/** A caller's requests in the current minute, and when it began, in milliseconds since the Unix epoch. */
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
    // The clock may also have been set back.
    if (!minute || Math.abs(now - minute.start) >= MINUTE) {
      minute = { start: now, used: 0 };
      this.#minutes.set(callerId, minute);
    }
    minute.used += 1;
    return minute;
  }
}
