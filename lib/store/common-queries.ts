/** What both engines ask their tables in the same words. */
import { randomBytes } from "node:crypto";
import { coverageText, type HeightRange, MAX_COVERED_RANGES } from "#lib/contract/coverage.ts";
import type { Scope } from "#lib/contract/endpoints.ts";
import { type OutPoint, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { splitKeys } from "./rules/address-keys.ts";
import { done, type Steps } from "./rules/steps.ts";
import { type Connection, type SqlValue, type Statement, statement } from "./statement.ts";
import {
  type AbandonedBlock,
  type AccessToken,
  type AssetIcon,
  type BlockHeader,
  type ChainIdentity,
  type ChainProgress,
  type Coverage,
  type Holding,
  type IndexTip,
  type KindSum,
  type ListedToken,
  NATIVE_STANDARD,
  type OperatorData,
  type Position,
  PositionAheadError,
  type Price,
  type StoredAddress,
  type StoreStatus,
  type Tip,
  type TokenUses,
} from "./store.ts";
import { firstId, heightOf, indexOf, transactionId } from "./transaction-id.ts";

type Bytes = Uint8Array | string;

const toBytes = (value: Bytes): Uint8Array =>
  typeof value === "string" ? Uint8Array.from(Buffer.from(value.slice(2), "hex")) : value;
const toHex = (value: Bytes): string =>
  typeof value === "string" ? value : `0x${Buffer.from(value).toString("hex")}`;

function* first<T extends object>(
  db: Connection,
  query: Statement,
  ...values: SqlValue[]
): Steps<T | undefined> {
  return (yield* done(db.all<T>(query, ...values)))[0];
}

/** What is wrong with a schema of that many migrations, for a program that knows others; null if nothing is. */
export function schemaFault(ran: number, known: number): string | null {
  if (ran === known) return null;
  if (ran > known) {
    return `The database has schema version ${ran}, this program knows ${known}: update the program`;
  }
  const fault =
    ran === 0
      ? "The database is empty"
      : `The database has schema version ${ran}, this program needs ${known}`;
  return `${fault}: run \`npm run --silent aqs -- migrate\``;
}

// --- the chain -------------------------------------------------------------------------------------------

/** The lowest gaps, `from-to` each. There are none unless the operator left out blocks. */
const GAPS = `(SELECT string_agg(first_height || '-' || last_height, ' ' ORDER BY first_height)
  FROM (SELECT first_height, last_height FROM gaps ORDER BY first_height LIMIT ${MAX_COVERED_RANGES + 1}) lowest)`;

/** The tip, beside whatever else is read: a row of TipColumns. */
export const TIP_SQL = `SELECT height, hash, timestamp, ${GAPS} AS gaps FROM blocks ORDER BY height DESC LIMIT 1`;

export type TipColumns = { height: number; hash: Bytes; gaps: string | null };

export function toTip({ height, hash, gaps }: TipColumns): IndexTip {
  const ranges = gaps?.split(" ").map((range) => {
    const [from = 0, to = 0] = range.split("-").map(Number);
    return { from, to };
  });
  const coverage = coverageText(height, ranges ?? []);
  return { height, hash: toHex(hash), ...(coverage !== undefined && { coverage }) };
}

const TIP = statement("tip", TIP_SQL);

export function* tip(db: Connection): Steps<IndexTip | null> {
  const row = yield* first<TipColumns>(db, TIP);
  return row ? toTip(row) : null;
}

const IDENTITY = statement("identity", "SELECT value FROM state WHERE key = 'identity'");

export function* identity(db: Connection): Steps<ChainIdentity | null> {
  const row = yield* first<{ value: string }>(db, IDENTITY);
  return row ? (JSON.parse(row.value) as ChainIdentity) : null;
}

const HASH_AT = statement("hash-at", "SELECT hash FROM blocks WHERE height = $1");

export function* blockHashAt(db: Connection, height: number): Steps<string | null> {
  const row = yield* first<{ hash: Bytes }>(db, HASH_AT, height);
  return row ? toHex(row.hash) : null;
}

const TRANSACTION_ID = statement("transaction-id", "SELECT id FROM transactions WHERE hash = $1");

export function* placeOf(db: Connection, { transactionHash, outputIndex }: OutPoint): Steps<Position | null> {
  const row = yield* first<{ id: number }>(db, TRANSACTION_ID, toBytes(transactionHash));
  // Negative: known only because an indexed block spends from it.
  if (!row || row.id < 0) return null;
  const height = heightOf(row.id);
  const blockHash = yield* blockHashAt(db, height);
  if (blockHash === null) return null;
  const readAt = { height, hash: blockHash };
  return { height, transactionIndex: indexOf(row.id), outputIndex, blockHash, readAt };
}

/** An output's place in an index: by the id of its transaction, then by its own. */
export type Bound = { id: number; index: number };

export const boundOf = ({ height, transactionIndex, outputIndex }: Position): Bound => ({
  id: transactionId(height, transactionIndex),
  index: outputIndex,
});

/** Whether a position means this hash. Digits without `0x` cannot begin a hash, nor those with it end one. */
const means = (named: string, hash: string | null): boolean =>
  hash !== null && (hash.startsWith(named) || hash.endsWith(named));

/**
 * Whether both blocks that a position names are on the chain, so that it means the place that it says. Given are the
 * chain's hashes at the two heights, null where it has none.
 */
export const isCurrent = (position: Position, hash: string | null, hashAtTip: string | null): boolean =>
  means(position.blockHash, hash) && means(position.readAt.hash, hashAtTip);

const EVER_AT = statement(
  "blocks-ever-at",
  `SELECT hash, 1 AS canonical FROM blocks WHERE height = $1
   UNION ALL SELECT hash, 0 FROM abandoned_blocks WHERE height = $1`,
);
/** The highest block of the chain below an abandoned one; null if none is known. */
const FORK_OF = statement(
  "fork-of",
  `WITH RECURSIVE branch AS (
     SELECT parent_hash FROM abandoned_blocks WHERE hash = $1
     UNION ALL
     SELECT a.parent_hash FROM branch JOIN abandoned_blocks a ON a.hash = branch.parent_hash
   )
   SELECT max(b.height) AS height FROM branch JOIN blocks b ON b.hash = branch.parent_hash`,
);

/** `canonical`: 1 if it is still there, 0 if it was abandoned. */
type BlockOnce = { hash: Bytes; canonical: number };

function* blockEverAt(db: Connection, { height, hash: named }: Tip): Steps<BlockOnce> {
  const blocks = yield* done(db.all<BlockOnce>(EVER_AT, height));
  const block = blocks.find(({ hash }) => means(named, toHex(hash)));
  if (!block) throw new PositionAheadError();
  return block;
}

/**
 * Where a walk goes on after a position that is not current; undefined: at its start. If the position's block was
 * replaced, outputs may have moved to either side of it. Oldest first, the walk resumes after the fork, below which
 * nothing changed; newest first, it starts again from the tip. Throws PositionAheadError as `utxosOfAddress` does.
 */
export function* resumeAfter(
  db: Connection,
  position: Position,
  order: "asc" | "desc",
): Steps<Bound | undefined> {
  yield* blockEverAt(db, position.readAt);
  const block = yield* blockEverAt(db, { height: position.height, hash: position.blockHash });
  if (block.canonical) return boundOf(position);
  if (order === "desc") return undefined;
  const { height } = (yield* first<{ height: number | null }>(db, FORK_OF, toBytes(block.hash)))!;
  // A gap, or another chain altogether, hides how far the change went: nothing is known to be unchanged.
  if (height === null) return undefined;
  return { id: firstId(height + 1) - 1, index: Number.MAX_SAFE_INTEGER };
}

const BLOCK_HEADER = statement("block-header", "SELECT height, timestamp FROM blocks WHERE hash = $1");

export function* blockHeader(db: Connection, hash: string): Steps<BlockHeader | null> {
  const row = yield* first<{ height: number; timestamp: number }>(db, BLOCK_HEADER, toBytes(hash));
  return row ? { height: row.height, hash, timestamp: row.timestamp } : null;
}

const ABANDONED_BLOCK = statement(
  "abandoned-block",
  `SELECT a.height, b.hash AS replaced_by
   FROM abandoned_blocks a LEFT JOIN blocks b ON b.height = a.height WHERE a.hash = $1`,
);

export function* abandonedBlock(db: Connection, hash: string): Steps<AbandonedBlock | null> {
  const row = yield* first<{ height: number; replaced_by: Bytes | null }>(db, ABANDONED_BLOCK, toBytes(hash));
  if (!row) return null;
  return { height: row.height, hash, replacedBy: row.replaced_by === null ? null : toHex(row.replaced_by) };
}

const ABANDONED_PLACE = statement(
  "abandoned-place",
  `SELECT a.height, a.parent_hash, t.keys FROM abandoned_blocks a
   LEFT JOIN abandoned_touches t ON t.hash = a.hash WHERE a.hash = $1`,
);
const BLOCKS_ABOVE = statement(
  "blocks-above",
  `SELECT height, hash, parent_hash, timestamp FROM blocks WHERE height > $1
   ORDER BY height LIMIT CAST($2 AS bigint)`,
);

/** `touchedBy`: keys of the addresses whose outputs transactions of a range of ids create or spend. */
export function* progressSince(
  db: Connection,
  block: Tip | null,
  { limit, withAddresses }: { limit: number; withAddresses: boolean },
  touchedBy: Statement,
): Steps<ChainProgress> {
  const newest = yield* tip(db);
  const removed: NonNullable<ChainProgress["removed"]> = [];
  let at = block;
  while (at && (yield* blockHashAt(db, at.height)) !== at.hash) {
    if (removed.length === limit) return { tip: newest, removed, added: [] };
    const { height, hash }: Tip = at;
    const gone: { height: number; parent_hash: Bytes; keys: Bytes | null } | undefined = yield* first(
      db,
      ABANDONED_PLACE,
      toBytes(hash),
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
  const rows = yield* done(
    db.all<{ height: number; hash: Bytes; parent_hash: Bytes; timestamp: number }>(
      BLOCKS_ABOVE,
      at?.height ?? -1,
      limit - removed.length,
    ),
  );
  const added: ChainProgress["added"] = [];
  for (const { height, hash, parent_hash, timestamp } of rows) {
    const ids = [firstId(height), firstId(height + 1)];
    const keys = withAddresses ? yield* done(db.all<{ key: Bytes }>(touchedBy, ...ids)) : [];
    const touched = keys.map(({ key }) => toHex(key));
    added.push({ height, hash: toHex(hash), parentHash: toHex(parent_hash), timestamp, touched });
  }
  return { tip: newest, removed, added };
}

/**
 * What an address's live outputs are. `byStandard`: sums by the standard of what they hold. `byKind`: of those that hold
 * only the native asset, the sums that are not plain.
 */
export function sumsByKind(byStandard: KindSum[], byKind: KindSum[]): KindSum[] {
  const sums = new Map<string, { outputCount: number; capacity: bigint }>();
  const add = (kind: string, outputCount: number, capacity: bigint) => {
    const sum = sums.get(kind) ?? { outputCount: 0, capacity: 0n };
    sums.set(kind, { outputCount: sum.outputCount + outputCount, capacity: sum.capacity + capacity });
  };
  for (const { kind, outputCount, capacity } of byStandard) {
    add(kind === NATIVE_STANDARD ? PLAIN_OUTPUT : kind, outputCount, BigInt(capacity));
  }
  for (const { kind, outputCount, capacity } of byKind) {
    add(kind, outputCount, BigInt(capacity));
    add(PLAIN_OUTPUT, -outputCount, -BigInt(capacity));
  }
  return [...sums]
    .filter(([, { outputCount }]) => outputCount !== 0)
    .map(([kind, { outputCount, capacity }]) => ({ kind, outputCount, capacity: capacity.toString() }));
}

const PRICE_AT = statement(
  "price-at",
  `SELECT CAST(usd AS TEXT) AS usd, time FROM prices WHERE asset_id = $1 AND time <= $2
   ORDER BY time DESC LIMIT 1`,
);

export function* priceAt(db: Connection, assetId: string, time: number): Steps<Holding["price"]> {
  // PostgreSQL takes no text with a U+0000.
  if (assetId.includes("\0")) return null;
  const row = yield* first<{ usd: string; time: number }>(db, PRICE_AT, assetId, time);
  return row ? { usd: row.usd, time: row.time } : null;
}

const HEIGHTS = statement(
  "heights",
  "SELECT height FROM blocks WHERE height > $1 ORDER BY height LIMIT CAST($2 AS bigint)",
);

export function* heights(db: Connection, after = -1, limit = Number.MAX_SAFE_INTEGER): Steps<number[]> {
  return (yield* done(db.all<{ height: number }>(HEIGHTS, after, limit))).map((row) => row.height);
}

const FIRST_GAP = statement(
  "first-gap",
  `SELECT first_height AS "from", last_height AS "to" FROM gaps WHERE first_height > $1 ORDER BY first_height LIMIT 1`,
);

/** What is missing below the lowest block lies between no stored ones. */
export function* firstGap(db: Connection, height = 0): Steps<HeightRange | null> {
  const gap = yield* first<HeightRange>(db, FIRST_GAP, height);
  return gap ? { ...gap } : null;
}

const INSERT_GAP = statement("insert-gap", "INSERT INTO gaps (first_height, last_height) VALUES ($1, $2)");
const GAP_AT = statement(
  "gap-at",
  `SELECT first_height AS "from", last_height AS "to" FROM gaps
   WHERE first_height <= $1 ORDER BY first_height DESC LIMIT 1`,
);
const DELETE_GAPS = statement(
  "delete-gaps",
  "DELETE FROM gaps WHERE first_height >= $1 AND first_height <= $2",
);

export function* addGaps(db: Connection, gaps: HeightRange[]): Steps<void> {
  for (const { from, to } of gaps) yield* done(db.run(INSERT_GAP, from, to));
}

export function* removeGapAt(db: Connection, height: number): Steps<HeightRange> {
  const gap = yield* first<HeightRange>(db, GAP_AT, height);
  if (!gap || gap.to < height)
    throw new Error(`Height ${height} has no block, but is in no gap: run aqs verify`);
  yield* done(db.run(DELETE_GAPS, gap.from, gap.from));
  return gap;
}

export function* removeGapsAbove(db: Connection, height: number): Steps<void> {
  yield* done(db.run(DELETE_GAPS, height + 1, Number.MAX_SAFE_INTEGER));
}

const STORED_ADDRESSES = statement(
  "stored-addresses",
  `SELECT key, text, first_height FROM addresses WHERE key > $1 ORDER BY key LIMIT CAST($2 AS bigint)`,
);

export function* storedAddresses(db: Connection, after: string, limit: number): Steps<StoredAddress[]> {
  const rows = yield* done(
    db.all<{ key: Bytes; text: string; first_height: number }>(STORED_ADDRESSES, toBytes(after), limit),
  );
  return rows.map(({ key, text, first_height }) => ({ key: toHex(key), text, firstHeight: first_height }));
}

// --- how much there is -----------------------------------------------------------------------------------

const LOWEST = statement("lowest", "SELECT min(height) AS height FROM blocks");
const COVERAGE = statement(
  "coverage",
  // Of the prices, one step of the index for each asset, not one for each price.
  `WITH RECURSIVE priced (asset_id) AS (
     SELECT min(asset_id) FROM prices
     UNION ALL
     SELECT (SELECT min(asset_id) FROM prices WHERE prices.asset_id > priced.asset_id)
     FROM priced WHERE priced.asset_id IS NOT NULL
   )
   SELECT tip.height, tip.hash, tip.gaps, (SELECT min(height) FROM blocks) AS lowest,
          (SELECT count(*) FROM tokens) AS tokens, (SELECT count(asset_id) FROM priced) AS priced,
          (SELECT count(*) FROM (SELECT 1 FROM registry LIMIT 1) listed) AS listed
   FROM (VALUES (1)) always
   LEFT JOIN (${TIP_SQL}) tip ON true`,
);

export function* coverage(db: Connection): Steps<Coverage> {
  const row = (yield* first<{
    height: number | null;
    hash: Bytes | null;
    gaps: string | null;
    lowest: number | null;
    tokens: number;
    priced: number;
    listed: number;
  }>(db, COVERAGE))!;
  const { height, hash, gaps } = row;
  return {
    tip: height === null || hash === null ? null : toTip({ height, hash, gaps }),
    lowestHeight: row.lowest,
    tokens: row.tokens,
    pricedAssets: row.priced,
    listsAssets: row.listed > 0,
  };
}

const TIP_TIME = statement("tip-time", "SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1");
const COUNTS = statement(
  "counts",
  `SELECT (SELECT count(*) FROM blocks) AS blocks,
     (SELECT count(*) FROM transactions WHERE id >= 0) AS transactions,
     (SELECT count(*) FROM outputs WHERE transaction_id >= 0) AS outputs,
     (SELECT count(*) FROM outputs WHERE spent_transaction_id IS NULL) AS "liveOutputs",
     (SELECT count(*) FROM addresses) AS addresses,
     (SELECT count(*) FROM tokens) AS tokens,
     (SELECT count(*) FROM asset_changes) AS "assetChanges",
     (SELECT count(*) FROM abandoned_blocks) AS "abandonedBlocks",
     (SELECT count(*) FROM registry) AS "registryEntries",
     (SELECT count(*) FROM prices) AS prices,
     (SELECT count(*) FROM access_tokens) AS "accessTokens"`,
);

export function* status(
  db: Connection,
  engine: { engine: string; schemaVersion: number },
): Steps<StoreStatus> {
  const counts = (yield* first<StoreStatus["counts"]>(db, COUNTS))!;
  return {
    ...engine,
    identity: yield* identity(db),
    tip: yield* tip(db),
    tipTime: (yield* first<{ timestamp: number }>(db, TIP_TIME))?.timestamp ?? null,
    lowestHeight: (yield* first<{ height: number | null }>(db, LOWEST))?.height ?? null,
    counts: { ...counts },
  };
}

// --- access ----------------------------------------------------------------------------------------------

const CURSOR_KEY = statement("cursor-key", "SELECT value FROM state WHERE key = 'cursor-key'");
const INSERT_CURSOR_KEY = statement(
  "insert-cursor-key",
  "INSERT INTO state (key, value) VALUES ('cursor-key', $1) ON CONFLICT (key) DO NOTHING",
);

/** Null if none was made yet. */
export function* storedCursorKey(db: Connection): Steps<Uint8Array | null> {
  const stored = yield* first<{ value: string }>(db, CURSOR_KEY);
  return stored ? Buffer.from(stored.value, "hex") : null;
}

export function* cursorKey(db: Connection): Steps<Uint8Array> {
  const stored = yield* storedCursorKey(db);
  if (stored) return stored;
  // If two processes make one at once, the first wins for both.
  yield* done(db.run(INSERT_CURSOR_KEY, randomBytes(32).toString("hex")));
  return yield* cursorKey(db);
}

export interface AccessTokenColumns {
  id: string;
  name: string;
  scopes: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  rate_per_minute: number | null;
}

export const ACCESS_TOKEN_COLUMNS =
  "id, name, scopes, hint, created_at, expires_at, revoked_at, rate_per_minute";
const ACCESS_TOKEN_BY_HASH = statement(
  "access-token-by-hash",
  `SELECT ${ACCESS_TOKEN_COLUMNS} FROM access_tokens WHERE hash = $1`,
);
const ACCESS_TOKENS = statement(
  "access-tokens",
  `SELECT ${ACCESS_TOKEN_COLUMNS}, hash, last_used_at FROM access_tokens ORDER BY created_at, id`,
);
const INSERT_ACCESS_TOKEN = statement(
  "insert-access-token",
  `INSERT INTO access_tokens (hash, ${ACCESS_TOKEN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const NOTE_TOKEN_USE = statement(
  "note-token-use",
  "UPDATE access_tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
);
const END_ACCESS_TOKEN = statement(
  "end-access-token",
  "UPDATE access_tokens SET expires_at = $2 WHERE id = $1 AND (expires_at IS NULL OR expires_at > $2)",
);
const REVOKE_ACCESS_TOKEN = statement(
  "revoke-access-token",
  "UPDATE access_tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
);

export const toAccessToken = (row: AccessTokenColumns): AccessToken => ({
  id: row.id,
  name: row.name,
  scopes: JSON.parse(row.scopes) as Scope[],
  hint: row.hint,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  ratePerMinute: row.rate_per_minute,
});

export function* accessTokenByHash(db: Connection, hash: Uint8Array): Steps<AccessToken | null> {
  const row = yield* first<AccessTokenColumns>(db, ACCESS_TOKEN_BY_HASH, hash);
  return row ? toAccessToken(row) : null;
}

export function* accessTokens(db: Connection): Steps<ListedToken[]> {
  const rows = yield* done(db.all<AccessTokenColumns & { last_used_at: number | null }>(ACCESS_TOKENS));
  return rows.map((row) => ({ ...toAccessToken(row), lastUsedAt: row.last_used_at }));
}

export function* noteTokenUses(db: Connection, uses: TokenUses): Steps<void> {
  for (const [id, at] of uses) yield* done(db.run(NOTE_TOKEN_USE, id, at));
}

export function* createAccessToken(db: Connection, token: OperatorData["accessTokens"][number]): Steps<void> {
  const { hash, id, name, scopes, hint, createdAt, expiresAt, revokedAt, ratePerMinute } = token;
  const times = [createdAt, expiresAt, revokedAt];
  const values = [hash, id, name, JSON.stringify(scopes), hint, ...times, ratePerMinute];
  yield* done(db.run(INSERT_ACCESS_TOKEN, ...values));
}

export function* endAccessToken(db: Connection, id: string, at: number): Steps<void> {
  yield* done(db.run(END_ACCESS_TOKEN, id, at));
}

export function* revokeAccessToken(db: Connection, id: string, at: number): Steps<boolean> {
  return (yield* done(db.run(REVOKE_ACCESS_TOKEN, id, at))) === 1;
}

// --- icons -----------------------------------------------------------------------------------------------

const ICON = statement("icon", "SELECT picture, etag FROM icons WHERE asset_id = $1");

export function* icon(db: Connection, assetId: string): Steps<Omit<AssetIcon, "assetId"> | null> {
  // PostgreSQL takes no text with a U+0000.
  if (assetId.includes("\0")) return null;
  const row = yield* first<{ picture: Bytes; etag: string }>(db, ICON, assetId);
  return row ? { picture: toBytes(row.picture), etag: row.etag } : null;
}

// --- copying ---------------------------------------------------------------------------------------------

const REGISTRY = statement("registry", "SELECT entry FROM registry ORDER BY asset_id");
const ICONS = statement("icons", "SELECT asset_id, picture, etag FROM icons ORDER BY asset_id");
const ABANDONED = statement(
  "abandoned-blocks",
  "SELECT height, hash, parent_hash FROM abandoned_blocks ORDER BY height, hash",
);

/** `key`: the cursor key, which may have to be made and is therefore no part of a read. */
export function* operatorData(db: Connection, key: Uint8Array): Steps<OperatorData> {
  const tokens = yield* done(db.all<AccessTokenColumns & { hash: Bytes }>(ACCESS_TOKENS));
  const registry = yield* done(db.all<{ entry: string }>(REGISTRY));
  const icons = yield* done(db.all<{ asset_id: string; picture: Bytes; etag: string }>(ICONS));
  const abandoned = yield* done(db.all<{ height: number; hash: Bytes; parent_hash: Bytes }>(ABANDONED));
  return {
    cursorKey: key,
    accessTokens: tokens.map((row) => ({ ...toAccessToken(row), hash: toBytes(row.hash) })),
    registry: registry.map((row) => JSON.parse(row.entry) as RegistryEntry),
    icons: icons.map((row) => ({ assetId: row.asset_id, picture: toBytes(row.picture), etag: row.etag })),
    abandonedBlocks: abandoned.map((row) => ({
      height: row.height,
      hash: toHex(row.hash),
      parentHash: toHex(row.parent_hash),
    })),
  };
}

const REPLACE_CURSOR_KEY = statement(
  "replace-cursor-key",
  `INSERT INTO state (key, value) VALUES ('cursor-key', $1)
   ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
);
const MERGE_ACCESS_TOKEN = statement(
  "merge-access-token",
  // A revocation lasts, whichever side made it.
  `UPDATE access_tokens SET revoked_at = coalesce(revoked_at, $2),
     expires_at = CASE WHEN expires_at <= CAST($3 AS bigint) THEN expires_at
                       ELSE coalesce(CAST($3 AS bigint), expires_at) END
   WHERE hash = $1`,
);
const CLEAR_ABANDONED = ["abandoned_blocks", "abandoned_touches"].map((table) =>
  statement(`clear-${table}`, `DELETE FROM ${table}`),
);
const INSERT_ABANDONED = statement(
  "insert-abandoned",
  "INSERT INTO abandoned_blocks (hash, height, parent_hash) VALUES ($1, $2, $3)",
);

/** All but the registry and the pictures, which decide what tokens are called. */
export function* adoptOperatorData(db: Connection, data: OperatorData): Steps<void> {
  yield* done(db.run(REPLACE_CURSOR_KEY, Buffer.from(data.cursorKey).toString("hex")));
  for (const token of data.accessTokens) {
    const known = yield* done(db.run(MERGE_ACCESS_TOKEN, token.hash, token.revokedAt, token.expiresAt));
    if (known === 0) yield* createAccessToken(db, token);
  }
  for (const query of CLEAR_ABANDONED) yield* done(db.run(query));
  for (const { hash, height, parentHash } of data.abandonedBlocks) {
    // Where the data come from, it may have been abandoned after it was copied.
    if (yield* blockHeader(db, hash)) continue;
    yield* done(db.run(INSERT_ABANDONED, toBytes(hash), height, toBytes(parentHash)));
  }
}

const REMOVE_PRICES = statement(
  "remove-prices",
  "DELETE FROM prices WHERE asset_id = $1 AND time >= $2 AND time <= $3",
);

export function* removePrices(db: Connection, assetId: string, from: number, to: number): Steps<number> {
  return yield* done(db.run(REMOVE_PRICES, assetId, from, to));
}

const PRICES_AFTER = statement(
  "prices-after",
  `SELECT asset_id, time, usd FROM prices WHERE (asset_id, time) > ($1, $2)
   ORDER BY asset_id, time LIMIT CAST($3 AS bigint)`,
);

export function* pricesAfter(
  db: Connection,
  price: { assetId: string; time: number } | null,
  limit: number,
): Steps<Price[]> {
  const after = [price?.assetId ?? "", price?.time ?? 0] as const;
  const rows = yield* done(
    db.all<{ asset_id: string; time: number; usd: string }>(PRICES_AFTER, ...after, limit),
  );
  return rows.map((row) => ({ assetId: row.asset_id, time: row.time, usd: BigInt(row.usd) }));
}
