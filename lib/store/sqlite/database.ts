import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { foldCase } from "#lib/store/rules/names.ts";
import type { Connection, Statement } from "#lib/store/statement.ts";
import { migrations } from "./migrations.ts";

export type Row = Record<string, unknown>;

/** To SQLite, `$1` is a name and `?1` the first value. */
const numbered = ({ text }: Statement): string => text.replaceAll("$", "?");

/**
 * Creates the file, readable by its owner alone, if it does not exist. SQLite would leave it to the umask; it gives
 * the files beside a database (`-wal`, `-shm`) the mode of the database.
 */
export function createPrivately(file: string): void {
  // A URI, which only SQLite reads.
  if (file.startsWith("file:")) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * One SQLite connection: statements prepared once, snapshots and transactions. Everything is synchronous,
 * so nothing of another request can come between the statements of one snapshot.
 */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #tuples = new Map<string, StatementSync>();
  readonly #exactTuples = new Map<string, StatementSync>();
  /** Runs the statements that both engines share. */
  readonly shared: Connection = {
    all: <T extends object>(query: Statement, ...values: SQLInputValue[]) =>
      this.prepared(numbered(query)).all(...values) as T[],
    run: (query, ...values) => this.run(numbered(query), ...values),
  };
  #inTransaction = false;
  #writes = 0;

  /** Opens or creates the file; `:memory:` for a database that lives as long as the connection. */
  constructor(file: string) {
    try {
      if (file !== ":memory:") {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        createPrivately(file);
      }
      this.#connection = new DatabaseSync(file, { timeout: 10_000 });
      // WAL: readers never wait for the writer. NORMAL: a power cut may take back the last commits, whole.
      this.#connection.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 16384;",
      );
    } catch (error) {
      (error as Error).message = `${file}: ${(error as Error).message}`;
      throw error;
    }
  }

  /** The statement of this text in `kept`, prepared and set up on first use. */
  #statement(
    kept: Map<string, StatementSync>,
    sql: string,
    setUp: (statement: StatementSync) => void = () => {},
  ): StatementSync {
    let statement = kept.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      setUp(statement);
      kept.set(sql, statement);
    }
    return statement;
  }

  /** The statement itself: on the hot paths it runs without an array of its values, and in a transaction only. */
  prepared(sql: string): StatementSync {
    return this.#statement(this.#statements, sql);
  }

  all<T extends Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.prepared(sql).all(...values) as T[];
  }

  /** As `all`, with each row as an array: for the hot paths, where making objects is half of the work. */
  allTuples<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T[] {
    const statement = this.#statement(this.#tuples, sql, (made) => made.setReturnArrays(true));
    return statement.all(...values) as unknown as T[];
  }

  /** One row as an array, its integers as bigints, which hold all 64 bits. */
  exactTuple<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T | undefined {
    const statement = this.#statement(this.#exactTuples, sql, (made) => {
      made.setReturnArrays(true);
      made.setReadBigInts(true);
    });
    return statement.get(...values) as T | undefined;
  }

  get<T extends Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.prepared(sql).get(...values) as T | undefined;
  }

  /** Returns how many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#writes += 1;
    return Number(this.prepared(sql).run(...values).changes);
  }

  /** One row after another, for results that should not stand in memory together. */
  iterate<T extends Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<T> {
    return this.prepared(sql).iterate(...values) as IterableIterator<T>;
  }

  /** All reads of `work` see one committed state. */
  snapshot<T>(work: () => T): T {
    if (this.#inTransaction) return work();
    this.#connection.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#connection.exec("COMMIT");
    }
  }

  /** All writes of `work` happen, or none. Within `transactionAsync` it joins that transaction. */
  transaction<T>(work: () => T): T {
    if (this.#inTransaction) return work();
    this.#begin();
    try {
      const result = work();
      this.#end("COMMIT");
      return result;
    } catch (error) {
      this.#end("ROLLBACK");
      throw error;
    }
  }

  /** Like `transaction`, over several calls of the store. Nothing else may use the connection until it ends. */
  async transactionAsync<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inTransaction) return work();
    this.#begin();
    try {
      const result = await work();
      this.#end("COMMIT");
      return result;
    } catch (error) {
      this.#end("ROLLBACK");
      throw error;
    }
  }

  #begin(): void {
    this.#writes += 1;
    this.#connection.exec("BEGIN IMMEDIATE");
    this.#inTransaction = true;
  }

  #end(how: "COMMIT" | "ROLLBACK"): void {
    // A rollback undoes what may have been read, and remembered, within the transaction.
    this.#writes += 1;
    try {
      this.#connection.exec(how);
    } finally {
      this.#inTransaction = false;
    }
  }

  /** Another number whenever another connection may have written. */
  get versionOfOthers(): number {
    return this.get<{ data_version: number }>("PRAGMA data_version")!.data_version;
  }

  /** Another value whenever this connection or any other may have written. Asked for within a snapshot. */
  get dataVersion(): string {
    return `${this.versionOfOthers}.${this.#writes}`;
  }

  get schemaVersion(): number {
    return this.get<{ user_version: number }>("PRAGMA user_version")!.user_version;
  }

  /** Runs the migrations that this file has not seen; throws if it is newer than this program. */
  migrate(): string[] {
    const names: string[] = [];
    if (this.schemaVersion === migrations.length) return names;
    this.transaction(() => {
      const from = this.schemaVersion;
      if (from > migrations.length) {
        throw new Error(
          `The database has schema version ${from}, this program knows ${migrations.length}: update the program`,
        );
      }
      for (const migration of migrations.slice(from)) {
        this.#connection.exec(migration.sql);
        names.push(migration.name);
      }
      this.#foldNames();
      this.#connection.exec(`PRAGMA user_version = ${migrations.length}`);
    });
    return names;
  }

  /** The names that a migration changed. */
  #foldNames(): void {
    const names = this.#connection.prepare(
      "SELECT id, name FROM tokens WHERE name_folded = '' AND name <> ''",
    );
    const fold = this.#connection.prepare("UPDATE tokens SET name_folded = ? WHERE id = ?");
    for (const { id, name } of names.all()) fold.run(foldCase(name as string), id as number);
  }

  close(): void {
    this.#statements.clear();
    this.#tuples.clear();
    this.#exactTuples.clear();
    this.#connection.close();
  }
}
