import type { Chain } from "#lib/contract/chain.ts";
import { pricesAfter } from "#lib/queries/prices.ts";
import type { Price } from "#lib/store/rows.ts";
import { revalueAll, savePrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { MAX_WHOLE_DIGITS, PRICE_DECIMALS, parseDecimal, toUnits } from "#lib/util/amounts.ts";
import { Faults, InvalidInputError, inputLines } from "./input.ts";

const HEADER = "asset_id,time,usd";
/** Milliseconds by which a source's clock may be ahead of ours. */
const CLOCK_ALLOWANCE = 5 * 60_000;
/** Prices that are in memory together. */
const AT_ONCE = 10_000;

/** True if a price's time is in the future. Most likely, it is in another unit or of another year. */
export const isFuture = (time: number, now: number): boolean => time > now + CLOCK_ALLOWANCE;

/** Returns the id in lower case; null for any text other than `0x` and pairs of hex digits. */
export const parseAssetId = (text: string): string | null =>
  /^0x([0-9a-fA-F]{2})+$/.test(text) ? text.toLowerCase() : null;

/** Describes what is wrong with an asset's id on this chain, or returns null. */
type IdFault = Chain["assetIdFault"];

/** Loads a CSV file of any size, all or nothing, and revalues the changes that it affects. Returns its number of prices. */
export function loadPriceFile(store: Store, file: string, idFault?: IdFault): Promise<number> {
  return store.atomically(async () => {
    const { read, end } = priceReader(file, Date.now(), idFault);
    const earliest = new Map<string, number>();
    let batch: Price[] = [];
    let count = 0;
    const save = async () => {
      for (const [assetId, time] of await store.write(savePrices, batch)) {
        earliest.set(assetId, Math.min(earliest.get(assetId) ?? time, time));
      }
      count += batch.length;
      batch = [];
    };
    for await (const line of inputLines(file)) {
      const price = read(line);
      if (price) batch.push(price);
      if (batch.length === AT_ONCE) await save();
    }
    end();
    await save();
    await store.write(revalueAll, earliest);
    return count;
  });
}

/** Reads the prices of a text in the same format. */
export function parsePrices(text: string, file: string, now = Date.now()): Price[] {
  const { read, end } = priceReader(file, now);
  const prices = text.split("\n").flatMap((line) => read(line) ?? []);
  end();
  return prices;
}

/**
 * Reads lines of `asset_id,time,usd`, with the price of one whole token. Fields may be quoted, and the header is optional.
 * `end` throws InvalidInputError if a line was wrong, or if there was no price.
 */
function priceReader(file: string, now: number, idFault: IdFault = () => null) {
  const faults = new Faults(file);
  let number = 0;
  let found = 0;
  return {
    read(line: string): Price | null {
      number += 1;
      const isHeader = number === 1 && unquoted(line).join(",").toLowerCase() === HEADER;
      if (isHeader || line.trim() === "") return null;
      found += 1;
      const price = parsePrice(line, now, idFault);
      if (typeof price !== "string") return price;
      faults.add(`${file}:${number}: ${price}`);
      return null;
    },
    end(): void {
      faults.refuse();
      if (found === 0) throw new InvalidInputError(`${file}: the file has no prices`);
    },
  };
}

const unquoted = (line: string) => line.split(",").map((field) => field.trim().replace(/^"(.*)"$/, "$1"));

/** Returns the price of a line, or a message that says what is wrong with it. */
function parsePrice(line: string, now: number, idFault: IdFault): Price | string {
  const fields = unquoted(line);
  if (fields.length !== 3) return `expected 3 fields (${HEADER}), found ${fields.length}`;
  const [id, time, usd] = fields as [string, string, string];
  const assetId = parseAssetId(id);
  if (assetId === null) {
    return `asset_id: expected 0x and an even number of hex digits, found ${JSON.stringify(id)}`;
  }
  const impossible = idFault(assetId);
  if (impossible !== null) return `asset_id: ${assetId} ${impossible}`;
  const at = parseTime(time);
  if (at === null) {
    return `time: expected RFC 3339 with a zone or a Unix time, found ${JSON.stringify(time)}`;
  }
  if (isFuture(at, now)) return `time: ${time} is in the future`;
  const price = parseDecimal(usd, PRICE_DECIMALS);
  if (price === null) {
    return `usd: expected a plain decimal number with at most ${MAX_WHOLE_DIGITS} digits before the point and ${PRICE_DECIMALS} after it, found ${JSON.stringify(usd)}`;
  }
  return { assetId, time: at, usd: price };
}

/** Returns a price's time as milliseconds since the Unix epoch; null if the text is not a time. */
export function parseTime(text: string): number | null {
  // No chain is older than 1973, so a number below 10^11 can only mean seconds.
  if (/^\d{1,15}$/.test(text)) return Number(text) < 1e11 ? Number(text) * 1000 : Number(text);
  const match = /^(\d{4}-\d\d-\d\d)[T ](?!24)\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.exec(text);
  const time = match ? Date.parse(text.replace(" ", "T")) : Number.NaN;
  if (Number.isNaN(time)) return null;
  // JavaScript reads 30 February as 2 March.
  return new Date(`${match![1]}T00:00Z`).toISOString().startsWith(match![1]!) ? time : null;
}

/** Yields the stored prices, or those of one asset, as pieces of a price file, in order of asset and time. */
export async function* listPrices(store: Pick<Store, "query">, assetId?: string): AsyncGenerator<string> {
  yield `${HEADER}\n`;
  let after = assetId === undefined ? null : { assetId, time: Number.MIN_SAFE_INTEGER };
  for (;;) {
    const prices = await store.query(pricesAfter, { price: after, limit: AT_ONCE });
    const wanted = prices.filter((price) => assetId === undefined || price.assetId === assetId);
    yield wanted.map(toLine).join("");
    if (wanted.length < AT_ONCE) return;
    after = wanted.at(-1)!;
  }
}

const toLine = ({ assetId, time, usd }: Price): string =>
  `${assetId},${new Date(time).toISOString()},${toUnits(usd, PRICE_DECIMALS)}\n`;
