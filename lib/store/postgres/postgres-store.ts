import type { ChangingOutputs } from "#lib/contract/chain.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import * as common from "#lib/store/common-queries.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { runInTurn, type Steps } from "#lib/store/rules/steps.ts";
import { loadPrices, removePrices } from "#lib/store/rules/values.ts";
import { statement } from "#lib/store/statement.ts";
import type {
  AccessToken,
  ApplyOptions,
  AssetChangeQuery,
  AssetIcon,
  ChainIdentity,
  FlowQuery,
  HoldingQuery,
  OperatorData,
  Price,
  ResolvedBlock,
  Store,
  StoreStatus,
  Tip,
  TokenUses,
  UtxoQuery,
} from "#lib/store/store.ts";
import { checkIntegrity, readStoredBlock, readStoredTokens } from "./checks.ts";
import { Database, LAST_WRITE, type PostgresOptions, type Session, type SyncLock } from "./connection.ts";
import { distribute } from "./distribute.ts";
import { byteaArray } from "./encoding.ts";
import { readAddressFlows } from "./flows.ts";
import {
  readAddressOverview,
  readAssetChanges,
  readBlockFacts,
  readBlockOverview,
  readCapacityByKind,
  readExamples,
  readLatestBlocks,
  readNamesInBlock,
  readOutputAges,
  readOutputCount,
  readOutputKinds,
  readUtxos,
} from "./reads.ts";
import { outputsAt, PostgresTables } from "./tables.ts";
import { Upkeep } from "./upkeep.ts";

const STORED_HASHES = statement("stored-hashes", "SELECT hash FROM blocks WHERE hash = ANY ($1::bytea[])");
/**
 * The version of the data: the last write transaction and the tip. One row, also if there is neither. Two servers never
 * say the same of different data, because a write transaction has a random name.
 */
const VERSION_COLUMN = `
  (SELECT value FROM state WHERE key = '${LAST_WRITE}') || ' '
    || coalesce((SELECT encode(hash, 'hex') FROM blocks ORDER BY height DESC LIMIT 1), '') AS version`;
const VERSION = statement("version", `SELECT ${VERSION_COLUMN}`);
const ACCESS_TOKEN_AND_VERSION = statement(
  "access-token-and-version",
  `SELECT ${common.ACCESS_TOKEN_COLUMNS}, ${VERSION_COLUMN}
   FROM (VALUES (1)) always LEFT JOIN access_tokens ON hash = $1`,
);
/**
 * What a server knows of its own replaying. `received`: a connection to the primary is open, and all that came over it is
 * replayed. `age`: seconds since the commit of the last transaction that is replayed; null on a primary.
 */
const REPLAY = statement(
  "replay",
  `SELECT ${VERSION_COLUMN}, pg_is_in_recovery() AS replica,
     pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver) AS received,
     extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision AS age`,
);
const SCHEMA_VERSION = statement("schema-version", "SELECT max(ordinal) AS version FROM schema_migrations");

type TokenAndVersion = (common.AccessTokenColumns | { id: null }) & { version: string | null };

interface Replay {
  version: string | null;
  replica: boolean;
  received: boolean | null;
  age: number | null;
}

const TOUCHED_BY = statement(
  "touched-by",
  `SELECT address_key AS key FROM outputs WHERE transaction_id >= $1 AND transaction_id < $2
   UNION
   SELECT address_key FROM outputs WHERE spent_transaction_id >= $1 AND spent_transaction_id < $2`,
);

/** The Store over a PostgreSQL server, from 15 on: any number of reading processes, one writing at a time. */
export class PostgresStore implements Store {
  readonly engine = "postgres";
  readonly #db: Database;
  readonly #upkeep: Upkeep;
  /** When the replica had the primary's last write, by `performance.now()`. */
  #wasCurrent = Number.NEGATIVE_INFINITY;

  /** Connects when it is first used. `url`: `postgres://user:password@host:port/database?sslmode=…`. */
  constructor(url: string, options: PostgresOptions = {}) {
    this.#db = new Database(url, options);
    this.#upkeep = new Upkeep(this.#db);
  }

  migrate() {
    return this.#db.migrate();
  }

  connections() {
    return this.#db.connections();
  }

  schemaFault() {
    return this.#db.schemaFault();
  }

  async replicaLag(): Promise<number | null> {
    const { hasReplica } = this.#db;
    const began = performance.now();
    const primary = hasReplica
      ? await this.#db.lookUpInPrimary((session) => session.get<{ version: string | null }>(VERSION))
      : undefined;
    const here = (await this.#db.lookUp((session) => session.get<Replay>(REPLAY)))!;
    if (!hasReplica && !here.replica) return null;
    if (primary ? here.version === primary.version : here.received) {
      this.#wasCurrent = began;
      return 0;
    }
    // Both are upper bounds: after hours without a write, the first one would count these hours.
    return Math.max(0, Math.min(here.age ?? Infinity, (performance.now() - this.#wasCurrent) / 1000));
  }

  async close() {
    await this.#db.close();
    await this.#upkeep.settled();
  }

  atomically<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.atomically(work);
  }

  /** One statement that finds its rows by their keys, on the replica if there is one. */
  #lookUp<T>(steps: (session: Session) => Steps<T>): Promise<T> {
    return this.#db.lookUp((session) => runInTurn(steps(session)));
  }

  /** One statement, on the primary. */
  #primary<T>(steps: (session: Session) => Steps<T>): Promise<T> {
    return this.#db.primary((session) => runInTurn(steps(session)));
  }

  /** Statements that see one committed state, on the primary. */
  #snapshot<T>(steps: (session: Session) => Steps<T>): Promise<T> {
    return this.#db.longSnapshot((session) => runInTurn(steps(session)));
  }

  /** All writes of the steps happen, or none. */
  async #write<T>(steps: (tables: PostgresTables, session: Session) => Steps<T>): Promise<T> {
    let removed = 0;
    const result = await this.#db.write(async (session) => {
      const tables = new PostgresTables(session, this.#db.distributed);
      const done = await runInTurn(steps(tables, session));
      removed = tables.removed;
      return done;
    });
    this.#upkeep.removed(removed);
    return result;
  }

  /**
   * Keeps a second follower of the chain away from this database until it is released. If its connection breaks, the
   * next write takes the lock again first. Throws an Error that names the holder, and so does that write.
   */
  acquireSyncLock(): Promise<SyncLock> {
    return this.#db.acquireSyncLock();
  }

  /** Spreads the tables over a Citus cluster; resolves to the tables moved. Throws if there is no Citus. */
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
    return this.#lookUp(common.tip);
  }

  identity() {
    return this.#lookUp(common.identity);
  }

  blockHeader(blockHash: string) {
    return this.#lookUp((session) => common.blockHeader(session, blockHash));
  }

  placeOf(outPoint: OutPoint) {
    return this.#lookUp((session) => common.placeOf(session, outPoint));
  }

  outputKinds(outPoints: readonly OutPoint[]) {
    return this.#db.snapshot((session) => readOutputKinds(session, outPoints));
  }

  blockFacts(heights: readonly number[]) {
    return this.#db.lookUp((session) => readBlockFacts(session, heights));
  }

  blockHashAt(height: number) {
    return this.#lookUp((session) => common.blockHashAt(session, height));
  }

  progressSince(block: Tip | null, options: { limit: number; withAddresses: boolean }) {
    return this.#db.snapshot((session) =>
      runInTurn(common.progressSince(session, block, options, TOUCHED_BY)),
    );
  }

  namesInBlock(blockHash: string) {
    return this.#db.read((session) => readNamesInBlock(session, blockHash));
  }

  latestBlocks(limit: number) {
    return this.#db.snapshot((session) => readLatestBlocks(session, limit));
  }

  blockOverview(blockHash: string) {
    return this.#db.read((session) => readBlockOverview(session, blockHash));
  }

  abandonedBlock(blockHash: string) {
    return this.#lookUp((session) => common.abandonedBlock(session, blockHash));
  }

  addressOverview(addressKey: string, holdings: HoldingQuery) {
    return this.#db.read((session) => readAddressOverview(session, addressKey, holdings));
  }

  capacityByKind(addressKey: string, changing: ChangingOutputs) {
    return this.#db.snapshot((session) => readCapacityByKind(session, addressKey, changing));
  }

  outputCount(addressKey: string) {
    return this.#db.read((session) => readOutputCount(session, addressKey));
  }

  icon(assetId: string) {
    return this.#lookUp((session) => common.icon(session, assetId));
  }

  outputAges(addressKey: string, ranges: number) {
    return this.#db.snapshot((session) => readOutputAges(session, addressKey, ranges));
  }

  priceAt(assetId: string, time: number) {
    return this.#lookUp((session) => common.priceAt(session, assetId, time));
  }

  addressFlows(addressKey: string, query: FlowQuery) {
    return this.#db.snapshot((session) => readAddressFlows(session, addressKey, query));
  }

  examples(limit: number) {
    return this.#db.snapshot((session) => readExamples(session, limit));
  }

  coverage() {
    return this.#lookUp(common.coverage);
  }

  status(): Promise<StoreStatus> {
    const { engine } = this;
    return this.#db.endlessSnapshot(async (session) => {
      const { version } = (await session.get<{ version: number }>(SCHEMA_VERSION))!;
      return runInTurn(common.status(session, { engine, schemaVersion: version }));
    });
  }

  cursorKey() {
    return this.#primary(common.cursorKey);
  }

  accessTokenByHash(hash: Uint8Array) {
    return this.#db.lookUpInPrimary((session) => runInTurn(common.accessTokenByHash(session, hash)));
  }

  async accessTokenAndVersion(hash: Uint8Array) {
    // The nodes of a Citus cluster do not change at one moment, so no version holds for all of them.
    if (this.#db.distributed) return { accessToken: await this.accessTokenByHash(hash), version: null };
    if (this.#db.hasReplica) {
      const [accessToken, row] = await Promise.all([
        this.accessTokenByHash(hash),
        this.#db.lookUp((session) => session.get<{ version: string | null }>(VERSION)),
      ]);
      return { accessToken, version: row!.version };
    }
    const row = (await this.#db.lookUpInPrimary((session) =>
      session.get<TokenAndVersion>(ACCESS_TOKEN_AND_VERSION, hash),
    ))!;
    const { version } = row;
    return {
      accessToken: row.id === null ? null : common.toAccessToken(row as common.AccessTokenColumns),
      version,
    };
  }

  createAccessToken(token: AccessToken & { hash: Uint8Array }) {
    return this.#primary((session) => common.createAccessToken(session, token));
  }

  accessTokens() {
    return this.#primary(common.accessTokens);
  }

  async noteTokenUses(uses: TokenUses) {
    try {
      await this.#primary((session) => common.noteTokenUses(session, uses));
      return true;
    } catch (error) {
      // The role may only read.
      if (error instanceof Error && (error.cause as { code?: unknown } | undefined)?.code === "42501")
        return false;
      throw error;
    }
  }

  endAccessToken(id: string, at: number) {
    return this.#primary((session) => common.endAccessToken(session, id, at));
  }

  revokeAccessToken(id: string, at: number) {
    return this.#primary((session) => common.revokeAccessToken(session, id, at));
  }

  identify(identity: ChainIdentity) {
    return this.#write((tables) => identify(tables, identity));
  }

  outputsAt(outPoints: OutPoint[]) {
    return this.#db.longSnapshot((session) => outputsAt(session, outPoints, this.#db.distributed));
  }

  async hasBlocks(hashes: string[]) {
    const rows = await this.#db.primary((session) =>
      session.all<{ hash: string }>(STORED_HASHES, byteaArray(hashes)),
    );
    const stored = new Set(rows.map((row) => row.hash));
    return hashes.map((hash) => stored.has(hash));
  }

  applyBlocks(blocks: ResolvedBlock[], options: ApplyOptions) {
    return this.#write((tables) => applyBlocks(tables, blocks, options));
  }

  revertTo(height: number) {
    return this.#write((tables) => revertTo(tables, height));
  }

  replaceRegistry(entries: RegistryEntry[], icons: AssetIcon[] = []) {
    return this.#write((tables) => replaceRegistry(tables, entries, icons));
  }

  loadPrices(prices: Price[]) {
    return this.#write((tables) => loadPrices(tables, prices));
  }

  removePrices(assetId: string, from: number, to: number) {
    return this.#write((tables) => removePrices(tables, assetId, from, to));
  }

  firstGap(height?: number) {
    return this.#snapshot((session) => common.firstGap(session, height));
  }

  heights(after?: number, limit?: number) {
    return this.#snapshot((session) => common.heights(session, after, limit));
  }

  storedBlock(height: number) {
    return this.#db.longSnapshot((session) => readStoredBlock(session, height));
  }

  storedTokens(after?: string, limit?: number) {
    return this.#db.longSnapshot((session) => readStoredTokens(session, after, limit));
  }

  storedAddresses(after: string, limit: number) {
    return this.#snapshot((session) => common.storedAddresses(session, after, limit));
  }

  checkIntegrity() {
    return this.#db.endlessSnapshot(checkIntegrity);
  }

  async operatorData(): Promise<OperatorData> {
    const key = await this.cursorKey();
    return this.#snapshot((session) => common.operatorData(session, key));
  }

  adoptOperatorData(data: OperatorData) {
    return this.#write(function* (tables, session): Steps<void> {
      yield* common.adoptOperatorData(session, data);
      yield* replaceRegistry(tables, data.registry, data.icons);
    });
  }

  pricesAfter(price: { assetId: string; time: number } | null, limit: number) {
    return this.#primary((session) => common.pricesAfter(session, price, limit));
  }
}
