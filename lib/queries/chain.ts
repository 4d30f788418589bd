import { chain } from "#lib/chains/chain.ts";
import type { BlockReference } from "#lib/contract/block-reference.ts";
import type { HeightRange } from "#lib/contract/coverage.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import { blockHashAt as hashAt, horizon, identity, tip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader, ChainIdentity, IndexTip, Position } from "#lib/store/rows.ts";
import { all, type Bytes, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import { heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { blockAsOf, headerOf, heightAtSql, refuseBelowHorizon, unbrokenTo } from "./named-block.ts";

export const chainTip: Query<void, IndexTip | null> = { effort: "look-up", read: tip };

/** Outputs spent up to this height are not kept; -1: all are kept. */
export const storedHorizon: Query<void, number> = { effort: "look-up", read: horizon };

/** Null while the database is empty. Throws an Error if it holds another chain than the setting CHAIN names. */
export const chainIdentity: Query<void, ChainIdentity | null> = {
  effort: "look-up",
  *read(db) {
    const stored = yield* identity(db);
    if (stored === null || stored.native.id === chain.terms.native.id) return stored;
    throw new Error(
      `The database holds ${stored.native.name}, but the setting CHAIN names ${chain.terms.chain}`,
    );
  },
};

/** The header of the block with this hash; null if it is not canonical. */
export const blockHeader: Query<string, BlockHeader | null> = { effort: "look-up", read: headerOf };

const BLOCK_AT_TIME = statementWith(["time"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, timestamp FROM blocks
   WHERE height = ${heightAtSql("CAST($time AS bigint)")}`,
);

/** The highest block that is not later than a time in milliseconds since the Unix epoch; null if all are later. */
export const blockAtTime: Query<number, BlockHeader | null> = {
  effort: "look-up",
  *read(db, time) {
    return (yield* first<BlockHeader>(db, BLOCK_AT_TIME({ time }))) ?? null;
  },
};

/** The block that a request's state is as of. Throws NOT_FOUND as `blockAsOf` and `refuseBelowHorizon` do. */
export const stateBlock: Query<BlockReference, BlockHeader> = {
  effort: "snapshot",
  *read(db, reference) {
    const { height, hash, timestamp } = yield* blockAsOf(db, reference);
    yield* refuseBelowHorizon(db, height);
    return { height, hash, timestamp };
  },
};

/** The hash of the block at a height; null if none is stored. */
export const blockHashAt: Query<number, string | null> = { effort: "look-up", read: hashAt };

const STORED_HASHES = statementWith(["hashes"])(
  (sql) => `SELECT hash, height FROM blocks WHERE ${sql.isIn("hash", "$hashes", "bytea")}`,
);

/** The height of each canonical block, by its hash; null for a hash that is not canonical. */
export const heightsOf: Query<string[], (number | null)[]> = {
  effort: "scan",
  from: "primary",
  *read(db, hashes) {
    const wanted = STORED_HASHES({ hashes: JSON.stringify(hashes) });
    const rows = yield* all<{ hash: Bytes; height: number }>(db, wanted);
    const heights = new Map(rows.map(({ hash, height }) => [toHex(hash), height]));
    return hashes.map((hash) => heights.get(hash) ?? null);
  },
};

const ADDRESS_TEXT = statementWith(["key"])("SELECT text FROM addresses WHERE key = $key");

/** The stored text of the address with this key; null if no indexed block mentions it. */
export const addressText: Query<string, string | null> = {
  effort: "look-up",
  *read(db, key) {
    return (yield* first<{ text: string }>(db, ADDRESS_TEXT({ key: toBytes(key) })))?.text ?? null;
  },
};

/** A block that a reorganisation replaced. */
export interface AbandonedBlock {
  height: number;
  hash: string;
  /** The block now at that height, if any. */
  replacedBy: string | null;
}

const ABANDONED_BLOCK = statementWith(["hash"])(
  `SELECT a.height, b.hash AS "replacedBy"
   FROM abandoned_blocks a LEFT JOIN blocks b ON b.height = a.height WHERE a.hash = $hash`,
);

/** The abandoned block with this hash; null if there is none. */
export const abandonedBlock: Query<string, AbandonedBlock | null> = {
  effort: "look-up",
  *read(db, hash) {
    type Row = { height: number; replacedBy: Bytes | null };
    const row = yield* first<Row>(db, ABANDONED_BLOCK({ hash: toBytes(hash) }));
    return row ? { height: row.height, hash, replacedBy: row.replacedBy && toHex(row.replacedBy) } : null;
  },
};

const PLACE_OF = statementWith(["hash"])(
  (sql) => `SELECT x.id, ${sql.hex("b.hash")} AS hash
    FROM transactions x JOIN blocks b ON b.height = (x.id >> 20) WHERE ${sql.ofTransaction("x", "$hash")}`,
);

const OUTPUT_AT = statementWith(["id", "index"])(
  "SELECT 1 FROM outputs WHERE transaction_id = $id AND output_index = CAST($index AS bigint)",
);

/**
 * An output's place in the chain, spent or not; null if no indexed block has the output. Up to the horizon, spent outputs are
 * not kept, so any index of a stored transaction is accepted there.
 */
export const placeOf: Query<OutPoint, Position | null> = {
  effort: "snapshot",
  *read(db, { transactionHash, outputIndex }) {
    const place = PLACE_OF({ hash: toBytes(transactionHash) });
    const row = yield* first<{ id: number; hash: string }>(db, place);
    if (!row) return null;
    const height = heightOf(row.id);
    const output = yield* first(db, OUTPUT_AT({ id: row.id, index: outputIndex }));
    if (!output && height > (yield* horizon(db))) return null;
    const readAt = { height, hash: row.hash };
    return { height, transactionIndex: indexOf(row.id), outputIndex, blockHash: row.hash, readAt };
  },
};

const HEIGHTS = statementWith(["after", "limit"])(
  "SELECT height FROM blocks WHERE height > $after ORDER BY height LIMIT CAST($limit AS bigint)",
);

/** Heights of stored blocks above `after`, ascending. */
export const blockHeights: Query<{ after?: number | undefined; limit?: number }, number[]> = {
  effort: "long",
  *read(db, { after = -1, limit = Number.MAX_SAFE_INTEGER }) {
    return (yield* all<{ height: number }>(db, HEIGHTS({ after, limit }))).map((row) => row.height);
  },
};

/** See `unbrokenTo`. */
export const unbrokenFrom: Query<number, number> = { effort: "look-up", read: unbrokenTo };

const FIRST_GAP = statementWith(["height"])(
  `SELECT first_height AS "from", last_height AS "to" FROM gaps WHERE first_height > $height ORDER BY first_height LIMIT 1`,
);

/** The lowest gap that begins above a height; null if there is none. */
export const firstGap: Query<number, HeightRange | null> = {
  effort: "long",
  *read(db, height) {
    return (yield* first<HeightRange>(db, FIRST_GAP({ height }))) ?? null;
  },
};
