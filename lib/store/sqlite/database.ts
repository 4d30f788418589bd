import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf } from "#lib/contract/errors.ts";
import { schemaFault } from "#lib/store/common-queries.ts";
import { CANTOPEN, hasResultCode, isLost, isUnreadable, READONLY } from "#lib/store/errors.ts";
import { migrations, schemaSteps } from "#lib/store/migrations.ts";
import { type Connection, EXACT_ADD, EXACT_TOTAL, type Statement, valuesOf } from "#lib/store/statement.ts";
import { nearest, toAny } from "./encoding.ts";
import { explain } from "./failure.ts";
import { FileWatch, WAL_LIMIT } from "./file-watch.ts";
import { WalIndex } from "./wal-index.ts";

export interface DatabaseOptions {
  /** The database must exist. This program writes nothing, and never waits for a writer's lock. */
  readOnly?: boolean | undefined;
  /** Cache for pages of the database, in MB of 2^20 bytes. A large one makes `sync` faster. */
  cacheMb?: number | undefined;
  /** Sort in temporary files, for statements that sort more than fits into memory. */
  sortInFiles?: boolean | undefined;
}

const DEFAULT_CACHE_MB = 64;
/** SQLite's own default. */
const MIN_CACHE_MB = 2;
/** Pages in the WAL at which a commit runs a checkpoint. */
const CHECKPOINT_AT = 16_384;
/**
 * Pages in the WAL at which a commit runs a checkpoint after a transaction of more than LONG milliseconds, as a sync has while
 * it catches up. Its next transaction changes many of these pages again, so rarer checkpoints copy fewer pages.
 */
const CHECKPOINT_WHILE_CATCHING_UP = 196_608;
const LONG = 5_000;
/** Size of the WAL, in bytes, at which the operator is told for the first time. */
const FIRST_NOTICE = 4 * WAL_LIMIT;

const readSchema = (): string => readFileSync(new URL("schema.sql", import.meta.url), "utf8");

export type Row = Record<string, unknown>;

export const toInput = (query: Statement): SQLInputValue[] => valuesOf(query, "sqlite") as SQLInputValue[];

/** Whether the name is a path, not `:memory:` or a URI, which only SQLite parses. */
export const isFile = (name: string): boolean => name !== ":memory:" && !name.startsWith("file:");

/** Creates the file, if it does not exist, readable only by its owner. SQLite gives `-wal` and `-shm` the same mode. */
export function createPrivately(file: string): void {
  if (file.startsWith("file:")) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw explain(file, error);
  }
}

/**
 * Writes on a separate connection, for a program that otherwise only reads. It creates no file, waits for no lock and runs no
 * checkpoint. Returns false if the file may not be written. Throws if another program is writing.
 */
export function writeInPassing(file: string, work: (shared: Connection) => void): boolean {
  if (!isFile(file)) return false;
  const url = pathToFileURL(resolve(file));
  url.searchParams.set("mode", "rw");
  try {
    using connection = new DatabaseSync(url, { timeout: 0 });
    connection.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE");
    work({
      all: <T extends object>(query: Statement) =>
        connection.prepare(query.sqlite).all(...toInput(query)) as T[],
      run: (query) => Number(connection.prepare(query.sqlite).run(...toInput(query)).changes),
    });
    connection.exec("COMMIT");
    return true;
  } catch (error) {
    if (hasResultCode(error, [READONLY, CANTOPEN])) return false;
    throw explain(file, error);
  }
}

/** Adds the functions that statements call: SQLite's own sums end at 64 bits. */
export function addFunctions(connection: DatabaseSync): void {
  connection.function(EXACT_TOTAL, { deterministic: true, useBigIntArguments: true }, (high, low, texts) => {
    const numbers = texts === null ? [] : (texts as string).split(",").map(BigInt);
    const integers = ((high as bigint) << 31n) + (low as bigint);
    return toAny(numbers.reduce((sum, number) => sum + number - nearest(number), integers));
  });
  connection.function(EXACT_ADD, { deterministic: true, useBigIntArguments: true }, (a, b) =>
    toAny(BigInt(a as bigint | string) + BigInt(b as bigint | string)),
  );
}

/** Whose tables the file has. */
export function ownerOf(db: DatabaseSync): "us" | "nobody" | "another program" {
  const found = db.prepare(
    "SELECT count(*) AS n, count(*) FILTER (WHERE name IN ('blocks', 'outputs', 'state')) AS ours FROM sqlite_schema",
  );
  const { n, ours } = found.get() as { n: number; ours: number };
  if (n === 0) return "nobody";
  return ours < 3 ? "another program" : "us";
}

/** One SQLite connection. All calls are synchronous, so nothing runs between the statements of a snapshot. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #tuples = new Map<string, StatementSync>();
  readonly #exactTuples = new Map<string, StatementSync>();
  /** Runs statements that are written for both engines. */
  readonly shared: Connection = {
    all: <T extends object>(query: Statement) => this.all(query.sqlite, ...toInput(query)) as T[],
    run: (query) => this.run(query.sqlite, ...toInput(query)),
  };
  readonly #file: string;
  /** Null unless the database is a file: see `isFile`. */
  readonly #watch: FileWatch | null = null;
  /** Null unless the connection only reads: a server reads the version with every request. */
  readonly #walIndex: WalIndex | null = null;
  /** A snapshot or a transaction is open. */
  #within = false;
  #writes = 0;
  /** The version that the open snapshot sees. */
  #snapshotVersion: string | null = null;
  #checkpointAt = CHECKPOINT_AT;
  /** Size of the WAL, in bytes, at which `notice` reports next. */
  #noticeAt = FIRST_NOTICE;

  /** Opens the file, or creates it unless `readOnly`. */
  constructor(
    file: string,
    { readOnly = false, cacheMb = DEFAULT_CACHE_MB, sortInFiles = false }: DatabaseOptions = {},
  ) {
    this.#file = file;
    const onDisk = isFile(file);
    let connection: DatabaseSync | undefined;
    try {
      if (onDisk && !readOnly) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        createPrivately(file);
      }
      connection = new DatabaseSync(file, { timeout: 30_000, readOnly });
      this.#connection = connection;
      const cacheKb = Math.max(cacheMb, MIN_CACHE_MB) * 1024;
      const sorted = sortInFiles ? "FILE" : "MEMORY";
      this.#connection.exec(`PRAGMA cache_size = -${cacheKb}; PRAGMA temp_store = ${sorted}`);
      addFunctions(this.#connection);
      // With WAL, readers never wait for the writer. With NORMAL, a power cut may undo the last commits, but never parts of
      // one. After a checkpoint the WAL is cut back to its limit; by default it never shrinks.
      if (!readOnly) {
        // Before anything in the file is changed.
        if (ownerOf(this.#connection) === "another program")
          throw new Error("is not a database of this service");
        this.#connection.exec(
          `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_AT}; PRAGMA journal_size_limit = ${WAL_LIMIT}`,
        );
      }
      if (onDisk) {
        // The first read opens the WAL and creates the wal-index.
        this.#connection.exec("SELECT count(*) FROM sqlite_schema");
        this.#watch = new FileWatch(file, () => this.#walBytes());
        if (readOnly && existsSync(`${file}-shm`)) this.#walIndex = new WalIndex(file);
      }
    } catch (error) {
      connection?.close();
      const explained = this.#explained(error) as Error;
      if (!explained.message.startsWith(`${file}: `)) explained.message = `${file}: ${explained.message}`;
      throw explained;
    }
  }

  /** The least size of the WAL, in bytes, by its number of frames (SQLite's "WAL-mode File Format", section 1). */
  #walBytes(): number {
    const frames = this.#walIndex ? this.#walIndex.frames : this.#walFrames();
    const pageSize = this.prepared("PRAGMA page_size").get()!.page_size as number;
    return frames > 0 ? 32 + frames * (24 + pageSize) : 0;
  }

  /** Frames in the WAL, which SQLite only tells a connection that may write; 0 for others. */
  #walFrames(): number {
    try {
      return this.prepared("PRAGMA wal_checkpoint(NOOP)").get()!.log as number;
    } catch (error) {
      if (hasResultCode(error, [READONLY])) return 0;
      throw error;
    }
  }

  /** The statement itself, for use within transactions: its errors are not explained. */
  prepared(sql: string): StatementSync {
    return this.#prepare(this.#statements, sql);
  }

  /** The statement from one of the caches, prepared on first use. */
  #prepare(cache: Map<string, StatementSync>, sql: string): StatementSync {
    let statement = cache.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      statement.setReturnArrays(cache !== this.#statements);
      statement.setReadBigInts(cache === this.#exactTuples);
      cache.set(sql, statement);
    }
    return statement;
  }

  /**
   * Checks the files, runs the statements of `work`, and explains their errors. If the file is damaged or its disk failed, it tries
   * once more: SQLite does not tell these apart, and has undone the first attempt.
   */
  #attempt<T>(work: () => T): T {
    if (this.#within) return work();
    try {
      this.#watch?.glance();
      try {
        return work();
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        return work();
      }
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** The error with an explanation. A lost file looks damaged to SQLite, so this checks the files first. */
  #explained(error: unknown): unknown {
    const explained = explain(this.#file, error);
    if (explained === error) return error;
    try {
      this.#watch?.look();
    } catch (found) {
      if (isLost(found)) return found;
    }
    return explained;
  }

  all<T extends Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#attempt(() => this.prepared(sql).all(...values) as T[]);
  }

  /** Like `all`, with each row as an array: creating objects is half of the work. */
  allTuples<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T[] {
    const statement = this.#prepare(this.#tuples, sql);
    return this.#attempt(() => statement.all(...values) as unknown as T[]);
  }

  /** One row as an array, with integers of 64 bits as bigints. */
  exactTuple<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T | undefined {
    const statement = this.#prepare(this.#exactTuples, sql);
    return this.#attempt(() => statement.get(...values) as T | undefined);
  }

  get<T extends Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#attempt(() => this.prepared(sql).get(...values) as T | undefined);
  }

  /** Returns how many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#writes += 1;
    return this.#attempt(() => Number(this.prepared(sql).run(...values).changes));
  }

  /** All reads of `work` see one committed state. It may run twice, so it must not have side effects. */
  snapshot<T>(work: () => T): T {
    if (this.#within) return work();
    return this.#attempt(() => {
      // `exec` would parse the statement each time.
      this.prepared("BEGIN").get();
      this.#within = true;
      try {
        this.#snapshotVersion = this.dataVersion;
        const result = work();
        this.prepared("COMMIT").get();
        return result;
      } finally {
        this.#snapshotVersion = null;
        this.#within = false;
        this.#rollBack();
      }
    });
  }

  /** Makes all writes of `work` one transaction, or part of the open one. */
  transaction<T>(work: () => T): T {
    if (this.#within) return work();
    try {
      this.#begin();
      const result = work();
      this.#commit();
      return result;
    } catch (error) {
      throw this.#undone(error);
    }
  }

  /** Like `transaction`, for several calls of the store. Nothing else may use the connection until it ends. */
  async transactionAsync<T>(work: () => Promise<T>): Promise<T> {
    if (this.#within) return work();
    try {
      this.#begin();
      const began = performance.now();
      const result = await work();
      this.#checkpointAt = performance.now() - began > LONG ? CHECKPOINT_WHILE_CATCHING_UP : CHECKPOINT_AT;
      this.#connection.exec(`PRAGMA wal_autocheckpoint = ${this.#checkpointAt}`);
      this.#commit();
      return result;
    } catch (error) {
      throw this.#undone(error);
    }
  }

  #begin(): void {
    this.#writes += 1;
    this.#watch?.look();
    this.#connection.exec("BEGIN IMMEDIATE");
    this.#within = true;
  }

  #commit(): void {
    this.#writes += 1;
    this.#connection.exec("COMMIT");
    this.#within = false;
  }

  /** Rolls back the failed transaction, and returns the explained error. */
  #undone(error: unknown): unknown {
    // Caches may hold reads from within the transaction, so the version has to change.
    this.#writes += 1;
    this.#within = false;
    this.#rollBack();
    return this.#explained(error);
  }

  /** SQLite rolls back by itself if the disk fails. */
  #rollBack(): void {
    if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
  }

  /** Size of the WAL at the last look, in bytes; 0 if there is none. */
  get walSize(): number {
    return this.#watch?.walSize ?? 0;
  }

  /** One line if the WAL has doubled because a reader keeps an old state open, or if it is small again; otherwise null. */
  notice(): string | null {
    const size = this.walSize;
    const text = `${this.#file}-wal has ${Math.round(size / 1e6)} MB`;
    if (size <= WAL_LIMIT && this.#noticeAt > FIRST_NOTICE) {
      this.#noticeAt = FIRST_NOTICE;
      return `${text} again`;
    }
    // Twice the size at which a checkpoint runs, with pages of 4 KB.
    if (size < Math.max(this.#noticeAt, 2 * this.#checkpointAt * 4096)) return null;
    const moved = this.get<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(PASSIVE)")!;
    // One large transaction also makes a large WAL, which the next checkpoint shrinks.
    if (moved.checkpointed >= moved.log) return null;
    this.#noticeAt = size * 2;
    return `${text} and grows, because a reader keeps an old state of the database open: end long reads, such as a shell, a backup or \`aqs verify\`; then it shrinks by itself`;
  }

  /** Changes whenever another connection may have written. */
  get versionOfOthers(): number {
    return this.allTuples<[number]>("PRAGMA data_version")[0]![0];
  }

  /** Changes whenever any connection may have written. Later reads see this version or a newer one; in a snapshot, this one. */
  get dataVersion(): string {
    return this.#snapshotVersion ?? `${this.versionOfOthers}.${this.#writes}`;
  }

  /** The version outside of snapshots. It is cheaper, and never equals a `dataVersion`. */
  get latestVersion(): string {
    this.#watch?.glance();
    return this.#walIndex?.version ?? this.dataVersion;
  }

  get schemaVersion(): number {
    return this.get<{ user_version: number }>("PRAGMA user_version")!.user_version;
  }

  get schemaFault(): string | null {
    return schemaFault(this.schemaVersion, schemaSteps().length);
  }

  /** Brings the schema to the current version. Returns the names of the steps that ran. Throws if the schema is newer. */
  migrate(): string[] {
    if (this.schemaVersion > schemaSteps().length) throw new Error(this.schemaFault!);
    const ran: string[] = [];
    while (this.schemaVersion < schemaSteps().length) {
      this.transaction(() => {
        // Another process may have run this step in the meantime.
        const from = this.schemaVersion;
        if (from === schemaSteps().length) return;
        const to = from === 0 ? schemaSteps().length : from + 1;
        this.#connection.exec(from === 0 ? readSchema() : migrations[from - 1]!.sqlite.join(";\n"));
        this.#connection.exec(`PRAGMA user_version = ${to}`);
        ran.push(...schemaSteps().slice(from, to));
      });
    }
    return ran;
  }

  close(): void {
    this.#connection.close();
  }
}
