/** Receipts of figures: the blocks, prices and formulas that let a reader check and cite them. */
import { queryOptions } from "@tanstack/react-query";
import type { BlockHeader } from "#lib/contract/ledger.ts";
import { toUnits } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { formatCount, formatUtc } from "./format.ts";
import { fetchData } from "./request.ts";

/** Response of `GET /sources`, which only pages use. */
export interface Source {
  block: BlockHeader;
  /** US dollars for one whole token at the block's time, as decimal text. Null without a price. */
  price: { usd: string; time: number } | null;
}

/** The block at a height, or the block with a hash and the price of `asset` at its time. */
export function sourceQuery(about: { height: string } | { block: string; asset: string }) {
  const path = `/sources?${new URLSearchParams(about)}`;
  return queryOptions({
    queryKey: ["source", path] as const,
    queryFn: ({ signal }) => fetchData<Source>(path, (body) => "block" in body, signal),
    staleTime: 60_000,
  });
}

/** A line of a receipt. Readers can copy its value, such as a raw integer, a formula or a hash. */
export type ReceiptLine = readonly [name: string, value: string, note?: string];

export function blockLine({ hash, height, timestamp }: BlockHeader): ReceiptLine {
  return ["Block hash", terms.hashText(hash), `block ${formatCount(height)}, ${formatUtc(timestamp)}`];
}

export function comparedLines(blocks: readonly BlockHeader[]): ReceiptLine[] {
  return blocks.map(({ height, hash, timestamp }) => [
    `Block ${formatCount(height)}`,
    terms.hashText(hash),
    formatUtc(timestamp),
  ]);
}

/** The block that the response of a figure is as of, if the response names it. */
export function tipLines(tip: { hash: string; height: number } | null): readonly ReceiptLine[] {
  return tip ? [["As of block", terms.hashText(tip.hash), `block ${formatCount(tip.height)}`]] : [];
}

/** The raw integer and the amount in whole units: `1234 / 10^2 = 12.34`. */
export function amountFormula(amount: bigint | string, decimals: number): string {
  return `${amount} / 10^${decimals} = ${toUnits(amount, decimals)}`;
}

/** A price and the value of an amount at it: `12.34 × $2 = $24.68`. Values are cut at 8 decimals, never rounded. */
export function priceLines(
  name: string,
  amount: bigint | string,
  decimals: number,
  price: { usd: string; time: number },
  value: string,
): ReceiptLine[] {
  return [
    ["Price", `$${price.usd}`, `for one whole token, in force from ${formatUtc(price.time)}`],
    [name, `${toUnits(amount, decimals)} × $${price.usd} = $${value} (cut at 8 decimals)`],
  ];
}
