import { randomBytes } from "node:crypto";
import type { Scope } from "#lib/contract/endpoints.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import type {
  AccessToken,
  AssetChangeQuery,
  AssetIcon,
  ChainIdentity,
  Coverage,
  OperatorData,
  Price,
  ResolvedBlock,
  Store,
  StoreStatus,
  UtxoQuery,
} from "#lib/store/store.ts";
import { checkIntegrity, readFirstGap, readHeights, readStoredBlock, readStoredTokens } from "./checks.ts";
import { Database, type PostgresOptions, type SyncLock, statement } from "./connection.ts";
import { distribute } from "./distribute.ts";
import { byteaArray, numberArray, toBytes } from "./encoding.ts";
import {
  readAbandonedBlock,
  readAddressOverview,
  readAssetChanges,
  readBlockHeader,
  readBlockOverview,
  readCoverage,
  readExamples,
  readHashAt,
  readIcon,
  readIconText,
  readIdentity,
  readOutputAges,
  readOutputCount,
  readTip,
  readUtxos,
} from "./reads.ts";
import { applyBlocks, identify, loadPrices, outputsAt, replaceRegistry, revertTo } from "./writes.ts";

type AccessTokenRow = {
  id: string;
  name: string;
  scopes: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
};

const ACCESS_TOKEN_COLUMNS = "id, name, scopes, hint, created_at, expires_at, revoked_at";

const ACCESS_TOKEN_BY_HASH = statement(
  "access-token-by-hash",
  `SELECT ${ACCESS_TOKEN_COLUMNS} FROM access_tokens WHERE hash = $1`,
);
const ACCESS_TOKENS = statement(
  "access-tokens",
  `SELECT ${ACCESS_TOKEN_COLUMNS} FROM access_tokens ORDER BY created_at, id`,
);
const INSERT_ACCESS_TOKEN = statement(
  "insert-access-token",
  `INSERT INTO access_tokens (hash, ${ACCESS_TOKEN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const REVOKE_ACCESS_TOKEN = statement(
  "revoke-access-token",
  "UPDATE access_tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
);
const CURSOR_KEY = statement("cursor-key", "SELECT value FROM state WHERE key = 'cursor-key'");
const INSERT_CURSOR_KEY = statement(
  "insert-cursor-key",
  "INSERT INTO state (key, value) VALUES ('cursor-key', $1) ON CONFLICT (key) DO NOTHING",
);
const ACCESS_TOKENS_WITH_HASH = statement(
  "access-tokens-with-hash",
  `SELECT hash, ${ACCESS_TOKEN_COLUMNS} FROM access_tokens ORDER BY created_at, id`,
);
const REGISTRY = statement("registry", "SELECT entry FROM registry ORDER BY asset_id");
const ICONS = statement("icons", "SELECT asset_id, picture, etag FROM icons ORDER BY asset_id");
const ABANDONED = statement(
  "abandoned-blocks",
  "SELECT height, hash, parent_hash FROM abandoned_blocks ORDER BY height, hash",
);
const REPLACE_CURSOR_KEY = statement(
  "replace-cursor-key",
  `INSERT INTO state (key, value) VALUES ('cursor-key', $1)
   ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
);
const CLEAR_ACCESS_TOKENS = statement("clear-access-tokens", "DELETE FROM access_tokens");
const CLEAR_ABANDONED = statement("clear-abandoned", "DELETE FROM abandoned_blocks");
const INSERT_ABANDONED = statement(
  "insert-abandoned",
  `INSERT INTO abandoned_blocks (hash, height, parent_hash)
   SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])`,
);
const PRICES_AFTER = statement(
  "prices-after",
  `SELECT asset_id, time, usd FROM prices WHERE (asset_id, time) > ($1, $2)
   ORDER BY asset_id, time LIMIT $3::bigint`,
);
const STORED_HASHES = statement("stored-hashes", "SELECT hash FROM blocks WHERE hash = ANY ($1::bytea[])");
const SCHEMA_VERSION = statement("schema-version", "SELECT max(ordinal) AS version FROM schema_migrations");
const BOUNDS = statement(
  "bounds",
  "SELECT min(height) AS lowest, (SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1) AS time FROM blocks",
);
const COUNTS = statement(
  "counts",
  `SELECT (SELECT count(*) FROM blocks) AS blocks,
     (SELECT count(*) FROM transactions WHERE id >= 0) AS transactions,
     (SELECT count(*) FROM outputs WHERE transaction_id >= 0) AS outputs,
     (SELECT count(*) FROM live_outputs) AS "liveOutputs",
     (SELECT count(*) FROM addresses) AS addresses,
     (SELECT count(*) FROM tokens) AS tokens,
     (SELECT count(*) FROM asset_changes) AS "assetChanges",
     (SELECT count(*) FROM abandoned_blocks) AS "abandonedBlocks",
     (SELECT count(*) FROM registry) AS "registryEntries",
     (SELECT count(*) FROM prices) AS prices,
     (SELECT count(*) FROM access_tokens) AS "accessTokens"`,
);

/** The Store over a PostgreSQL server, from 15 on: any number of reading processes, one writing at a time. */
export class PostgresStore implements Store {
  readonly engine = "postgres";
  readonly #db: Database;

  /** Connects when it is first used. `url`: `postgres://user:password@host:port/database?sslmode=…`. */
  constructor(url: string, options: PostgresOptions = {}) {
    this.#db = new Database(url, options);
  }

  migrate() {
    return this.#db.migrate();
  }

  close() {
    return this.#db.close();
  }

  atomically<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.atomically(work);
  }

  /**
   * Keeps a second follower of the chain away from this database, until it is released or its connection breaks
   * (then `lost` aborts). Throws an Error that says who holds it.
   */
  acquireSyncLock(): Promise<SyncLock> {
    return this.#db.acquireSyncLock();
  }

  /** Spreads the tables over a Citus cluster; resolves to the tables moved. Throws where there is no Citus. */
  distribute(): Promise<string[]> {
    return this.#db.distribute(distribute);
  }

  utxosOfAddress(query: UtxoQuery) {
    return readUtxos(this.#db, query);
  }

  assetChangesOfBlock(query: AssetChangeQuery) {
    return readAssetChanges(this.#db, query);
  }

  tip() {
    return this.#db.read(readTip);
  }

  identity() {
    return this.#db.read(readIdentity);
  }

  blockHeader(blockHash: string) {
    return this.#db.read((session) => readBlockHeader(session, blockHash));
  }

  blockOverview(blockHash: string) {
    return this.#db.read((session) => readBlockOverview(session, blockHash));
  }

  blockHashAt(height: number) {
    return this.#db.read((session) => readHashAt(session, height));
  }

  abandonedBlock(blockHash: string) {
    return this.#db.read((session) => readAbandonedBlock(session, blockHash));
  }

  addressOverview(addressKey: string, holdingLimit: number) {
    return this.#db.read((session) => readAddressOverview(session, addressKey, holdingLimit));
  }

  outputCount(addressKey: string) {
    return this.#db.read((session) => readOutputCount(session, addressKey));
  }

  icon(assetId: string) {
    return this.#db.read((session) => readIcon(session, assetId));
  }

  iconOf(assetId: string) {
    return this.#db.read((session) => readIconText(session, assetId));
  }

  outputAges(addressKey: string, ranges: number) {
    return this.#db.snapshot((session) => readOutputAges(session, addressKey, ranges));
  }

  examples(limit: number) {
    return this.#db.snapshot((session) => readExamples(session, limit));
  }

  coverage(): Promise<Coverage> {
    return this.#db.read(readCoverage);
  }

  status(): Promise<StoreStatus> {
    return this.#db.longSnapshot(async (session) => {
      const { version } = (await session.get<{ version: number }>(SCHEMA_VERSION))!;
      const bounds = (await session.get<{ lowest: number | null; time: number | null }>(BOUNDS))!;
      return {
        engine: this.engine,
        schemaVersion: version,
        identity: await readIdentity(session),
        tip: await readTip(session),
        tipTime: bounds.time,
        lowestHeight: bounds.lowest,
        counts: (await session.get<StoreStatus["counts"]>(COUNTS))!,
      };
    });
  }

  cursorKey() {
    return this.#db.primary(async (session) => {
      const stored = await session.get<{ value: string }>(CURSOR_KEY);
      if (stored) return Buffer.from(stored.value, "hex");
      // Of two processes that make one at once, the first wins for both.
      await session.run(INSERT_CURSOR_KEY, randomBytes(32).toString("hex"));
      return Buffer.from((await session.get<{ value: string }>(CURSOR_KEY))!.value, "hex");
    });
  }

  async accessTokenByHash(hash: Uint8Array) {
    const row = await this.#db.primary((session) =>
      session.get<AccessTokenRow>(ACCESS_TOKEN_BY_HASH, Buffer.from(hash)),
    );
    return row ? toAccessToken(row) : null;
  }

  async createAccessToken(token: AccessToken & { hash: Uint8Array }) {
    await this.#db.primary((session) => session.run(INSERT_ACCESS_TOKEN, ...tokenValues(token)));
  }

  async accessTokens() {
    const rows = await this.#db.primary((session) => session.all<AccessTokenRow>(ACCESS_TOKENS));
    return rows.map(toAccessToken);
  }

  async revokeAccessToken(id: string, at: number) {
    return (await this.#db.primary((session) => session.run(REVOKE_ACCESS_TOKEN, id, at))) === 1;
  }

  identify(identity: ChainIdentity) {
    return this.#db.write((session) => identify(session, identity));
  }

  outputsAt(outPoints: OutPoint[]) {
    return this.#db.longSnapshot((session) => outputsAt(session, outPoints));
  }

  async hasBlocks(hashes: string[]) {
    const rows = await this.#db.primary((session) =>
      session.all<{ hash: string }>(STORED_HASHES, byteaArray(hashes)),
    );
    const stored = new Set(rows.map((row) => row.hash));
    return hashes.map((hash) => stored.has(hash));
  }

  applyBlocks(blocks: ResolvedBlock[], options: { extendTip: boolean }) {
    return this.#db.write((session) => applyBlocks(session, blocks, options.extendTip));
  }

  revertTo(height: number) {
    return this.#db.write((session) => revertTo(session, height));
  }

  replaceRegistry(entries: RegistryEntry[], icons: AssetIcon[] = []) {
    return this.#db.write((session) => replaceRegistry(session, entries, icons));
  }

  loadPrices(prices: Price[]) {
    return this.#db.write((session) => loadPrices(session, prices));
  }

  firstGap() {
    return this.#db.longSnapshot(readFirstGap);
  }

  heights() {
    return this.#db.longSnapshot(readHeights);
  }

  storedBlock(height: number) {
    return this.#db.longSnapshot((session) => readStoredBlock(session, height));
  }

  storedTokens() {
    return this.#db.longSnapshot(readStoredTokens);
  }

  checkIntegrity() {
    return this.#db.longSnapshot(checkIntegrity);
  }

  async operatorData(): Promise<OperatorData> {
    const cursorKey = await this.cursorKey();
    return this.#db.longSnapshot(async (session) => {
      const tokens = await session.all<AccessTokenRow & { hash: string }>(ACCESS_TOKENS_WITH_HASH);
      const registry = await session.all<{ entry: string }>(REGISTRY);
      const icons = await session.all<{ asset_id: string; picture: string; etag: string }>(ICONS);
      const abandoned = await session.all<{ height: number; hash: string; parent_hash: string }>(ABANDONED);
      return {
        cursorKey,
        accessTokens: tokens.map((row) => ({ ...toAccessToken(row), hash: toBytes(row.hash) })),
        registry: registry.map((row) => JSON.parse(row.entry) as RegistryEntry),
        icons: icons.map(({ asset_id: assetId, picture, etag }) => ({
          assetId,
          picture: toBytes(picture),
          etag,
        })),
        abandonedBlocks: abandoned.map(({ height, hash, parent_hash: parentHash }) => ({
          height,
          hash,
          parentHash,
        })),
      };
    });
  }

  adoptOperatorData(data: OperatorData) {
    return this.#db.write(async (session) => {
      await session.run(REPLACE_CURSOR_KEY, Buffer.from(data.cursorKey).toString("hex"));
      await session.run(CLEAR_ACCESS_TOKENS);
      for (const token of data.accessTokens) await session.run(INSERT_ACCESS_TOKEN, ...tokenValues(token));
      await session.run(CLEAR_ABANDONED);
      await session.run(
        INSERT_ABANDONED,
        byteaArray(data.abandonedBlocks.map((block) => block.hash)),
        numberArray(data.abandonedBlocks.map((block) => block.height)),
        byteaArray(data.abandonedBlocks.map((block) => block.parentHash)),
      );
      await replaceRegistry(session, data.registry, data.icons);
    });
  }

  async pricesAfter(price: { assetId: string; time: number } | null, limit: number): Promise<Price[]> {
    const rows = await this.#db.primary((session) =>
      session.all<{ asset_id: string; time: number; usd: string }>(
        PRICES_AFTER,
        price?.assetId ?? "",
        price?.time ?? 0,
        limit,
      ),
    );
    return rows.map((row) => ({ assetId: row.asset_id, time: row.time, usd: BigInt(row.usd) }));
  }
}

const tokenValues = (token: AccessToken & { hash: Uint8Array }): unknown[] => [
  Buffer.from(token.hash),
  token.id,
  token.name,
  JSON.stringify(token.scopes),
  token.hint,
  token.createdAt,
  token.expiresAt,
  token.revokedAt,
];

function toAccessToken(row: AccessTokenRow): AccessToken {
  return {
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    hint: row.hint,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
