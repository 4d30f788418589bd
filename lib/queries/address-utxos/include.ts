/** Fields of every list of outputs, and optional fields that a request can include. */
import type { z } from "zod";
import type { OutputState } from "#lib/contract/chain.ts";
import { type AddressText, outPointText } from "#lib/contract/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS, valueInUsd } from "#lib/util/amounts.ts";
import { blocksBelow } from "../blocks-at.ts";
import { type FieldGroup, type Fields, literal, plainText, simple, tokenFields } from "../codec.ts";
import { pricesAsOf } from "../prices.ts";
import type { Rows } from "../walk.ts";
import type { contract, UtxoEntry } from "./contract.ts";
import type { UtxoRow } from "./read.ts";
import { withStates } from "./states.ts";

/** A row with the values that the request includes. */
export interface IncludedRow extends UtxoRow, Partial<OutputState> {
  /** Time of the block that created it, in milliseconds since the Unix epoch; null if it is unknown. */
  blockTime?: number | null;
  /** Hash of that block; empty if it is unknown. */
  blockHash?: string;
  /** Price of one whole token, in US dollars scaled by 10^18; null without a price. */
  usd?: bigint | null;
}

export const outputFields = (base: string): Fields<IncludedRow, UtxoEntry> => ({
  priceUsd: plainText(({ usd }) => (usd == null ? "" : toUnits(usd, PRICE_DECIMALS))),
  valueUsd: plainText(({ usd, amount, token }) =>
    usd == null ? "" : toUnits(valueInUsd(BigInt(amount), token.decimals, usd), USD_DECIMALS),
  ),
  ...tokenFields((row) => row.token, base),
  blockHeight: literal((row) => row.height),
  outPoint: plainText(outPointText),
  amount: plainText((row) => row.amount),
  capacity: plainText((row) => row.capacity),
  kind: simple((row) => row.kind),
  until: simple((row) => row.until),
  compensation: simple((row) => row.compensation),
  blockTime: plainText(({ blockTime }) => (blockTime == null ? "" : new Date(blockTime).toISOString())),
  blockHash: plainText(({ blockHash = "" }) => blockHash),
});

type Included = "priceUsd" | "valueUsd" | "kind" | "until" | "compensation" | "blockTime" | "blockHash";

/** Fields that only exist if the request includes them. */
export const includedFields: readonly FieldGroup<IncludedRow, Pick<UtxoEntry, Included>>[] = [
  { has: (row) => row.usd !== undefined, names: ["priceUsd", "valueUsd"] },
  { has: (row) => row.kind !== undefined, names: ["kind", "until", "compensation"] },
  { has: (row) => row.blockTime !== undefined, names: ["blockTime"] },
  { has: (row) => row.blockHash !== undefined, names: ["blockHash"] },
];

/**
 * Adds what the request includes to a page of outputs, as of the page's block. Throws SERVICE_UNAVAILABLE if that block has
 * been reverted. `ownerOf` should return the same object for the same address.
 */
export async function withIncluded<Row extends UtxoRow, Page extends Omit<Rows<Row, unknown>, "last">>(
  store: Store,
  page: Page,
  { include, value }: Pick<z.output<typeof contract.query>, "include"> & { value?: "usd" | undefined },
  ownerOf: (row: Row) => AddressText,
): Promise<Omit<Page, "rows"> & { rows: (Row & IncludedRow)[] }> {
  const asOf = page.asOf ?? page.tip;
  let rows: (Row & IncludedRow)[] = page.rows;
  if (!asOf || rows.length === 0) return { ...page, rows };
  if (include.includes("kind")) {
    const known = await withStates(store, { asOf, rows }, ownerOf);
    // A spent output waits for nothing and earns nothing.
    rows = known.map((row) => (row.isSpent ? { ...row, until: "", compensation: "" } : row));
  }
  const [hasTime, hasBlock] = [include.includes("time"), include.includes("block")];
  if (hasTime || hasBlock) {
    const heights = rows.map(({ height }) => height);
    const blocks = await store.query(blocksBelow, { heights, asOf });
    rows = rows.map((row) => {
      const { time, blockHash } = blocks.get(row.height)!;
      return { ...row, ...(hasTime && { blockTime: time }), ...(hasBlock && { blockHash }) };
    });
  }
  if (value !== undefined) {
    const assetIds = [...new Set(rows.map(({ token }) => token.id))];
    const prices = await store.query(pricesAsOf, { assetIds, block: asOf });
    rows = rows.map((row) => ({ ...row, usd: prices.get(row.token.id) ?? null }));
  }
  return { ...page, rows };
}
