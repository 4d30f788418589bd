import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { schemaFault } from "#lib/store/common-queries.ts";
import { hasResultCode, isLost, isUnreadable } from "#lib/store/errors.ts";
import { migrations, schemaSteps } from "#lib/store/migrations.ts";
import { type Connection, EXACT_ADD, EXACT_TOTAL, type Statement, valuesOf } from "#lib/store/statement.ts";
import { toAny } from "./encoding.ts";
import { CANTOPEN, inWords, READONLY } from "./failure.ts";
import { FileWatch, WAL_LIMIT } from "./file-watch.ts";
import { WalIndex } from "./wal-index.ts";

export interface DatabaseOptions {
  /** The database exists, this program writes nothing, and it never waits for a lock of a writer. */
  readOnly?: boolean | undefined;
  /** Memory for pages of the database, in MB of 2^20 bytes; `sync` writes faster with much of it. */
  cacheMb?: number | undefined;
  /** What statements sort may be larger than memory. */
  sortInFiles?: boolean | undefined;
}

const DEFAULT_CACHE_MB = 64;
/** SQLite's own default. */
const MIN_CACHE_MB = 2;
/** A commit that finds so many pages in the WAL copies them into the database. */
const CHECKPOINT_AT = 16_384;
/**
 * The same for one that ends a transaction of LONG milliseconds: a sync catches up. Its next transaction changes many of these
 * pages again, and so they are copied once for two transactions.
 */
const CHECKPOINT_WHILE_CATCHING_UP = 196_608;
const LONG = 5_000;
/** The size of the WAL, in bytes, from which on the operator hears about it. */
const FIRST_NOTICE = 4 * WAL_LIMIT;

const readSchema = (): string => readFileSync(new URL("schema.sql", import.meta.url), "utf8");

export type Row = Record<string, unknown>;

export const toInput = (query: Statement): SQLInputValue[] => valuesOf(query, "sqlite") as SQLInputValue[];

/** Whether SQLite would open a file of this very name: not a database in memory, nor a URI, which only SQLite reads. */
export const isFile = (name: string): boolean => name !== ":memory:" && !name.startsWith("file:");

/** Creates the file, if it does not exist, readable by its owner alone. SQLite gives `-wal` and `-shm` the same mode. */
export function createPrivately(file: string): void {
  // A URI, which only SQLite reads.
  if (file.startsWith("file:")) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw inWords(file, error);
  }
}

/**
 * Writes on a connection of its own, for a program that only reads. Creates nothing, waits for no lock, leaves the WAL to others.
 * False if the file may not be written. Throws if another program is writing.
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
    throw inWords(file, error);
  }
}

/** Adds the functions that statements call: SQLite's own sums end at 64 bits. */
export function addFunctions(connection: DatabaseSync): void {
  connection.function(EXACT_TOTAL, { deterministic: true, useBigIntArguments: true }, (high, low, texts) => {
    const numbers = texts === null ? [] : (texts as string).split(",");
    return toAny(
      numbers.reduce((sum, number) => sum + BigInt(number), ((high as bigint) << 31n) + (low as bigint)),
    );
  });
  connection.function(EXACT_ADD, { deterministic: true, useBigIntArguments: true }, (a, b) =>
    toAny(BigInt(a as bigint | string) + BigInt(b as bigint | string)),
  );
}

/** One SQLite connection. All is synchronous, so nothing comes between the statements of a snapshot. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #tuples = new Map<string, StatementSync>();
  readonly #exactTuples = new Map<string, StatementSync>();
  /** Runs the statements that both engines share. */
  readonly shared: Connection = {
    all: <T extends object>(query: Statement) => this.all(query.sqlite, ...toInput(query)) as T[],
    run: (query) => this.run(query.sqlite, ...toInput(query)),
  };
  readonly #file: string;
  /** Null for a database in memory, or behind a URI, which only SQLite reads. */
  readonly #watch: FileWatch | null = null;
  /** Of a connection that only reads: a server asks for the version with every request. */
  readonly #walIndex: WalIndex | null = null;
  /** Within a snapshot or a transaction. */
  #within = false;
  #writes = 0;
  /** Of the snapshot that is open: it sees one state to its end. */
  #snapshotVersion: string | null = null;
  #checkpointAt = CHECKPOINT_AT;
  /** The size of the WAL, in bytes, at which `notice` speaks next. */
  #noticeAt = FIRST_NOTICE;

  /** Opens or creates the file; `:memory:` for a database that lives as long as the connection. */
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
      // WAL: readers never wait for the writer. NORMAL: a power cut may take back the last commits, whole. After a
      // checkpoint the WAL is cut back to its limit; SQLite would keep it as long as it ever was.
      if (!readOnly) {
        this.#connection.exec(
          `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_AT}; PRAGMA journal_size_limit = ${WAL_LIMIT}`,
        );
      }
      if (onDisk) {
        // From its first read on, the connection keeps both files in place.
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

  /** How long the WAL must be, in bytes, for the frames that are in it (SQLite's "WAL-mode File Format", section 1). */
  #walBytes(): number {
    const frames = this.#walIndex ? this.#walIndex.frames : this.#walFrames();
    const pageSize = this.prepared("PRAGMA page_size").get()!.page_size as number;
    return frames > 0 ? 32 + frames * (24 + pageSize) : 0;
  }

  /** As SQLite tells a connection that may write, which it asks to checkpoint nothing; others may not ask. */
  #walFrames(): number {
    try {
      return this.prepared("PRAGMA wal_checkpoint(NOOP)").get()!.log as number;
    } catch (error) {
      if (hasResultCode(error, [READONLY])) return 0;
      throw error;
    }
  }

  /** The statement itself, for transactions only: its failures are not put into words. */
  prepared(sql: string): StatementSync {
    return this.#prepare(this.#statements, sql);
  }

  /** The statement of this text in `kept`, prepared on first use. */
  #prepare(kept: Map<string, StatementSync>, sql: string): StatementSync {
    let statement = kept.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      statement.setReturnArrays(kept !== this.#statements);
      statement.setReadBigInts(kept === this.#exactTuples);
      kept.set(sql, statement);
    }
    return statement;
  }

  /**
   * Runs statements that belong together, after a look at the files. Runs them again if the file is damaged or its disk failed:
   * SQLite does not say which, and has undone what they did.
   */
  #together<T>(work: () => T): T {
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

  /** The error in words. To SQLite, a file that is lost looks damaged. */
  #explained(error: unknown): unknown {
    const explained = inWords(this.#file, error);
    if (explained === error) return error;
    try {
      this.#watch?.look();
    } catch (found) {
      if (isLost(found)) return found;
    }
    return explained;
  }

  all<T extends Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#together(() => this.prepared(sql).all(...values) as T[]);
  }

  /** As `all`, with each row as an array: for the hot paths, where making objects is half of the work. */
  allTuples<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T[] {
    const statement = this.#prepare(this.#tuples, sql);
    return this.#together(() => statement.all(...values) as unknown as T[]);
  }

  /** One row as an array, its integers as bigints, which hold all 64 bits. */
  exactTuple<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T | undefined {
    const statement = this.#prepare(this.#exactTuples, sql);
    return this.#together(() => statement.get(...values) as T | undefined);
  }

  get<T extends Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#together(() => this.prepared(sql).get(...values) as T | undefined);
  }

  /** Returns how many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#writes += 1;
    return this.#together(() => Number(this.prepared(sql).run(...values).changes));
  }

  /**
   * All reads of `work` see one committed state. It may run twice, so it must change nothing outside. Nearly every request needs
   * one: `exec` would parse its two statements each time.
   */
  snapshot<T>(work: () => T): T {
    if (this.#within) return work();
    return this.#together(() => {
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

  /** All writes of `work` happen, or none. Within `transactionAsync` it joins that transaction. */
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

  /** Like `transaction`, over several calls of the store. Nothing else may use the connection until it ends. */
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

  /** Ends the transaction that failed; returns the error in words. */
  #undone(error: unknown): unknown {
    // A rollback undoes what may have been read, and remembered, within the transaction.
    this.#writes += 1;
    this.#within = false;
    this.#rollBack();
    return this.#explained(error);
  }

  /** SQLite itself takes back what a full or failing disk interrupts; then there is nothing to roll back. */
  #rollBack(): void {
    if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
  }

  /** Bytes of the WAL when it was last looked at; 0 if there is none. */
  get walSize(): number {
    return this.#watch?.walSize ?? 0;
  }

  /** One line about the WAL if there is news: it has doubled, because a reader keeps an old state open, or it is small again. */
  notice(): string | null {
    const size = this.walSize;
    const text = `${this.#file}-wal has ${Math.round(size / 1e6)} MB`;
    if (size <= WAL_LIMIT && this.#noticeAt > FIRST_NOTICE) {
      this.#noticeAt = FIRST_NOTICE;
      return `${text} again`;
    }
    // Twice as long as a checkpoint lets it become, with pages of 4 KB.
    if (size < Math.max(this.#noticeAt, 2 * this.#checkpointAt * 4096)) return null;
    const moved = this.get<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(PASSIVE)")!;
    // One large transaction makes a large WAL, too; that one is soon small again.
    if (moved.checkpointed >= moved.log) return null;
    this.#noticeAt = size * 2;
    return `${text} and grows, because a reader keeps an old state of the database open: end long reads, such as a shell, a backup or \`aqs verify\`; then it shrinks by itself`;
  }

  /** Another number whenever another connection may have written. */
  get versionOfOthers(): number {
    return this.allTuples<[number]>("PRAGMA data_version")[0]![0];
  }

  /** Another value whenever any connection may have written. Later reads are of this version or newer; in a snapshot, of this one. */
  get dataVersion(): string {
    return this.#snapshotVersion ?? `${this.versionOfOthers}.${this.#writes}`;
  }

  /** The same outside of snapshots, as soon as it can be told; not to be compared with `dataVersion`. */
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

  /** Brings the schema to the current version and returns the names of the steps that ran. Throws if it is newer. */
  migrate(): string[] {
    if (this.schemaVersion > schemaSteps().length) throw new Error(this.schemaFault!);
    const ran: string[] = [];
    while (this.schemaVersion < schemaSteps().length) {
      this.transaction(() => {
        // Another process may have run this step meanwhile.
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
    this.#statements.clear();
    this.#tuples.clear();
    this.#exactTuples.clear();
    this.#connection.close();
  }
}
