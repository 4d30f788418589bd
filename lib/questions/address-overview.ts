import { valueInUsd } from "#lib/contract/amounts.ts";
import { exhaustive } from "#lib/contract/exhaustive.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Question } from "#lib/store/question.ts";
import { foldCase } from "#lib/store/rules/asset-names.ts";
import { all, statement, toBytes } from "#lib/store/statement.ts";
import type { IndexTip, TokenRow } from "#lib/store/store.ts";
import type { PriceAt } from "./prices.ts";
import { hasNul, matchesSearch, tokensById } from "./tokens.ts";

/** What an address holds of one asset. */
export interface Holding {
  token: TokenRow;
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Of the outputs that hold it. */
  capacity: string;
  outputCount: number;
  /** The latest price as of the tip's time; null if the asset has none. */
  price: PriceAt | null;
  /** The amount at that price, in units of 10^-8 US dollars; null without a price. */
  valueUsd: string | null;
}

/** Which holdings an overview lists; its sums are over all of them. */
export interface HoldingQuery {
  addressKey: string;
  /**
   * Only assets whose name contains it (in any case), whose symbol does (ASCII letters in any case), or whose id does.
   * "" lists all.
   */
  search?: string;
  offset?: number;
  limit: number;
  /** How many of the holdings with the most capacity are listed beside. */
  largest?: number;
}

/** What an address's page shows beside its outputs. */
export interface AddressOverview {
  outputCount: number;
  capacity: string;
  /** Distinct assets held, the native one included. */
  tokenCount: number;
  /** Live holdings by asset: the most valuable first, then those without a price by their number of outputs. */
  holdings: Holding[];
  /** How many holdings match the search. */
  matchCount: number;
  /** Those with the most capacity, the largest first, whatever is searched for. */
  largest: { token: TokenRow; capacity: string }[];
  /** Units of 10^-8 US dollars: the sum over all holdings, at each asset's latest price as of the tip's time. */
  valueUsd: string;
  /** Assets held that have no price by then. */
  unpricedCount: number;
  tip: IndexTip | null;
}

/** Values: address, folded search, search. */
const HELD = statement(
  "holdings-of-address",
  (sql) => `
  SELECT h.token_id, t.asset_id AS "assetId", h.output_count AS "outputCount", CAST(h.amount AS TEXT) AS amount, CAST(h.capacity AS TEXT) AS capacity,
         t.decimals, CAST(p.usd AS TEXT) AS usd, p.time,
         (CAST($2 AS TEXT) = '' OR ${matchesSearch(sql, "$2", "$3")}) AS matches
  FROM holdings h JOIN tokens t ON t.id = h.token_id
  LEFT JOIN prices p ON p.asset_id = t.asset_id AND p.time =
    (SELECT time FROM prices WHERE asset_id = t.asset_id
       AND time <= (SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1)
     ORDER BY time DESC LIMIT 1)
  WHERE ${sql.ofAddress("$1")}`,
);

interface HeldColumns {
  token_id: number;
  assetId: string;
  outputCount: number;
  amount: string;
  capacity: string;
  decimals: number;
  usd: string | null;
  time: number | null;
  matches: boolean | number;
}

/** Every holding is read, however few are listed: the sums and the order need them all. */
export const addressOverview: Question<HoldingQuery, AddressOverview> = {
  effort: "snapshot",
  *read(db, { addressKey, search = "", offset = 0, limit, largest = 0, ...rest }) {
    exhaustive(rest);
    const sought = hasNul(search) ? "" : search;
    const rows = yield* all<HeldColumns>(db, HELD, toBytes(addressKey), foldCase(sought), sought);
    const held = rows.map((row) => ({ ...row, value: usdValueOf(row), locked: BigInt(row.capacity) }));
    let outputCount = 0;
    let capacity = 0n;
    let value = 0n;
    let unpriced = 0;
    for (const holding of held) {
      outputCount += holding.outputCount;
      capacity += holding.locked;
      value += holding.value ?? 0n;
      if (holding.value === null) unpriced += 1;
    }
    const matching = hasNul(search) ? [] : held.filter(({ matches }) => matches).sort(byValue);
    const listed = matching.slice(offset, offset + limit);
    const most = largest === 0 ? [] : held.toSorted(byCapacity).slice(0, largest);
    const tokens = yield* tokensById(
      db,
      [...listed, ...most].map((row) => row.token_id),
    );
    return {
      outputCount,
      capacity: capacity.toString(),
      tokenCount: held.length,
      holdings: listed.map((row) => ({
        token: tokens.get(row.token_id)!,
        amount: row.amount,
        capacity: row.capacity,
        outputCount: row.outputCount,
        price: row.usd === null || row.time === null ? null : { usd: row.usd, time: row.time },
        valueUsd: row.value?.toString() ?? null,
      })),
      matchCount: matching.length,
      largest: most.map((row) => ({ token: tokens.get(row.token_id)!, capacity: row.capacity })),
      valueUsd: value.toString(),
      unpricedCount: unpriced,
      tip: yield* tip(db),
    };
  },
};

type Held = HeldColumns & { value: bigint | null; locked: bigint };

function usdValueOf({ amount, decimals, usd }: HeldColumns): bigint | null {
  return usd === null ? null : valueInUsd(BigInt(amount), decimals, BigInt(usd));
}

const byId = (one: Ranked, other: Ranked) => (one.assetId < other.assetId ? -1 : 1);

const byCapacity = (one: Held, other: Held) => descending(one.locked, other.locked) || byId(one, other);

type Ranked = { value: bigint | null; outputCount: number; assetId: string };

/** The most valuable first, then those without a price by their number of outputs. */
export function byValue(one: Ranked, other: Ranked): number {
  return (
    descending(one.value ?? -1n, other.value ?? -1n) ||
    other.outputCount - one.outputCount ||
    byId(one, other)
  );
}

function descending(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}
