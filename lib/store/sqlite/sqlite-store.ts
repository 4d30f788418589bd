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
import { Database } from "./database.ts";
import { fromBlob, toBlob } from "./encoding.ts";
import { acquireFileLock } from "./file-lock.ts";
import {
  readAbandonedBlock,
  readAddressOverview,
  readAssetChanges,
  readBlockHeader,
  readBlockOverview,
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
import { Writer } from "./writes.ts";

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

/** The Store over one SQLite file: for one machine, any number of reading processes, one writing. */
export class SqliteStore implements Store {
  readonly engine = "sqlite";
  readonly #file: string;
  readonly #db: Database;
  readonly #writer: Writer;

  constructor(file: string) {
    this.#file = file;
    this.#db = new Database(file);
    this.#writer = new Writer(this.#db);
  }

  async migrate() {
    return this.#db.migrate();
  }

  async close() {
    this.#db.close();
  }

  async atomically<T>(work: () => Promise<T>): Promise<T> {
    return this.#forgettingOnFailure(() => this.#db.transactionAsync(work));
  }

  async #forgettingOnFailure<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#writer.forget();
      throw error;
    }
  }

  async utxosOfAddress(query: UtxoQuery) {
    return readUtxos(this.#db, query);
  }

  async assetChangesOfBlock(query: AssetChangeQuery) {
    return readAssetChanges(this.#db, query);
  }

  async tip() {
    return readTip(this.#db);
  }

  async identity() {
    return readIdentity(this.#db);
  }

  async blockHeader(blockHash: string) {
    return readBlockHeader(this.#db, blockHash);
  }

  async blockOverview(blockHash: string) {
    return readBlockOverview(this.#db, blockHash);
  }

  async blockHashAt(height: number) {
    return readHashAt(this.#db, height);
  }

  async abandonedBlock(blockHash: string) {
    return readAbandonedBlock(this.#db, blockHash);
  }

  async addressOverview(addressKey: string, holdingLimit: number) {
    return readAddressOverview(this.#db, addressKey, holdingLimit);
  }

  async outputCount(addressKey: string) {
    return readOutputCount(this.#db, addressKey);
  }

  async icon(assetId: string) {
    return readIcon(this.#db, assetId);
  }

  async iconOf(assetId: string) {
    return readIconText(this.#db, assetId);
  }

  async outputAges(addressKey: string, ranges: number) {
    return readOutputAges(this.#db, addressKey, ranges);
  }

  async examples(limit: number) {
    return readExamples(this.#db, limit);
  }

  async coverage(): Promise<Coverage> {
    const db = this.#db;
    return db.snapshot(() => ({
      tip: readTip(db),
      lowestHeight: db.get<{ height: number | null }>("SELECT min(height) AS height FROM blocks")!.height,
      tokens: db.get<{ n: number }>("SELECT count(*) AS n FROM tokens")!.n,
      // One step of the index for each asset, not one for each price.
      pricedAssets: db.get<{ n: number }>(
        `WITH RECURSIVE priced (asset_id) AS (
           SELECT min(asset_id) FROM prices
           UNION ALL
           SELECT (SELECT min(asset_id) FROM prices WHERE prices.asset_id > priced.asset_id)
           FROM priced WHERE priced.asset_id IS NOT NULL)
         SELECT count(asset_id) AS n FROM priced`,
      )!.n,
    }));
  }

  async status(): Promise<StoreStatus> {
    const db = this.#db;
    return db.snapshot(() => {
      const count = (table: string, where = "") =>
        db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} ${where}`)!.n;
      const bounds = db.get<{ lowest: number | null; time: number | null }>(
        "SELECT min(height) AS lowest, (SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1) AS time FROM blocks",
      )!;
      return {
        engine: this.engine,
        schemaVersion: db.schemaVersion,
        identity: readIdentity(db),
        tip: readTip(db),
        tipTime: bounds.time,
        lowestHeight: bounds.lowest,
        counts: {
          blocks: count("blocks"),
          transactions: count("transactions", "WHERE id >= 0"),
          outputs: count("outputs", "WHERE transaction_id >= 0"),
          liveOutputs: count("outputs", "WHERE spent_transaction_id IS NULL"),
          addresses: count("addresses"),
          tokens: count("tokens"),
          assetChanges: count("asset_changes"),
          abandonedBlocks: count("abandoned_blocks"),
          registryEntries: count("registry"),
          prices: count("prices"),
          accessTokens: count("access_tokens"),
        },
      };
    });
  }

  async cursorKey() {
    return this.#db.transaction(() => {
      const stored = this.#db.get<{ value: string }>("SELECT value FROM state WHERE key = 'cursor-key'");
      if (stored) return Buffer.from(stored.value, "hex");
      const key = randomBytes(32);
      this.#db.run("INSERT INTO state (key, value) VALUES ('cursor-key', ?)", key.toString("hex"));
      return key;
    });
  }

  async accessTokenByHash(hash: Uint8Array) {
    const row = this.#db.get<AccessTokenRow>(
      `SELECT ${ACCESS_TOKEN_COLUMNS} FROM access_tokens WHERE hash = ?`,
      hash,
    );
    return row ? toAccessToken(row) : null;
  }

  async createAccessToken(token: AccessToken & { hash: Uint8Array }) {
    this.#db.run(
      `INSERT INTO access_tokens (hash, ${ACCESS_TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      token.hash,
      token.id,
      token.name,
      JSON.stringify(token.scopes),
      token.hint,
      token.createdAt,
      token.expiresAt,
      token.revokedAt,
    );
  }

  async accessTokens() {
    return this.#db
      .all<AccessTokenRow>(`SELECT ${ACCESS_TOKEN_COLUMNS} FROM access_tokens ORDER BY created_at, id`)
      .map(toAccessToken);
  }

  async revokeAccessToken(id: string, at: number) {
    return (
      this.#db.run("UPDATE access_tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", at, id) === 1
    );
  }

  async acquireSyncLock() {
    return acquireFileLock(this.#file);
  }

  async identify(identity: ChainIdentity) {
    return this.#forgettingOnFailure(() => this.#writer.identify(identity));
  }

  async outputsAt(outPoints: OutPoint[]) {
    return this.#writer.outputsAt(outPoints);
  }

  async hasBlocks(hashes: string[]) {
    return hashes.map(
      (hash) => this.#db.get("SELECT 1 FROM blocks WHERE hash = ?", toBlob(hash)) !== undefined,
    );
  }

  async applyBlocks(blocks: ResolvedBlock[], options: { extendTip: boolean }) {
    return this.#forgettingOnFailure(() => this.#writer.applyBlocks(blocks, options.extendTip));
  }

  async revertTo(height: number) {
    return this.#forgettingOnFailure(() => this.#writer.revertTo(height));
  }

  async replaceRegistry(entries: RegistryEntry[], icons: AssetIcon[] = []) {
    return this.#forgettingOnFailure(() => this.#writer.replaceRegistry(entries, icons));
  }

  async loadPrices(prices: Price[]) {
    return this.#forgettingOnFailure(() => this.#writer.loadPrices(prices));
  }

  async firstGap() {
    return this.#db.snapshot(() => readFirstGap(this.#db));
  }

  async heights() {
    return readHeights(this.#db);
  }

  async storedBlock(height: number) {
    return readStoredBlock(this.#db, height);
  }

  async storedTokens() {
    return readStoredTokens(this.#db);
  }

  async checkIntegrity() {
    return checkIntegrity(this.#db);
  }

  async operatorData(): Promise<OperatorData> {
    const cursorKey = await this.cursorKey();
    const db = this.#db;
    return db.snapshot(() => ({
      cursorKey,
      accessTokens: db
        .all<AccessTokenRow & { hash: Uint8Array }>(
          `SELECT hash, ${ACCESS_TOKEN_COLUMNS} FROM access_tokens ORDER BY created_at, id`,
        )
        .map((row) => ({ ...toAccessToken(row), hash: row.hash })),
      registry: db
        .all<{ entry: string }>("SELECT entry FROM registry ORDER BY asset_id")
        .map((row) => JSON.parse(row.entry) as RegistryEntry),
      icons: db
        .all<{ asset_id: string; picture: Uint8Array; etag: string }>(
          "SELECT asset_id, picture, etag FROM icons ORDER BY asset_id",
        )
        .map(({ asset_id: assetId, picture, etag }) => ({ assetId, picture, etag })),
      abandonedBlocks: db
        .all<{ height: number; hash: Uint8Array; parent_hash: Uint8Array }>(
          "SELECT height, hash, parent_hash FROM abandoned_blocks ORDER BY height, hash",
        )
        .map((row) => ({
          height: row.height,
          hash: fromBlob(row.hash),
          parentHash: fromBlob(row.parent_hash),
        })),
    }));
  }

  async adoptOperatorData(data: OperatorData) {
    await this.atomically(async () => {
      const db = this.#db;
      db.run(
        "INSERT INTO state (key, value) VALUES ('cursor-key', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        Buffer.from(data.cursorKey).toString("hex"),
      );
      db.run("DELETE FROM access_tokens");
      for (const token of data.accessTokens) await this.createAccessToken(token);
      db.run("DELETE FROM abandoned_blocks");
      for (const block of data.abandonedBlocks) {
        db.run(
          "INSERT INTO abandoned_blocks (hash, height, parent_hash) VALUES (?, ?, ?)",
          toBlob(block.hash),
          block.height,
          toBlob(block.parentHash),
        );
      }
      this.#writer.replaceRegistry(data.registry, data.icons);
    });
  }

  async pricesAfter(price: { assetId: string; time: number } | null, limit: number): Promise<Price[]> {
    return this.#db
      .all<{ asset_id: string; time: number; usd: string }>(
        `SELECT asset_id, time, usd FROM prices WHERE (asset_id, time) > (?, ?) ORDER BY asset_id, time LIMIT ?`,
        price?.assetId ?? "",
        price?.time ?? 0,
        limit,
      )
      .map((row) => ({ assetId: row.asset_id, time: row.time, usd: BigInt(row.usd) }));
  }
}

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
