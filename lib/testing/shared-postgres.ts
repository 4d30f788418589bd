import type { TestProject } from "vitest/node";
import { postgresBinaries, startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the temporary server's own database. */
    postgres: string;
  }
}

/** Starts one server for all test files, unless `ENGINES=sqlite` or a database of yours makes it unneeded. */
export default function start(project: TestProject) {
  const { ENGINES, TEST_DATABASE_URL } = process.env;
  if (ENGINES === "sqlite" || TEST_DATABASE_URL || postgresBinaries() === null) return;
  const server = startPostgres();
  project.provide("postgres", server.url("postgres"));
  return () => server.stop();
}
