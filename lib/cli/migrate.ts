import { readConfig } from "#lib/config.ts";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import type { Store } from "#lib/store/engine.ts";
import { engineFor } from "#lib/store/open.ts";
import { type Command, parseWords, print, report, UsageError } from "./command.ts";

/** A store that can be distributed over several machines. */
interface Distributable extends Store {
  /** Returns what it did, one line a table. */
  distribute(): Promise<string[]>;
}

const isDistributable = (store: Store): store is Distributable => "distribute" in store;

export const migrate: Command = {
  usage: "migrate [--distribute]",
  summary: "Bring the database to the current schema.",
  details: `  --distribute   distribute the tables over a Citus cluster; DATABASE_URL is its coordinator`,
  async run(args) {
    const { values, positionals } = parseWords(args, { distribute: { type: "boolean", default: false } });
    if (positionals.length > 0) throw new UsageError(`Unexpected: ${positionals.join(" ")}`);
    const store = await engineFor(readConfig().DATABASE_URL);
    try {
      const names = await store.migrate();
      // Servers whose role may only read find it there.
      await store.record(makeCursorKey);
      for (const name of names) print(name);
      report(names.length === 0 ? "The schema is current." : `${names.length} migrations ran.`);
      if (!values.distribute) return 0;
      if (!isDistributable(store))
        throw new Error(`--distribute is for PostgreSQL with Citus, not for ${store.engine}`);
      for (const line of await store.distribute()) print(line);
      report("The tables are distributed.");
      return 0;
    } finally {
      await store.close();
    }
  },
};
