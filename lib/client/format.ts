/** Formats values for pages. Amounts are strings and bigints, cut towards zero. Exported files have the API's own text. */

import type { Noun } from "#lib/contract/chain.ts";
import { isPlausibleScale, PRICE_DECIMALS, parseDecimal, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";

const TABLE_FRACTION_DIGITS = 8;

/** `"1234567.5"` → `"1,234,567.5"`. */
function groupDigits(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/**
 * Formats an amount in the smallest unit. `exact` has all digits. `fraction` begins with the point; if it was cut, it ends
 * in `…`, or in `…` and one digit. Without plausible `decimals` it formats the raw integer, and `scaled` is false.
 */
export function formatAmount(
  amount: bigint | string,
  decimals: number | null,
  maxFractionDigits = TABLE_FRACTION_DIGITS,
) {
  const scaled = decimals !== null && isPlausibleScale(decimals);
  const exact = groupDigits(scaled ? toUnits(amount, decimals) : amount.toString());
  const [whole = "", digits = ""] = exact.split(".");
  const fraction = digits === "" ? "" : `.${cutFraction(whole, digits, maxFractionDigits)}`;
  return { whole, fraction, text: whole + fraction, exact, scaled };
}

function cutFraction(whole: string, fraction: string, maxDigits: number): string {
  if (fraction.length <= maxDigits) return fraction;
  const kept = fraction.slice(0, maxDigits);
  const firstDigit = /[1-9]/.exec(fraction)?.[0];
  const looksLikeZero = whole === "0" && /^0*$/.test(kept);
  return looksLikeZero && firstDigit ? `${kept}…${firstDigit}` : `${kept}…`;
}

export interface FormattedUsd {
  text: string;
  exact: string;
}

/** Formats the API's decimal US dollars (at most 8 decimals) as `formatUsd` does; null for text that is not an amount. */
export function formatUsdText(text: string, of?: bigint | string): FormattedUsd | null {
  const units = parseDecimal(text, USD_DECIMALS);
  return units === null ? null : formatUsd(units, of);
}

const usdUnit = 10n ** BigInt(USD_DECIMALS);

/** Formats US dollars in units of 10^-8. A value of 0 reads `< $0.0001` if `of`, the valued amount, is not 0. */
export function formatUsd(units: bigint, of: bigint | string = 0n): FormattedUsd {
  if (units === 0n && BigInt(of) > 0n) return { exact: "< $0.00000001", text: SMALLEST };
  return { exact: `$${groupDigits(toUnits(units, USD_DECIMALS))}`, text: usdForTable(units) };
}

const SMALLEST = "< $0.0001";

function usdForTable(units: bigint): string {
  if (units === 0n) return "$0.00";
  if (units < usdUnit / 10_000n) return SMALLEST;
  if (units < usdUnit) return `$${fixed(units, 4)}`;
  const dollars = (size: bigint) => `$${groupDigits(fixed(size, 2))}`;
  if (units >= 10n ** 12n * usdUnit) return `${dollars(units / 10n ** 12n)} T`;
  if (units >= 10n ** 9n * usdUnit) return `${dollars(units / 10n ** 9n)} B`;
  return dollars(units);
}

/** Formats a price in units of 10^-18 US dollars. Below a dollar it has four significant digits. */
export function formatPrice(units: bigint): FormattedUsd {
  const { exact } = formatAmount(units, PRICE_DECIMALS);
  const [small] = /^0\.0*[1-9]\d{0,3}/.exec(exact) ?? [];
  const text = small ? `$${small}` : usdForTable(units / 10n ** BigInt(PRICE_DECIMALS - USD_DECIMALS));
  return { text, exact: `$${exact}` };
}

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Formats a round amount in the smallest unit for a chart's axis: `2,440`, `1.5M`, `3e-18`. */
export function formatLevel(amount: number, decimals: number): string {
  const level = amount / 10 ** decimals;
  // Plain digits would be wider than the chart.
  if (level > 0 && level < 1e-5) return Number(level.toPrecision(6)).toExponential();
  if (level >= 1e15) return Number(level.toPrecision(3)).toExponential().replace("e+", "e");
  return (level < 10_000 ? plain : compact).format(level);
}

/** Puts `+` or `−` before the formatted size: `−5`, `< +$0.0001`, `> −$0.0001`. */
export function formatDifference(value: bigint, format: (size: bigint) => string): string {
  if (value === 0n) return format(0n);
  const [sign, size] = value > 0n ? ["+", format(value)] : ["−", format(-value)];
  if (!size.startsWith("< ")) return sign + size;
  // A loss of less than 1 is more than −1.
  return `${value > 0n ? "<" : ">"} ${sign}${size.slice(2)}`;
}

/** Cuts units of 10^-8 to exactly `places` decimals. */
const fixed = (units: bigint, places: number): string =>
  withPoint(units / 10n ** BigInt(USD_DECIMALS - places), places);

/** Puts a decimal point before the last `places` digits. */
function withPoint(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** `1234567` → `1,234,567`. */
export function formatCount(count: number | bigint): string {
  return groupDigits(count.toString());
}

/** Formats the ranges of `X-Index-Coverage`: `3, 1000-2000` → `3 · 1,000–2,000`. */
export function formatCoverage(coverage: string): string {
  return coverage
    .replaceAll(", ", " · ")
    .replaceAll("-", "–")
    .replace(/\d+/g, (height) => formatCount(Number(height)));
}

/** `1 asset`, `2 assets`. */
export function countOf(count: number, noun: string | Noun): string {
  const { one, many } = typeof noun === "string" ? { one: noun, many: `${noun}s` } : noun;
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Says why no transaction spent an output. */
export const unspentText = (isSpendable: boolean): string => (isSpendable ? "unspent" : "can never be spent");

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** For the middle of a sentence. A word that begins with two capitals stays. */
export function uncapitalised(text: string): string {
  return text.replace(/^\p{Lu}(?!\p{Lu})/u, (first) => first.toLowerCase());
}

export interface CutText {
  head: string;
  /** Hidden by CSS alone, so that a copied selection is complete. `""` if nothing is cut. */
  middle: string;
  tail: string;
}

/** Cuts a block hash. Keeps only the last 12 digits on chains whose block hashes begin alike. */
export function cutHash(hash: string): CutText {
  return terms.hash.endsDiffer ? cut(terms.hashText(hash), 0, 12) : cutTransactionHash(hash);
}

/** Keeps the prefix with 8 digits, and the last 8 digits. */
export function cutTransactionHash(hash: string): CutText {
  return cut(terms.hashText(hash), terms.hash.prefix.length + 8, 8);
}

/** Keeps `0x` with 4 digits, and the last 4 digits. */
export function cutId(id: string): CutText {
  return cut(id, 6, 4);
}

/** Keeps the prefix with its separator and 6 characters, and the last 8 characters. */
export function cutAddress(address: string): CutText {
  const [prefix = ""] = /^(?:[a-z-]+:0x|[a-z]+1)/.exec(address) ?? [];
  return cut(address, prefix.length + 6, 8);
}

function cut(text: string, headLength: number, tailLength: number): CutText {
  if (text.length <= headLength + tailLength + 1) return { head: text, middle: "", tail: "" };
  return {
    head: text.slice(0, headLength),
    middle: text.slice(headLength, -tailLength),
    tail: text.slice(-tailLength),
  };
}

export function cutToText({ head, middle, tail }: CutText): string {
  return middle === "" ? head : `${head}…${tail}`;
}

/** `2026-03-06 08:12:45 UTC`, from milliseconds since the Unix epoch. */
export function formatUtc(time: number): string {
  return new Date(time)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}

/** `2026-03-06 09:12:45 GMT+1`, in the reader's time zone by default. */
export function formatLocal(time: number, timeZone?: string): string {
  // Browsers write whole dates differently, but their parts alike.
  const parts = new Intl.DateTimeFormat("en-GB", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    // The names of time zones differ between browsers, and are not read back.
    timeZoneName: "shortOffset",
    timeZone,
  }).formatToParts(time);
  const { year, month, day, hour, minute, second, timeZoneName } = Object.fromEntries(
    parts.map(({ type, value }) => [type, value]),
  );
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

const ageSteps = [
  { unit: "y", seconds: 365 * 86_400, from: 2 * 365 * 86_400 },
  { unit: "d", seconds: 86_400, from: 2 * 86_400 },
  { unit: "h", seconds: 3_600, from: 2 * 3_600 },
  { unit: "min", seconds: 60, from: 60 },
  { unit: "s", seconds: 1, from: 1 },
];

/** `8 s ago`, `3 min ago`, `in 24 h`. Clocks differ, so less than a minute ahead is `just now`. */
export function formatAge(time: number, now: number): string {
  const seconds = Math.floor((now - time) / 1000);
  const ahead = seconds < 0;
  const step = ageSteps.find(({ from }) => Math.abs(seconds) >= from);
  if (!step || (ahead && step.from < 60)) return "just now";
  const count = Math.abs(seconds) / step.seconds;
  return ahead ? `in ${Math.round(count)} ${step.unit}` : `${Math.floor(count)} ${step.unit} ago`;
}

/** A percentage with two decimals, rounded; a dash if the whole is 0. `of` is as in `formatUsd`. */
export function shareOf(part: bigint, whole: bigint, of: bigint | string = part): string {
  return whole === 0n ? "—" : percentage(rounded(part, whole), part === whole, of);
}

/** A percentage that may exceed 100 %, such as a change. */
export const percentOf = (amount: bigint, base: bigint): string => `${withPoint(rounded(amount, base), 2)} %`;

const rounded = (part: bigint, whole: bigint) => (part * 20_000n + whole) / (2n * whole);

/** Only nothing is 0 %, and only the whole is 100 %. */
function percentage(hundredths: bigint, isWhole: boolean, of: bigint | string): string {
  if (hundredths === 0n && BigInt(of) > 0n) return "< 0.01 %";
  return hundredths === 10_000n && !isWhole ? "> 99.99 %" : `${withPoint(hundredths, 2)} %`;
}

/** A part of a whole. */
export type Part = readonly [key: string, amount: bigint];

/** Shares of parts in a whole, as text. */
export interface Shares {
  /** Returns the share of a part; undefined if the whole is 0. `of` is as in `formatUsd`. */
  of: (key: string, amount: bigint, of?: bigint | string) => string | undefined;
  /** Returns the sum of the shares of several parts. */
  sum: (parts: readonly Part[]) => string | undefined;
  /** Returns the share of all other parts together: 100 % minus the shares of these. */
  beside: (parts: readonly Part[]) => string | undefined;
}

/**
 * Shares in a whole whose largest parts are known. These and the share of all others add up to exactly 100 %: each is cut, and
 * those with the largest remainders are rounded up. The share of a part that is not known is rounded by itself.
 */
export function sharesIn(whole: bigint, largest: readonly Part[]): Shares {
  if (whole === 0n) return { of: () => undefined, sum: () => undefined, beside: () => undefined };
  const others = whole - sumOf(largest);
  // The parts may be newer than the whole.
  const known = others < 0n ? [] : [...largest, ["", others] as const];
  const remainders = known.map(([key, amount]) => ({ key, left: (amount * 10_000n) % whole }));
  const missing = Number(remainders.reduce((sum, { left }) => sum + left, 0n) / whole);
  remainders.sort((one, other) => Number(other.left - one.left));
  const raised = new Set(remainders.slice(0, missing).map(({ key }) => key));
  const amounts = new Map(known);
  const hundredths = ([key, amount]: Part) =>
    amounts.get(key) === amount
      ? (amount * 10_000n) / whole + (raised.has(key) ? 1n : 0n)
      : rounded(amount, whole);
  const sum = (parts: readonly Part[]) => parts.reduce((sum, part) => sum + hundredths(part), 0n);
  const text = (share: bigint, amount: bigint, of: bigint | string = amount) =>
    percentage(share, amount === whole, of);
  return {
    of: (key, amount, of) => text(hundredths([key, amount]), amount, of),
    sum: (parts) => text(sum(parts), sumOf(parts)),
    beside: (parts) => {
      const left = 10_000n - sum(parts);
      // Parts that are not known may leave less than nothing.
      return text(left < 0n ? 0n : left, whole - sumOf(parts));
    },
  };
}

const sumOf = (parts: readonly Part[]) => parts.reduce((sum, [, amount]) => sum + amount, 0n);
