import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["lib/**/*.test.ts", "components/**/*.test.ts", "app/**/*.test.ts"],
    // The default leaves one core to the runner, which hardly needs it.
    maxWorkers: "100%",
    // Files may share a process (`--no-isolate`): nothing that a test replaces outlives it.
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
