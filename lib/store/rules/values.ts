import { SETBACK_SQL } from "#lib/store/common-queries.ts";
import { forRows, insertInto, table } from "#lib/store/row-statement.ts";
import type { Price, ResolvedBlock } from "#lib/store/rows.ts";
import { all, type Bytes, first, run, statementWith, toHex } from "#lib/store/statement.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { addToChangeSums, type ChangeDelta } from "./change-sums.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

type Asked = { assetId: string; time: number; place: number };
type Priced = { place: number; tokenId: number; decimals: number; usd: string | null };
const PRICES_AT = forRows(
  { assetId: "text", time: "bigint", place: "integer" },
  ({ each, from }) => `SELECT ${each.place} AS place, t.id AS "tokenId", t.decimals,
     (SELECT usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= ${each.time} ORDER BY p.time DESC LIMIT 1) AS usd
   FROM tokens t ${from(",")} WHERE t.asset_id = ${each.assetId}`,
);
const SAVE_PRICES = insertInto(
  table("prices", { assetId: "text", time: "bigint" }, { usd: "decimal" }),
  () =>
    'UPDATE SET usd = excluded.usd WHERE prices.usd <> excluded.usd RETURNING asset_id AS "assetId", time',
);
const REMOVE_PRICES = statementWith(["assetId", "from", "to"])(
  "DELETE FROM prices WHERE asset_id = $assetId AND time >= $from AND time <= $to",
);
const DECIMALS = statementWith(["assetId"])("SELECT decimals FROM tokens WHERE asset_id = $assetId");
/**
 * The lowest block that is not before a time. Among these, it is later than the earliest one by `SETBACK_SQL` at most. `+ 0`
 * keeps the engines from going through all blocks by height.
 */
const FIRST_HEIGHT_FROM = statementWith(["time"])(
  `SELECT min(height + 0) AS height FROM blocks WHERE timestamp >= $time AND timestamp <= ${SETBACK_SQL} +
     (SELECT min(timestamp) FROM blocks WHERE timestamp >= $time)`,
);
const INSERT_CHANGES = insertInto(
  table(
    "asset_changes",
    { blockHash: ["bytes", "block_hash", "postgres"], height: "bigint", ordinal: "integer" },
    {
      tokenId: "integer",
      amount: "amount",
      usd: ["amount", "amount_usd"],
      transactions: ["integer", "transaction_count"],
    },
  ),
);
type PricedChange = Pick<ChangeDelta, "height" | "ordinal" | "tokenId"> &
  Record<"amount" | "usd", string> & { hash: Bytes; price: string | null };
/** Selects the asset's lowest changes in blocks above a height and not before a time, in order. */
const CHANGES_OF = statementWith(["assetId", "above", "time"])(
  `SELECT b.hash, c.height, c.ordinal, c.token_id AS "tokenId", CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd,
     (SELECT p.usd FROM prices p WHERE p.asset_id = $assetId AND p.time <= b.timestamp ORDER BY p.time DESC LIMIT 1) AS price
   FROM asset_changes c JOIN blocks b ON b.height = c.height
   WHERE c.token_id = (SELECT id FROM tokens WHERE asset_id = $assetId) AND c.height > $above AND b.timestamp >= $time
   ORDER BY c.height LIMIT 10000`,
);
const SAVE_VALUES = forRows(
  { blockHash: ["bytes", "hash"], ordinal: "integer", usd: "amount" },
  ({ sql, each, from }) => `UPDATE asset_changes SET amount_usd = ${each.usd} ${from("FROM")}
   WHERE ${sql.ofBlock(each.blockHash)} AND asset_changes.ordinal = ${each.ordinal}`,
);

/** Maximum number of prices in one statement. */
const PRICE_ROWS = 10_000;

/** Units of 10^-8 US dollars; 0 without a price. */
const valueAt = (amount: bigint, decimals: number, price: string | null): bigint =>
  price === null ? 0n : valueInUsd(amount, decimals, BigInt(price));

/** Stores the changes of each block, valued at the prices of its time. */
export function* addChanges(tables: Writer, blocks: ResolvedBlock[]): Steps<void> {
  const changes = blocks.flatMap(({ hash, height, timestamp, changes }) =>
    changes.map((change, ordinal) => ({ ...change, blockHash: hash, height, ordinal, time: timestamp })),
  );
  if (changes.length === 0) return;
  const asked = changes.map(({ assetId, time }, place) => ({ assetId, time, place }));
  const pricing = yield* tables.allOf<Priced, Asked>(PRICES_AT, asked);
  const valued = pricing.map(({ place, tokenId, decimals, usd }) => {
    const change = changes[place]!;
    const value = valueAt(change.amount, decimals, usd);
    return { ...change, tokenId, usd: value, blocks: 1 };
  });
  yield* tables.save(INSERT_CHANGES, valued);
  yield* addToChangeSums(tables, valued);
}

/** Updates the values of the asset's changes in blocks from `time` on. */
export function* revalue(tables: Writer, assetId: string, time: number): Steps<void> {
  const token = yield* first<{ decimals: number }>(tables.db, DECIMALS({ assetId }));
  if (!token) return;
  const lowest = yield* first<{ height: number | null }>(tables.db, FIRST_HEIGHT_FROM({ time }));
  if (lowest!.height === null) return;
  // The native asset has a change in every block, so read a batch at a time.
  for (let above = lowest!.height - 1; ; ) {
    const changes = yield* all<PricedChange>(tables.db, CHANGES_OF({ assetId, above, time }));
    if (changes.length === 0) return;
    above = changes.at(-1)!.height;
    const wrong = changes.flatMap(({ hash, amount, usd: stored, price, ...place }) => {
      const usd = valueAt(BigInt(amount), token.decimals, price);
      const difference = usd - BigInt(stored);
      return difference === 0n ? [] : [{ ...place, blockHash: toHex(hash), usd, difference }];
    });
    yield* tables.save(SAVE_VALUES, wrong);
    const unchanged = { amount: 0n, blocks: 0, transactions: 0 };
    const deltas = wrong.map(({ difference, ...place }) => ({ ...place, ...unchanged, usd: difference }));
    yield* addToChangeSums(tables, deltas);
  }
}

/** The earliest time of a changed price, by asset id. */
type Repriced = ReadonlyMap<string, number>;

/** Adds or replaces prices, and updates the values of stored changes. */
export function* loadPrices(tables: Writer, prices: Price[]): Steps<void> {
  yield* revalueAll(tables, yield* savePrices(tables, prices));
}

/** Adds or replaces prices. The values of stored changes are wrong until `revalueAll` gets the result. */
export function* savePrices(tables: Writer, prices: Price[]): Steps<Repriced> {
  // The last one counts of several prices of one asset for one time.
  const last = [...new Map(prices.map((price) => [`${price.time} ${price.assetId}`, price])).values()];
  const earliest = new Map<string, number>();
  for (let i = 0; i < last.length; i += PRICE_ROWS) {
    const some = last.slice(i, i + PRICE_ROWS);
    for (const { assetId, time } of yield* tables.allOf<Price, Price>(SAVE_PRICES, some)) {
      earliest.set(assetId, Math.min(earliest.get(assetId) ?? time, time));
    }
  }
  return earliest;
}

export function* revalueAll(tables: Writer, repriced: Repriced): Steps<void> {
  for (const [assetId, time] of repriced) yield* revalue(tables, assetId, time);
}

/** Removes the asset's prices between two times, both included, and updates values. Returns how many were removed. */
export function* removePrices(tables: Writer, assetId: string, from: number, to: number): Steps<number> {
  const removed = yield* run(tables.db, REMOVE_PRICES({ assetId, from, to }));
  if (removed > 0) yield* revalue(tables, assetId, from);
  return removed;
}
