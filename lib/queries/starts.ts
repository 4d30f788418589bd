/** Finds what is indexed by the first characters of its hash or text. */
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { all, type Bytes, sqliteHashesBetween, statementWith, toBytes, toHex } from "#lib/store/statement.ts";

interface StartQuery {
  /** Lower-case hex digits without `0x`, or the first characters of an address. */
  start: string;
  limit: number;
}

const HASH_DIGITS = 64;
/** The lowest and the highest hash with these first digits. */
const between = (digits: string) => ({
  first: toBytes(`0x${digits.padEnd(HASH_DIGITS, "0")}`),
  last: toBytes(`0x${digits.padEnd(HASH_DIGITS, "f")}`),
});

const BLOCKS = statementWith(["first", "last", "limit"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, timestamp FROM blocks
   WHERE hash >= $first AND hash <= $last ORDER BY blocks.hash LIMIT CAST($limit AS bigint)`,
);

/** Canonical blocks by the first digits of their hash. */
export const blocksStarting: Query<StartQuery, BlockHeader[]> = {
  effort: "look-up",
  *read(db, { start, limit }) {
    return yield* all<BlockHeader>(db, BLOCKS({ ...between(start), limit }));
  },
};

const TRANSACTIONS = statementWith(["first", "last", "limit"])({
  sqlite: `SELECT hash FROM ${sqliteHashesBetween("$first", "$last")} LIMIT $limit`,
  postgres: `SELECT hash FROM transactions WHERE hash >= $first AND hash <= $last
   ORDER BY hash LIMIT CAST($limit AS bigint)`,
});

/** Hashes of transactions by their first digits. */
export const transactionsStarting: Query<StartQuery, string[]> = {
  effort: "look-up",
  *read(db, { start, limit }) {
    const rows = yield* all<{ hash: Bytes }>(db, TRANSACTIONS({ ...between(start), limit }));
    return rows.map(({ hash }) => toHex(hash));
  },
};

const ADDRESSES = statementWith(["first", "last", "limit"])(
  `SELECT text FROM addresses WHERE text >= $first AND text < $last ORDER BY text LIMIT CAST($limit AS bigint)`,
);
/** Sorts after all characters of addresses. */
const LAST = "~";

/** Texts of addresses by their first characters. */
export const addressesStarting: Query<StartQuery, string[]> = {
  effort: "look-up",
  *read(db, { start, limit }) {
    const rows = yield* all<{ text: string }>(db, ADDRESSES({ first: start, last: start + LAST, limit }));
    return rows.map(({ text }) => text);
  },
};
