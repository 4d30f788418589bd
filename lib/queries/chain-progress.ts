import { blockHashAt, horizon, tip } from "#lib/store/common-queries.ts";
import { PositionAheadError } from "#lib/store/errors.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip, Tip } from "#lib/store/rows.ts";
import { splitKeys } from "#lib/store/rules/address-keys.ts";
import { all, type Bytes, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import { firstId } from "#lib/store/transaction-id.ts";

/** Keys of the addresses whose outputs a block created or spent; empty if they were not asked for. */
interface Touching {
  touched: string[];
}

/** What happened to the chain since a block was its newest. */
export interface ChainProgress {
  tip: IndexTip | null;
  /**
   * Blocks that were taken back, the newest first. Null if the block is unknown, if a gap hides the fork, or if nobody
   * remembers which addresses one of them, or of those on top, touched.
   */
  removed: (Omit<ChainBlock, "timestamp"> & Touching)[] | null;
  /** Blocks that came on top, the lowest first. */
  added: (ChainBlock & Touching)[];
}

export interface ProgressQuery {
  /** Null stands for the state before the first block. */
  block: Tip | null;
  limit: number;
  withAddresses: boolean;
}

const ABANDONED_PLACE = statementWith(["hash"])(
  `SELECT a.height, a.parent_hash, t.keys FROM abandoned_blocks a
   LEFT JOIN abandoned_touches t ON t.hash = a.hash WHERE a.hash = $hash`,
);
const BLOCKS_ABOVE = statementWith(["height", "limit"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, ${sql.hex("parent_hash")} AS "parentHash", timestamp
   FROM blocks WHERE height > $height
   ORDER BY height LIMIT CAST($limit AS bigint)`,
);
/** Keys of the addresses whose outputs transactions of a range of ids create or spend. */
const TOUCHED_BY = statementWith(["from", "to"])({
  sqlite: `SELECT key FROM addresses WHERE id IN (
     SELECT address_id FROM outputs WHERE transaction_id >= $from AND transaction_id < $to
     UNION
     SELECT address_id FROM outputs INDEXED BY spent_outputs
     WHERE spent_transaction_id >= $from AND spent_transaction_id < $to)`,
  postgres: `SELECT address_key AS key FROM outputs WHERE transaction_id >= $from AND transaction_id < $to
   UNION
   SELECT address_key FROM outputs WHERE spent_transaction_id >= $from AND spent_transaction_id < $to`,
});

/**
 * Leads from a block towards the tip, in at most `limit` steps; none if the block is the tip. Throws PositionAheadError
 * if the block is above the tip and unknown.
 */
export const chainProgress: Query<ProgressQuery, ChainProgress> = {
  effort: "snapshot",
  *read(db, { block, limit, withAddresses }) {
    const newest = yield* tip(db);
    const removed: NonNullable<ChainProgress["removed"]> = [];
    let at = block;
    while (at && (yield* blockHashAt(db, at.height)) !== at.hash) {
      if (removed.length === limit) return { tip: newest, removed, added: [] };
      const { height, hash }: Tip = at;
      const gone: { height: number; parent_hash: Bytes; keys: Bytes | null } | undefined = yield* first(
        db,
        ABANDONED_PLACE({ hash: toBytes(hash) }),
      );
      const isKnown = gone?.height === height;
      if (!isKnown && removed.length === 0 && height > (newest?.height ?? -1)) throw new PositionAheadError();
      // Whom a block touched is not known of one that an earlier version, or one long ago, took back.
      if (!isKnown || (withAddresses && gone.keys === null)) return { tip: newest, removed: null, added: [] };
      const parentHash = toHex(gone.parent_hash);
      const touched = withAddresses ? splitKeys(toHex(gone.keys!)) : [];
      removed.push({ height, hash, parentHash, touched });
      at = { height: height - 1, hash: parentHash };
    }
    // Whom blocks up to the horizon touched is not known any more.
    const isForgotten = withAddresses && (at?.height ?? -1) < (yield* horizon(db));
    if (isForgotten) return { tip: newest, removed: null, added: [] };
    const left = limit - removed.length;
    const added: ChainProgress["added"] = [];
    const above = BLOCKS_ABOVE({ height: at?.height ?? -1, limit: left });
    for (const next of yield* all<ChainBlock>(db, above)) {
      const touched = TOUCHED_BY({ from: firstId(next.height), to: firstId(next.height + 1) });
      const keys = withAddresses ? yield* all<{ key: Bytes }>(db, touched) : [];
      added.push({ ...next, touched: keys.map(({ key }) => toHex(key)) });
    }
    return { tip: newest, removed, added };
  },
};
