import type { Queries, Tip } from "#lib/store/store.ts";

/** An error is not held up for longer than this to say at which tip it was made. */
const MAX_WAIT_MS = 100;

/**
 * The tip as errors tell it: they must not wait for the database that may be the reason for them, nor may anyone
 * without a token make it busy. Failing reads go to `onFailure`.
 */
export class RecentTip {
  readonly #store: Pick<Queries, "tip">;
  readonly #onFailure: (error: unknown) => void;
  #last: Tip | null = null;
  #reading: Promise<void> | null = null;

  constructor(store: Pick<Queries, "tip">, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** The tip that was read last, by whomever. */
  get last(): Tip | null {
    return this.#last;
  }

  remember(tip: Tip | null): void {
    this.#last = tip;
  }

  /** The tip now; the last one where another read is slow. One read at a time serves all who ask meanwhile. */
  async read(): Promise<Tip | null> {
    this.#reading ??= this.#read();
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_WAIT_MS);
    });
    await Promise.race([this.#reading, waited]);
    clearTimeout(timer);
    return this.#last;
  }

  async #read(): Promise<void> {
    try {
      this.#last = await this.#store.tip();
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#reading = null;
    }
  }
}
