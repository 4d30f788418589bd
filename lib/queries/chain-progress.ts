import { MAX_EVENT_TRANSACTIONS } from "#lib/contract/events.ts";
import { blockHashAt, horizon, tip } from "#lib/store/common-queries.ts";
import { PositionAheadError } from "#lib/store/errors.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip, Tip } from "#lib/store/rows.ts";
import { splitKeys } from "#lib/store/rules/address-keys.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import { firstId } from "#lib/store/transaction-id.ts";

/** Transactions of a block that touched an address: the first ones, and how many there are. */
export interface TouchedBy {
  transactions: string[];
  transactionCount: number;
}

interface Touching {
  /** The addresses whose outputs the block created or spent, by key; empty unless requested. `by` of a removed block is not stored. */
  touched: { key: string; by?: TouchedBy }[];
}

/** The steps from an earlier tip towards the tip. */
export interface ChainProgress {
  tip: IndexTip | null;
  /**
   * Removed blocks, the newest first. Null if the earlier tip is unknown, if a gap hides the fork, or if the addresses of a step
   * are no longer stored.
   */
  removed: (Omit<ChainBlock, "timestamp"> & Touching)[] | null;
  /** Added blocks, the lowest first. */
  added: (ChainBlock & Touching)[];
}

export interface ProgressQuery {
  /** The earlier tip; null: the state before the first block. */
  block: Tip | null;
  /** Maximum number of blocks to remove and add. */
  limit: number;
  withAddresses: boolean;
}

const ABANDONED = statementWith(["hash"])(
  (sql) => `SELECT a.height, ${sql.hex("a.parent_hash")} AS "parentHash", t.keys FROM abandoned_blocks a
   LEFT JOIN abandoned_touches t ON t.hash = a.hash WHERE a.hash = $hash`,
);
type Abandoned = { height: number; parentHash: string; keys: Bytes | null };
const BLOCKS_ABOVE = statementWith(["height", "limit"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, ${sql.hex("parent_hash")} AS "parentHash", timestamp
   FROM blocks WHERE height > $height
   ORDER BY height LIMIT CAST($limit AS bigint)`,
);
/** Selects the addresses whose outputs are created or spent by transactions in a range of ids, and these transactions in order. */
const TOUCHED_BY = statementWith(["from", "to"])({
  sqlite: `SELECT a.key, touched.id FROM (
     SELECT address_id, transaction_id AS id FROM outputs WHERE transaction_id >= $from AND transaction_id < $to
     UNION
     SELECT address_id, spent_transaction_id FROM outputs INDEXED BY spent_outputs
     WHERE spent_transaction_id >= $from AND spent_transaction_id < $to) touched
   CROSS JOIN addresses a ON a.id = touched.address_id ORDER BY touched.id, a.key`,
  postgres: `SELECT address_key AS key, transaction_id AS id FROM outputs
   WHERE transaction_id >= $from AND transaction_id < $to
   UNION
   SELECT address_key, spent_transaction_id FROM outputs
   WHERE spent_transaction_id >= $from AND spent_transaction_id < $to ORDER BY id, key`,
});

function* touchedAt(db: Reader, height: number): Steps<Touching["touched"]> {
  type Row = { key: Bytes; id: number };
  const rows = yield* all<Row>(db, TOUCHED_BY({ from: firstId(height), to: firstId(height + 1) }));
  const transactionIds = rows.map(({ id }) => id);
  const hashes = yield* transactionHashes(db, transactionIds);
  const touched = new Map<string, TouchedBy>();
  for (const row of rows) {
    const key = toHex(row.key);
    const by = touched.get(key) ?? { transactions: [], transactionCount: 0 };
    if (by.transactions.length < MAX_EVENT_TRANSACTIONS) by.transactions.push(hashes.get(row.id)!);
    by.transactionCount += 1;
    touched.set(key, by);
  }
  return Array.from(touched, ([key, by]) => ({ key, by }));
}

/** The blocks to remove from an earlier tip, and the block below them; null if they are not known. Throws as `chainProgress` does. */
function* removedSince(
  db: Reader,
  newest: IndexTip | null,
  { block, limit, withAddresses }: ProgressQuery,
): Steps<{ removed: NonNullable<ChainProgress["removed"]>; at: Tip | null } | null> {
  const removed: NonNullable<ChainProgress["removed"]> = [];
  let at = block;
  while (at && removed.length < limit && (yield* blockHashAt(db, at.height)) !== at.hash) {
    const { height, hash }: Tip = at;
    const row: Abandoned | undefined = yield* first<Abandoned>(db, ABANDONED({ hash: toBytes(hash) }));
    const isKnown = row?.height === height;
    if (!isKnown && removed.length === 0 && height > (newest?.height ?? -1)) throw new PositionAheadError();
    // Touched addresses are stored only for the latest abandoned blocks.
    if (!isKnown || (withAddresses && row.keys === null)) return null;
    const keys = withAddresses ? splitKeys(toHex(row.keys!)) : [];
    removed.push({ height, hash, parentHash: row.parentHash, touched: keys.map((key) => ({ key })) });
    at = { height: height - 1, hash: row.parentHash };
  }
  // Outputs spent up to the horizon are gone, and so are the addresses that blocks up to it touched.
  const isGone = withAddresses && removed.length < limit && (at?.height ?? -1) < (yield* horizon(db));
  return isGone ? null : { removed, at };
}

/** Leads from an earlier tip towards the tip. Throws PositionAheadError if the earlier tip is unknown and above the tip. */
export const chainProgress: Query<ProgressQuery, ChainProgress> = {
  effort: "snapshot",
  *read(db, query) {
    const { limit, withAddresses } = query;
    const newest = yield* tip(db);
    const steps = yield* removedSince(db, newest, query);
    if (!steps) return { tip: newest, removed: null, added: [] };
    const { removed, at } = steps;
    if (removed.length === limit) return { tip: newest, removed, added: [] };
    const height = at?.height ?? -1;
    const added: ChainProgress["added"] = [];
    const above = BLOCKS_ABOVE({ height, limit: limit - removed.length });
    for (const next of yield* all<ChainBlock>(db, above)) {
      added.push({ ...next, touched: withAddresses ? yield* touchedAt(db, next.height) : [] });
    }
    return { tip: newest, removed, added };
  },
};

/** Maximum depth in blocks of a reorganisation that is traced back to its fork. */
const MAX_TRACED = 1_000;

/** The height of the fork below a block that a reorganisation replaced; null if it is not known. */
export function* forkBelow(db: Reader, block: Tip): Steps<number | null> {
  const known = yield* first<Abandoned>(db, ABANDONED({ hash: toBytes(block.hash) }));
  if (known?.height !== block.height) return null;
  const query = { block, limit: MAX_TRACED, withAddresses: false };
  const steps = yield* removedSince(db, yield* tip(db), query);
  return steps && steps.removed.length < MAX_TRACED ? (steps.at?.height ?? -1) : null;
}

export const forkOf: Query<Tip, number | null> = { effort: "snapshot", read: forkBelow };

/** The blocks that were removed from an earlier tip down to the fork; null if that is unknown, or not above `limit` blocks. */
export const removedFrom: Query<ProgressQuery, ChainProgress["removed"]> = {
  effort: "snapshot",
  *read(db, query) {
    const { removed } = (yield* removedSince(db, yield* tip(db), query)) ?? { removed: null };
    return removed && removed.length < query.limit ? removed : null;
  },
};
