/**
 * `npm run bench -- pages`: measures the pages in a browser, with the demo chain and the production build.
 * Lighthouse is downloaded on demand with `npx`, because nothing else needs it; `--no-lighthouse` skips it.
 * `npm run bench -- pages --live MINUTES`: measures layout shifts while blocks come and go.
 */
import { fail } from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Browser, type CDPSession, chromium, type Page } from "@playwright/test";
import { serveApp } from "#lib/testing/attacks/served-app.ts";
import { CHROMIUM_FLAGS } from "#lib/testing/chromium.ts";
import { nodeFlags } from "#lib/testing/node-flags.ts";
import { median } from "./median.ts";

const LIGHTHOUSE = "lighthouse@13.5.0";
const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const RUNS = 5;
/** Five screens a second: about the fastest scrolling at which text can still be read. */
const SCROLL_PX_PER_SECOND = 4000;

async function open(browser: Browser, site: string, token: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name: "aqs_session", value: token, url: site }]);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  return { context, page, devtools };
}

interface Site {
  origin: string;
  token: string;
  /** Addresses and blocks of the measured pages. */
  notable: { busyAddress: string; busyBlockHash: string };
}

/** The pages that are measured, by name: their paths. */
async function pagesOf({ origin, token, notable }: Site): Promise<Record<string, string>> {
  const entriesOf = async <Entry>(path: string): Promise<Entry[]> => {
    const response = await fetch(`${origin}/v0${path}`, { headers: { Authorization: `Bearer ${token}` } });
    return ((await response.json()) as { result: Entry[] }).result;
  };
  const address = `/addresses/${notable.busyAddress}`;
  const block = `/blocks/${notable.busyBlockHash}`;
  const [changed] = await entriesOf<{ asset: { id: string } }>(`${block}/asset-changes`);
  const asset = `/assets/${changed?.asset.id}`;
  const [newest] = await entriesOf<{ outPoint: string }>(`${address}/utxos?order=desc&pageSize=1`);
  const holders = await entriesOf<{ address: string }>(`${asset}/holders?pageSize=5`);
  const wallet = new URLSearchParams(holders.map(({ address }) => ["address", address]));
  return {
    home: "/",
    address,
    holdings: `${address}?tab=holdings`,
    statement: `${address}?tab=statement`,
    changes: `${address}?tab=changes`,
    wallet: `/wallet?${wallet}`,
    block,
    "newest block": "/blocks/tip",
    range: "/blocks/range",
    transaction: `/transactions/${newest?.outPoint.split(":")[0]}`,
    asset,
  };
}

interface Seen {
  rows: number;
  lcp: number;
  cls: number;
}

interface Vitals extends Seen {
  scripts: number;
}

/**
 * Transferred bytes of scripts without headers; when a list's first rows and the largest content were painted, in ms;
 * cumulative layout shift.
 */
async function load(page: Page, url: string): Promise<Vitals> {
  await page.addInitScript(() => {
    const seen: Seen = { rows: 0, lcp: 0, cls: 0 };
    Object.assign(window, { seen });
    const look = () => {
      if (document.querySelector("tbody tr")) requestAnimationFrame((now) => (seen.rows = now));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.lcp = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[]) {
        if (!entry.hadRecentInput) seen.cls += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url, { waitUntil: "load" });
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  return vitals(page);
}

const vitals = (page: Page): Promise<Vitals> =>
  page.evaluate(() => {
    const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const scripts = files.filter(({ name }) => new URL(name).pathname.endsWith(".js"));
    return {
      scripts: scripts.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0),
      ...(window as unknown as { seen: Seen }).seen,
    };
  });

/** Time from the input to the frame that shows its effect, in ms. */
async function latency(
  page: Page,
  act: () => Promise<void>,
  changed: () => Promise<unknown>,
): Promise<number> {
  const began = performance.now();
  await act();
  await changed();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
  return performance.now() - began;
}

/** The time that a scroll may take, in milliseconds. */
const SCROLL_WITHIN = 600_000;

/**
 * Scrolls through a list by wheel alone, until `rows` are loaded and the last one is in sight. Returns the seconds that it took,
 * frames per second, frames that had no row in the lower half of the window, and the heap before and after in MB.
 */
async function scroll(page: Page, devtools: CDPSession, rows: number) {
  const heapNow = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    return (await devtools.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
  };
  const before = await heapNow();
  await page.evaluate((wanted) => {
    const scrolled = { frames: 0, gaps: 0, isOver: false };
    Object.assign(window, { scrolled });
    const hasRow = (share: number) =>
      document.elementFromPoint(innerWidth / 2, innerHeight * share)?.closest("tr[data-row][tabindex]") !=
      null;
    const look = () => {
      const left = document.documentElement.scrollHeight - scrollY - innerHeight;
      const said = document.querySelector("main")?.textContent ?? "";
      const isLoaded =
        Number(/([\d,]+) of [\d,]+ loaded/.exec(said)?.[1]?.replaceAll(",", "") ?? wanted) >= wanted;
      scrolled.frames += 1;
      // At its end, the list leaves the window.
      if (left > innerHeight && !(hasRow(0.6) && hasRow(0.9))) scrolled.gaps += 1;
      scrolled.isOver = isLoaded && left < 1;
      if (!scrolled.isOver) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, rows);
  const seen = () =>
    page.evaluate(
      () => (window as unknown as { scrolled: { frames: number; gaps: number; isOver: boolean } }).scrolled,
    );
  await page.mouse.move(640, 600);
  const began = performance.now();
  let [sent, ended] = [0, false];
  for (let turn = 1; !ended; turn++) {
    const passed = performance.now() - began;
    if (passed > SCROLL_WITHIN)
      throw new Error(`The list has not ended within ${SCROLL_WITHIN / 60_000} minutes`);
    const due = (SCROLL_PX_PER_SECOND * passed) / 1000;
    await page.mouse.wheel(0, due - sent);
    sent = due;
    await after(25);
    if (turn % 20 === 0) ended = (await seen()).isOver;
  }
  const seconds = (performance.now() - began) / 1000;
  const { frames, gaps } = await seen();
  return { seconds, frames: frames / seconds, gaps, before, after: await heapNow() };
}

function lighthouse(url: string, token: string, folder: string): Record<string, number> {
  const report = join(folder, "lighthouse.json");
  const headers = JSON.stringify({ Cookie: `aqs_session=${token}` });
  execFileSync(
    "npx",
    [
      "--yes",
      LIGHTHOUSE,
      url,
      "--quiet",
      "--output=json",
      `--output-path=${report}`,
      "--preset=desktop",
      `--extra-headers=${headers}`,
      `--chrome-flags=--headless=new ${CHROMIUM_FLAGS.join(" ")}`,
    ],
    { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, CHROME_PATH: CHROMIUM } },
  );
  const { categories, finalDisplayedUrl } = JSON.parse(readFileSync(report, "utf8")) as {
    categories: Record<string, { score: number }>;
    finalDisplayedUrl: string;
  };
  if (finalDisplayedUrl !== url) throw new Error(`${url} led to ${finalDisplayedUrl}: not signed in?`);
  return Object.fromEntries(
    Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)]),
  );
}

/** `npm run demo` on a free port, without its build: a node makes blocks and replaces some. */
async function liveDemo(folder: string) {
  const demo = spawn(process.execPath, [...nodeFlags("aqs"), "lib/cli/main.ts", "demo", "--serve"], {
    env: { ...process.env, DATABASE_URL: `sqlite:${join(folder, "live.db")}`, PORT: "0", LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of demo.stdout) {
    said += chunk;
    if (said.includes("Listening on ")) break;
  }
  const found = (pattern: RegExp) =>
    pattern.exec(said)?.[0] ?? fail(`The demo printed no ${pattern}: ${said}`);
  return {
    origin: found(/(?<=Listening on )\S+/),
    token: found(/aqs_[\w-]+/),
    notable: { busyAddress: found(/(?<=\/addresses\/)\w+/), busyBlockHash: found(/(?<=\/blocks\/)\w+/) },
    stop: () => demo.kill("SIGTERM"),
  };
}

/** Measures the layout shifts of each page while blocks come and go. */
async function live(
  browser: Browser,
  { origin, token }: Site,
  pages: Record<string, string>,
  minutes: number,
) {
  const opened: [name: string, page: Page][] = [];
  for (const [name, path] of Object.entries(pages)) {
    const { page } = await open(browser, origin, token);
    await load(page, origin + path);
    opened.push([name, page]);
  }
  await after(minutes * 60_000);
  console.log(`| page | layout shift in ${minutes} minutes |\n|---|---|`);
  for (const [name, page] of opened) console.log(`| ${name} | ${(await vitals(page)).cls.toFixed(4)} |`);
}

/** The load costs of each page, as a row of a table. The first load warms up the server and is not counted. */
async function loads(browser: Browser, { origin, token }: Site, pages: Record<string, string>) {
  console.log("| page | JS, bytes of gzip | first rows, ms | LCP, ms | CLS |\n|---|---|---|---|---|");
  for (const [name, path] of Object.entries(pages)) {
    const runs: Vitals[] = [];
    for (let i = 0; i <= RUNS; i++) {
      const { context, page } = await open(browser, origin, token);
      const run = await load(page, origin + path);
      if (i > 0) runs.push(run);
      await context.close();
    }
    const of = (key: keyof Vitals, digits = 0) => median(runs.map((run) => run[key])).toFixed(digits);
    console.log(`| ${name} | ${of("scripts")} | ${of("rows")} | ${of("lcp")} | ${of("cls", 4)} |`);
  }
}

/** Measures the response times of the pages to input. */
async function uses(browser: Browser, { origin, token }: Site, pages: Record<string, string>) {
  const { context, page, devtools } = await open(browser, origin, token);
  await page.goto(`${origin}${pages.block}`, { waitUntil: "networkidle" });
  const firstRow = page.getByRole("table").getByRole("row").nth(1);
  const change = async (act: () => Promise<void>) => {
    const before = await firstRow.textContent();
    return latency(page, act, () =>
      page.waitForFunction(
        (text) => (document.querySelector("tbody tr") as HTMLElement)?.textContent !== text,
        before,
      ),
    );
  };
  const sorts: number[] = [];
  for (let i = 0; i < 5; i++) {
    sorts.push(
      await change(() =>
        page
          .getByRole("columnheader", { name: /volume/i })
          .getByRole("button")
          .click(),
      ),
    );
  }
  const chips = page.getByRole("button", { name: /^(gaming|loyalty)/i });
  const filters: number[] = [];
  for (let i = 0; i < 4; i++) filters.push(await change(() => chips.first().click()));
  console.log(
    `\nsort by volume: ${median(sorts).toFixed(0)} ms, filter by tag: ${median(filters).toFixed(0)} ms (input to painted answer)`,
  );

  await page.goto(`${origin}${pages.address}`, { waitUntil: "networkidle" });
  const { seconds, frames, gaps, before, after } = await scroll(page, devtools, 20_000);
  console.log(
    `20,000 rows by wheel: ${seconds.toFixed(0)} s, ${frames.toFixed(0)} frames/s, ${gaps} with a gap, heap before it ${before.toFixed(0)} MB, after it ${after.toFixed(0)} MB`,
  );
  await context.close();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { live: { type: "string" }, "no-lighthouse": { type: "boolean" } },
  });
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
  const site = values.live === undefined ? await serveApp({ LOG_LEVEL: "warn" }) : await liveDemo(folder);
  try {
    const pages = await pagesOf(site);
    if (values.live !== undefined) return await live(browser, site, pages, Number(values.live));
    await loads(browser, site, pages);
    await uses(browser, site, pages);
    if (values["no-lighthouse"]) return;
    console.log("");
    for (const [name, path] of Object.entries(pages)) {
      console.log(
        `lighthouse ${name}: ${JSON.stringify(lighthouse(site.origin + path, site.token, folder))}`,
      );
    }
  } finally {
    await browser.close();
    await site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
