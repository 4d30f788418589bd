import { LRUCache } from "lru-cache";
import type { ChangingOutputs } from "#lib/contract/chain.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import * as common from "#lib/store/common-queries.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { runAtOnce, type Steps } from "#lib/store/rules/steps.ts";
import { loadPrices, removePrices } from "#lib/store/rules/values.ts";
import { type Connection, statement } from "#lib/store/statement.ts";
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
  Tip,
  TokenUses,
  UtxoQuery,
} from "#lib/store/store.ts";
import { checkIntegrity, readStoredBlock, readStoredTokens } from "./checks.ts";
import { Database, type DatabaseOptions, writeInPassing } from "./database.ts";
import { toBlob } from "./encoding.ts";
import { acquireFileLock } from "./file-lock.ts";
import { readAddressFlows } from "./flows.ts";
import {
  readAddressOverview,
  readAssetChanges,
  readBlockFacts,
  readBlockOverview,
  readCapacityByKind,
  readExamples,
  readHashAt,
  readIdentity,
  readLatestBlocks,
  readNamesInBlock,
  readOutputAges,
  readOutputCount,
  readOutputKinds,
  readTip,
  readUtxos,
} from "./reads.ts";
import { SqliteTables } from "./tables.ts";

/** Access tokens that are remembered until the next write. */
const MAX_TOKENS = 1_000;

const TOUCHED_BY = statement(
  "touched-by",
  `SELECT key FROM addresses WHERE id IN (
     SELECT address_id FROM outputs WHERE transaction_id >= $1 AND transaction_id < $2
     UNION
     SELECT address_id FROM outputs INDEXED BY spent_outputs
     WHERE spent_transaction_id >= $1 AND spent_transaction_id < $2)`,
);

/** The Store over one SQLite file: for one machine, any number of reading processes, one writing. */
export class SqliteStore implements Store {
  readonly engine = "sqlite";
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #db: Database;
  readonly #tables: SqliteTables;
  /** Access tokens by hash, as they were read while nothing was written. */
  readonly #tokens = new LRUCache<string, AccessToken>({ max: MAX_TOKENS });
  #tokensVersion = "";

  constructor(file: string, options: DatabaseOptions = {}) {
    this.#file = file;
    this.#readOnly = options.readOnly ?? false;
    this.#db = new Database(file, options);
    this.#tables = new SqliteTables(this.#db);
  }

  async migrate() {
    return this.#db.migrate();
  }

  async schemaFault() {
    return this.#db.schemaFault;
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
      this.#tables.forget();
      throw error;
    }
  }

  /** All writes of the steps happen, or none. Nothing of another call comes between them. */
  #write<T>(steps: (tables: SqliteTables) => Steps<T>): Promise<T> {
    return this.#forgettingOnFailure(() =>
      this.#db.transaction(() => {
        this.#tables.freshen();
        return runAtOnce(steps(this.#tables));
      }),
    );
  }

  /** All reads of the steps see one committed state. */
  async #read<T>(steps: (shared: Connection) => Steps<T>): Promise<T> {
    return this.#db.snapshot(() => runAtOnce(steps(this.#db.shared)));
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
    return runAtOnce(common.blockHeader(this.#db.shared, blockHash));
  }

  async placeOf(outPoint: OutPoint) {
    return runAtOnce(common.placeOf(this.#db.shared, outPoint));
  }

  async outputKinds(outPoints: readonly OutPoint[]) {
    return readOutputKinds(this.#db, outPoints);
  }

  async blockFacts(heights: readonly number[]) {
    return readBlockFacts(this.#db, heights);
  }

  async blockHashAt(height: number) {
    return readHashAt(this.#db, height);
  }

  progressSince(block: Tip | null, options: { limit: number; withAddresses: boolean }) {
    return this.#read((shared) => common.progressSince(shared, block, options, TOUCHED_BY));
  }

  async namesInBlock(blockHash: string) {
    return readNamesInBlock(this.#db, blockHash);
  }

  async latestBlocks(limit: number) {
    return readLatestBlocks(this.#db, limit);
  }

  async blockOverview(blockHash: string) {
    return readBlockOverview(this.#db, blockHash);
  }

  abandonedBlock(blockHash: string) {
    return this.#read((shared) => common.abandonedBlock(shared, blockHash));
  }

  async addressOverview(addressKey: string, holdings: HoldingQuery) {
    return readAddressOverview(this.#db, addressKey, holdings);
  }

  async capacityByKind(addressKey: string, changing: ChangingOutputs) {
    return readCapacityByKind(this.#db, addressKey, changing);
  }

  async outputCount(addressKey: string) {
    return readOutputCount(this.#db, addressKey);
  }

  icon(assetId: string) {
    return this.#read((shared) => common.icon(shared, assetId));
  }

  async outputAges(addressKey: string, ranges: number) {
    return readOutputAges(this.#db, addressKey, ranges);
  }

  async priceAt(assetId: string, time: number) {
    return runAtOnce(common.priceAt(this.#db.shared, assetId, time));
  }

  addressFlows(addressKey: string, query: FlowQuery) {
    return readAddressFlows(this.#db, addressKey, query);
  }

  async examples(limit: number) {
    return readExamples(this.#db, limit);
  }

  coverage() {
    return this.#read(common.coverage);
  }

  status() {
    const { engine } = this;
    const { schemaVersion } = this.#db;
    return this.#read((shared) => common.status(shared, { engine, schemaVersion }));
  }

  async cursorKey() {
    const { shared } = this.#db;
    const stored = runAtOnce(common.storedCursorKey(shared));
    if (stored) return stored;
    if (this.#readOnly) {
      throw new Error(`${this.#file} has no key for cursors yet: run \`npm run --silent aqs -- migrate\``);
    }
    return this.#db.transaction(() => runAtOnce(common.cursorKey(shared)));
  }

  async accessTokenByHash(hash: Uint8Array) {
    return runAtOnce(common.accessTokenByHash(this.#db.shared, hash));
  }

  async accessTokenAndVersion(hash: Uint8Array) {
    const version = this.#db.latestVersion;
    if (version !== this.#tokensVersion) this.#tokens.clear();
    this.#tokensVersion = version;
    const key = Buffer.from(hash).toString("base64");
    let accessToken = this.#tokens.get(key) ?? null;
    if (!accessToken) {
      accessToken = runAtOnce(common.accessTokenByHash(this.#db.shared, hash));
      if (accessToken) this.#tokens.set(key, accessToken);
    }
    return { accessToken, version };
  }

  async createAccessToken(token: AccessToken & { hash: Uint8Array }) {
    runAtOnce(common.createAccessToken(this.#db.shared, token));
  }

  async accessTokens() {
    return runAtOnce(common.accessTokens(this.#db.shared));
  }

  async noteTokenUses(uses: TokenUses) {
    if (this.#readOnly) {
      return writeInPassing(this.#file, (shared) => runAtOnce(common.noteTokenUses(shared, uses)));
    }
    this.#db.transaction(() => runAtOnce(common.noteTokenUses(this.#db.shared, uses)));
    return true;
  }

  async endAccessToken(id: string, at: number) {
    runAtOnce(common.endAccessToken(this.#db.shared, id, at));
  }

  async revokeAccessToken(id: string, at: number) {
    return runAtOnce(common.revokeAccessToken(this.#db.shared, id, at));
  }

  notice() {
    return this.#db.notice();
  }

  async acquireSyncLock() {
    return acquireFileLock(this.#file);
  }

  identify(identity: ChainIdentity) {
    return this.#write((tables) => identify(tables, identity));
  }

  async outputsAt(outPoints: OutPoint[]) {
    return this.#db.snapshot(() => {
      this.#tables.freshen();
      return this.#tables.outputsAt(outPoints);
    });
  }

  async hasBlocks(hashes: string[]) {
    return hashes.map(
      (hash) => this.#db.get("SELECT 1 FROM blocks WHERE hash = ?", toBlob(hash)) !== undefined,
    );
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
    return this.#read((shared) => common.firstGap(shared, height));
  }

  heights(after?: number, limit?: number) {
    return this.#read((shared) => common.heights(shared, after, limit));
  }

  async storedBlock(height: number) {
    return readStoredBlock(this.#db, height);
  }

  async storedTokens(after?: string, limit?: number) {
    return readStoredTokens(this.#db, after, limit);
  }

  storedAddresses(after: string, limit: number) {
    return this.#read((shared) => common.storedAddresses(shared, after, limit));
  }

  async checkIntegrity() {
    return checkIntegrity(this.#db);
  }

  async operatorData(): Promise<OperatorData> {
    const key = await this.cursorKey();
    return this.#read((shared) => common.operatorData(shared, key));
  }

  adoptOperatorData(data: OperatorData) {
    const { shared } = this.#db;
    return this.#write(function* (tables): Steps<void> {
      yield* common.adoptOperatorData(shared, data);
      yield* replaceRegistry(tables, data.registry, data.icons);
    });
  }

  pricesAfter(price: { assetId: string; time: number } | null, limit: number) {
    return this.#read((shared) => common.pricesAfter(shared, price, limit));
  }
}
