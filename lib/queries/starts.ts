/** Finds what is indexed by the first characters of its hash, or by the first and last characters of its text. */
import { type AddressPart, LEAST_END } from "#lib/contract/chain.ts";
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { all, type Bytes, sqliteHashesBetween, statementWith, toBytes, toHex } from "#lib/store/statement.ts";

interface StartQuery {
  /** Lower-case hex digits without `0x`. */
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
  sqlite: `SELECT hash FROM ${sqliteHashesBetween("$first", "$last")} LIMIT CAST($limit AS bigint)`,
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

const BY_START = statementWith(["first", "last", "limit"])(
  `SELECT text FROM addresses WHERE text >= $first AND text < $last ORDER BY text LIMIT CAST($limit AS bigint)`,
);
/** Sorts after all characters of addresses. */
const LAST = "~";

/** The first condition is the expression of the index. An order would make the engines read all that match. */
const BY_END = statementWith(["tail", "start", "end", "limit"])(
  `SELECT text FROM addresses WHERE substr(text, length(text) - ${LEAST_END - 1}) = $tail
     AND substr(text, 1, length(CAST($start AS TEXT))) = CAST($start AS TEXT)
     AND substr(text, length(text) + 1 - length(CAST($end AS TEXT))) = CAST($end AS TEXT)
   LIMIT CAST($limit AS bigint)`,
);

/** Texts of addresses by their first and last characters. Of the end, at least `LEAST_END` characters are given, or none. */
export const addressesLike: Query<AddressPart & { limit: number }, string[]> = {
  effort: "look-up",
  *read(db, { start, end, limit }) {
    const matching =
      end === ""
        ? BY_START({ first: start, last: start + LAST, limit })
        : BY_END({ tail: end.slice(-LEAST_END), start, end, limit });
    return (yield* all<{ text: string }>(db, matching)).map(({ text }) => text).sort();
  },
};
