import { PRICE_DECIMALS, parseDecimal } from "#lib/contract/amounts.ts";
import { reasonOf } from "#lib/contract/http.ts";
import { parseRemoteUrl, type RemoteUrl } from "#lib/contract/source.ts";
import type { Price } from "#lib/store/store.ts";

/** How often a price source is asked, and how long one answer may take, in milliseconds. */
const INTERVAL = 60_000;
const TIMEOUT = 10_000;

/**
 * Prices from a source that answers over HTTP in the shape of CoinGecko's simple price:
 *
 *     { "<key>": { "usd": 0.0123, "last_updated_at": 1760000000 }, … }
 *
 * A key is an asset's id, or one that `names` maps to an asset's id. `last_updated_at` (Unix seconds) may
 * be missing; then the price holds from the time it was asked for. Other currencies and keys are ignored.
 * Returns the prices, and the faults of the entries that could not be read.
 */
export function readPrices(
  text: string,
  names: ReadonlyMap<string, string>,
  now: number,
): { prices: Price[]; faults: string[] } {
  // A price is read from its digits, so that no digit of it is lost.
  const value = JSON.parse(text, (key, item, { source }) =>
    key === "usd" && typeof item === "number" ? source : item,
  );
  const prices: Price[] = [];
  const faults: string[] = [];
  for (const [key, entry] of Object.entries((value ?? {}) as Record<string, unknown>)) {
    const assetId = names.get(key) ?? (/^0x([0-9a-fA-F]{2})+$/.test(key) ? key.toLowerCase() : undefined);
    if (assetId === undefined) continue;
    const { usd, last_updated_at: updatedAt } = (entry ?? {}) as Record<string, unknown>;
    const price = typeof usd === "string" ? parseDecimal(plainDigits(usd), PRICE_DECIMALS) : null;
    const time = updatedAt === undefined ? now : unixTime(updatedAt);
    if (price === null || time === null) faults.push(`no price can be read for ${key}`);
    else prices.push({ assetId, time, usd: price });
  }
  return { prices, faults };
}

/** Seconds as a JSON number → milliseconds; null for anything else. */
function unixTime(seconds: unknown): number | null {
  if (typeof seconds !== "number" || seconds < 0) return null;
  const time = Math.trunc(seconds * 1000);
  return Number.isSafeInteger(time) ? time : null;
}

/** `1.5e-7` → `0.00000015`, cut to the decimals that are kept. */
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

/** Asks a price source again and again in the background, and keeps what came until it is loaded. */
export class PriceFeed {
  readonly #remote: RemoteUrl;
  readonly #names: ReadonlyMap<string, string>;
  readonly #log: (message: string) => void;
  #fresh: Price[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;

  constructor(url: string, names: ReadonlyMap<string, string>, log: (message: string) => void) {
    this.#remote = parseRemoteUrl(url);
    this.#names = names;
    this.#log = log;
  }

  /** Loads the prices that came since the last call. Asks for new ones when it is time; never waits for them. */
  async deliver(now: number, load: (prices: Price[]) => Promise<void>): Promise<void> {
    if (!this.#asking && now - this.#askedAt >= INTERVAL) {
      this.#askedAt = now;
      this.#asking = this.ask(now).finally(() => {
        this.#asking = null;
      });
    }
    if (this.#fresh.length === 0) return;
    const prices = [...this.#fresh];
    await load(prices);
    // Only now: where they cannot be loaded they are there the next time.
    this.#fresh.splice(0, prices.length);
  }

  /** Resolves once the source that is being asked has answered, or failed. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  /** Asks once. A source that fails is named in the log, and asked again when it is time. */
  async ask(now: number): Promise<void> {
    const { url, headers, name } = this.#remote;
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT) });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const { prices, faults } = readPrices(await response.text(), this.#names, now);
      this.#fresh.push(...prices);
      for (const fault of faults) this.#log(`${name}: ${fault}`);
    } catch (error) {
      this.#log(`${name}: ${reasonOf(error)}`);
    }
  }
}
