import { hostname } from "node:os";
import pg from "pg";
import { StoreUnavailableError } from "#lib/store/errors.ts";
import type { Connections } from "#lib/store/store.ts";
import { types } from "./encoding.ts";
import { explain } from "./failures.ts";
import { isPooled } from "./pooler.ts";
import { type Lending, Session } from "./session.ts";
import { type Settings, set } from "./settings.ts";

/** Maximum number of statements that share a connection. Sharing halves their cost, but each waits for those before it. */
const SHARED_BY = 8;
/** A connection that returned nothing for this many milliseconds is not shared: others would wait for its slow statement. */
const SILENT = 50;

/** Milliseconds after which a statement counts as a long wait: see `boundWaits`. */
const LONG_WAIT = 250;

/** A lent connection, which several callers may use at once. */
interface Lent {
  client: Promise<pg.PoolClient>;
  users: number;
  /** Whether one of the callers has begun. */
  used: boolean;
  /** The time of its last result, or of its first call, by `performance.now()`. */
  heard: number;
  broken: boolean;
}

/** A limited number of connections to one server, with the same settings. */
export class Pool {
  /** Host and port, or the socket, for messages, without user name and password. */
  readonly place: string;
  readonly #config: pg.ClientConfig;
  readonly #pool: pg.Pool;
  /** One of the connections led to a pooler, so any of them may. */
  #pooled = false;
  /** Connections that may take another caller. */
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
      // Detects a dead server machine within a minute instead of two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
      // Sends statements without waiting for the result of the one before.
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
      // A server that hangs does not close idle connections, and they must not keep the process alive.
      allowExitOnIdle: true,
      onConnect: async (client) => {
        // A broken connection fails its statement. Without a listener it would also end the process.
        client.on("error", () => {});
        const pooled = await isPooled(client, connectTimeout);
        this.#pooled ||= pooled;
        const lasting = { text: set(settings, "connection"), query_timeout: connectTimeout };
        if (!pooled) await client.query(lasting);
      },
    });
    // A broken idle connection leaves the pool.
    this.#pool.on("error", () => {});
  }

  /** Lends a connection. `deadline`: milliseconds for each statement; 0: no limit. `bounded`: see `boundWaits`. */
  use<T>(deadline: number, work: (session: Session) => Promise<T>, bounded = false): Promise<T> {
    return this.#lend(this.#open(), deadline, work, bounded);
  }

  /** Lends a connection for one statement, shared with other callers. */
  share<T>(deadline: number, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#lend(this.#join(), deadline, work, false);
  }

  async #lend<T>(lent: Lent, deadline: number, work: (session: Session) => Promise<T>, bounded: boolean) {
    let client: pg.PoolClient | undefined;
    try {
      client = await lent.client;
      const settings = this.#pooled ? this.#settings : undefined;
      // Connecting may have revealed a pooler. Behind it, each statement is a transaction, which cannot share.
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

  /** The oldest shared connection that has room and responds; a new one if there is none. */
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

  /** A connection to the same server outside of the pool. The caller connects and ends it. */
  client(task: string, config: pg.ClientConfig = {}): pg.Client {
    const client = new pg.Client({ ...this.#config, application_name: programName(task), ...config });
    // A broken connection fails its statement.
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

/** Limits how many statements wait long for a node of a cluster that hangs, so that some connections stay free. */
function boundWaits(most: number, place: string): Lending["bound"] {
  let waiting = 0;
  return async (result) => {
    const { promise: refusal, reject } = Promise.withResolvers<never>();
    let isLong = false;
    const timer = setTimeout(() => {
      const others = `${LONG_WAIT} ms, as ${waiting} other statements wait, too`;
      isLong = waiting < most;
      if (isLong) waiting += 1;
      else reject(new StoreUnavailableError(`PostgreSQL at ${place} did not answer within ${others}`));
    }, LONG_WAIT);
    try {
      return await Promise.race([result, refusal]);
    } finally {
      clearTimeout(timer);
      if (isLong) waiting -= 1;
    }
  };
}

/** The name of this process in the server's list of connections, which holds 63 bytes. */
export const programName = (task: string): string =>
  `${task} on ${hostname()}, process ${process.pid}`.slice(0, 63);

/** libpq would try several hosts in turn, but pg takes them for one name with a comma. */
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
