import { type IndexTip, isUnavailable, type Store, StoreUnavailableError } from "#lib/store/store.ts";

/** Milliseconds: a load balancer does not wait much longer for `/readyz`. */
const CHECK_DEADLINE = 5_000;
/** Milliseconds between two checks during an outage. */
const CHECK_EVERY = 2_000;

/** No token has this hash: its lookup takes the way of a real one and finds nothing. */
const NO_TOKEN = new Uint8Array(32);

/** What there is to say about outages: once when one begins, and once when it is over. */
interface OutageLog {
  began(reason: string): void;
  ended(seconds: number): void;
  /** A check failed for another reason than an outage. */
  failed(error: unknown): void;
}

/** Whether the database answers as requests need it, and since when it does not. */
export class Availability {
  readonly #store: Pick<Store, "accessTokenByHash" | "tip">;
  readonly #log: OutageLog;
  readonly #deadline: number;
  readonly #every: number;
  #checking: Promise<IndexTip | null> | null = null;
  /** When the outage began, by `performance.now()`; null if there is none. */
  #since: number | null = null;

  constructor(
    store: Pick<Store, "accessTokenByHash" | "tip">,
    log: OutageLog,
    { deadline = CHECK_DEADLINE, every = CHECK_EVERY } = {},
  ) {
    this.#store = store;
    this.#log = log;
    this.#deadline = deadline;
    this.#every = every;
  }

  /**
   * Looks up a token where requests look them up, and reads the tip where they read. Returns the tip. Throws if a
   * request would fail now, or if the check takes too long. Concurrent calls share one check, so that strangers who
   * ask for `/readyz` take no more than its two connections.
   */
  async check(): Promise<IndexTip | null> {
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
      const tip = await Promise.race([this.#checking, late]);
      this.#end();
      return tip;
    } catch (error) {
      if (isUnavailable(error)) this.failed(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #check(): Promise<IndexTip | null> {
    const [, tip] = await Promise.all([this.#store.accessTokenByHash(NO_TOKEN), this.#store.tip()]);
    return tip;
  }

  /** Notes that the database failed a request. The first failure begins an outage, which a successful check ends. */
  failed(error: unknown): void {
    if (this.#since !== null) return;
    this.#since = performance.now();
    this.#log.began(error instanceof Error ? error.message : String(error));
    this.#watch();
  }

  #watch(): void {
    const timer = setTimeout(() => {
      if (this.#since === null) return;
      this.check().catch((error) => {
        if (isUnavailable(error)) return this.#watch();
        this.#since = null;
        this.#log.failed(error);
      });
    }, this.#every);
    // An outage does not keep the process.
    timer.unref();
  }

  #end(): void {
    if (this.#since === null) return;
    const seconds = Math.round((performance.now() - this.#since) / 1000);
    this.#since = null;
    this.#log.ended(seconds);
  }
}
