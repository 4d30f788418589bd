import { setTimeout } from "node:timers/promises";
import { chainTip } from "#lib/queries/chain.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";

/** The longest time that an error response waits for its tip. */
const MAX_WAIT_MS = 100;

/** The tip for error responses, which must neither wait for a database that may be their cause nor keep it busy. */
export class RecentTip {
  readonly #store: Pick<Store, "query">;
  readonly #onFailure: (error: unknown) => void;
  last: IndexTip | null = null;
  #reading: Promise<void> | null = null;

  constructor(store: Pick<Store, "query">, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** The current tip; the last one if reading takes too long. Concurrent calls share one read. */
  async read(): Promise<IndexTip | null> {
    this.#reading ??= this.#read();
    await Promise.race([this.#reading, setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
    return this.last;
  }

  async #read(): Promise<void> {
    try {
      this.last = await this.#store.query(chainTip);
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#reading = null;
    }
  }
}
