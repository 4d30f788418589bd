import { isUnavailable } from "#lib/store/errors.ts";
import { statement } from "#lib/store/statement.ts";
import type { Database } from "./database.ts";

/** Removed rows below this number are left to the server's autovacuum. */
const FEW = 50_000;
/** Share of the live outputs that may be removed before their indexes are vacuumed. */
const SHARE = 0.2;

const LIVE_ROWS = statement(
  "SELECT greatest(reltuples, 0)::bigint AS rows FROM pg_class WHERE oid = 'live_outputs'::regclass",
);

/**
 * Vacuums the live outputs after a share of them was removed, on a separate connection. Only a vacuum frees the space of removed rows,
 * and autovacuum runs at most once a minute, which is too rare for a sync that catches up.
 */
export class Upkeep {
  readonly #db: Database;
  readonly #few: number;
  #removed = 0;
  #running: Promise<void> | null = null;
  #fault: unknown = null;
  #rows = 0;

  /** `few`: tests set it. */
  constructor(db: Database, few = FEW) {
    this.#db = db;
    this.#few = few;
  }

  /** Counts the live outputs that a write has removed. */
  removed(rows: number): void {
    this.#removed += rows;
  }

  /**
   * Starts a vacuum if one is due. Call it once the transaction has committed: a vacuum before that frees nothing, and records
   * that the table lacks the transaction's rows. Plans for an empty table read the whole of it for each row.
   */
  start(): void {
    if (this.#db.distributed || this.#running !== null || this.#removed < this.#limit()) return;
    this.#running = this.#vacuum()
      .catch((error) => {
        // In an outage, the writes fail as well and report it.
        if (!isUnavailable(error)) this.#fault ??= error;
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Resolves once no vacuum is running. Throws if one failed, other than in an outage. */
  async settled(): Promise<void> {
    await this.#running;
    if (this.#fault !== null) throw this.#fault;
  }

  #limit(): number {
    return Math.max(this.#few, this.#rows * SHARE);
  }

  async #vacuum(): Promise<void> {
    await this.#db.onOwnConnection("aqs upkeep", async (session) => {
      const count = async () => (await session.get<{ rows: number }>(LIVE_ROWS))!.rows;
      this.#rows = await count();
      if (this.#removed < this.#limit()) return;
      this.#removed = 0;
      // SKIP_LOCKED: nothing to do if autovacuum is running.
      await session.exec("VACUUM (SKIP_LOCKED) live_outputs");
      this.#rows = await count();
    });
  }
}
