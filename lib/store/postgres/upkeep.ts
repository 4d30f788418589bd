import { isUnavailable } from "#lib/store/errors.ts";
import { statement } from "#lib/store/statement.ts";
import type { Database } from "./database.ts";

/** Fewer removed rows are left to the server's autovacuum. */
const FEW = 50_000;
/** Of the live outputs, how many may be removed before their indexes are vacuumed. */
const SHARE = 0.2;

const LIVE_ROWS = statement(
  "SELECT greatest(reltuples, 0)::bigint AS rows FROM pg_class WHERE oid = 'live_outputs'::regclass",
);

/**
 * Keeps the indexes of live outputs from growing with every output ever spent: a removed row's place is free only after a
 * vacuum. Autovacuum comes once a minute at most, which is too seldom for a sync that catches up. So the writer vacuums after a
 * share of the rows was removed, beside the writes, on a connection of its own.
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

  /** Notes how many live outputs a write has removed, and begins a vacuum if it is time. */
  removed(rows: number): void {
    this.#removed += rows;
    if (this.#db.distributed || this.#running !== null || this.#removed < this.#limit()) return;
    this.#running = this.#vacuum()
      .catch((error) => {
        // The writes beside it meet the same outage, and tell.
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
    await this.#db.apart("aqs upkeep", async (session) => {
      const count = async () => (await session.get<{ rows: number }>(LIVE_ROWS))!.rows;
      this.#rows = await count();
      if (this.#removed < this.#limit()) return;
      this.#removed = 0;
      // If autovacuum is at work on the table, this one is not needed.
      await session.exec("VACUUM (SKIP_LOCKED) live_outputs");
      this.#rows = await count();
    });
  }
}
