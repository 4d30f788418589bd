import { serverIsBusy } from "#lib/contract/errors.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import * as common from "#lib/store/common-queries.ts";
import { listCache } from "#lib/store/list-cache.ts";
import { pause } from "#lib/store/pause.ts";
import type { Query, Reader, SqliteReader } from "#lib/store/query.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { runAtOnce, runInTurn, runUntilWait, type Steps } from "#lib/store/rules/steps.ts";
import type { Statement } from "#lib/store/statement.ts";
import type { Store } from "#lib/store/store.ts";
import { Database, type DatabaseOptions, toInput, writeInPassing } from "./database.ts";
import { acquireFileLock } from "./file-lock.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

/** Rows of the cached tokens, assets and hashes together: more than a block of 10,000 assets needs. */
const MAX_CACHED = 20_000;

/** Maximum number of times that a query is read, since a reorganisation may spoil each. */
const ATTEMPTS = 3;

/** Runs the statements of queries. Nearly all responses need the tip and the same few tokens, which are cached until a write. */
function createReader(db: Database): SqliteReader {
  let version = "";
  const empty = (): SqliteReader["cache"] => ({
    tokens: new Map(),
    assets: new Map(),
    hashes: new Map(),
    lists: listCache(({ length }) => length),
  });
  let cache = empty();
  return {
    engine: "sqlite",
    all: db.shared.all,
    tuples: <T extends unknown[]>(query: Statement) => db.allTuples<T>(query.sqlite, ...toInput(query)),
    get cache() {
      const current = db.dataVersion;
      const { tokens, assets, hashes } = cache;
      if (version !== current || tokens.size + assets.size + hashes.size > MAX_CACHED) {
        const { lists } = cache;
        cache = empty();
        if (version === current) cache.lists = lists;
        version = current;
      }
      return cache;
    },
    get tokens() {
      return this.cache.tokens;
    },
    inOneState() {},
    pause,
  };
}

/** The Store over one SQLite file, for one machine: any number of processes read, one writes. */
export class SqliteStore implements Store {
  readonly engine = "sqlite";
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #tables: SqliteWriter;
  /** A cache of access tokens by the caller's hash object, cleared by any write. */
  #tokens = new WeakMap<Uint8Array, AccessToken>();
  #tokensVersion = "";

  constructor(file: string, options: DatabaseOptions = {}) {
    this.#file = file;
    this.#readOnly = options.readOnly ?? false;
    this.#db = new Database(file, options);
    this.#reader = createReader(this.#db);
    this.#tables = new SqliteWriter(this.#db);
  }

  async migrate() {
    return this.#db.migrate();
  }

  async schemaFault() {
    return this.#db.schemaFault;
  }

  async close() {
    this.#db.close();
  }

  async atomically<T>(work: () => Promise<T>): Promise<T> {
    return this.#clearingOnFailure(() => this.#db.transactionAsync(work));
  }

  async #clearingOnFailure<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#tables.clearCache();
      throw error;
    }
  }

  write: Store["write"] = (steps, ...args) =>
    this.#clearingOnFailure(() =>
      this.#db.transaction(() => {
        this.#tables.freshen();
        return runAtOnce(steps(this.#tables, ...args));
      }),
    );

  record: Store["record"] = async (steps, ...args) => runAtOnce(steps(this.#db.shared, ...args));

  note: Store["note"] = async (steps, ...args) => {
    if (this.#readOnly) return writeInPassing(this.#file, (shared) => runAtOnce(steps(shared, ...args)));
    this.#db.transaction(() => runAtOnce(steps(this.#db.shared, ...args)));
    return true;
  };

  async query<I, A>(query: Query<I, A>, input?: I): Promise<A> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      let steps!: Steps<A>;
      let reverts = 0;
      const first = this.#db.snapshot(() => {
        steps = query.read(this.#reader, input as I);
        const step = runUntilWait(steps);
        if (!step.done) reverts = this.#reverts();
        return step;
      });
      if (first.done) return first.value;
      const [read] = await Promise.allSettled([runInTurn(steps, first)]);
      // After a revert it may have read both branches, even if the blocks came back.
      if (this.#reverts() !== reverts) continue;
      if (read.status === "rejected") throw read.reason;
      return read.value;
    }
    throw serverIsBusy();
  }

  #reverts(): number {
    return runAtOnce(common.reverts(this.#db.shared));
  }

  async accessTokenAndVersion(hash: Uint8Array) {
    const version = this.#db.latestVersion;
    if (version !== this.#tokensVersion) this.#tokens = new WeakMap();
    this.#tokensVersion = version;
    let accessToken = this.#tokens.get(hash) ?? null;
    if (!accessToken) {
      accessToken = runAtOnce(common.accessTokenByHash(this.#db.shared, hash));
      if (accessToken) this.#tokens.set(hash, accessToken);
    }
    return { accessToken, version };
  }

  notice() {
    return this.#db.notice();
  }

  walBytes() {
    return this.#db.walSize;
  }

  async acquireSyncLock() {
    return acquireFileLock(this.#file);
  }

  async outputsAt(outPoints: OutPoint[]) {
    return this.#db.snapshot(() => {
      this.#tables.freshen();
      return this.#tables.outputsAt(outPoints);
    });
  }
}
