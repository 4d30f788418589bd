import { readConfig } from "#lib/config.ts";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import { engineFor } from "#lib/store/open.ts";
import { closing, command, print, report } from "./command.ts";

export const migrate = command({
  usage: "migrate [--distribute]",
  summary: "Bring the database to the current schema.",
  details: `  --distribute   distribute the tables over a Citus cluster; DATABASE_URL is its coordinator`,
  options: { distribute: { type: "boolean" } },
  run: ({ distribute }) =>
    closing(engineFor(readConfig().DATABASE_URL), async (store) => {
      const names = await store.migrate(report);
      // Servers with a read-only role cannot create it.
      await store.record(makeCursorKey);
      print(names);
      report(names.length === 0 ? "The schema is current." : "The schema is current now.");
      if (!distribute) return;
      if (!store.distribute)
        throw new Error(`--distribute is for PostgreSQL with Citus, not for ${store.engine}`);
      print(await store.distribute());
      report("The tables are distributed.");
    }),
});
