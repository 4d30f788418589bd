import type { OutPoint } from "#lib/contract/ledger.ts";
import type { Question } from "./question.ts";
import type { Steps } from "./rules/steps.ts";
import type { Connection, EngineName } from "./statement.ts";
import type { AccessToken, StoredOutput } from "./store.ts";
import type { Tables } from "./tables/ledger.ts";

/** Connections to a database server. */
export interface Connections {
  busy: number;
  idle: number;
  /** Pieces of work that wait for a connection. */
  waiting: number;
}

/** A database, whatever its engine. */
export interface Store {
  readonly engine: EngineName;
  /** Everything that one call reads is of one committed state, unless the question says otherwise. */
  ask<Answer>(question: Question<void, Answer>): Promise<Answer>;
  ask<Input, Answer>(question: Question<Input, Answer>, input: Input): Promise<Answer>;
  /**
   * Writes the ledger by its rules, such as `applyBlocks`: all writes of the steps happen, or none, and no other writer
   * comes between.
   */
  write<Args extends unknown[], Result>(
    steps: (tables: Tables, ...args: Args) => Steps<Result>,
    ...args: Args
  ): Promise<Result>;
  /** Writes what is no part of the ledger, each statement by itself. A server lets it wait for no transaction of `write`. */
  record<Args extends unknown[], Result>(
    steps: (db: Connection, ...args: Args) => Steps<Result>,
    ...args: Args
  ): Promise<Result>;
  /**
   * As `record`, also on a database that was opened for reading; it waits for no lock. False if this program may not write
   * to the database. `accessTokenAndVersion` need not give another version afterwards.
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
   * The token with this SHA-256, null if there is none, and the version of the data in the same round trip. As long as the
   * version is the same, so is every answer to the two questions, and whatever is read after this is of that version or a
   * newer one. Versions are for this process only. Null if the engine cannot tell.
   */
  accessTokenAndVersion(
    hash: Uint8Array,
  ): Promise<{ accessToken: AccessToken | null; version: string | null }>;
  /**
   * Keeps other processes from syncing into this database, until released or until this process ends.
   * Throws an Error that names the holder. If a server loses the lock, the next write takes it again, or throws
   * that Error if another process has it by then.
   */
  acquireSyncLock(): Promise<{ release(): Promise<void> }>;
  /** Brings the schema to the current version; returns the names of the migrations that ran. */
  migrate(): Promise<string[]>;
  /** Why a program that does not migrate cannot use the schema, and what to do about it; null if it can. */
  schemaFault(): Promise<string | null>;
  /** Something new that the operator should hear about the database's files, in one line; null if there is nothing. */
  notice?(): string | null;
  /** For engines that are servers. */
  connections?(): Connections;
  /**
   * For engines with replicas: seconds by which what is read here may be behind the primary; 0 if the last write is here;
   * null if the primary itself is read.
   */
  replicaLag?(): Promise<number | null>;
  close(): Promise<void>;
}
