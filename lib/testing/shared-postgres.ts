import pg from "pg";
import type { TestProject } from "vitest/node";
import { postgresBinaries, startPostgres } from "./postgres.ts";
import { skippedRealBlocks } from "./real-blocks.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the temporary server's own database. */
    postgres: string;
  }
}

/** Prefix of the schemas of stores under test. */
export const SCHEMAS = "aqs_test_";

/**
 * Starts one server for all test files, unless `ENGINES=sqlite` makes it unneeded. A database of yours is used instead:
 * at the end its schemas from tests are dropped.
 */
export default function start(project: TestProject) {
  const skipped = skippedRealBlocks();
  if (skipped) console.warn(skipped);
  const { ENGINES, TEST_DATABASE_URL } = process.env;
  if (ENGINES === "sqlite") return;
  if (TEST_DATABASE_URL) return () => dropSchemas(TEST_DATABASE_URL);
  if (postgresBinaries() === null) return;
  const server = startPostgres();
  project.provide("postgres", server.url("postgres"));
  return () => server.stop();
}

async function dropSchemas(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)",
    [SCHEMAS],
  );
  for (const { name } of rows) await client.query(`DROP SCHEMA ${name} CASCADE`);
  await client.end();
}
