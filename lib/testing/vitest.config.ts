import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

/** `npm run test:full` runs the campaigns, and only these. */
const isFull = process.env.TESTS === "full";
/** They do more there: more random runs, or the same on more engines. */
const more = [
  "lib/chains/bitcoin/walk.slow.test.ts",
  "lib/questions/address-utxos/walk.test.ts",
  "lib/ingest/copy.slow.test.ts",
  "lib/ingest/sync.test.ts",
  "lib/store/postgres/same-as-sqlite.test.ts",
  "lib/store/rules/horizon.test.ts",
];

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: isFull ? ["lib/**/*.full.test.ts", ...more] : ["{app,components,lib}/**/*.test.{ts,tsx}"],
    globalSetup: "lib/testing/shared-postgres.ts",
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])],
    // One more than cores: many tests wait for a server, a process or a timer.
    maxWorkers: availableParallelism() + 1,
    // Files share a process: a new one for each file takes a third more time. So mocks end with the test.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
