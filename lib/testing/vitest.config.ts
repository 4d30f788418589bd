import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

/** `npm run test:full` runs the campaigns, and only these. */
const isFull = process.env.TESTS === "full";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: [isFull ? "lib/**/*.full.test.ts" : "{app,components,lib}/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])],
    // The default reserves one core for the runner, which hardly needs it.
    maxWorkers: "100%",
    // Files may share a process (`--no-isolate`), so a test's mocks end with the test.
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
