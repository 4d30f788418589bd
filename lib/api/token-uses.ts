import type { Logger } from "pino";
import { noteTokenUses } from "#lib/queries/access-tokens.ts";
import { isUnavailable } from "#lib/store/errors.ts";
import type { Store } from "#lib/store/store.ts";

/** Collects the last uses of access tokens, and stores them now and then. */
export class TokenUses {
  readonly #store: Pick<Store, "note">;
  readonly #log: Pick<Logger, "info" | "error">;
  #uses = new Map<string, number>();
  #mayWrite = true;

  constructor(store: Pick<Store, "note">, log: Pick<Logger, "info" | "error">) {
    this.#store = store;
    this.#log = log;
  }

  used(id: string, now: number): void {
    if (this.#mayWrite) this.#uses.set(id, now);
  }

  /** Stores the collected uses; if the database is busy, the next call does. */
  async save(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      this.#mayWrite = await this.#store.note(noteTokenUses, uses);
      if (!this.#mayWrite) {
        this.#uses.clear();
        this.#log.info(
          "last uses of access tokens are not stored: this server may not write to the database",
        );
      }
    } catch (error) {
      this.#uses = new Map([...uses, ...this.#uses]);
      if (isUnavailable(error)) return;
      this.#log.error({ err: error }, "last uses of access tokens could not be stored");
    }
  }
}
