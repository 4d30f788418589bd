import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "#lib/store/open.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { PostgresStore } from "./postgres-store.ts";

const missing = postgresBinaries() === null;

describe.skipIf(missing)(`a migration${missing ? `: ${NO_POSTGRES}` : ""}`, () => {
  let server: ThrowawayServer;
  beforeAll(() => {
    server = startPostgres();
  });
  afterAll(() => server?.stop());

  test("reports once what it waits for", async () => {
    const url = server.url("postgres");
    await (await openStore(url)).close();
    const reader = new pg.Client({ connectionString: url, application_name: "a long report" });
    await reader.connect();
    await reader.query("BEGIN; LOCK TABLE schema_migrations");
    const store = new PostgresStore(url);
    const said: string[] = [];
    const heard = Promise.withResolvers<void>();
    const migrated = store.migrate((line) => {
      said.push(line);
      heard.resolve();
    });
    await heard.promise;
    await reader.query("COMMIT");
    expect(await migrated).toEqual([]);
    expect(said).toEqual([
      expect.stringMatching(
        /^The migration waits for a long report \(server process \d+, its transaction began at 20\d\d-.*\)\. Until/,
      ),
    ]);
    await reader.end();
    await store.close();
  });
});
