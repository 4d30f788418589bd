import { AsyncLocalStorage } from "node:async_hooks";
import { Socket } from "node:net";
import { hostname } from "node:os";
import pg from "pg";
import { foldCase } from "#lib/store/rules/names.ts";
import { type Statement, statement } from "#lib/store/statement.ts";
import { numberArray } from "./encoding.ts";
import { migrations } from "./migrations.ts";

export interface PostgresOptions {
  /** A replica that answers the questions; what it answers carries the tip that it stands at. */
  readUrl?: string | undefined;
  /** Most connections of one process to one server for reading, and as many for writing. */
  poolSize?: number | undefined;
  /** Milliseconds after which the server gives up a read; 0: never. */
  statementTimeoutMs?: number | undefined;
  /** Milliseconds to wait for a connection; 0: for ever. */
  connectTimeoutMs?: number | undefined;
}

/** The database did not answer in time, or cannot be reached: the same call may go through later. */
export class StoreUnavailableError extends Error {
  /** `isUnavailable` recognises it. */
  readonly code = "STORE_UNAVAILABLE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreUnavailableError";
  }
}

/** The oldest major version that the statements were written for. */
const OLDEST_VERSION = 15;

/** Advisory locks are numbers in one space for the whole database: the first number is ours. */
const LOCKS = 0x415153;
const WRITE_LOCK = 1;
const SYNC_LOCK = 2;
const MIGRATION_LOCK = 3;

/** Milliseconds for the server to close the connection that holds the sync lock; then it is cut. */
const RELEASE_WITHIN = 2_000;

/**
 * Settings of connections that answer questions. A page must be a range scan of its index whatever the
 * statistics say, so the plans that read and sort a whole address first are ruled out, and a plan is made
 * once for each statement instead of at each call. Compiling a plan takes longer than any of them runs.
 */
export const READ_SETTINGS =
  "SET plan_cache_mode = force_generic_plan; SET enable_bitmapscan = off; SET enable_seqscan = off; SET jit = off";
const WRITE_SETTINGS = "SET jit = off";

const INT8 = 20;
const BYTEA = 17;

/** Integers of 64 bits here are heights, ids, counts and times, all below 2^53; bytes are `0x` hex. */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return toNumber;
    if (oid === BYTEA) return (value: string) => `0x${value.slice(2)}`;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

function toNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is beyond what a number can hold`);
  return number;
}

/** One connection, lent for a while. Statements run one after another, in the order they were asked for. */
export class Session {
  /** The connection cannot be used again. */
  broken = false;
  readonly #client: pg.ClientBase;
  readonly #place: string;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;

  /** `place`: host and port, for messages. */
  constructor(client: pg.ClientBase, place: string) {
    this.#client = client;
    this.#place = place;
  }

  /** All rows. */
  all<T extends object>(query: Statement, ...values: unknown[]): Promise<T[]> {
    return this.#queue(async () => (await this.#client.query<T>({ ...query, values })).rows);
  }

  async get<T extends object>(query: Statement, ...values: unknown[]): Promise<T | undefined> {
    return (await this.all<T>(query, ...values))[0];
  }

  /** Returns how many rows changed. */
  run(query: Statement, ...values: unknown[]): Promise<number> {
    return this.#queue(async () => (await this.#client.query({ ...query, values })).rowCount ?? 0);
  }

  /** Statements without values, in one go. */
  exec(sql: string): Promise<unknown> {
    return this.#queue(() => this.#client.query(sql));
  }

  /** A call after the session's work is over gets an error instead of another caller's connection. */
  end(): void {
    this.#ended = true;
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(async () => {
      if (this.#ended) throw new Error("The transaction that this call belongs to is over");
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof pg.DatabaseError) || error.severity !== "ERROR") this.broken = true;
        throw explain(error, this.#place);
      }
    });
    this.#last = run.catch(() => {});
    return run;
  }
}

/** A transaction that calls of the store join; its writes take turns. */
interface Ambient {
  session: Session;
  lastWrite: Promise<unknown>;
}

/** A lock that lasts as long as its connection. */
export interface SyncLock {
  release(): Promise<void>;
  /** Aborts if the connection is lost, and the lock with it. */
  lost: AbortSignal;
}

/** The connections to the database, and to its replica if there is one. */
export class Database {
  readonly #url: string;
  readonly #reads: Pool;
  readonly #primary: Pool;
  readonly #hasReplica: boolean;
  readonly #ambient = new AsyncLocalStorage<Ambient>();
  #syncLocked = false;
  #distributed = false;
  #closed: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    this.#url = url;
    this.#hasReplica = options.readUrl !== undefined;
    this.#reads = new Pool(options.readUrl ?? url, READ_SETTINGS, options);
    this.#primary = new Pool(url, WRITE_SETTINGS, options);
  }

  /** A read of one statement, on the replica if there is one. Within `atomically` it sees its writes. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    // A sync decides by what is stored, which a replica may not know yet.
    return this.#session(this.#syncLocked && this.#hasReplica ? this.#primary : this.#reads, work);
  }

  /** A read or write of one statement, on the primary. */
  primary<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#session(this.#hasReplica ? this.#primary : this.#reads, work);
  }

  #session<T>(pool: Pool, work: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient.getStore();
    return ambient ? work(ambient.session) : pool.use(work);
  }

  /** Reads of several statements that see one committed state, with the timeout of reads. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#session(this.#reads, (session) => this.#inSnapshot(session, work, ""));
  }

  /** Like `snapshot`, but on the primary and without a timeout. */
  longSnapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#session(this.#primary, (session) =>
      this.#inSnapshot(session, work, "; SET LOCAL statement_timeout = 0"),
    );
  }

  async #inSnapshot<T>(
    session: Session,
    work: (session: Session) => Promise<T>,
    settings: string,
  ): Promise<T> {
    if (this.#ambient.getStore()) return work(session);
    await session.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${settings}`);
    return finish(session, () => work(session));
  }

  /** All writes of `work` happen, or none; no other writer comes between. Joins `atomically`. */
  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient.getStore();
    if (!ambient) return this.#transaction(work);
    const run = ambient.lastWrite.then(() => work(ambient.session));
    ambient.lastWrite = run.catch(() => {});
    return run;
  }

  /** One transaction for all calls of the store within `work`. */
  atomically<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ambient.getStore()) return work();
    return this.#transaction((session) => this.#ambient.run({ session, lastWrite: Promise.resolve() }, work));
  }

  #transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#primary.use(async (session) => {
      // With Citus, tables of both kinds change in one transaction only if shards are visited in turn.
      const shards = this.#distributed ? "SET LOCAL citus.multi_shard_modify_mode = 'sequential';" : "";
      await session.exec(
        `BEGIN; SET LOCAL statement_timeout = 0; ${shards} SELECT pg_advisory_xact_lock(${LOCKS}, ${WRITE_LOCK})`,
      );
      return finish(session, () => work(session));
    });
  }

  /** Runs the migrations that this database has not seen; see Store.migrate. Throws if it cannot serve. */
  async migrate(): Promise<string[]> {
    try {
      return await this.#primary.use((session) => this.#migrateWith(session));
    } catch (error) {
      // At the start there is nothing to try again: the person who starts the program must fix it.
      if (error instanceof StoreUnavailableError) throw new Error(error.message, { cause: error });
      throw error;
    }
  }

  async #migrateWith(session: Session): Promise<string[]> {
    const server = (await session.get<ServerFacts & { citus: boolean }>(SERVER))!;
    const fault = unfit(server);
    if (fault) throw new Error(`The database at ${this.#primary.place} ${fault}`);
    this.#distributed = server.citus;
    if ((await pending(session)).length === 0) return [];
    await session.exec(
      `BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${LOCKS}, ${MIGRATION_LOCK})`,
    );
    return finish(session, async () => {
      await session.exec(
        'CREATE TABLE IF NOT EXISTS schema_migrations (ordinal integer PRIMARY KEY, name text COLLATE "C" NOT NULL)',
      );
      const todo = await pending(session);
      for (const { ordinal, name, sql } of todo) {
        await session.exec(sql);
        await session.run(NOTE_MIGRATION, ordinal, name);
      }
      await foldNames(session);
      return todo.map((migration) => migration.name);
    });
  }

  /** Takes the lock that keeps a second follower of the chain away; throws, naming the holder, if it is held. */
  async acquireSyncLock(): Promise<SyncLock> {
    const socket = new Socket();
    const client = new pg.Client({
      ...clientConfig(this.#url),
      stream: () => socket,
      application_name: `aqs sync on ${hostname()}, process ${process.pid}`.slice(0, 63),
    });
    const lost = new AbortController();
    const onEnd = () => {
      this.#syncLocked = false;
      lost.abort(new StoreUnavailableError("The connection that holds the sync lock was lost"));
    };
    client.on("error", onEnd);
    client.on("end", onEnd);
    try {
      await client.connect();
      const session = new Session(client, this.#primary.place);
      const { taken } = (await session.get<{ taken: boolean }>(TRY_SYNC_LOCK))!;
      if (!taken) throw new Error(`Another sync is running on this database: ${await holder(session)}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw explain(error, this.#primary.place);
    }
    this.#syncLocked = true;
    return {
      lost: lost.signal,
      release: async () => {
        client.off("end", onEnd);
        this.#syncLocked = false;
        // A server that hangs does not end the connection, and neither would this process.
        const late = setTimeout(() => socket.destroy(), RELEASE_WITHIN);
        await client.end().finally(() => clearTimeout(late));
      },
    };
  }

  /** Changes how the tables are spread; no statement timeout, and no other writer at the same time. */
  async distribute<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = await this.#primary.use(async (session) => {
      await session.exec(`SET statement_timeout = 0; SELECT pg_advisory_lock(${LOCKS}, ${WRITE_LOCK})`);
      try {
        return await work(session);
      } finally {
        await session.exec(
          `SELECT pg_advisory_unlock(${LOCKS}, ${WRITE_LOCK}); SET statement_timeout = ${this.#primary.timeout}`,
        );
      }
    });
    this.#distributed = true;
    return result;
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#reads.end(), this.#primary.end()]).then(() => {});
    return this.#closed;
  }
}

export interface ServerFacts {
  /** As the server counts: 150018 is 15.18. */
  version: number;
  encoding: string;
}

/** Why the program cannot work with such a server; null if it can. */
export function unfit({ version, encoding }: ServerFacts): string | null {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_VERSION)
    return `is on PostgreSQL ${major}: this program needs ${OLDEST_VERSION} or later`;
  return encoding === "UTF8" ? null : `has the encoding ${encoding}: create one with encoding UTF8`;
}

const SERVER = statement(
  "server",
  `SELECT current_setting('server_version_num')::integer AS version,
          current_setting('server_encoding') AS encoding,
          EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`,
);
const HAS_HISTORY = statement(
  "has-history",
  "SELECT to_regclass('schema_migrations') IS NOT NULL AS present",
);
const HISTORY = statement("history", "SELECT name FROM schema_migrations ORDER BY ordinal");
const NOTE_MIGRATION = statement(
  "note-migration",
  "INSERT INTO schema_migrations (ordinal, name) VALUES ($1, $2)",
);
const UNFOLDED_NAMES = statement(
  "unfolded-names",
  "SELECT id, name FROM tokens WHERE name_folded = '' AND name <> ''",
);
const FOLD_NAMES = statement(
  "fold-names",
  `UPDATE tokens SET name_folded = folded.name
   FROM unnest($1::integer[], $2::text[]) AS folded (id, name) WHERE tokens.id = folded.id`,
);
const TRY_SYNC_LOCK = statement(
  "try-sync-lock",
  `SELECT pg_try_advisory_lock(${LOCKS}, ${SYNC_LOCK}) AS taken`,
);
const SYNC_LOCK_HOLDER = statement(
  "sync-lock-holder",
  `SELECT a.application_name AS name, a.pid, host(a.client_addr) AS address, a.backend_start::text AS since
   FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${LOCKS} AND l.objid = ${SYNC_LOCK}
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
);

async function holder(session: Session): Promise<string> {
  const found = await session.get<{
    name: string | null;
    pid: number;
    address: string | null;
    since: string;
  }>(SYNC_LOCK_HOLDER);
  if (!found) return "it ended this moment; try again";
  const from = found.address ?? "the server's own machine";
  return `${found.name || "a program without a name"}, from ${from}, connected since ${found.since} (server process ${found.pid})`;
}

/** Folds the names that a migration changed. */
async function foldNames(session: Session): Promise<void> {
  const names = await session.all<{ id: number; name: string }>(UNFOLDED_NAMES);
  if (names.length === 0) return;
  const ids = names.map(({ id }) => id);
  await session.run(
    FOLD_NAMES,
    numberArray(ids),
    names.map(({ name }) => foldCase(name)),
  );
}

/** The migrations still to run; throws if the database has run others. */
async function pending(session: Session) {
  const { present } = (await session.get<{ present: boolean }>(HAS_HISTORY))!;
  const seen = present ? (await session.all<{ name: string }>(HISTORY)).map((row) => row.name) : [];
  if (seen.length > migrations.length) {
    throw new Error(
      `The database has schema version ${seen.length}, this program knows ${migrations.length}: update the program`,
    );
  }
  for (const [i, name] of seen.entries()) {
    if (name !== migrations[i]!.name) {
      throw new Error(
        `The database's migration ${i + 1} is ${name}, this program's is ${migrations[i]!.name}`,
      );
    }
  }
  return migrations.map((migration, i) => ({ ...migration, ordinal: i + 1 })).slice(seen.length);
}

async function finish<T>(session: Session, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // If the connection is gone, the server has already rolled back, and the first error says more.
    await session.exec("ROLLBACK").catch(() => {});
    throw error;
  }
  await session.exec("COMMIT");
  return result;
}

const clientConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  types,
  keepAlive: true,
});

/** Connections to one server, at most so many, with the same settings. */
class Pool {
  /** Host and port, or the socket, for messages: never the user's name or password. */
  readonly place: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly #pool: pg.Pool;

  constructor(url: string, settings: string, options: PostgresOptions) {
    const { host, port } = new pg.Client(clientConfig(url));
    this.place = `${host}:${port}`;
    this.timeout = Math.trunc(options.statementTimeoutMs ?? 10_000);
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      application_name: `aqs on ${hostname()}, process ${process.pid}`.slice(0, 63),
      max: options.poolSize ?? 10,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      onConnect: async (client) => {
        // A lent connection that breaks fails the statement under way; without a listener it would end the process.
        client.on("error", () => {});
        await client.query(`SET statement_timeout = ${this.timeout}; ${settings}`);
      },
    });
    // An idle connection that breaks leaves the pool; the next call opens another.
    this.#pool.on("error", () => {});
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw explain(error, this.place);
    }
    const session = new Session(client, this.place);
    try {
      return await work(session);
    } finally {
      session.end();
      client.release(session.broken);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** SQLSTATEs (PostgreSQL manual, appendix A) of a server that has no time or no room just now. */
const UNAVAILABLE: Record<string, string> = {
  "57014": "did not answer in time",
  "57P01": "is shutting down",
  "57P02": "crashed and is restarting",
  "57P03": "does not answer",
  "53300": "has no connection left",
  "55P03": "did not answer in time",
  "40001": "cancelled a read because of recovery",
};

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "EPIPE",
  "EACCES",
]);

/** Says of a failure of the database or of the way to it what is wrong; passes on any other error. */
function explain(error: unknown, place: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (error instanceof pg.DatabaseError) {
    const what = UNAVAILABLE[code];
    if (what)
      return new StoreUnavailableError(`PostgreSQL at ${place} ${what}: ${error.message}`, { cause: error });
    // Classes 28 and 3D: wrong user or password, no such database.
    if (/^(28|3D)/.test(code))
      return new Error(`PostgreSQL at ${place} refuses: ${error.message}`, { cause: error });
    return error;
  }
  if (UNREACHABLE.has(code)) {
    // Where a name has several addresses, the error gathers the failures and says nothing itself.
    const why = error.message || code;
    return new StoreUnavailableError(`PostgreSQL at ${place} does not answer: ${why}`, { cause: error });
  }
  if (/timeout exceeded when trying to connect|Connection terminated/.test(error.message)) {
    return new StoreUnavailableError(`PostgreSQL at ${place} does not answer: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
