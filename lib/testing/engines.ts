import { afterAll, test } from "vitest";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "./postgres.ts";

/** A storage engine under test: `open` gives a fresh, empty, migrated store. */
export interface Engine {
  name: string;
  open(): Promise<Store>;
}

const sqlite: Engine = { name: "SQLite", open: () => openStore("sqlite::memory:") };

/** `ENGINES=sqlite` leaves the server out: the quick loop of `npm run check`. */
const withServer = process.env.ENGINES !== "sqlite" && postgresBinaries() !== null;

export const engines: Engine[] = withServer ? [sqlite, postgres()] : [sqlite];

if (postgresBinaries() === null) test.skip(`PostgreSQL: ${NO_POSTGRES}`, () => {});

/** One server for the test file; each store gets a copy of one migrated database, dropped when it is closed. */
function postgres(): Engine {
  let server: ThrowawayServer | undefined;
  let template: Promise<void> | undefined;
  let count = 0;
  afterAll(() => server?.stop());
  return {
    name: "PostgreSQL",
    async open() {
      server ??= startPostgres();
      const { run, url } = server;
      template ??= (async () => {
        // A locale that sorts "a" before "B": an order that the schema left to the server would show.
        const local = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
        await run(`CREATE DATABASE template ${local}`).catch(() => run("CREATE DATABASE template"));
        await (await openStore(url("template"))).close();
      })();
      await template;
      const name = `store_${++count}`;
      await run(`CREATE DATABASE ${name} TEMPLATE template`);
      const store = await openStore(url(name));
      const close = store.close.bind(store);
      store.close = async () => {
        await close();
        await run(`DROP DATABASE IF EXISTS ${name}`);
      };
      return store;
    },
  };
}
