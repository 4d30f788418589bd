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

/** The right to follow the chain into a database. */
export interface SyncLock {
  release(): Promise<void>;
}

export interface Store {
  readonly engine: EngineName;
  /** Everything that one call reads is of one committed state: see `Query`. */
  query<Result>(query: Query<void, Result>): Promise<Result>;
  query<Input, Result>(query: Query<Input, Result>, input: Input): Promise<Result>;
  /** Runs steps that change the ledger, such as `applyBlocks`, in one transaction. Writers run one at a time. */
  write<Args extends unknown[], Result>(
    steps: (tables: Writer, ...args: Args) => Steps<Result>,
    ...args: Args
  ): Promise<Result>;
  /** Writes data that is not part of the ledger, each statement by itself. On PostgreSQL it does not wait for `write`. */
  record<Args extends unknown[], Result>(
    steps: (db: Connection, ...args: Args) => Steps<Result>,
    ...args: Args
  ): Promise<Result>;
  /**
   * Like `record`, but also on a database opened for reading, without waiting for a lock. Returns false if writing is not
   * allowed. The version of `accessTokenAndVersion` may stay the same.
   */
  note<Args extends unknown[]>(
    steps: (db: Connection, ...args: Args) => Steps<void>,
    ...args: Args
  ): Promise<boolean>;
  /** Makes all writes within `work` one transaction. */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  /** The output at each out point, in order; undefined for those that are not stored. */
  outputsAt(outPoints: OutPoint[]): Promise<(StoredOutput | undefined)[]>;
  /**
   * The token with this SHA-256, or null, and the version of the data, in one round trip. While the version stays the same, so
   * does every response. Later reads see that version or a newer one. The version is null if the engine has none. Only this
   * process may compare versions.
   */
  accessTokenAndVersion(
    hash: Uint8Array,
  ): Promise<{ accessToken: AccessToken | null; version: string | null }>;
  /**
   * Keeps other processes from syncing into this database until it is released or this process ends. Throws an Error that
   * names the holder, if there is one. If the lock is lost, the next write takes it again or throws that Error.
   */
  acquireSyncLock(): Promise<SyncLock>;
  /** Brings the schema to the current version, and returns the names of the steps that ran. Reports what blocks it. */
  migrate(onProgress?: (line: string) => void): Promise<string[]>;
  /** Describes what is wrong with the schema, or returns null. */
  schemaFault(): Promise<string | null>;
  /** One line of news for the operator about the database's files, or null. */
  notice?(): string | null;
  /** Distributes the tables over a Citus cluster; returns the tables that it moved. Throws if there is no Citus. */
  distribute?(): Promise<string[]>;
  /** Size of SQLite's write-ahead log at the last look, in bytes. */
  walBytes?(): number;
  connections?(): Connections;
  /** Seconds by which reads may be behind the primary: 0 if they see its last write, null if they go to the primary. */
  replicaLag?(): Promise<number | null>;
  close(): Promise<void>;
}
