/**
 * `npm test` runs every check, the cheapest first. `npm run test:full` runs the campaigns, which take longer. Both
 * install Debian's Chromium, PostgreSQL, PgBouncer, Prometheus, nginx and litecoind if they are missing, and end with one
 * line of totals.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const REPORTS = "test-results";
const isFull = process.argv[2] === "full";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const total: Counts = { passed: 0, failed: 0, skipped: 0 };

function heading(text: string): void {
  console.log(`\n=== ${text}`);
}

function run(command: string, args: string[], env: Record<string, string> = {}): boolean {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (error) console.error(error.message);
  return status === 0;
}

/** A step that passes or fails as a whole. */
function step(name: string, command: string, args: string[]): boolean {
  heading(name);
  const passed = run(command, args);
  total[passed ? "passed" : "failed"] += 1;
  return passed;
}

/** A test runner that writes its counts to a report. If it crashes or runs no test, that counts as one failure. */
function suite(name: string, report: string, read: (json: string) => Counts, start: () => boolean): void {
  heading(name);
  rmSync(report, { force: true });
  const passed = start();
  const counts = existsSync(report)
    ? read(readFileSync(report, "utf8"))
    : { passed: 0, failed: 0, skipped: 0 };
  const counted = counts.passed + counts.failed > 0;
  if ((!passed || !counted) && counts.failed === 0) counts.failed = 1;
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
}

function readVitest(json: string): Counts {
  const report = JSON.parse(json) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
  };
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
}

function readPlaywright(json: string): Counts {
  const { stats } = JSON.parse(json) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  };
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
}

const found = (paths: string[]): boolean => paths.some((path) => globSync(path).length > 0);

/** Installs missing Debian packages; if this user may not, says which are missing and exits. */
function prepare(): void {
  const missing: string[] = [];
  const chromium = [process.env.CHROMIUM_PATH ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"];
  if (!found(chromium.filter(Boolean))) missing.push("chromium");
  const pathFolders = (process.env.PATH ?? "").split(":").map((folder) => `${folder}/initdb`);
  if (!found(["/usr/lib/postgresql/*/bin/initdb", ...pathFolders])) missing.push("postgresql");
  if (!found([process.env.PGBOUNCER ?? "/usr/sbin/pgbouncer"])) missing.push("pgbouncer");
  if (!found(["/usr/bin/promtool"])) missing.push("prometheus");
  if (!found(["/usr/sbin/nginx"])) missing.push("nginx-light");
  if (!found(["/usr/lib/litecoin/litecoind"])) missing.push("litecoind");
  if (missing.length === 0) return;

  heading(`installing ${missing.join(", ")}`);
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  try {
    const apt = (...args: string[]) => {
      const [command, ...rest] = [...sudo, "apt-get", ...args];
      execFileSync(command!, rest, {
        stdio: "inherit",
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      });
    };
    apt("update", "-qq");
    apt("install", "-y", "-qq", "--no-install-recommends", ...missing);
  } catch {
    console.error(
      `Please install ${missing.join(", ")} yourself (Debian's package names), then run the tests again.`,
    );
    process.exit(1);
  }
}

prepare();
mkdirSync(REPORTS, { recursive: true });
if (!isFull) {
  step("lint", "biome", ["check", "--error-on-warnings", "."]);
  step("unused files, exports and packages", "knip", []);
  step("types", "npm", ["run", "--silent", "types"]);
}
// The build runs beside the unit tests, which often wait, and prints what it has to say after them.
const build = spawn("npm", ["run", "--silent", "build"], { stdio: ["ignore", "pipe", "pipe"] });
const built = Promise.all([once(build, "close"), text(build.stdout), text(build.stderr)]);
const kind = isFull ? "campaigns of " : "";
suite(`${kind}unit tests and storage engines`, `${REPORTS}/unit.json`, readVitest, () =>
  run(
    "vitest",
    [
      "run",
      "-c",
      "lib/testing/vitest.config.ts",
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${REPORTS}/unit.json`,
    ],
    isFull ? { TESTS: "full" } : {},
  ),
);
heading("build");
const [[status], ...printed] = await built;
console.log(printed.join(""));
total[status === 0 ? "passed" : "failed"] += 1;
if (status === 0) {
  const config = isFull ? "e2e/full.config.ts" : "e2e/playwright.config.ts";
  suite(`${kind}browser tests`, `${REPORTS}/browser.json`, readPlaywright, () =>
    run("playwright", ["test", "-c", config, "--reporter=line,json"], {
      // A relative path would be relative to the configuration's folder.
      PLAYWRIGHT_JSON_OUTPUT_FILE: resolve(REPORTS, "browser.json"),
    }),
  );
}

console.log("");
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
