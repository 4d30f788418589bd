import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["{app,components,lib}/**/*.test.{ts,tsx}"],
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
