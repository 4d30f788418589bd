/**
 * `npm run attack -- replica-walk [WALKS] [SEED]`: walks over pages of three servers, two of which read from replicas
 * that pause and resume at random, while blocks and reorganisations are written. No walk may miss an output.
 */
import { startPostgres } from "#lib/testing/postgres.ts";
import { walkReplicas } from "#lib/testing/replica-walks.ts";
import { check, seconds } from "./drill.ts";

const [walks = 2_000, seed = 1] = process.argv.slice(2).map(Number);
const began = performance.now();
const primary = startPostgres();
const replicas = [startPostgres({}, primary), startPostgres({}, primary)];
const { missing, ...figures } = await walkReplicas(primary, replicas, { walks, seed });
const done = Object.entries(figures).map(([name, count]) => `${count} ${name}`);
check(
  missing === 0,
  "no walk leaves an output out",
  `${missing} missing; ${done.join(", ")}; ${seconds(began)}`,
);
check(
  figures.refused > 0 && figures.reorganisations > 0,
  "servers were behind, and the chain changed its mind",
);
for (const server of [...replicas, primary]) await server.stop();
