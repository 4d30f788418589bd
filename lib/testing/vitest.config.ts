import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { EVENT_TIMEOUT, TEST_TIMEOUT } from "./timeouts.ts";

/** `npm run test:full` runs the campaigns, and only these. */
const isFull = process.env.TESTS === "full";
/** Tests that do more in the campaigns: more random runs, or the same on more engines. */
const more = [
  "lib/chains/bitcoin/{transactions,walk}.slow.test.ts",
  "lib/queries/address-utxos/walk.slow.test.ts",
  "lib/queries/{changes-identity,holders-as-of,statement-replay}.test.ts",
  "lib/queries/one-state.slow.test.ts",
  "lib/queries/statement/wallets.test.ts",
  "lib/queries/transactions.slow.test.ts",
  "lib/indexer/verify/copy.slow.test.ts",
  "lib/indexer/sync{,-faults,-history,-imports}.test.ts",
  "lib/indexer/sync-{catch-up,faults,reorganisations}.slow.test.ts",
  "lib/store/postgres/same-as-sqlite.test.ts",
  "lib/store/rules/{block-times,horizon}.test.ts",
];

const excluded = [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])];
/** Files that have a process of their own. */
const ALONE = ["**/*.{slow,full}.test.{ts,tsx}"];
const shared = {
  restoreMocks: true,
  unstubGlobals: true,
  unstubEnvs: true,
  testTimeout: TEST_TIMEOUT,
  hookTimeout: TEST_TIMEOUT,
  expect: { poll: { timeout: EVENT_TIMEOUT } },
};
/** A process for each file would take a third more time. What a test mocks ends with the test. */
const quick = { ...shared, isolate: false };

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    globalSetup: "lib/testing/shared-postgres.ts",
    fsModuleCache: true,
    // One more than cores: many slow tests wait for a server, a process or a timer. The quick ones seldom do, so that
    // `unit:quick` has one for each core.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // Their own project: a process ends, with all that it imported, when the next file needs another environment.
      ...(isFull
        ? []
        : [
            {
              test: {
                ...quick,
                name: "components",
                environment: "happy-dom",
                include: ["{app,components,lib}/**/*.test.tsx"],
                exclude: [...excluded, ...ALONE],
              },
            },
          ]),
      {
        test: {
          ...quick,
          name: "quick",
          include: isFull ? more : ["{app,components,lib}/**/*.test.ts"],
          exclude: [
            ...excluded,
            ...ALONE,
            ...(process.env.ENGINES === "sqlite" ? ["lib/store/postgres/**"] : []),
          ],
        },
      },
      {
        // Some files choose a chain, which a process can do only once.
        test: {
          ...shared,
          name: "slow",
          include: isFull
            ? ["lib/**/*.full.test.ts", ...more.filter((file) => file.includes(".slow."))]
            : ALONE,
          exclude: excluded,
        },
      },
    ],
  },
});
