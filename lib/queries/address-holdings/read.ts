import type { BlockReference } from "#lib/contract/block-reference.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { type HeldSum, heldBefore } from "../held.ts";
import { refuseIfChanged } from "../named-block.ts";
import { inPieces, sorted } from "../pieces.ts";
import { tokensOf } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import { type Ahead, unlessReverted, walkRange } from "../walk-state.ts";

/** Prices in US dollars scaled by 10^18, values in units of 10^-8 US dollars; null without a price. */
export interface Valued extends HeldSum {
  assetId: string;
  decimals: number;
  usd: bigint | null;
  /** When that price came into force, in milliseconds since the Unix epoch. */
  priceTime: number | null;
  value: bigint | null;
  /** An NFT's collection; `""` if it has none, and for other assets. */
  collection: string;
  /** Whether it is an NFT without a name. */
  unnamed: boolean;
}

export interface HoldingRow extends Valued {
  token: TokenRow;
}

/** The place of the last holding, with its value at that time: prices may have been loaded since. */
export interface HoldingPlace extends Pick<Valued, "outputCount" | "assetId"> {
  value: string | null;
  /** While one response is streamed: all holdings in order, and how many of them were sent. */
  ahead?: Ahead & { all: readonly Valued[]; given: number };
}

interface HoldingsQuery extends Window<HoldingPlace> {
  addressKeys: readonly string[];
  at?: BlockReference | undefined;
}

const PRICED = statementWith(["ids", "time"])(
  (sql) => `SELECT t.id AS "tokenId", t.asset_id AS "assetId", t.decimals, CAST(p.usd AS TEXT) AS usd, p.time,
     CASE WHEN t.fungible THEN '' ELSE t.parent_id END AS collection,
     CASE WHEN t.fungible OR t.name <> '' OR t.symbol <> '' THEN 0 ELSE 1 END AS unnamed
   FROM tokens t LEFT JOIN prices p ON p.asset_id = t.asset_id AND p.time =
     (SELECT time FROM prices WHERE asset_id = t.asset_id AND time <= CAST($time AS bigint)
      ORDER BY time DESC LIMIT 1)
   WHERE ${sql.isIn("t.id", "$ids", "integer")}`,
);
interface Priced {
  tokenId: number;
  assetId: string;
  decimals: number;
  usd: string | null;
  time: number | null;
  collection: string;
  unnamed: number;
}

/** Sums what all these addresses hold. Throws as `walkRange` does. */
export const holdingsOfAddresses: Query<HoldingsQuery, Rows<HoldingRow, HoldingPlace>> = {
  effort: "snapshot",
  *read(db, { addressKeys, at, after, limit, state, ...rest }) {
    exhaustive(rest);
    const range = yield* walkRange(db, { to: at }, state);
    const { to, asOf, reverts } = range;
    const { all: held, given } =
      unlessReverted(after?.ahead, range) ??
      placed(
        yield* valued(db, yield* heldBefore(db, addressKeys, firstId(to.height + 1)), to.timestamp),
        after,
      );
    const listed = held.slice(given, given + limit);
    const tokens = yield* tokensOf(db, listed);
    yield* refuseIfChanged(db, asOf);
    const next = given + listed.length;
    const tail = listed.at(-1);
    return {
      tip: yield* tip(db),
      asOf,
      rows: listed.map((row) => ({ ...row, token: tokens.get(row.tokenId)! })),
      hasNext: next < held.length,
      last: tail
        ? {
            value: tail.value?.toString() ?? null,
            outputCount: tail.outputCount,
            assetId: tail.assetId,
            ahead: { all: held, given: next, reverts, size: held.length },
          }
        : null,
    };
  },
};

/** The holdings, and the number of those up to the place. */
function placed(all: Valued[], after: HoldingPlace | undefined) {
  if (!after) return { all, given: 0 };
  const last = { ...after, value: after.value === null ? null : BigInt(after.value) };
  const next = all.findIndex((row) => byValue(row, last) > 0);
  return { all, given: next === -1 ? all.length : next };
}

/**
 * Adds values to what is held, at the latest prices as of a time in milliseconds. The most valuable comes first; what has no
 * price follows, by number of outputs.
 */
export function* valued(db: Reader, held: Map<number, HeldSum>, asOf: number): Steps<Valued[]> {
  const rows = yield* inPieces(db, [...held.keys()], function* (ids) {
    const priced = yield* all<Priced>(db, PRICED({ ids: JSON.stringify(ids), time: asOf }));
    return priced.map(({ tokenId, assetId, decimals, usd: digits, time, collection, unnamed }): Valued => {
      const sums = held.get(tokenId)!;
      const usd = digits === null ? null : BigInt(digits);
      const value = usd === null ? null : valueInUsd(sums.amount, decimals, usd);
      // An address may hold 100,000 assets: a copy of each would take half as much memory again.
      const more = { assetId, decimals, usd, priceTime: time, value, collection, unnamed: unnamed === 1 };
      return Object.assign(sums, more);
    });
  });
  return yield* sorted(db, rows, byValue);
}

type Ranked = Pick<Valued, "value" | "outputCount" | "assetId">;

export function byValue(one: Ranked, other: Ranked): number {
  return (
    descending(one.value ?? -1n, other.value ?? -1n) ||
    other.outputCount - one.outputCount ||
    descending(other.assetId, one.assetId)
  );
}

function descending<T extends bigint | string>(one: T, other: T): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}
