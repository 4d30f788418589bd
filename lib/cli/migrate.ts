import { readConfig } from "#lib/config.ts";
import { engineFor } from "#lib/store/open.ts";
import { type Command, parseWords, print, report, UsageError } from "./command.ts";

export const migrate: Command = {
  usage: "migrate",
  summary: "Bring the database to the current schema.",
  async run(args) {
    if (parseWords(args, {}).positionals.length > 0) throw new UsageError("migrate takes no words");
    const store = engineFor(readConfig().DATABASE_URL);
    try {
      const names = await store.migrate();
      for (const name of names) print(name);
      report(names.length === 0 ? "The schema is current." : `${names.length} migrations ran.`);
      return 0;
    } finally {
      await store.close();
    }
  },
};
