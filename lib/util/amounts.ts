/** Exact arithmetic on amounts: non-negative integers in the smallest unit, as bigint or decimal digits. */

export const USD_DECIMALS = 8;

/** `"1205"` with 2 decimals → `"12.05"`; trailing zeros after the point are cut. */
export function toUnits(amount: bigint | string, decimals: number): string {
  const digits = amount.toString();
  if (decimals === 0) return digits;
  const padded = digits.padStart(decimals + 1, "0");
  const whole = padded.slice(0, -decimals);
  const fraction = padded.slice(-decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Maximum number of digits before the point that `parseDecimal` reads. */
export const MAX_WHOLE_DIGITS = 40;
const DECIMAL = new RegExp(`^(\\d{1,${MAX_WHOLE_DIGITS}})(?:\\.(\\d+))?$`);

/** Reads `"0.0125"` as an integer scaled by 10^scale; null for signs, exponents, spaces and further decimals. */
export function parseDecimal(text: string, scale: number): bigint | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const fraction = match[2] ?? "";
  if (fraction.length > scale) return null;
  return BigInt(match[1] + fraction.padEnd(scale, "0"));
}

/** Decimal places of a price, enough for tokens worth far less than a cent. */
export const PRICE_DECIMALS = 18;

/**
 * The value of `amount` at `price`, in units of 10^-8 US dollars, rounded towards zero. `price` is in US dollars for one
 * whole token, scaled by 10^PRICE_DECIMALS.
 */
export function valueInUsd(amount: bigint, decimals: number, price: bigint): bigint {
  return (amount * price) / 10n ** BigInt(decimals + PRICE_DECIMALS - USD_DECIMALS);
}

/** No 128-bit integer has more digits, so a larger scale is implausible. */
const MAX_DECIMALS = 38;

export function isPlausibleScale(decimals: number): boolean {
  return Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS;
}

export interface Scaled {
  name: string;
  symbol: string;
  decimals: number;
}

/** The scale for showing amounts; null if implausible or unknown. The API writes an unknown scale as 0 of a nameless token. */
export function displayDecimals(asset: Scaled): number | null {
  const silent = asset.decimals === 0 && asset.name === "" && asset.symbol === "";
  return silent || !isPlausibleScale(asset.decimals) ? null : asset.decimals;
}

/** An amount in whole units with all decimals, for files; `""` if the scale is unknown. */
export function exactUnits(amount: bigint | string, asset: Scaled): string {
  const decimals = displayDecimals(asset);
  return decimals === null ? "" : toUnits(amount, decimals);
}
