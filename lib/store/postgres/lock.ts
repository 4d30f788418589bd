import { Socket } from "node:net";
import type pg from "pg";
import { StoreUnavailableError } from "#lib/store/errors.ts";
import { statement, statementWith } from "#lib/store/statement.ts";
import { explain } from "./failures.ts";
import { type Pool, programName } from "./pool.ts";
import { isPooled, lendsForTransactions } from "./pooler.ts";
import { Session } from "./session.ts";
import { LOCK_SETTINGS, set } from "./settings.ts";

/** Advisory locks of a database are pairs of numbers. This is the first number of ours. */
const LOCKS = 0x415153;
export const WRITE_LOCK = `${LOCKS}, 1`;
const SYNC_LOCK = `${LOCKS}, 2`;
export const MIGRATION_LOCK = `${LOCKS}, 3`;

/** Milliseconds that the server has to close the connection that holds the sync lock, before this side destroys it. */
const RELEASE_WITHIN = 2_000;

const TRY = statement(`SELECT pg_try_advisory_lock(${SYNC_LOCK}) AS taken, pg_backend_pid() AS pid`);
const IS_HELD = `l.locktype = 'advisory' AND l.granted AND (l.classid, l.objid) = (${SYNC_LOCK})
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const TERMINATE = statementWith(["pid"])("SELECT pg_terminate_backend($pid)");
const HOLDER = statement(`SELECT a.pid, a.application_name AS name,
     format('%s, from %s, connected since %s (server process %s)',
       coalesce(nullif(a.application_name, ''), 'a program without a name'),
       coalesce(host(a.client_addr), 'the server''s own machine'), a.backend_start, a.pid) AS words
   FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE ${IS_HELD}`);

/** The connection that holds the lock, and its process on the server. */
export interface HeldLock {
  pid: number;
  end(): Promise<void>;
}

/** A statement that returns a row if the connection still holds the lock, according to the server. */
export const stillHolds = ({ pid }: HeldLock): string =>
  `SELECT 1 FROM pg_locks l WHERE ${IS_HELD} AND l.pid = ${pid}`;

/** Lets only one process follow the chain into a database. The lock lasts as long as its connection. */
export class SyncLockKeeper {
  readonly #pool: Pool;
  readonly #deadline: number;
  #held: HeldLock | null = null;
  /** The server's process that held the lock last. It may outlive the connection to it. */
  #formerPid: number | null = null;

  /** `deadline`: milliseconds for each statement; 0: no limit. */
  constructor(pool: Pool, deadline: number) {
    this.#pool = pool;
    this.#deadline = deadline;
  }

  /** Takes the lock unless this process holds it. Throws an Error that names the holder if another process does. */
  async hold(): Promise<HeldLock> {
    this.#held ??= await this.#take();
    return this.#held;
  }

  /** Gives up this lock, or the one that is held. */
  async drop(lock = this.#held): Promise<void> {
    if (this.#held === lock) this.#held = null;
    await lock?.end();
  }

  async #take(): Promise<HeldLock> {
    const socket = new Socket();
    const name = programName("aqs sync");
    const client = this.#pool.client("aqs sync", { stream: () => socket });
    const end = async () => {
      // A server that hangs does not close the connection, so this process could not exit.
      const late = setTimeout(() => socket.destroy(), RELEASE_WITHIN);
      await client.end().finally(() => clearTimeout(late));
    };
    try {
      await client.connect();
      if (await isPooled(client, this.#deadline)) await this.#refuseSharedConnections(client);
      const session = new Session({ client, place: this.#pool.place, deadline: this.#deadline });
      await session.exec(set(LOCK_SETTINGS, "connection"));
      const { taken, pid } = (await session.get<{ taken: boolean; pid: number }>(TRY))!;
      if (!taken) await this.#refuse(session, name);
      const lock = { pid, end };
      client.on("end", () => {
        if (this.#held === lock) this.#held = null;
      });
      this.#formerPid = pid;
      return lock;
    } catch (error) {
      await end().catch(() => {});
      throw explain(error, this.#pool.place);
    }
  }

  /** Throws if a pooler lends the connection to other clients, which would get the lock with it. */
  async #refuseSharedConnections(client: pg.Client): Promise<void> {
    const other = this.#pool.client("aqs sync");
    try {
      await other.connect();
      if (!(await lendsForTransactions(client, other, this.#deadline))) return;
    } finally {
      await other.end();
    }
    throw new Error(
      `${this.#pool.place} is a pooler that lends connections for one transaction: sync needs one for itself. ` +
        "Give it the server's own address, or a pool in session mode.",
    );
  }

  /** Throws an Error that names the holder. If that is a lost connection of our own, it is ended, so that a later call succeeds. */
  async #refuse(session: Session, ownName: string): Promise<never> {
    const holder = await session.get<{ pid: number; name: string; words: string }>(HOLDER);
    if (holder && holder.pid === this.#formerPid && holder.name === ownName) {
      await session.run(TERMINATE({ pid: holder.pid }));
      throw new StoreUnavailableError("The connection that holds the sync lock was lost, and still holds it");
    }
    if (!holder) throw new Error("Another sync on this database has just ended: try again");
    throw new Error(`Another sync is running on this database: ${holder.words}`);
  }
}
