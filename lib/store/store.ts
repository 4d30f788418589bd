import type { OutPoint } from "#lib/contract/ledger.ts";
import type { Query } from "./query.ts";
import type { AccessToken, StoredOutput } from "./rows.ts";
import type { Steps } from "./rules/steps.ts";
import type { Writer } from "./rules/writer.ts";
import type { Connection, EngineName } from "./statement.ts";

export interface Connections {
  busy: number;
  idle: number;
  waiting: number;
}

export interface Store {
  readonly engine: EngineName;
  /** Everything that one call reads is of one committed state, unless the question says otherwise. */
  query<Result>(query: Query<void, Result>): Promise<Result>;
  query<Input, Result>(query: Query<Input, Result>, input: Input): Promise<Result>;
  /** Runs steps of the ledger, such as `applyBlocks`, in one transaction. No other writer comes between. */
  write<Args extends unknown[], Result>(
    steps: (tables: Writer, ...args: Args) => Steps<Result>,
    ...args: Args
  ): Promise<Result>;
  /** Writes what is no part of the ledger, each statement by itself. A server lets it wait for no transaction of `write`. */
  record<Args extends unknown[], Result>(
    steps: (db: Connection, ...args: Args) => Steps<Result>,
    ...args: Args
  ): Promise<Result>;
  /**
   * As `record`, also on a database opened for reading, without waiting for a lock. False if writing is not allowed.
   * `accessTokenAndVersion` need not give another version afterwards.
   */
  note<Args extends unknown[]>(
    steps: (db: Connection, ...args: Args) => Steps<void>,
    ...args: Args
  ): Promise<boolean>;
  /** Makes all writes within `work` one transaction: they become visible together, or not at all. */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  /** What is known of each out point, in order. */
  outputsAt(outPoints: OutPoint[]): Promise<(StoredOutput | undefined)[]>;
  /**
   * The token with this SHA-256, or null, and the version of the data, in one round trip. While the version stays the same,
   * so does every answer; what is read afterwards is of that version or a newer one. Null if the engine cannot tell.
   * Versions are for this process only.
   */
  accessTokenAndVersion(
    hash: Uint8Array,
  ): Promise<{ accessToken: AccessToken | null; version: string | null }>;
  /**
   * Keeps other processes from syncing into this database, until it is released or this process ends. Throws an Error that
   * names the holder. If a server loses the lock, the next write takes it again, or throws that Error.
   */
  acquireSyncLock(): Promise<{ release(): Promise<void> }>;
  /** Brings the schema to the current version, and returns the names of the steps that ran. It says whom it waits for. */
  migrate(onProgress?: (line: string) => void): Promise<string[]>;
  /** Describes what is wrong with the schema, or returns null. */
  schemaFault(): Promise<string | null>;
  /** Something new that the operator should hear about the database's files, in one line; null if there is nothing. */
  notice?(): string | null;
  /** Spreads the tables over a Citus cluster; returns what it did, one line a table. Throws if there is no Citus. */
  distribute?(): Promise<string[]>;
  /** Bytes of SQLite's write-ahead log, as the last write found it. */
  walBytes?(): number;
  connections?(): Connections;
  /** Seconds by which reads may be behind the primary: 0 if its last write is here, null if the primary itself is read. */
  replicaLag?(): Promise<number | null>;
  close(): Promise<void>;
}
