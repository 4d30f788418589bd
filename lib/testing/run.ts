/**
 * `npm test` runs every check, the cheapest first. `npm run test:full` runs the campaigns, which take longer; with
 * `-- --built`, on the build that `npm test` left. Both install Debian's Chromium, PostgreSQL, PgBouncer, Prometheus,
 * nginx and litecoind if they are missing. A test that fails is repeated once. The last lines name the tests that
 * failed, those that failed only once, and the totals.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";

const REPORTS = "test-results";
const isFull = process.argv[2] === "full";
const isBuilt = process.argv.includes("--built");

/** A test runner's report: the numbers of passed and skipped tests, and the names of the others. */
interface Counts {
  passed: number;
  skipped: number;
  failed: string[];
  /** They failed once and passed when they were repeated. */
  flaky: string[];
}

const total: Counts = { passed: 0, skipped: 0, failed: [], flaky: [] };

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
  count(passed, name);
  return passed;
}

function count(passed: boolean, name: string): void {
  if (passed) total.passed += 1;
  else total.failed.push(name);
}

/** A test runner that writes a report. If it crashes or runs no test, that counts as one failure. */
function suite(name: string, report: string, read: (json: string) => Counts, start: () => boolean): void {
  heading(name);
  rmSync(report, { force: true });
  const passed = start();
  const counts = existsSync(report)
    ? read(readFileSync(report, "utf8"))
    : { passed: 0, skipped: 0, failed: [], flaky: [] };
  if ((!passed || counts.passed === 0) && counts.failed.length === 0) counts.failed.push(name);
  total.passed += counts.passed;
  total.skipped += counts.skipped;
  total.failed.push(...counts.failed);
  total.flaky.push(...counts.flaky);
}

const SHOWN_CHARACTERS = 500;

/** Failures' messages as one line without colours, each cut to a readable length. */
const inOneLine = (messages: readonly string[]) =>
  messages
    .map((message) => stripVTControlCharacters(message).replaceAll(/\s+/g, " ").trim())
    .map((line) => line && `: ${line.slice(0, SHOWN_CHARACTERS)}`)
    .join("");

function readVitest(json: string): Counts {
  const report = JSON.parse(json) as {
    numPassedTests: number;
    numPendingTests: number;
    testResults: {
      name: string;
      status: string;
      assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
    }[];
  };
  const named = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(".", name);
    const tests = assertionResults.map((test) => ({
      ...test,
      name: `${file}: ${test.fullName}${inOneLine(test.failureMessages.slice(0, 1))}`,
    }));
    // A file that fails without a failed test could not be loaded, or its set-up failed.
    return status === "failed" && tests.every((test) => test.status !== "failed")
      ? [...tests, { name: file, status, failureMessages: [] }]
      : tests;
  });
  const failed = named.filter(({ status }) => status === "failed");
  const flaky = named.filter(
    ({ status, failureMessages }) => status === "passed" && failureMessages.length > 0,
  );
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests,
    failed: failed.map(({ name }) => name),
    flaky: flaky.map(({ name }) => name),
  };
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[];
  specs: {
    file: string;
    line: number;
    title: string;
    tests: { status: string; results: { errors: { message?: string }[] }[] }[];
  }[];
}

function readPlaywright(json: string): Counts {
  const { stats, suites } = JSON.parse(json) as {
    stats: { expected: number; flaky: number; skipped: number };
    suites: PlaywrightSuite[];
  };
  const specsOf = (suite: PlaywrightSuite): PlaywrightSuite["specs"] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(specsOf),
  ];
  const named = (status: string) =>
    suites.flatMap(specsOf).flatMap(({ file, line, title, tests }) =>
      tests
        .filter((test) => test.status === status)
        .map(({ results }) => {
          const errors = results.flatMap(({ errors }) => errors.map(({ message }) => message ?? ""));
          return `e2e/${file}:${line}: ${title}${inOneLine(errors)}`;
        }),
    );
  return {
    passed: stats.expected + stats.flaky,
    skipped: stats.skipped,
    failed: named("unexpected"),
    flaky: named("flaky"),
  };
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

/** Builds the app, unless it is built. */
async function build(): Promise<{ isComplete: boolean; output: string }> {
  if (isBuilt) return { isComplete: existsSync(".next/BUILD_ID"), output: "" };
  const child = spawn("npm", ["run", "--silent", "build"], { stdio: ["ignore", "pipe", "pipe"] });
  const [[status], ...printed] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { isComplete: status === 0, output: printed.join("") };
}

prepare();
mkdirSync(REPORTS, { recursive: true });
if (!isFull) {
  step("lint", "biome", ["check", "--error-on-warnings", "."]);
  step("unused files, exports and packages", "knip", []);
  step("types", "npm", ["run", "--silent", "types"]);
}
// The build runs beside the unit tests, which often wait. Its output follows theirs.
const building = build();
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
      "--retry=1",
      `--outputFile.json=${REPORTS}/unit.json`,
    ],
    isFull ? { TESTS: "full" } : {},
  ),
);
heading("build");
const { isComplete, output } = await building;
console.log(output);
count(isComplete, "build");
if (isComplete) {
  const config = isFull ? "e2e/full.config.ts" : "e2e/playwright.config.ts";
  suite(`${kind}browser tests`, `${REPORTS}/browser.json`, readPlaywright, () =>
    run("playwright", ["test", "-c", config, "--reporter=line,json", "--retries=1"], {
      // A relative path would be relative to the configuration's folder.
      PLAYWRIGHT_JSON_OUTPUT_FILE: resolve(REPORTS, "browser.json"),
    }),
  );
}

console.log("");
for (const name of total.flaky) console.log(`flaky (passed when repeated): ${name}`);
for (const name of total.failed) console.log(`failed: ${name}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed.length} failed${skipped}`);
process.exit(total.failed.length === 0 && total.passed > 0 ? 0 : 1);
