import { blockHashAt, horizon, tip } from "#lib/store/common-queries.ts";
import { PositionAheadError } from "#lib/store/errors.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip, Tip } from "#lib/store/rows.ts";
import { splitKeys } from "#lib/store/rules/address-keys.ts";
import { all, type Bytes, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import { firstId } from "#lib/store/transaction-id.ts";

interface Touching {
  /** Keys of the addresses whose outputs the block created or spent; empty unless requested. */
  touched: string[];
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
  /** Most blocks to remove and add. */
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
/** Selects the keys of the addresses whose outputs are created or spent by transactions in a range of ids. */
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

/** Leads from an earlier tip towards the tip. Throws PositionAheadError if the earlier tip is unknown and above the tip. */
export const chainProgress: Query<ProgressQuery, ChainProgress> = {
  effort: "snapshot",
  *read(db, { block, limit, withAddresses }) {
    const newest = yield* tip(db);
    const removed: NonNullable<ChainProgress["removed"]> = [];
    let at = block;
    while (at && (yield* blockHashAt(db, at.height)) !== at.hash) {
      if (removed.length === limit) return { tip: newest, removed, added: [] };
      const { height, hash }: Tip = at;
      const row: Abandoned | undefined = yield* first<Abandoned>(db, ABANDONED({ hash: toBytes(hash) }));
      const isKnown = row?.height === height;
      if (!isKnown && removed.length === 0 && height > (newest?.height ?? -1)) throw new PositionAheadError();
      // Touched addresses are stored only for the latest abandoned blocks.
      if (!isKnown || (withAddresses && row.keys === null)) return { tip: newest, removed: null, added: [] };
      const touched = withAddresses ? splitKeys(toHex(row.keys!)) : [];
      removed.push({ height, hash, parentHash: row.parentHash, touched });
      at = { height: height - 1, hash: row.parentHash };
    }
    const height = at?.height ?? -1;
    // Outputs spent up to the horizon are gone, and so are the addresses that blocks up to it touched.
    if (withAddresses && height < (yield* horizon(db))) return { tip: newest, removed: null, added: [] };
    const added: ChainProgress["added"] = [];
    const above = BLOCKS_ABOVE({ height, limit: limit - removed.length });
    for (const next of yield* all<ChainBlock>(db, above)) {
      const touched = TOUCHED_BY({ from: firstId(next.height), to: firstId(next.height + 1) });
      const keys = withAddresses ? yield* all<{ key: Bytes }>(db, touched) : [];
      added.push({ ...next, touched: keys.map(({ key }) => toHex(key)) });
    }
    return { tip: newest, removed, added };
  },
};
