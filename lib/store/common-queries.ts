import { randomBytes } from "node:crypto";
import { coverageText, MAX_COVERED_RANGES } from "#lib/contract/coverage.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { aqs } from "#lib/util/program.ts";
import type { AccessToken, ChainIdentity, IndexTip } from "./rows.ts";
import type { Steps } from "./rules/steps.ts";
import {
  type Bytes,
  type Connection,
  first,
  type Reading,
  run,
  statement,
  statementWith,
  toHex,
} from "./statement.ts";

/** Describes what is wrong with a schema of version `ran` for a program of version `own`, or returns null. */
export function schemaFault(ran: number, own: number): string | null {
  if (ran === own) return null;
  if (ran > own) {
    return `The database has schema version ${ran}, this program knows ${own}: update the program`;
  }
  const fault =
    ran === 0 ? "The database is empty" : `The database has schema version ${ran}, this program needs ${own}`;
  return `${fault}: run \`${aqs("migrate")}\``;
}

/** The lowest gaps, each as `from-to`, or NULL. There are none unless the operator left out blocks. */
const GAPS = `(SELECT string_agg(first_height || '-' || last_height, ' ' ORDER BY first_height)
  FROM (SELECT first_height, last_height FROM gaps ORDER BY first_height LIMIT ${MAX_COVERED_RANGES + 1}) lowest)`;

/** Selects the tip as a row of TipColumns. */
export const TIP_SQL = `SELECT height, hash, timestamp, ${GAPS} AS gaps FROM blocks ORDER BY height DESC LIMIT 1`;

/** The key in `state` under which each write transaction of PostgreSQL leaves a random name. */
export const LAST_WRITE = "last-write";
/** The name of the last write, which identifies the data's version; NULL if there is none. */
export const LAST_WRITE_SQL = `(SELECT value FROM state WHERE key = '${LAST_WRITE}')`;

export type TipColumns = { height: number; hash: Bytes; gaps: string | null };

export function toTip({ height, hash, gaps }: TipColumns): IndexTip {
  const ranges = gaps?.split(" ").map((range) => {
    const [from = 0, to = 0] = range.split("-").map(Number);
    return { from, to };
  });
  const coverage = coverageText(height, ranges ?? []);
  return { height, hash: toHex(hash), ...(coverage !== undefined && { coverage }) };
}

/** A row with the tip; nulls if nothing is stored. */
export type MaybeTip = TipColumns | { height: null; hash: null; gaps: null };

export const tipIn = (row: MaybeTip): IndexTip | null => (row.height === null ? null : toTip(row));

const TIP = statement(TIP_SQL);

export function* tip(db: Reading): Steps<IndexTip | null> {
  const { cache } = db;
  if (cache?.tip !== undefined) return cache.tip;
  const row = yield* first<TipColumns>(db, TIP);
  const newest = row ? toTip(row) : null;
  if (cache) cache.tip = newest;
  return newest;
}

const IDENTITY = statement("SELECT value FROM state WHERE key = 'identity'");

export function* identity(db: Reading): Steps<ChainIdentity | null> {
  const row = yield* first<{ value: string }>(db, IDENTITY);
  return row ? (JSON.parse(row.value) as ChainIdentity) : null;
}

/** Returns the statement that sets the value of this key in `state`. */
export const saveState = (key: string) =>
  statementWith(["value"])(
    `INSERT INTO state (key, value) VALUES ('${key}', $value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );

/** Selects the horizon, for `toHorizon`. */
export const HORIZON_SQL = "SELECT value FROM state WHERE key = 'horizon'";
const HORIZON = statement(HORIZON_SQL);

/** The height up to which spent outputs are not kept (see rules/horizon.ts); -1 if all are kept. */
export function* horizon(db: Reading): Steps<number> {
  return toHorizon((yield* first<{ value: string }>(db, HORIZON))?.value);
}

export function toHorizon(value: string | null = null): number {
  if (value === null) return -1;
  if (/^-1$|^\d{1,10}$/.test(value)) return Number(value);
  throw new Error(`The horizon cannot be read: ${value}`);
}

/** The key in `state` of how far block times go back: see rules/block-times.ts. */
export const SETBACK = "setback";
/** No block is earlier than a lower one by more than this many milliseconds. */
export const SETBACK_SQL = `coalesce((SELECT CAST(value AS bigint) FROM state WHERE key = '${SETBACK}'), 0)`;

/** Selects how many times blocks were reverted. */
export const REVERTS_SQL = "coalesce((SELECT CAST(value AS bigint) FROM state WHERE key = 'reverts'), 0)";
const REVERTS = statement(`SELECT ${REVERTS_SQL} AS reverts`);

export function* reverts(db: Reading): Steps<number> {
  return (yield* first<{ reverts: number }>(db, REVERTS))!.reverts;
}

/** Counts one more time. */
export const COUNT_REVERT = statement(
  `INSERT INTO state (key, value) VALUES ('reverts', '1')
   ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(state.value AS bigint) + 1 AS text)`,
);

const HASH_AT = statementWith(["height"])("SELECT hash FROM blocks WHERE height = $height");

export function* blockHashAt(db: Reading, height: number): Steps<string | null> {
  const cached = db.cache?.hashes;
  let hash = cached?.get(height);
  if (hash === undefined) {
    const row = yield* first<{ hash: Bytes }>(db, HASH_AT({ height }));
    hash = row ? toHex(row.hash) : null;
    cached?.set(height, hash);
  }
  return hash;
}

const CURSOR_KEY = statement("SELECT value FROM state WHERE key = 'cursor-key'");
const INSERT_CURSOR_KEY = statementWith(["key"])(
  "INSERT INTO state (key, value) VALUES ('cursor-key', $key) ON CONFLICT (key) DO NOTHING",
);

export function* storedCursorKey(db: Reading): Steps<Uint8Array | null> {
  const stored = yield* first<{ value: string }>(db, CURSOR_KEY);
  return stored ? Buffer.from(stored.value, "hex") : null;
}

/** Returns the random key that signs cursors, and makes it if there is none. All processes on the database share it. */
export function* makeCursorKey(db: Connection): Steps<Uint8Array> {
  const stored = yield* storedCursorKey(db);
  if (stored) return stored;
  // Two processes may do this at the same time: the first insert wins, so read it back.
  yield* run(db, INSERT_CURSOR_KEY({ key: randomBytes(32).toString("hex") }));
  return yield* makeCursorKey(db);
}

export type AccessTokenColumns = Omit<AccessToken, "scopes"> & { scopes: string };

export const ACCESS_TOKEN_COLUMNS = `id, name, scopes, hint, created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", rate_per_minute AS "ratePerMinute"`;
const ACCESS_TOKEN_BY_HASH = statementWith(["hash"])(
  `SELECT ${ACCESS_TOKEN_COLUMNS} FROM access_tokens WHERE hash = $hash`,
);
/** Converts the token's columns; other fields of the row stay as they are. */
export const toAccessToken = <Row extends AccessTokenColumns>(
  row: Row,
): Omit<Row, "scopes"> & { scopes: Scope[] } => ({
  ...row,
  scopes: JSON.parse(row.scopes) as Scope[],
});

export function* accessTokenByHash(db: Reading, hash: Uint8Array): Steps<AccessToken | null> {
  const row = yield* first<AccessTokenColumns>(db, ACCESS_TOKEN_BY_HASH({ hash }));
  return row ? toAccessToken(row) : null;
}
