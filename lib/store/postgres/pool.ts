import { hostname } from "node:os";
import pg from "pg";
import { StoreUnavailableError } from "#lib/store/errors.ts";
import type { Connections } from "#lib/store/store.ts";
import { types } from "./encoding.ts";
import { explain } from "./failures.ts";
import { isPooled } from "./pooler.ts";
import { type Lending, Session } from "./session.ts";
import { type Settings, set } from "./settings.ts";

/**
 * Most statements that share a connection. Together they cost the server half as much, since neither side is woken for each;
 * but each waits for those before it.
 */
const SHARED_BY = 8;
/** Milliseconds: on a connection that has been silent for longer, a statement takes long, and others would wait for it. */
const SILENT = 50;

/** Milliseconds without an answer after which a statement waits long. */
const LONG_WAIT = 250;

/** A lent connection, which several callers may use at once. */
interface Lent {
  client: Promise<pg.PoolClient>;
  users: number;
  /** One of them has begun. */
  used: boolean;
  /** When its last answer came, by `performance.now()`; before that, when it was first asked for. */
  heard: number;
  broken: boolean;
}

/** Connections to one server, at most so many, with the same settings. */
export class Pool {
  /** Host and port, or the socket, for messages: never the user's name or password. */
  readonly place: string;
  readonly #config: pg.ClientConfig;
  readonly #pool: pg.Pool;
  /** One of its connections led to a pooler, so any may. */
  #pooled = false;
  /** Those that take another caller. */
  readonly #shared = new Set<Lent>();
  readonly #settings: Settings;
  readonly #bound: Lending["bound"];

  /** `connectTimeout`: milliseconds; 0: no limit. Throws if the URL names several hosts. */
  constructor(url: string, settings: Settings, size: number, connectTimeout: number) {
    refuseSeveralHosts(url);
    this.#settings = settings;
    this.#config = {
      connectionString: url,
      types,
      connectionTimeoutMillis: connectTimeout,
      // Finds out within a minute that the server's machine is gone, instead of after two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
      // Statements are sent as they come, without waiting for the answer to the one before.
      pipeline: true,
    };
    const { host, port } = new pg.Client(this.#config);
    this.place = `${host}:${port}`;
    this.#bound = boundWaits(Math.ceil(size / 2), this.place);
    this.#pool = new pg.Pool({
      ...this.#config,
      application_name: programName("aqs"),
      max: size,
      idleTimeoutMillis: 60_000,
      // A server that hangs does not end idle connections, and they must not keep a process that is done.
      allowExitOnIdle: true,
      onConnect: async (client) => {
        // A lent connection that breaks fails the statement under way; without a listener it would end the process.
        client.on("error", () => {});
        const pooled = await isPooled(client, connectTimeout);
        this.#pooled ||= pooled;
        const lasting = { text: set(settings, "connection"), query_timeout: connectTimeout };
        if (!pooled) await client.query(lasting);
      },
    });
    // An idle connection that breaks leaves the pool; the next call opens another.
    this.#pool.on("error", () => {});
  }

  /**
   * Lends a connection. `deadline`: milliseconds for each statement; 0: no limit. `bounded`: only half of the connections may
   * wait long for such statements.
   */
  use<T>(deadline: number, work: (session: Session) => Promise<T>, bounded = false): Promise<T> {
    return this.#lend(this.#open(), deadline, work, bounded);
  }

  /** Lends a connection for one statement, and lends it to others at the same time. */
  share<T>(deadline: number, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#lend(this.#join(), deadline, work, false);
  }

  async #lend<T>(lent: Lent, deadline: number, work: (session: Session) => Promise<T>, bounded: boolean) {
    let client: pg.PoolClient | undefined;
    try {
      client = await lent.client;
      const settings = this.#pooled ? this.#settings : undefined;
      // Connecting may have shown a pooler. Behind it each statement is a transaction, which cannot share.
      if (!settings || !lent.used) {
        lent.used = true;
        const bound = bounded ? this.#bound : undefined;
        const session = new Session({ client, place: this.place, deadline, settings, bound });
        try {
          return await work(session);
        } finally {
          session.end();
          lent.broken ||= session.broken;
        }
      }
    } finally {
      lent.users -= 1;
      lent.heard = performance.now();
      if (lent.users === 0 || lent.broken || !client) this.#shared.delete(lent);
      // A broken one is closed, not lent again.
      if (lent.users === 0) client?.release(lent.broken);
    }
    return this.use(deadline, work, bounded);
  }

  /** The oldest shared connection with room that is not silent; a new one if there is none. */
  #join(): Lent {
    if (this.#pooled) return this.#open();
    const now = performance.now();
    for (const lent of this.#shared) {
      if (lent.users === SHARED_BY || now - lent.heard > SILENT) continue;
      lent.users += 1;
      return lent;
    }
    const lent = this.#open();
    this.#shared.add(lent);
    return lent;
  }

  #open(): Lent {
    return { client: this.#connect(), users: 1, used: false, heard: performance.now(), broken: false };
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw explain(error, this.place);
    }
  }

  /** A connection to the same server that is not lent. The caller connects and ends it. */
  client(task: string, config: pg.ClientConfig = {}): pg.Client {
    const client = new pg.Client({ ...this.#config, application_name: programName(task), ...config });
    // If it breaks, the statement under way fails.
    client.on("error", () => {});
    return client;
  }

  get connections(): Connections {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Lets at most so many statements wait long for a node of a cluster that hangs, so that it does not take all connections. */
function boundWaits(most: number, place: string): Lending["bound"] {
  let waiting = 0;
  return async (answer) => {
    const { promise: refusal, reject } = Promise.withResolvers<never>();
    let isLong = false;
    const timer = setTimeout(() => {
      const others = `${LONG_WAIT} ms, as ${waiting} other statements wait, too`;
      isLong = waiting < most;
      if (isLong) waiting += 1;
      else reject(new StoreUnavailableError(`PostgreSQL at ${place} did not answer within ${others}`));
    }, LONG_WAIT);
    try {
      return await Promise.race([answer, refusal]);
    } finally {
      clearTimeout(timer);
      if (isLong) waiting -= 1;
    }
  };
}

/** What the server's list of connections calls this process; it keeps 63 bytes. */
export const programName = (task: string): string =>
  `${task} on ${hostname()}, process ${process.pid}`.slice(0, 63);

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
