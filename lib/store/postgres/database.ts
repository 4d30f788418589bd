import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { LAST_WRITE } from "#lib/store/common-queries.ts";
import { StoreUnavailableError } from "#lib/store/errors.ts";
import type { Effort } from "#lib/store/query.ts";
import { statement } from "#lib/store/statement.ts";
import type { Connections, SyncLock } from "#lib/store/store.ts";
import { explain } from "./failures.ts";
import { SyncLockKeeper, stillHolds, WRITE_LOCK } from "./lock.ts";
import { findSchemaFault, migrate, SERVER, type ServerFacts, unfit } from "./migrate.ts";
import { Pool } from "./pool.ts";
import { isPooled } from "./pooler.ts";
import { Session } from "./session.ts";
import {
  DISTRIBUTED_JOINS,
  DISTRIBUTED_WRITE,
  READ_SETTINGS,
  type Settings,
  set,
  timeLimit,
  WRITE_SETTINGS,
} from "./settings.ts";

export interface PostgresOptions {
  /** A replica that serves queries. Its responses name the tip that it has. */
  readUrl?: string | undefined;
  /** Maximum number of connections of one process for reading; the same number may be opened for writing. */
  poolSize?: number | undefined;
  /** Milliseconds after which the server cancels a read; this side gives up `GRACE` later. 0: no limit. */
  statementTimeoutMs?: number | undefined;
  /** Milliseconds to wait for a connection; 0: no limit. */
  connectTimeoutMs?: number | undefined;
  /** Milliseconds to wait for each statement of a write, and of a long read of `sync` or `copy`; 0: no limit. */
  writeTimeoutMs?: number | undefined;
}

const CONNECT_TIMEOUT = 5_000;
const READ_TIMEOUT = 10_000;
/** Milliseconds that the server has to report its own timeout. */
const GRACE = 2_000;
/** The longest time, in milliseconds, that a timer of JavaScript takes. */
const MAX_DELAY = 2 ** 31 - 1;
/** Long enough to wait for another writer, and for the largest batch on a slow disk. */
const WRITE_TIMEOUT = 300_000;
/** No limit, for work that can take hours: migrations, `verify`, `status`, `migrate --distribute`. */
const NO_DEADLINE = 0;

const nameWrite = () => `
  INSERT INTO state (key, value) VALUES ('${LAST_WRITE}', '${randomUUID()}')
  ON CONFLICT (key) DO UPDATE SET value = excluded.value;`;

/** Citus gives a moved shard a new number when reads begin to go to its new node. */
const LAST_PLACEMENT = statement("SELECT max(placementid) AS last FROM pg_dist_placement");

/** Names the sessions that this program's connections wait for. */
const BLOCKERS = statement(`SELECT string_agg(format('%s (server process %s, its transaction began at %s)',
     coalesce(nullif(b.application_name, ''), 'a program without a name'), b.pid, b.xact_start), ', ') AS words
   FROM pg_stat_activity b WHERE b.pid IN (SELECT unnest(pg_blocking_pids(a.pid)) FROM pg_stat_activity a
     WHERE a.application_name = current_setting('application_name'))`);
/** Milliseconds between two looks at the sessions. */
const LOOK_EVERY = 2_000;

const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

type Work<T> = (session: Session) => Promise<T>;

/** The database and its replica, if there is one. Chooses the server and the time limit for each kind of work. */
export class Database {
  readonly #reads: Pool;
  readonly #primary: Pool;
  readonly hasReplica: boolean;
  /** The transaction of `atomically`, which calls of the store join. Its writes run one at a time. */
  readonly #ambient = new AsyncLocalStorage<{ session: Session; lastWrite: Promise<unknown> }>();
  readonly #readDeadline: number;
  readonly #writeDeadline: number;
  /** This process follows the chain: it may write only while it holds the sync lock. */
  #follows = false;
  readonly #lock: SyncLockKeeper;
  /** The database has Citus, so its tables may be spread over several servers. */
  distributed = false;
  readonly #ownConnections = new Set<pg.Client>();
  #closed: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    const timeout = Math.trunc(options.statementTimeoutMs ?? READ_TIMEOUT);
    const connectTimeout = options.connectTimeoutMs ?? CONNECT_TIMEOUT;
    const pool = (to: string, settings: typeof READ_SETTINGS) =>
      new Pool(to, { ...timeLimit(timeout), ...settings }, options.poolSize ?? 10, connectTimeout);
    this.hasReplica = options.readUrl !== undefined;
    this.#reads = pool(options.readUrl ?? url, READ_SETTINGS);
    this.#primary = pool(url, WRITE_SETTINGS);
    this.#readDeadline = timeout === 0 ? NO_DEADLINE : Math.min(timeout + GRACE, MAX_DELAY);
    this.#writeDeadline = options.writeTimeoutMs ?? WRITE_TIMEOUT;
    this.#lock = new SyncLockKeeper(this.#primary, connectTimeout);
  }

  /** Reads, usually on the replica if there is one. Within `atomically`, reads see its writes. */
  read<T>(effort: Effort, work: Work<T>, from?: "primary"): Promise<T> {
    const ambient = this.#ambient.getStore();
    if (ambient) return work(ambient.session);
    const [reads, deadline] = [this.#reads, this.#readDeadline];
    if (effort === "long" || effort === "endless") {
      const settings = { ...timeLimit(0), ...(this.distributed && DISTRIBUTED_JOINS) };
      return this.#primary.use(effort === "long" ? this.#writeDeadline : NO_DEADLINE, (session) =>
        this.#inSnapshot(session, settings, work),
      );
    }
    if (effort === "snapshot") {
      const inSnapshot: Work<T> = (session) => this.#inSnapshot(session, {}, work);
      return reads.use(deadline, inSnapshot, this.distributed);
    }
    // A sync depends on the latest rows, which a replica may not have yet.
    const pool = this.hasReplica && (from || this.#follows) ? this.#primary : reads;
    const lent: Work<T> = (session) =>
      session.needsTransaction ? session.transaction("BEGIN", {}, () => work(session)) : work(session);
    // Each statement in a cluster goes to another node, and one that hangs must not delay the others.
    if (effort === "scan" || this.distributed) return pool.use(deadline, lent, this.distributed);
    return pool.share(deadline, lent);
  }

  /** Reads one state. On Citus, throws if a shard moved meanwhile: nodes have snapshots of their own, which may lack it. */
  async #inSnapshot<T>(session: Session, settings: Settings, work: Work<T>): Promise<T> {
    const placement = () =>
      this.distributed ? session.get<{ last: string | null }>(LAST_PLACEMENT) : undefined;
    const before = await placement();
    // A moved shard may also make the read fail.
    const [read] = await Promise.allSettled([session.transaction(SNAPSHOT, settings, () => work(session))]);
    if ((await placement())?.last !== before?.last) {
      throw new StoreUnavailableError(
        "Citus moved shards during a read, which may have missed rows: try again after the rebalance " +
          "(SELECT * FROM citus_rebalance_status())",
      );
    }
    if (read.status === "rejected") throw read.reason;
    return read.value;
  }

  /** Within `atomically`. */
  get isWithin(): boolean {
    return this.#ambient.getStore() !== undefined;
  }

  /** Makes all writes of `work` one transaction, or part of `atomically`. Writers run one at a time. */
  write<T>(work: Work<T>): Promise<T> {
    const ambient = this.#ambient.getStore();
    if (!ambient) return this.#transaction(work);
    const run = ambient.lastWrite.then(() => work(ambient.session));
    ambient.lastWrite = run.catch(() => {});
    return run;
  }

  /** Makes all calls of the store within `work` one transaction. */
  atomically<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ambient.getStore()) return work();
    return this.#transaction((session) => this.#ambient.run({ session, lastWrite: Promise.resolve() }, work));
  }

  async #transaction<T>(work: Work<T>): Promise<T> {
    const lock = this.#follows ? await this.#lock.hold() : null;
    const settings = { ...timeLimit(0), ...(this.distributed && DISTRIBUTED_WRITE) };
    const first = `SELECT pg_advisory_xact_lock(${WRITE_LOCK});
      ${this.distributed ? "" : nameWrite()} ${lock ? stillHolds(lock) : ""}`;
    const whileHeld = async (session: Session, held: object | undefined) => {
      // The connection of the lock may be lost silently, or lead to another server than this one.
      if (lock && !held) {
        await this.#lock.drop(lock);
        throw new StoreUnavailableError("The connection that holds the sync lock was lost");
      }
      return work(session);
    };
    return this.#primary.use(this.#writeDeadline, (session) =>
      session.transaction("BEGIN", settings, ([held]) => whileHeld(session, held), first),
    );
  }

  migrate(onProgress: (line: string) => void): Promise<string[]> {
    return this.#primary.use(NO_DEADLINE, async (session) => {
      const fault = await this.#inspect(session, this.#primary);
      if (fault) throw new Error(fault);
      const watch = this.#watchBlockers(onProgress);
      try {
        return await migrate(session);
      } finally {
        clearInterval(watch);
      }
    });
  }

  /** Reports what a migration waits for, whenever that changes, because readers wait behind the migration. */
  #watchBlockers(say: (line: string) => void): NodeJS.Timeout {
    let said: string | null = null;
    const look = async () => {
      const found = await this.#primary.use(READ_TIMEOUT, (session) =>
        session.get<{ words: string | null }>(BLOCKERS),
      );
      const words = found?.words ?? null;
      if (words !== null && words !== said) {
        say(`The migration waits for ${words}. Until that ends, all who read wait behind the migration.`);
      }
      said = words;
    };
    // If the database does not respond, the migration itself fails.
    return setInterval(() => look().catch(() => {}), LOOK_EVERY);
  }

  /** See Store.schemaFault. It also describes what is wrong with the server. */
  schemaFault(): Promise<string | null> {
    return this.read(
      "scan",
      async (session) => (await this.#inspect(session, this.#reads)) ?? findSchemaFault(session),
    );
  }

  /** Finds out whether the database has Citus. Describes why the program cannot work with the server, or returns null. */
  async #inspect(session: Session, { place }: Pool): Promise<string | null> {
    const server = (await session.get<ServerFacts>(SERVER))!;
    this.distributed = server.citus;
    const fault = unfit(server);
    return fault && `The database at ${place} ${fault}`;
  }

  connections(): Connections {
    const [reads, primary] = [this.#reads.connections, this.#primary.connections];
    return {
      busy: reads.busy + primary.busy,
      idle: reads.idle + primary.idle,
      waiting: reads.waiting + primary.waiting,
    };
  }

  async acquireSyncLock(): Promise<SyncLock> {
    await this.#lock.hold();
    this.#follows = true;
    return {
      release: async () => {
        this.#follows = false;
        await this.#lock.drop();
      },
    };
  }

  /** Runs a change of how the tables are distributed, without a time limit and without other writers. */
  async distribute<T>(work: Work<T>): Promise<T> {
    const result = await this.onOwnConnection("aqs migrate", async (session) => {
      // Held until the connection ends.
      await session.exec(`SELECT pg_advisory_lock(${WRITE_LOCK})`);
      return work(session);
    });
    this.distributed = true;
    return result;
  }

  /** Runs `work` on a separate connection, without a time limit. `close` does not wait for it, but breaks the connection. */
  async onOwnConnection<T>(task: string, work: Work<T>): Promise<T> {
    const client = this.#primary.client(task);
    try {
      await client.connect();
      if (this.#closed) throw new StoreUnavailableError("The store is closed");
      this.#ownConnections.add(client);
      const pooled = await isPooled(client, NO_DEADLINE);
      const session = new Session({
        client,
        place: this.#primary.place,
        deadline: NO_DEADLINE,
        // Behind a pooler, statements have no names: the next one may go to another connection.
        settings: pooled ? {} : undefined,
      });
      // The role may have a limit of its own. Behind a pooler, the setting would stay for other clients.
      if (!pooled) await session.exec(set(timeLimit(0), "connection"));
      return await work(session);
    } catch (error) {
      throw explain(error, this.#primary.place);
    } finally {
      this.#ownConnections.delete(client);
      await client.end();
    }
  }

  close(): Promise<void> {
    // `end` would wait for the statement under way.
    for (const client of this.#ownConnections) client.connection.stream.destroy();
    this.#closed ??= Promise.all([this.#reads.end(), this.#primary.end()]).then(() => {});
    return this.#closed;
  }
}
