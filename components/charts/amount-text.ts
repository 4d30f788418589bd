import { formatAmount, formatUsd } from "#lib/client/format.ts";

/** The unit of a chart's amounts. Without one they are US dollars. */
export interface ChartUnit {
  symbol: string;
  decimals: number | null;
  /** The decimals are unknown, so amounts are raw integers. */
  raw: boolean;
}

export function amountText(amount: bigint, unit: ChartUnit | undefined): string {
  if (!unit) return formatUsd(amount).text;
  return `${unit.raw ? "raw " : ""}${formatAmount(amount, unit.decimals).exact} ${unit.symbol}`;
}
