/** Where a figure comes from: what a page adds to an API entry so that its figures can be checked and cited. */
import { queryOptions } from "@tanstack/react-query";
import type { BlockHeader } from "#lib/contract/ledger.ts";
import { toUnits } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { formatCount, formatUtc } from "./format.ts";
import { fetchJson } from "./request.ts";

/** From `GET /sources`: for the pages only, not part of the API. */
export interface Source {
  block: BlockHeader;
  /** In force at the block's time: US dollars for one whole token, as decimal text. Null if there was none. */
  price: { usd: string; time: number } | null;
}

/** The block of a row, by `height`; or by `block`, its hash, with the price of `asset` at its time. */
export function sourceQuery(about: { height: string } | { block: string; asset: string }) {
  const path = `/sources?${new URLSearchParams(about)}`;
  return queryOptions({
    queryKey: ["source", path] as const,
    queryFn: async ({ signal }) => (await fetchJson<Source>(path, (body) => "block" in body, signal)).data,
    staleTime: 60_000,
  });
}

/** A line of a receipt: raw integers, a formula, a hash; each can be copied. */
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

/** The tip of the answer that a figure is from; no line if it names none. */
export function tipLines(tip: { hash: string; height: number } | null): readonly ReceiptLine[] {
  return tip ? [["As of tip", terms.hashText(tip.hash), `block ${formatCount(tip.height)}`]] : [];
}

/** `1234 / 10^2 = 12.34`: from the raw integer to what is shown. */
export function amountFormula(amount: bigint | string, decimals: number): string {
  return `${amount} / 10^${decimals} = ${toUnits(amount, decimals)}`;
}

/** A price and what it makes of an amount: `12.34 × $2 = $24.68`. Values are cut at 8 decimals, never rounded. */
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
