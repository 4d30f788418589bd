import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { hostname } from "node:os";
import pg from "pg";
import { schemaFault } from "#lib/store/common-queries.ts";
import { foldCase } from "#lib/store/rules/names.ts";
import { type Statement, statement } from "#lib/store/statement.ts";
import { type Connections, StoreUnavailableError } from "#lib/store/store.ts";
import { numberArray } from "./encoding.ts";
import { migrations } from "./migrations.ts";

export interface PostgresOptions {
  /** A replica that answers the questions; what it answers carries the tip that it stands at. */
  readUrl?: string | undefined;
  /** Most connections of one process to one server for reading, and as many for writing. */
  poolSize?: number | undefined;
  /**
   * Milliseconds after which the server gives up a read; 0: never. A server that does not even say so is given up
   * `GRACE` later.
   */
  statementTimeoutMs?: number | undefined;
  /** Milliseconds to wait for a connection; 0: for ever. */
  connectTimeoutMs?: number | undefined;
  /** Milliseconds to wait for each statement of a write, and of a long read of `sync` or `copy`; 0: for ever. */
  writeTimeoutMs?: number | undefined;
}

/** The oldest major version that the statements were written for. */
const OLDEST_VERSION = 15;

/** The key in `state` under which each write transaction leaves a name of its own. */
export const LAST_WRITE = "last-write";
const nameWrite = () => `
  INSERT INTO state (key, value) VALUES ('${LAST_WRITE}', '${randomUUID()}')
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Advisory locks are numbers in one space for the whole database: the first number is ours. */
const LOCKS = 0x415153;
const WRITE_LOCK = 1;
const SYNC_LOCK = 2;
const MIGRATION_LOCK = 3;

/** Milliseconds for the server to close the connection that holds the sync lock; then it is cut. */
const RELEASE_WITHIN = 2_000;

/** How often to look whether a pooler shares its connections. */
const POOLER_ROUNDS = 5;

const CONNECT_TIMEOUT = 5_000;
const READ_TIMEOUT = 10_000;
/** Milliseconds for the server to report its own time limit, before this side gives up. */
const GRACE = 2_000;
/** Long enough for another writer's turn and for the largest batch on a slow disk. */
const WRITE_TIMEOUT = 300_000;
/** For work whose length nobody knows: migrations, `verify`, `status`, `migrate --distribute`. */
const NO_DEADLINE = 0;

/**
 * Settings of connections that answer questions. A page must be a range scan of its index whatever the
 * statistics say, so the plans that read and sort a whole address first are ruled out, and a plan is made
 * once for each statement instead of at each call. Compiling a plan takes longer than any of them runs.
 *
 * Citus chooses the shard when it plans: without the values it has no plan ("could not create distributed plan"). Its
 * coordinator would wait 30 seconds for a connection to a node that hangs, each time with another process.
 */
export const READ_SETTINGS = `
  SET citus.node_connection_timeout = 2000; SET enable_bitmapscan = off; SET enable_seqscan = off; SET jit = off;
  SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
  WHERE NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`;
const WRITE_SETTINGS = "SET jit = off";

/**
 * With Citus, tables of both kinds change in one transaction only if shards are visited in turn; and each connection
 * to a node is one more transaction to prepare and commit.
 */
export const DISTRIBUTED_WRITE =
  "SET LOCAL citus.multi_shard_modify_mode = 'sequential'; SET LOCAL citus.max_adaptive_executor_pool_size = 1;";

/** Checks join tables that are distributed by different columns. */
const DISTRIBUTED_JOINS = "; SET LOCAL citus.enable_repartition_joins = on";

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

/**
 * `SET LOCAL` statements for a pooler (PgBouncer), which gives each transaction another connection of its own: what was
 * set for longer would stay there for other clients. Empty for a connection to the server, which keeps its settings.
 */
type LocalSettings = string;

/** One connection, lent for a while. Statements run one after another, in the order they were asked for. */
export class Session {
  /** What each transaction must begin with. */
  readonly settings: LocalSettings;
  readonly #client: pg.ClientBase;
  readonly #place: string;
  readonly #deadline: number;
  readonly #longWaits: LongWaits | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  /** Why the connection cannot be used again. */
  #fault: unknown = null;

  /**
   * `place`: host and port, for messages. `deadline`: milliseconds that each statement may take before this side gives
   * up the connection; 0: no limit. `longWaits`: for statements that a node of a cluster may leave without an answer.
   */
  constructor(
    client: pg.ClientBase,
    place: string,
    deadline: number,
    settings: LocalSettings = "",
    longWaits?: LongWaits,
  ) {
    this.settings = settings;
    this.#client = client;
    this.#place = place;
    this.#deadline = deadline;
    this.#longWaits = longWaits;
  }

  /** The connection cannot be used again. */
  get broken(): boolean {
    return this.#fault !== null;
  }

  /** All rows. */
  async all<T extends object>(query: Statement, ...values: unknown[]): Promise<T[]> {
    return (await this.#query<T>({ ...query, values })).rows;
  }

  async get<T extends object>(query: Statement, ...values: unknown[]): Promise<T | undefined> {
    return (await this.all<T>(query, ...values))[0];
  }

  /** Returns how many rows changed. */
  async run(query: Statement, ...values: unknown[]): Promise<number> {
    return (await this.#query({ ...query, values })).rowCount ?? 0;
  }

  /** Statements without values, in one go. Resolves to the rows of the last one. */
  async exec(sql: string): Promise<object[]> {
    const results = await this.#query({ text: sql });
    return Array.isArray(results) ? results.at(-1).rows : results.rows;
  }

  /** A call after the session's work is over gets an error instead of another caller's connection. */
  end(): void {
    this.#ended = true;
  }

  #query<T extends object>(query: pg.QueryConfig): Promise<pg.QueryResult<T>> {
    const run = this.#last.then(async () => {
      if (this.#ended) throw new Error("The transaction that this call belongs to is over");
      // A server that did not answer one statement would not answer the ROLLBACK after it either.
      if (this.#fault !== null) throw this.#fault;
      try {
        const limited = { ...query, query_timeout: this.#deadline };
        // A prepared statement belongs to one connection of the pooler, and the next transaction may get another.
        if (this.settings !== "") delete limited.name;
        const answer = this.#client.query<T>(limited);
        return await (this.#longWaits?.bound(answer, this.#place) ?? answer);
      } catch (error) {
        const explained = explain(error, this.#place);
        const isOver = error instanceof pg.DatabaseError && error.severity === "ERROR";
        // A coordinator that cancels what it asked of a node waits for that node's consent.
        if (!isOver || (this.#longWaits && error.code === CANCELLED)) this.#fault = explained;
        throw explained;
      }
    });
    this.#last = run.catch(() => {});
    return run;
  }
}

/** SQLSTATE of a statement that ran out of time. */
const CANCELLED = "57014";

/** Milliseconds without an answer after which a statement waits long. */
const LONG_WAIT = 250;

/**
 * Keeps a node of a cluster that hangs from taking all connections of a pool: statements may wait long on half of them,
 * and a further one is given up.
 */
class LongWaits {
  readonly #most: number;
  #count = 0;

  constructor(poolSize: number) {
    this.#most = Math.ceil(poolSize / 2);
  }

  /** The answer. Throws StoreUnavailableError if it would wait long beside too many others. */
  async bound<T>(answer: Promise<T>, place: string): Promise<T> {
    const { promise: refusal, reject } = Promise.withResolvers<never>();
    let isLong = false;
    const timer = setTimeout(() => {
      isLong = this.#count < this.#most;
      if (isLong) this.#count += 1;
      else {
        const others = `as ${this.#count} other statements wait, too`;
        reject(
          new StoreUnavailableError(
            `PostgreSQL at ${place} did not answer within ${LONG_WAIT} ms, ${others}`,
          ),
        );
      }
    }, LONG_WAIT);
    try {
      return await Promise.race([answer, refusal]);
    } finally {
      clearTimeout(timer);
      if (isLong) this.#count -= 1;
    }
  }
}

/** A transaction that calls of the store join; its writes take turns. */
interface Ambient {
  session: Session;
  lastWrite: Promise<unknown>;
}

/** The right to follow the chain into this database. */
export interface SyncLock {
  release(): Promise<void>;
}

/** The connection that holds the sync lock, and its process on the server. */
interface LockConnection {
  pid: number;
  end(): Promise<void>;
}

/** The connections to the database, and to its replica if there is one. */
export class Database {
  readonly #url: string;
  readonly #reads: Pool;
  readonly #primary: Pool;
  /** Reads go to another server than writes. */
  readonly hasReplica: boolean;
  readonly #ambient = new AsyncLocalStorage<Ambient>();
  readonly #deadlines: { connect: number; read: number; write: number };
  /** This process follows the chain: it writes only while it holds the sync lock. */
  #follows = false;
  #lock: LockConnection | null = null;
  /** The server's process that held the lock last. It may live on after the connection to it is lost. */
  #formerLockPid: number | null = null;
  #distributed = false;
  readonly #apart = new Set<pg.Client>();
  #closed: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    for (const each of [url, options.readUrl]) if (each !== undefined) refuseSeveralHosts(each);
    this.#url = url;
    this.hasReplica = options.readUrl !== undefined;
    this.#reads = new Pool(options.readUrl ?? url, READ_SETTINGS, options);
    this.#primary = new Pool(url, WRITE_SETTINGS, options);
    const { timeout } = this.#reads;
    this.#deadlines = {
      connect: options.connectTimeoutMs ?? CONNECT_TIMEOUT,
      read: timeout === 0 ? NO_DEADLINE : timeout + GRACE,
      write: options.writeTimeoutMs ?? WRITE_TIMEOUT,
    };
  }

  /** A read of one statement, on the replica if there is one. Within `atomically` it sees its writes. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#statement(this.#readers, "alone", work);
  }

  /**
   * Like `read`, for a statement that finds its rows by their keys. Those asked for at the same time share a connection:
   * they go out together, and are answered one after another.
   */
  lookUp<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#statement(this.#readers, "shared", work);
  }

  get #readers(): Pool {
    // A sync decides by what is stored, which a replica may not know yet.
    return this.#follows && this.hasReplica ? this.#primary : this.#reads;
  }

  /** A read or write of one statement, on the primary. */
  primary<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#statement(this.#ofPrimary, "alone", work);
  }

  /** As `lookUp`, on the primary. */
  lookUpInPrimary<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#statement(this.#ofPrimary, "shared", work);
  }

  get #ofPrimary(): Pool {
    return this.hasReplica ? this.#primary : this.#reads;
  }

  #statement<T>(pool: Pool, use: "alone" | "shared", work: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient.getStore();
    if (ambient) return work(ambient.session);
    const lent = async (session: Session) => {
      if (session.settings === "") return work(session);
      return inTransaction(session, `BEGIN; ${session.settings}`, () => work(session));
    };
    // In a cluster each statement goes to a node of its own, which may hang while the others answer.
    return use === "alone" || this.#distributed
      ? pool.use(this.#deadlines.read, lent, this.#distributed)
      : pool.share(this.#deadlines.read, lent);
  }

  /** Reads of several statements that see one committed state, with the timeout of reads. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient.getStore();
    if (ambient) return work(ambient.session);
    const inSnapshot = (session: Session) => this.#inSnapshot(session, work, "");
    return this.#reads.use(this.#deadlines.read, inSnapshot, this.#distributed);
  }

  /** Like `snapshot`, but on the primary, with the timeout of writes. */
  longSnapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#longSnapshot(this.#deadlines.write, work);
  }

  /** Like `longSnapshot`, without any timeout. */
  endlessSnapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#longSnapshot(NO_DEADLINE, work);
  }

  #longSnapshot<T>(deadline: number, work: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient.getStore();
    if (ambient) return work(ambient.session);
    const joins = this.#distributed ? DISTRIBUTED_JOINS : "";
    return this.#primary.use(deadline, (session) =>
      this.#inSnapshot(session, work, `SET LOCAL statement_timeout = 0${joins}`),
    );
  }

  async #inSnapshot<T>(
    session: Session,
    work: (session: Session) => Promise<T>,
    settings: string,
  ): Promise<T> {
    const opening = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${session.settings} ${settings}`;
    return inTransaction(session, opening, () => work(session));
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

  async #transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const lock = this.#follows ? await this.#holdLock() : null;
    return this.#primary.use(this.#deadlines.write, async (session) => {
      const shards = this.#distributed ? DISTRIBUTED_WRITE : "";
      const opening = `BEGIN; ${session.settings} SET LOCAL statement_timeout = 0; ${shards}
         SELECT pg_advisory_xact_lock(${LOCKS}, ${WRITE_LOCK});
         ${this.#distributed ? "" : nameWrite()}
         ${lock ? `; ${holdsSyncLock(lock.pid)}` : ""}`;
      return inTransaction(session, opening, async ([held]) => {
        // The connection of the lock may be lost without a word, or lead to another server than this one.
        if (lock && !held) {
          await this.#dropLock(lock);
          throw new StoreUnavailableError("The connection that holds the sync lock was lost");
        }
        return work(session);
      });
    });
  }

  /** Runs the migrations that this database has not seen; see Store.migrate. Throws if it cannot serve. */
  async migrate(): Promise<string[]> {
    return this.#primary.use(NO_DEADLINE, (session) => this.#migrateWith(session));
  }

  /** See Store.connections. */
  connections(): Connections {
    const [reads, primary] = [this.#reads.connections, this.#primary.connections];
    return {
      busy: reads.busy + primary.busy,
      idle: reads.idle + primary.idle,
      waiting: reads.waiting + primary.waiting,
    };
  }

  /** See Store.schemaFault. The server itself may be unfit, too. */
  schemaFault(): Promise<string | null> {
    return this.read(async (session) => {
      const server = (await session.get<ServerFacts>(SERVER))!;
      const fault = unfit(server);
      if (fault) return `The database at ${this.#reads.place} ${fault}`;
      this.#distributed = server.citus;
      const ran = await history(session);
      return foreignMigration(ran) ?? schemaFault(ran.length, migrations.length);
    });
  }

  async #migrateWith(session: Session): Promise<string[]> {
    const server = (await session.get<ServerFacts>(SERVER))!;
    const fault = unfit(server);
    if (fault) throw new Error(`The database at ${this.#primary.place} ${fault}`);
    this.#distributed = server.citus;
    if ((await pending(session)).length === 0) return [];
    const opening = `BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${LOCKS}, ${MIGRATION_LOCK})`;
    return inTransaction(session, opening, async () => {
      await session.exec(
        'CREATE TABLE IF NOT EXISTS schema_migrations (ordinal integer PRIMARY KEY, name text COLLATE "C" NOT NULL)',
      );
      const todo = await pending(session);
      for (const { ordinal, name, sql } of todo) {
        // One after another: with some changes of a table, Citus passes on the whole text that they came in.
        for (const each of sql.split(";\n")) await session.exec(each);
        await session.run(NOTE_MIGRATION, ordinal, name);
      }
      await foldNames(session);
      return todo.map((migration) => migration.name);
    });
  }

  /**
   * Takes the lock that keeps a second follower of the chain away; throws, naming the holder, if it is held. If its
   * connection is lost, the next write takes it again first, and fails if another process holds it by then.
   */
  async acquireSyncLock(): Promise<SyncLock> {
    await this.#holdLock();
    this.#follows = true;
    return {
      release: async () => {
        this.#follows = false;
        if (this.#lock) await this.#dropLock(this.#lock);
      },
    };
  }

  async #holdLock(): Promise<LockConnection> {
    this.#lock ??= await this.#takeLock();
    return this.#lock;
  }

  async #dropLock(lock: LockConnection): Promise<void> {
    if (this.#lock === lock) this.#lock = null;
    await lock.end();
  }

  /** A connection to the primary that no pool lends to others. */
  #client(config: pg.ClientConfig): pg.Client {
    return new pg.Client({
      ...clientConfig(this.#url),
      connectionTimeoutMillis: this.#deadlines.connect,
      ...config,
    });
  }

  async #takeLock(): Promise<LockConnection> {
    const socket = new Socket();
    const name = programName("sync");
    const client = this.#client({ stream: () => socket, application_name: name });
    const end = async () => {
      // A server that hangs does not end the connection, and neither would this process.
      const late = setTimeout(() => socket.destroy(), RELEASE_WITHIN);
      await client.end().finally(() => clearTimeout(late));
    };
    let lock: LockConnection | null = null;
    const onEnd = () => {
      if (lock !== null && this.#lock === lock) this.#lock = null;
    };
    client.on("error", onEnd);
    client.on("end", onEnd);
    try {
      await client.connect();
      const session = new Session(client, this.#primary.place, this.#deadlines.connect);
      if (await isPooled(client, this.#deadlines.connect)) await this.#refuseSharedConnections(client);
      await session.exec(LOCK_SETTINGS);
      const { taken, pid } = (await session.get<{ taken: boolean; pid: number }>(TRY_SYNC_LOCK))!;
      if (!taken) await this.#refuse(session, name);
      lock = { pid, end };
      this.#formerLockPid = pid;
    } catch (error) {
      await end().catch(() => {});
      throw explain(error, this.#primary.place);
    }
    return lock;
  }

  /**
   * A pooler that lends its connections for one transaction only would give the lock to other clients, and keep it when
   * this one has gone. It shows by lending one client different connections, as with `server_round_robin`, or two clients
   * the same one. Other clients can hide that for a moment, so it is looked for several times.
   */
  async #refuseSharedConnections(client: pg.Client): Promise<void> {
    const limited = { text: OWN_PID, query_timeout: this.#deadlines.connect };
    const pidOf = async (each: pg.ClientBase) => (await each.query<{ pid: number }>(limited)).rows[0]!.pid;
    const second = this.#client({});
    second.on("error", () => {});
    let shared = false;
    try {
      await second.connect();
      const own = await pidOf(client);
      for (let round = 0; round < POOLER_ROUNDS && !shared; round++) {
        // Twice, because two clients in turn would each get the same one of two connections again.
        const pids = [await pidOf(client), await pidOf(client)];
        shared = pids.some((pid) => pid !== own) || (await pidOf(second)) === own;
      }
    } finally {
      await second.end();
    }
    if (!shared) return;
    throw new Error(
      `${this.#primary.place} is a pooler that lends connections for one transaction: sync needs one for itself. ` +
        "Give it the server's own address, or a pool in session mode.",
    );
  }

  /** Throws, naming the holder of the lock. If that is a lost connection of our own, it ends it: the next call may take the lock. */
  async #refuse(session: Session, ownName: string): Promise<never> {
    const holder = await session.get<LockHolder>(SYNC_LOCK_HOLDER);
    if (holder && holder.pid === this.#formerLockPid && holder.name === ownName) {
      await session.run(TERMINATE, holder.pid);
      throw new StoreUnavailableError("The connection that holds the sync lock was lost, and still holds it");
    }
    throw new Error(`Another sync is running on this database: ${describeHolder(holder)}`);
  }

  /** Changes how the tables are spread; no statement timeout, and no other writer at the same time. */
  async distribute<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = await this.#primary.use(NO_DEADLINE, async (session) => {
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

  /** Work on a connection of its own, without a time limit, that `close` does not wait for but cuts off. */
  async apart(work: (session: Session) => Promise<void>): Promise<void> {
    const client = this.#client({ application_name: programName("upkeep") });
    client.on("error", () => {});
    try {
      await client.connect();
      if (this.#closed) throw new StoreUnavailableError("The store is closed");
      this.#apart.add(client);
      await work(new Session(client, this.#primary.place, NO_DEADLINE));
    } catch (error) {
      throw explain(error, this.#primary.place);
    } finally {
      this.#apart.delete(client);
      await client.end();
    }
  }

  /**
   * The database has Citus: its tables may be spread over several servers. They are vacuumed there, and their rows are
   * not counted where one server counts them.
   */
  get distributed(): boolean {
    return this.#distributed;
  }

  close(): Promise<void> {
    const cut = [...this.#apart].map((client) => client.end());
    this.#closed ??= Promise.all([this.#reads.end(), this.#primary.end(), ...cut]).then(() => {});
    return this.#closed;
  }
}

/** What the server's list of connections calls this process; it keeps 63 bytes. */
const programName = (task: string): string =>
  `aqs ${task} on ${hostname()}, process ${process.pid}`.slice(0, 63);

/** libpq tries several hosts in turn; pg would look up a host with a comma in its name. */
function refuseSeveralHosts(url: string): void {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  const inQuery = /[?&]host=([^&#]*)/i.exec(url)?.[1] ?? "";
  const hosts = [authority.slice(authority.lastIndexOf("@") + 1), inQuery];
  if (!hosts.some((host) => /,|%2c/i.test(host))) return;
  throw new Error(
    "A database URL with several hosts is not supported: give one name or address that leads to the primary " +
      "(DNS, a virtual address or a proxy), and a replica in DATABASE_READ_URL",
  );
}

export interface ServerFacts {
  /** As the server counts: 150018 is 15.18. */
  version: number;
  encoding: string;
  citus: boolean;
}

/** Why the program cannot work with such a server; null if it can. */
export function unfit({ version, encoding }: Pick<ServerFacts, "version" | "encoding">): string | null {
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
  `SELECT pg_try_advisory_lock(${LOCKS}, ${SYNC_LOCK}) AS taken, pg_backend_pid() AS pid`,
);
/** The server finds out within a minute that the machine of the sync is gone, and does not cut an idle sync off. */
const LOCK_SETTINGS =
  "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; SET idle_session_timeout = 0";
const SYNC_LOCK_IS = `l.locktype = 'advisory' AND l.granted AND l.classid = ${LOCKS} AND l.objid = ${SYNC_LOCK}
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const holdsSyncLock = (pid: number) => `SELECT 1 FROM pg_locks l WHERE ${SYNC_LOCK_IS} AND l.pid = ${pid}`;
const TERMINATE = statement("terminate", "SELECT pg_terminate_backend($1)");
const SYNC_LOCK_HOLDER = statement(
  "sync-lock-holder",
  `SELECT a.application_name AS name, a.pid, host(a.client_addr) AS address, a.backend_start::text AS since
   FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE ${SYNC_LOCK_IS}`,
);

interface LockHolder {
  name: string | null;
  pid: number;
  address: string | null;
  since: string;
}

function describeHolder(holder: LockHolder | undefined): string {
  if (!holder) return "it ended this moment; try again";
  const from = holder.address ?? "the server's own machine";
  return `${holder.name || "a program without a name"}, from ${from}, connected since ${holder.since} (server process ${holder.pid})`;
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

/** Names of the migrations that the database has run. */
async function history(session: Session): Promise<string[]> {
  const { present } = (await session.get<{ present: boolean }>(HAS_HISTORY))!;
  return present ? (await session.all<{ name: string }>(HISTORY)).map((row) => row.name) : [];
}

/** In words, the first one of them that is not this program's; null if there is none. */
function foreignMigration(ran: string[]): string | null {
  for (const [i, { name }] of migrations.entries()) {
    const other = ran[i];
    if (other !== undefined && other !== name) {
      return `The database's migration ${i + 1} is ${other}, this program's is ${name}`;
    }
  }
  return null;
}

/** The migrations still to run; throws if the database has run others. */
async function pending(session: Session) {
  const seen = await history(session);
  const known = Math.min(seen.length, migrations.length);
  const fault = schemaFault(seen.length, known) ?? foreignMigration(seen);
  if (fault) throw new Error(fault);
  return migrations.map((migration, i) => ({ ...migration, ordinal: i + 1 })).slice(seen.length);
}

/**
 * `opening`: BEGIN, and statements that belong to every such transaction. One of them may fail, as a write does on a
 * server that is read-only: then the transaction is open, too. `work` gets the rows of the last one.
 */
async function inTransaction<T>(
  session: Session,
  opening: string,
  work: (opened: object[]) => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work(await session.exec(opening));
  } catch (error) {
    // If the connection is gone, the server has already rolled back, and the first error says more.
    await session.exec("ROLLBACK").catch(() => {});
    throw error;
  }
  await session.exec("COMMIT");
  return result;
}

/** Not a `Statement`: in a pool, names are not ours alone. */
const OWN_PID = "SELECT pg_backend_pid() AS pid";

/** Whether a pooler stands between us and the server: it makes up the process that it says we are connected to. */
async function isPooled(client: pg.ClientBase, deadline: number): Promise<boolean> {
  const limited = { text: OWN_PID, query_timeout: deadline };
  const { pid } = (await client.query<{ pid: number }>(limited)).rows[0]!;
  return !("processID" in client && client.processID === pid);
}

const clientConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  types,
  // Finds out within a minute that the server's machine is gone, instead of after two hours.
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
  // Statements are sent as they come, without waiting for the answer to the one before.
  pipeline: true,
});

/**
 * Statements that share a connection at most. A statement in a batch costs the server half of what it costs alone, and us
 * two thirds, because neither is woken up for each; but it waits for those before it.
 */
const SHARED_BY = 8;
/** Milliseconds: on a connection that has been silent for longer, a statement takes long, and others would wait for it. */
const SILENT = 50;

/** A connection that several callers use at once. */
interface SharedConnection {
  client: Promise<pg.PoolClient>;
  users: number;
  /** When its last answer came, by `performance.now()`; before that, when it was first asked for. */
  heard: number;
  broken: boolean;
}

/** Connections to one server, at most so many, with the same settings. */
class Pool {
  /** Host and port, or the socket, for messages: never the user's name or password. */
  readonly place: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly #pool: pg.Pool;
  /** The connections that lead to a pooler. */
  readonly #pooled = new WeakSet<pg.ClientBase>();
  #anyPooled = false;
  /** Those that take another caller. */
  readonly #shared = new Set<SharedConnection>();
  readonly #local: LocalSettings;
  readonly #longWaits: LongWaits;

  constructor(url: string, settings: string, options: PostgresOptions) {
    const { host, port } = new pg.Client(clientConfig(url));
    this.place = `${host}:${port}`;
    this.timeout = Math.trunc(options.statementTimeoutMs ?? READ_TIMEOUT);
    const connectTimeout = options.connectTimeoutMs ?? CONNECT_TIMEOUT;
    const all = `SET statement_timeout = ${this.timeout}; ${settings}`;
    const max = options.poolSize ?? 10;
    this.#longWaits = new LongWaits(max);
    this.#local = `${all.replaceAll("SET ", "SET LOCAL ").replace("plan', false)", "plan', true)")};`;
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      application_name: `aqs on ${hostname()}, process ${process.pid}`.slice(0, 63),
      max,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: connectTimeout,
      // A server that hangs does not end idle connections, and they must not keep a process that is done.
      allowExitOnIdle: true,
      onConnect: async (client) => {
        // A lent connection that breaks fails the statement under way; without a listener it would end the process.
        client.on("error", () => {});
        if (await isPooled(client, connectTimeout)) {
          this.#pooled.add(client);
          this.#anyPooled = true;
          return;
        }
        const limited = { text: all, query_timeout: connectTimeout };
        await client.query(limited);
      },
    });
    // An idle connection that breaks leaves the pool; the next call opens another.
    this.#pool.on("error", () => {});
  }

  /**
   * Lends a connection. `deadline`: milliseconds that each statement may take; 0: no limit. `bounded`: only half of the
   * connections may wait long for such statements.
   */
  async use<T>(deadline: number, work: (session: Session) => Promise<T>, bounded = false): Promise<T> {
    const client = await this.#connect();
    const settings = this.#pooled.has(client) ? this.#local : "";
    const longWaits = bounded ? this.#longWaits : undefined;
    const session = new Session(client, this.place, deadline, settings, longWaits);
    try {
      return await work(session);
    } finally {
      session.end();
      // A broken one is closed, not lent again.
      client.release(session.broken);
    }
  }

  /** Lends a connection for one statement, and lends it to others at the same time. */
  async share<T>(deadline: number, work: (session: Session) => Promise<T>): Promise<T> {
    // What a pooler lends changes with each transaction, and a transaction is more than one statement.
    if (this.#anyPooled) return this.use(deadline, work);
    const shared = this.#join();
    let client: pg.PoolClient | undefined;
    try {
      client = await shared.client;
      if (!this.#pooled.has(client)) {
        const session = new Session(client, this.place, deadline);
        try {
          return await work(session);
        } finally {
          session.end();
          shared.broken ||= session.broken;
        }
      }
    } finally {
      shared.users -= 1;
      shared.heard = performance.now();
      if (shared.users === 0 || shared.broken || !client) this.#shared.delete(shared);
      if (shared.users === 0) client?.release(shared.broken);
    }
    return this.use(deadline, work);
  }

  /** The oldest shared connection with room that is not silent; a new one if there is none. */
  #join(): SharedConnection {
    const now = performance.now();
    for (const shared of this.#shared) {
      if (shared.users === SHARED_BY || now - shared.heard > SILENT) continue;
      shared.users += 1;
      return shared;
    }
    const shared = { client: this.#connect(), users: 1, heard: now, broken: false };
    this.#shared.add(shared);
    return shared;
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw explain(error, this.place);
    }
  }

  get connections(): Connections {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/**
 * SQLSTATEs (PostgreSQL manual, appendix A) of a server that has no time or no room just now, or is changing roles:
 * whole classes by two characters.
 */
const UNAVAILABLE: Record<string, string> = {
  "08": "cannot be reached",
  "08006": "cannot reach a node of its cluster",
  "25006": "takes no writes now",
  "25P03": "closed the connection",
  "40001": "cancelled a read because of recovery",
  "40P01": "was blocked by another transaction",
  "53": "is out of resources",
  "53100": "has no disk space left",
  "53300": "has no connection left",
  "55P03": "did not answer in time",
  "57": "closed the connection",
  "57014": "did not answer in time",
  "57P01": "is shutting down",
  "57P02": "crashed and is restarting",
  "57P03": "does not answer",
};

const HINT_FOR_READERS =
  ". A role that may only read can serve a database once its owner has run aqs migrate and granted it SELECT on all tables";

/**
 * How the client library says that a connection broke. If it is a connection of a Citus coordinator to another node,
 * the coordinator passes these words on, as an internal error (XX000) or one of input and output (58030).
 */
const LOST_NODE =
  /server closed the connection|SSL SYSCALL error|SSL connection has been closed|could not (receive data from|send data to) server|connection not open|failed to COPY to shard|failure on connection marked as essential/;

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
  // libpq's messages have several lines, with tabs, and Citus passes them on.
  const said = error.message.replace(/\s+/g, " ");
  if (error instanceof pg.DatabaseError) {
    const lostNode = /^(XX000|58030)$/.test(code) && LOST_NODE.test(error.message);
    const what = UNAVAILABLE[lostNode ? "08006" : code] ?? UNAVAILABLE[code.slice(0, 2)];
    if (what) return new StoreUnavailableError(`PostgreSQL at ${place} ${what}: ${said}`, { cause: error });
    // Classes 28 and 3D: wrong user or password, no such database. 42501: the role may not do that.
    const hint = code === "42501" ? HINT_FOR_READERS : "";
    if (/^(28|3D|42501)/.test(code))
      return new Error(`PostgreSQL at ${place} refuses: ${said}${hint}`, { cause: error });
    return error;
  }
  if (UNREACHABLE.has(code)) {
    // Where a name has several addresses, the error gathers the failures and says nothing itself.
    const why = error.message || code;
    return new StoreUnavailableError(`PostgreSQL at ${place} does not answer: ${why}`, { cause: error });
  }
  // The words of pg, which gives these errors no code.
  if (error.message === "Query read timeout") {
    return new StoreUnavailableError(`PostgreSQL at ${place} did not answer in time: it may be frozen`, {
      cause: error,
    });
  }
  if (
    /timeout exceeded when trying to connect|timeout expired|Connection terminated|is not queryable/.test(
      error.message,
    )
  ) {
    return new StoreUnavailableError(`PostgreSQL at ${place} does not answer: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
