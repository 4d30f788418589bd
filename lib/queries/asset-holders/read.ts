import type { Reader } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { toAny } from "#lib/store/sqlite/encoding.ts";
import { all, type Dialect, keyStart, sqliteSize, statementWith, toBytes } from "#lib/store/statement.ts";
import type { Holder } from "./contract.ts";

/** The place of a holder: its amount, and its address's key. */
export interface HolderPlace {
  amount: string;
  key: string;
}

/** In SQLite, amounts of one size have one type. A search of the index by amount stays within one size. */
const SIZE = sqliteSize("h.amount");

/** Orders equal amounts by key. SQLite's index has a key's first bytes, and so it sorts only the few rows that share them. */
const holders = (condition: (sql: Dialect) => string, ofOneSize = false) =>
  statementWith(["token", "limit", "amount?", "key?", "size?"])((sql) => {
    const { column, primaryKey } = sql.owner;
    const [from, order] = {
      sqlite: [
        "INDEXED BY holders CROSS JOIN",
        `${ofOneSize ? "" : `${SIZE} DESC,`} h.amount DESC, h.key_start DESC, a.key DESC`,
      ],
      postgres: ["JOIN", "h.amount DESC, h.address_key DESC"],
    }[sql.engine] as [string, string];
    return `SELECT h.${column} AS owner, ${sql.hex("a.key")} AS key, a.text AS address, CAST(h.amount AS TEXT) AS amount,
       CAST(h.capacity AS TEXT) AS capacity, h.output_count AS "outputCount"
     FROM holdings h ${from} addresses a ON a.${primaryKey} = h.${column}
     WHERE h.token_id = $token AND ${condition(sql)} ORDER BY ${order} LIMIT CAST($limit AS bigint)`;
  });
const FIRST_HOLDERS = holders(() => "true");
const NEXT_HOLDERS = holders(
  ({ engine }) =>
    engine === "sqlite"
      ? // SQLite searches the index by two columns only if one comparison has both.
        `${SIZE} = $size AND (h.amount, h.key_start) <= ($amount, ${keyStart("$key")})
         AND NOT (h.amount = $amount AND h.key_start = ${keyStart("$key")} AND a.key >= $key)`
      : "(h.amount, h.address_key) < (CAST($amount AS numeric), $key)",
  true,
);
const SMALLER_HOLDERS = holders(() => `${SIZE} < $size`);

/** A holder, with its address's key, and with how other tables name the address: its id in SQLite, its key in PostgreSQL. */
export type Found = Holder & { key: string; owner: Owner };
export type Owner = number | string;

/** Those who hold the token now, the largest first: at most `limit`, after a place or from the start. */
export function* holdersNow(
  db: Reader,
  token: number,
  after: HolderPlace | undefined,
  limit: number,
): Steps<Found[]> {
  if (!after) return yield* all<Found>(db, FIRST_HOLDERS({ token, limit }));
  const { amount, key } = after;
  if (db.engine === "postgres") {
    return yield* all<Found>(db, NEXT_HOLDERS({ token, limit, amount, key: toBytes(key) }));
  }
  const stored = toAny(BigInt(amount));
  const size = typeof stored === "string" ? stored.length : 0;
  const next = NEXT_HOLDERS({ token, limit, amount: stored, key: toBytes(key), size });
  const found = yield* all<Found>(db, next);
  if (found.length === limit || size === 0) return found;
  const smaller = SMALLER_HOLDERS({ token, limit: limit - found.length, size });
  return [...found, ...(yield* all<Found>(db, smaller))];
}

/** Makes a page. The query read one extra row, which tells whether more holders follow. */
export function pageOf(found: Found[], limit: number) {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, hasNext: found.length > limit, last: last ? { amount: last.amount, key: last.key } : null };
}
