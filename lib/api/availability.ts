import { accessTokenByHash } from "#lib/questions/access-tokens.ts";
import { blockHeader, chainTip } from "#lib/questions/chain.ts";
import type { Store } from "#lib/store/engine.ts";
import { type IndexTip, isUnavailable, StoreUnavailableError } from "#lib/store/store.ts";

/** Milliseconds: a load balancer does not wait much longer for `/readyz`. */
const CHECK_DEADLINE = 5_000;
/** Milliseconds between two checks during an outage. */
const CHECK_EVERY = 2_000;
/**
 * Milliseconds without a failure after which an outage is over. If a part of the database is away, some requests fail
 * while others and the checks succeed, and a failure may take as long as the time limit of a read (10 s).
 */
const QUIET = 30_000;

/** No token has this hash: its lookup takes the way of a real one and finds nothing. */
const NO_TOKEN = new Uint8Array(32);

/** What there is to say about outages: once when one begins, and once when it is over. */
interface OutageLog {
  began(reason: string): void;
  /** `seconds`: from its first failure to its last. */
  ended(seconds: number): void;
  /** A check failed for another reason than an outage. */
  failed(error: unknown): void;
  /** The server became ready, or stopped being so for a reason in words. */
  changed(readiness: Readiness): void;
}

/** What a check of the store reads. */
type Checked = Pick<Store, "ask" | "schemaFault" | "replicaLag">;

/** A database that answers may still not be fit to serve: its schema, the age of its tip, or the lag of the replica. */
export type Readiness =
  | { ready: true; tip: IndexTip | null }
  | { ready: false; reason: "schema" | "tip" | "replica"; words: string };

/** Whether the database answers as requests need it, and since when it does not. */
export class Availability {
  readonly #store: Checked;
  readonly #log: OutageLog;
  readonly #deadline: number;
  readonly #every: number;
  readonly #maxTipAge: number;
  readonly #maxReplicaLag: number;
  readonly #now: () => number;
  #checking: Promise<Readiness> | null = null;
  #ready = true;
  #replicaLag: number | null = null;
  /** When the outage began, by `performance.now()`; null if there is none. */
  #since: number | null = null;
  #lastFailure = 0;

  /** `maxTipAge`, `maxReplicaLag`: seconds; 0: any. */
  constructor(
    store: Checked,
    log: OutageLog,
    { deadline = CHECK_DEADLINE, every = CHECK_EVERY, maxTipAge = 0, maxReplicaLag = 0, now = Date.now } = {},
  ) {
    this.#store = store;
    this.#log = log;
    this.#deadline = deadline;
    this.#every = every;
    this.#maxTipAge = maxTipAge;
    this.#maxReplicaLag = maxReplicaLag;
    this.#now = now;
  }

  /** As the last check found it, see `Store.replicaLag`; null without a replica. */
  get replicaLag(): number | null {
    return this.#replicaLag;
  }

  /**
   * Checks the schema, looks up a token where requests look them up, and reads the tip where they read. Throws if a
   * request would fail now, or if the check takes too long. Concurrent calls share one check, so that strangers who
   * ask for `/readyz` take no more than its two connections.
   */
  async check(): Promise<Readiness> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    // A check that is given up here goes on until the store gives it up, and its failure has been told by then.
    this.#checking.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new StoreUnavailableError(`The database did not answer a check within ${this.#deadline / 1000} s`),
        );
      }, this.#deadline);
    });
    try {
      const readiness = await Promise.race([this.#checking, late]);
      this.#endIfQuiet();
      if (readiness.ready !== this.#ready) this.#log.changed(readiness);
      this.#ready = readiness.ready;
      return readiness;
    } catch (error) {
      if (isUnavailable(error)) this.failed(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #check(): Promise<Readiness> {
    const fault = await this.#store.schemaFault();
    if (fault !== null) return { ready: false, reason: "schema", words: fault };
    const [, tip, lag = null] = await Promise.all([
      this.#store.ask(accessTokenByHash, NO_TOKEN),
      this.#store.ask(chainTip),
      this.#store.replicaLag?.(),
    ]);
    this.#replicaLag = lag;
    if (this.#maxReplicaLag > 0 && lag !== null && lag > this.#maxReplicaLag) {
      const words = `The replica is ${Math.round(lag)} s behind: MAX_REPLICA_LAG is ${this.#maxReplicaLag}`;
      return { ready: false, reason: "replica", words };
    }
    if (this.#maxTipAge > 0) {
      const words = await this.#ageFault(tip);
      if (words !== null) return { ready: false, reason: "tip", words };
    }
    return { ready: true, tip };
  }

  async #ageFault(tip: IndexTip | null): Promise<string | null> {
    if (!tip) return "No block is indexed yet";
    const block = await this.#store.ask(blockHeader, tip.hash);
    // Null: a reorganisation has replaced it this moment, so blocks do arrive.
    const age = block ? (this.#now() - block.timestamp) / 1000 : 0;
    if (age <= this.#maxTipAge) return null;
    return `The tip, block ${tip.height}, is ${Math.round(age)} s old: MAX_TIP_AGE is ${this.#maxTipAge}`;
  }

  /** Notes that the database failed a request or a check. The first failure begins an outage. */
  failed(error: unknown): void {
    this.#lastFailure = performance.now();
    if (this.#since !== null) return;
    this.#since = this.#lastFailure;
    this.#log.began(error instanceof Error ? error.message : String(error));
    this.#watch();
  }

  #watch(): void {
    const timer = setTimeout(async () => {
      try {
        await this.check();
      } catch (error) {
        if (!isUnavailable(error)) {
          this.#since = null;
          this.#log.failed(error);
        }
      }
      if (this.#since !== null) this.#watch();
    }, this.#every);
    // An outage does not keep the process.
    timer.unref();
  }

  #endIfQuiet(): void {
    if (this.#since === null || performance.now() - this.#lastFailure < QUIET) return;
    const seconds = Math.round((this.#lastFailure - this.#since) / 1000);
    this.#since = null;
    this.#log.ended(seconds);
  }
}
