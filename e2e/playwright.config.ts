import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";
import { CHROMIUM_FLAGS } from "#lib/testing/chromium.ts";
import { EVENT_TIMEOUT, TEST_TIMEOUT } from "#lib/testing/timeouts.ts";
import { databaseOf, root, type SiteName, sites, urlOf } from "./sites.ts";
import type { Options } from "./support.ts";

const chromium = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);

export const serversOf = (not?: SiteName) =>
  (Object.keys(sites) as SiteName[]).filter((name) => name !== not).map(server);

const server = (name: SiteName) => ({
  name,
  command: `node_modules/.bin/node e2e/serve.ts ${name}`,
  cwd: root,
  url: `${urlOf(name)}/healthz`,
  env: {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(sites[name].port),
    DATABASE_URL: databaseOf(name),
    CHAIN: sites[name].chain ?? "ckb",
    LOG_LEVEL: "warn",
    NEXT_TELEMETRY_DISABLED: "1",
  },
  timeout: EVENT_TIMEOUT,
  reuseExistingServer: false,
  gracefulShutdown: { signal: "SIGTERM" as const, timeout: 5_000 },
});

const narrow = "**/narrow.e2e.ts";

/** Files named `narrow` run on a phone. */
export const projectsWithout = (campaigns: string) => [
  {
    name: "desktop",
    testIgnore: [narrow, campaigns],
    use: { viewport: { width: 1280, height: 800 } },
  },
  {
    name: "phone",
    testMatch: narrow,
    testIgnore: campaigns,
    use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  },
];

/** Tests the built app on seeded databases: run `npm run build` first. Campaigns have `full.config.ts`. */
export default defineConfig<Options>({
  testDir: ".",
  testMatch: "*.e2e.ts",
  outputDir: "../test-results/browser",
  fullyParallel: true,
  // One worker more than cores, since tests wait about half of the time.
  workers: availableParallelism() + 1,
  retries: 0,
  forbidOnly: true,
  timeout: TEST_TIMEOUT,
  expect: { timeout: EVENT_TIMEOUT },
  reporter: "line",
  use: {
    screenshot: "only-on-failure",
    locale: "en-GB",
    timezoneId: "Europe/Helsinki",
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: CHROMIUM_FLAGS,
    },
  },
  projects: projectsWithout("**/full/**"),
  webServer: serversOf("empty"),
});
