import { parseRemoteUrl, type RemoteUrl } from "#lib/contract/source.ts";
import type { Price } from "#lib/store/rows.ts";
import { PRICE_DECIMALS, parseDecimal } from "#lib/util/amounts.ts";
import { fetchBody, reasonOf } from "#lib/util/http.ts";
import { excessAt } from "#lib/util/json.ts";
import { isFuture } from "./prices.ts";

/** Time between two requests to a price source, and the time limit of one, in milliseconds. */
const INTERVAL = 60_000;
const TIMEOUT = 10_000;
/** Limit of a decompressed response, in bytes. A price takes less than 100. */
const MAX_RESPONSE_BYTES = 1_000_000;
/** The format has two levels. */
const MAX_DEPTH = 16;
/** A source without newer prices says nothing about the present. Older ones would change the values of past blocks. */
const MAX_AGE = 30 * 86_400_000;
/** Prices are requested only while fewer than this wait to be stored. */
const MAX_WAITING = 10_000;

/**
 * Reads CoinGecko's simple price: `{ "<key>": { "usd": 0.0123, "last_updated_at": 1760000000 }, … }`. Keys are those in
 * `names` and the ids that they stand for. Without `last_updated_at` (Unix seconds), the time is `now`. Returns the prices,
 * and a message for each kind of price that is missing.
 */
export function readPrices(
  text: string,
  names: ReadonlyMap<string, string>,
  now: number,
): { prices: Price[]; faults: string[] } {
  if (excessAt(text, { levels: MAX_DEPTH }) !== null) {
    throw new Error(`the response is nested more than ${MAX_DEPTH} levels deep`);
  }
  // A price is read from its source text, so that no digit is lost.
  const value = JSON.parse(text, (key, item, { source }) =>
    key === "usd" && typeof item === "number" ? source : item,
  );
  const prices: Price[] = [];
  const unread: string[] = [];
  const early: string[] = [];
  const old: string[] = [];
  /** A price of 0 is more likely a fault of the source than the end of the asset. An operator can load it from a file. */
  const worthless: string[] = [];
  const entries = (value ?? {}) as Record<string, unknown>;
  for (const [name, assetId] of names) {
    const keys = [...new Set([name, assetId])].filter((key) => Object.hasOwn(entries, key));
    if (keys.length === 0) unread.push(name);
    for (const key of keys) {
      const { usd, last_updated_at: updatedAt } = (entries[key] ?? {}) as Record<string, unknown>;
      const price = typeof usd === "string" ? parseDecimal(plainDigits(usd), PRICE_DECIMALS) : null;
      const time = updatedAt === undefined ? now : unixTime(updatedAt);
      if (price === null || time === null) unread.push(key);
      else if (isFuture(time, now)) early.push(key);
      else if (time < now - MAX_AGE) old.push(key);
      else if (price === 0n) worthless.push(key);
      else prices.push({ assetId, time, usd: price });
    }
  }
  const faults: string[] = [];
  if (unread.length > 0) faults.push(`no price can be read for ${unread.join(", ")}`);
  if (early.length > 0) faults.push(`the time is in the future for ${early.join(", ")}`);
  if (old.length > 0) faults.push(`the price is older than 30 days for ${old.join(", ")}`);
  if (worthless.length > 0) faults.push(`the price is 0 for ${worthless.join(", ")}`);
  return { prices, faults };
}

/** Converts a JSON number of seconds to milliseconds; null for anything else. */
function unixTime(seconds: unknown): number | null {
  if (typeof seconds !== "number" || seconds < 0) return null;
  const time = Math.trunc(seconds * 1000);
  return Number.isSafeInteger(time) ? time : null;
}

/** Writes `1.5e-7` as `0.00000015`, truncated to the decimals that are stored. */
function plainDigits(number: string): string {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(number);
  if (!match) return number;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 1);
  const decimals = padded.slice(at, at + PRICE_DECIMALS);
  return decimals === "" ? padded.slice(0, at) : `${padded.slice(0, at)}.${decimals}`;
}

/** Requests prices regularly in the background, and holds them until they are stored. */
export class PriceFeed {
  readonly #remote: RemoteUrl;
  readonly #names: ReadonlyMap<string, string>;
  readonly #log: (message: string) => void;
  readonly #signal: AbortSignal | undefined;
  #fresh: Price[] = [];
  #requestedAt = Number.NEGATIVE_INFINITY;
  #request: Promise<void> | null = null;
  /** The fault of the last request; "" if there was none. */
  #fault = "";

  /** @param signal ends an open request */
  constructor(
    url: string,
    names: ReadonlyMap<string, string>,
    log: (message: string) => void,
    signal?: AbortSignal,
  ) {
    this.#remote = parseRemoteUrl(url);
    this.#names = names;
    this.#log = log;
    this.#signal = signal;
  }

  /** Requests prices if it is time, without waiting for them. Call it often, also while nothing can be stored. */
  request(now: number): void {
    // The absolute value matters if the clock has been set back.
    if (this.#request || Math.abs(now - this.#requestedAt) < INTERVAL) return;
    this.#requestedAt = now;
    this.#request = this.ask(now).finally(() => {
      this.#request = null;
    });
  }

  /** Loads the prices received since the last call, and requests new ones if it is time. */
  async deliver(now: number, load: (prices: Price[]) => Promise<void>): Promise<void> {
    this.request(now);
    if (this.#fresh.length === 0) return;
    const prices = [...this.#fresh];
    await load(prices);
    // If loading fails, they stay for the next call.
    this.#fresh.splice(0, prices.length);
  }

  /** True if the last request gave no price, or not all of them. */
  get isFailing(): boolean {
    return this.#fault !== "";
  }

  /** Resolves once the open request, if there is one, has ended. */
  async settled(): Promise<void> {
    await this.#request;
  }

  /** Sends one request. A failure is logged, once until it changes, and the next request comes at its usual time. */
  async ask(now: number): Promise<void> {
    const fault = await this.#ask(now);
    if (this.#signal?.aborted) return;
    if (fault !== this.#fault) this.#log(`${this.#remote.name}: ${fault || "gives all prices again"}`);
    this.#fault = fault;
  }

  /** Resolves to the fault of the request; "" if there is none. */
  async #ask(now: number): Promise<string> {
    const { url, headers } = this.#remote;
    if (this.#fresh.length > MAX_WAITING) {
      return `not asked, because ${this.#fresh.length} prices still wait to be stored`;
    }
    try {
      const body = await fetchBody(
        url,
        { headers, signal: this.#signal ?? null },
        { most: MAX_RESPONSE_BYTES, timeout: TIMEOUT },
      );
      const { prices, faults } = readPrices(body.toString(), this.#names, now);
      for (const price of prices) this.#fresh.push(price);
      return faults.join("; ");
    } catch (error) {
      return reasonOf(error);
    }
  }
}
