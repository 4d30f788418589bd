import { setImmediate as nextTick } from "node:timers/promises";
import { codeOf } from "#lib/contract/errors.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import * as common from "#lib/store/common-queries.ts";
import { listCache } from "#lib/store/list-cache.ts";
import type { PostgresReader, Query } from "#lib/store/query.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import { statement, statementWith, toHex } from "#lib/store/statement.ts";
import type { Store, SyncLock } from "#lib/store/store.ts";
import { inBatches } from "./batches.ts";
import { Database, type PostgresOptions } from "./database.ts";
import { distribute } from "./distribute.ts";
import { byteaArray } from "./encoding.ts";
import { PostgresWriter } from "./postgres-writer.ts";
import type { Session } from "./session.ts";
import { Upkeep } from "./upkeep.ts";

/** The version of the data: the random name of the last write transaction, and the tip. */
const VERSION_COLUMN = `
  ${common.LAST_WRITE_SQL} || ' '
    || coalesce((SELECT encode(hash, 'hex') FROM blocks ORDER BY height DESC LIMIT 1), '') AS version`;
const VERSION = statement(`SELECT ${VERSION_COLUMN}`);
const TOKENS_SQL = `SELECT hash, ${common.ACCESS_TOKEN_COLUMNS} FROM access_tokens WHERE hash = ANY ($hashes)`;
const ACCESS_TOKENS = statementWith(["hashes"])(TOKENS_SQL);
const ACCESS_TOKENS_AND_VERSION = statementWith(["hashes"])(
  `SELECT found.*, ${VERSION_COLUMN} FROM (VALUES (1)) always LEFT JOIN (${TOKENS_SQL}) found ON true`,
);
/**
 * The state of a replica. `received`: it is connected to the primary and has replayed all that it received. `age`: seconds since the
 * commit of the last replayed transaction; null on a primary.
 */
const REPLAY = statement(`SELECT ${VERSION_COLUMN}, pg_is_in_recovery() AS replica,
     pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver) AS received,
     extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision AS age`);
/** Nulls if no token was found. */
type TokenAndVersion = common.AccessTokenColumns & { hash: string | null; version?: string | null };

interface Replay {
  version: string | null;
  replica: boolean;
  received: boolean | null;
  age: number | null;
}

const NEEDS_ONE_STATE = new Error("The statements of this query must see one committed state");

type Caches = Pick<PostgresReader, "tokenCache" | "assetCache" | "lists">;
const emptyCaches = (): Caches => ({
  tokenCache: { write: null, rows: new Map() },
  assetCache: { write: null, rows: new Map() },
  lists: null,
});

/** The Store over PostgreSQL 15 or later: any number of processes read, and one at a time writes. */
export class PostgresStore implements Store {
  readonly engine = "postgres";
  readonly #db: Database;
  readonly #upkeep: Upkeep;
  readonly #caches: Caches = {
    ...emptyCaches(),
    lists: listCache(({ lines }) => lines.length),
  };
  readonly #lookUp = inBatches((hashes: readonly Uint8Array[]) => this.#accessTokensAndVersion(hashes));
  /** The last time at which the replica had the primary's last write, by `performance.now()`. */
  #wasCurrent = Number.NEGATIVE_INFINITY;

  /** Connects on first use. `url`: `postgres://user:password@host:port/database?sslmode=…`. */
  constructor(url: string, options: PostgresOptions = {}) {
    this.#db = new Database(url, options);
    this.#upkeep = new Upkeep(this.#db);
  }

  migrate(onProgress: (line: string) => void = () => {}) {
    return this.#db.migrate(onProgress);
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
    const primary = hasReplica ? await this.#version("primary") : undefined;
    const here = (await this.#db.read("look-up", (session) => session.get<Replay>(REPLAY)))!;
    if (!hasReplica && !here.replica) return null;
    if (hasReplica ? here.version === primary : here.received) {
      this.#wasCurrent = began;
      return 0;
    }
    // Both are upper bounds. The first one also counts the time since the primary's last write.
    return Math.max(0, Math.min(here.age ?? Infinity, (performance.now() - this.#wasCurrent) / 1000));
  }

  async close() {
    await this.#db.close();
    await this.#upkeep.settled();
  }

  async atomically<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.#db.atomically(work);
    this.#afterWrite();
    return result;
  }

  #afterWrite() {
    if (!this.#db.isWithin) this.#upkeep.start();
  }

  async query<I, A>(query: Query<I, A>, input?: I): Promise<A> {
    const { effort: given, from } = query;
    const effort = typeof given === "function" ? given(input as I) : given;
    const isOneState = effort !== "look-up" && effort !== "scan";
    // On Citus, writes leave no names. Within a transaction, the name is older than the last write.
    const { distributed, isWithin } = this.#db;
    const caches = distributed || isWithin ? emptyCaches() : this.#caches;
    const reading = (isOneState: boolean) => (session: Session) => {
      const reader: PostgresReader = {
        engine: "postgres",
        distributed,
        isOneState,
        ...caches,
        tokens: new Map(),
        all: (query) => session.all(query),
        inOneState() {
          if (!isOneState) throw NEEDS_ONE_STATE;
        },
        // The query keeps its connection, so it only yields to the event loop.
        pause: nextTick,
      };
      return runInTurn(query.read(reader, input as I));
    };
    try {
      return await this.#db.read(effort, reading(isOneState), from);
    } catch (error) {
      if (error !== NEEDS_ONE_STATE) throw error;
      return this.#db.read("snapshot", reading(true));
    }
  }

  write: Store["write"] = async (steps, ...args) => {
    let removed = 0;
    const result = await this.#db.write(async (session) => {
      const tables = new PostgresWriter(session, this.#db.distributed);
      const done = await runInTurn(steps(tables, ...args));
      removed = tables.removed;
      return done;
    });
    this.#upkeep.removed(removed);
    this.#afterWrite();
    return result;
  };

  record: Store["record"] = (steps, ...args) =>
    this.#db.read("scan", (session) => runInTurn(steps(session, ...args)), "primary");

  note: Store["note"] = async (steps, ...args) => {
    try {
      await this.record(steps, ...args);
      return true;
    } catch (error) {
      if (error instanceof Error && codeOf(error.cause) === "42501") return false;
      throw error;
    }
  };

  acquireSyncLock(): Promise<SyncLock> {
    return this.#db.acquireSyncLock();
  }

  distribute() {
    return this.#db.distribute(distribute);
  }

  async #version(from?: "primary"): Promise<string | null> {
    const row = await this.#db.read(
      "look-up",
      (session) => session.get<Pick<Replay, "version">>(VERSION),
      from,
    );
    return row!.version;
  }

  async accessTokenAndVersion(hash: Uint8Array) {
    const { accessTokens, version } = await this.#lookUp(hash);
    return { accessToken: accessTokens.get(toHex(hash)) ?? null, version };
  }

  async #accessTokensAndVersion(hashes: readonly Uint8Array[]) {
    const { hasReplica, distributed } = this.#db;
    // The nodes of a Citus cluster do not commit at the same moment, so they have no common version.
    const read = distributed || hasReplica ? ACCESS_TOKENS : ACCESS_TOKENS_AND_VERSION;
    const query = read({ hashes: byteaArray(hashes.map(toHex)) });
    const [rows, versionHere] = await Promise.all([
      this.#db.read("look-up", (session) => session.all<TokenAndVersion>(query), "primary"),
      hasReplica && !distributed ? this.#version() : undefined,
    ]);
    const found = rows.flatMap(({ hash, version: _version, ...row }) =>
      hash === null ? [] : [[hash, common.toAccessToken(row)] as const],
    );
    return { accessTokens: new Map(found), version: versionHere ?? rows[0]?.version ?? null };
  }

  outputsAt(outPoints: OutPoint[]) {
    return this.#db.read("long", (session) =>
      runInTurn(new PostgresWriter(session, this.#db.distributed).outputsAt(outPoints)),
    );
  }
}
