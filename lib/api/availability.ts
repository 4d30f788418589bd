import type { Logger } from "pino";
import { accessTokenByHash } from "#lib/queries/access-tokens.ts";
import { blockHeader, chainTip } from "#lib/queries/chain.ts";
import { isUnavailable, StoreUnavailableError } from "#lib/store/errors.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";

const DEFAULTS = {
  /** Milliseconds for a check. Load balancers do not wait much longer for `/readyz`. */
  deadline: 5_000,
  /** Milliseconds between two checks during an outage. */
  every: 2_000,
  /** Seconds; 0 allows any age. */
  maxTipAge: 0,
  /** Seconds; 0 allows any lag. */
  maxReplicaLag: 0,
  now: Date.now,
};
/** Milliseconds without a failure that end an outage. One failing read takes up to 10 s. */
const QUIET = 30_000;

/** No token has this hash, but looking it up takes the same path as a real one. */
const NO_TOKEN = new Uint8Array(32);

type Checked = Pick<Store, "query" | "schemaFault" | "replicaLag">;

/** A reachable database may still be unfit to serve: by its schema, the age of its tip, or the lag of the replica. */
export type Readiness =
  | { ready: true; tip: IndexTip }
  | { ready: false; reason: "schema" | "tip" | "replica"; words: string };

/** Tells whether the database can serve requests. Logs each outage once when it begins and once when it ends. */
export class Availability {
  readonly #store: Checked;
  readonly #log: Pick<Logger, "error" | "warn">;
  readonly #options: typeof DEFAULTS;
  #checking: Promise<Readiness> | null = null;
  #ready = true;
  /** The result of `Store.replicaLag` in the last check; null without a replica. */
  replicaLag: number | null = null;
  /** Start of the outage by `performance.now()`; null if there is none. */
  #since: number | null = null;
  #lastFailure = 0;

  constructor(store: Checked, log: Pick<Logger, "error" | "warn">, options: Partial<typeof DEFAULTS> = {}) {
    this.#store = store;
    this.#log = log;
    this.#options = { ...DEFAULTS, ...options };
  }

  /**
   * Checks the schema, looks up a token and reads the tip, each on the server that requests use. Throws if a request would
   * fail now, or if the check takes too long. Concurrent calls share one check, so strangers use at most two connections.
   */
  async check(): Promise<Readiness> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    // After the deadline the check goes on until the store's own timeout. Its failure has been reported by then.
    this.#checking.catch(() => {});
    const { deadline } = this.#options;
    const late = Promise.withResolvers<never>();
    using _timer = setTimeout(() => {
      const words = `The database did not answer a check within ${deadline / 1000} s`;
      late.reject(new StoreUnavailableError(words));
    }, deadline);
    try {
      const readiness = await Promise.race([this.#checking, late.promise]);
      this.#endIfQuiet();
      const wasReady = this.#ready;
      this.#ready = readiness.ready;
      if (!readiness.ready && wasReady)
        this.#log.error({ reason: readiness.words }, "the server is not ready");
      if (readiness.ready && !wasReady) this.#log.warn("the server is ready again");
      return readiness;
    } catch (error) {
      if (isUnavailable(error)) this.failed(error);
      throw error;
    }
  }

  async #check(): Promise<Readiness> {
    const fault = await this.#store.schemaFault();
    if (fault !== null) return { ready: false, reason: "schema", words: fault };
    const [, tip, lag = null] = await Promise.all([
      this.#store.query(accessTokenByHash, NO_TOKEN),
      this.#store.query(chainTip),
      this.#store.replicaLag?.(),
    ]);
    this.replicaLag = lag;
    if (!tip) return { ready: false, reason: "tip", words: "No block is indexed yet" };
    const { maxReplicaLag, maxTipAge, now } = this.#options;
    if (maxReplicaLag > 0 && lag !== null && lag > maxReplicaLag) {
      const words = `The replica is ${Math.round(lag)} s behind: MAX_REPLICA_LAG is ${maxReplicaLag}`;
      return { ready: false, reason: "replica", words };
    }
    // If a reorganisation has just replaced the block, blocks do arrive.
    const block = maxTipAge > 0 ? await this.#store.query(blockHeader, tip.hash) : null;
    const age = block ? (now() - block.timestamp) / 1000 : 0;
    if (age > maxTipAge) {
      const words = `The tip, block ${tip.height}, is ${Math.round(age)} s old: MAX_TIP_AGE is ${maxTipAge}`;
      return { ready: false, reason: "tip", words };
    }
    return { ready: true, tip };
  }

  /** Records a failed request or check. The first one starts an outage. */
  failed(error: unknown): void {
    this.#lastFailure = performance.now();
    if (this.#since !== null) return;
    this.#since = this.#lastFailure;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.error({ reason }, "the database does not answer: requests get 503");
    this.#watch();
  }

  #watch(): void {
    setTimeout(async () => {
      try {
        await this.check();
      } catch (error) {
        if (!isUnavailable(error)) {
          this.#since = null;
          this.#log.error({ err: error }, "the database could not be checked");
        }
      }
      if (this.#since !== null) this.#watch();
    }, this.#options.every).unref();
  }

  #endIfQuiet(): void {
    if (this.#since === null || performance.now() - this.#lastFailure < QUIET) return;
    const seconds = Math.round((this.#lastFailure - this.#since) / 1000);
    this.#since = null;
    this.#log.warn({ seconds }, "the database answers again");
  }
}
