/**
 * Takes a picture of every page and state, in both themes and four widths: `gallery.ts FOLDER [PART OF A NAME]`.
 * Run `npm run build` first, and not at the same time as the browser tests, which use the same databases.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Browser, chromium } from "@playwright/test";
import { hasRecordedBlocks } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { cookieOf, type PreferenceName } from "#lib/client/preferences.ts";
import config from "./full.config.ts";
import { type SiteName, urlOf } from "./sites.ts";
import { type State, states, windows } from "./states.ts";
import { controlsAnswer, readFacts, signIn } from "./support.ts";

const themes = ["light", "dark"] as const;
const START_MS = 60_000;
const STATE_MS = 20_000;

const siteOf = (state: State): SiteName => state.site ?? "demo";

/** Starts a server as the browser tests do, and waits until it responds. */
async function start(site: SiteName): Promise<ChildProcess> {
  const server = [config.webServer ?? []].flat().find(({ name }) => name === site);
  if (!server?.url) throw new Error(`No server is called ${site}`);
  const child = spawn(server.command, {
    shell: true,
    // A process group of its own, so that the shell's child stops with it.
    detached: true,
    cwd: server.cwd,
    env: { ...process.env, ...server.env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const deadline = Date.now() + START_MS; ; ) {
    const answered = await fetch(server.url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return child;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${site} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

/** Reaches the state as a reader would, then takes its picture in both themes. */
async function picture(browser: Browser, state: State, window: (typeof windows)[number]): Promise<void> {
  const site = siteOf(state);
  const facts = readFacts(site);
  const { access = "full", preferences = {}, path, before, reach } = state;
  const { locale, timezoneId } = config.use ?? {};
  const context = await browser.newContext({
    ...window,
    ...(locale && { locale }),
    ...(timezoneId && { timezoneId }),
    baseURL: urlOf(site),
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(STATE_MS);
  try {
    if (access !== "none") await signIn(context, site, facts.tokens[access]);
    await context.addCookies(
      Object.entries(preferences).map(([name, value]) => ({
        name: cookieOf(name as PreferenceName),
        value,
        url: urlOf(site),
      })),
    );
    const page = await context.newPage();
    await before?.(page, facts);
    await page.goto(typeof path === "string" ? path : path(facts));
    await controlsAnswer(page);
    const fault = await reach?.(page, facts).then(
      () => null,
      (error: unknown) => error,
    );
    if (!state.windowOnly) {
      // A window as tall as the page: for a full-page picture, the browser would drop touch and scrolling.
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({
        width: window.viewport.width,
        height: Math.max(height, window.viewport.height),
      });
    }
    await page.mouse.move(0, 0);
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        path: `${folder}/${state.name}-${colorScheme}-${window.viewport.width}.png`,
        animations: "disabled",
      });
    }
    if (fault instanceof Error) throw fault;
  } finally {
    await context.close();
  }
}

const [folder = "", part = ""] = process.argv.slice(2);
if (folder === "") {
  console.error("usage: gallery.ts FOLDER [PART OF A NAME]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const wanted = states.filter(
  (state) => state.name.includes(part) && (state.site !== "mainnet" || hasRecordedBlocks),
);
const servers: ChildProcess[] = [];
const failed: string[] = [];
const began = Date.now();
try {
  for (const site of new Set(wanted.map(siteOf))) servers.push(await start(site));
  const browser = await chromium.launch(config.use?.launchOptions);
  const queue = wanted.flatMap((state) =>
    windows.filter((window) => !(state.notByTouch && window.hasTouch)).map((window) => ({ state, window })),
  );
  const next = async (): Promise<void> => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      const { state, window } = one;
      await picture(browser, state, window).catch((error: unknown) => {
        const name = `${state.name} at ${window.viewport.width}`;
        failed.push(name);
        console.error(`${name}: ${error instanceof Error ? error.message : error}`);
      });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  await browser.close();
} finally {
  await Promise.all(servers.map(stop));
}
const seconds = ((Date.now() - began) / 1000).toFixed(0);
console.log(`${wanted.length} states, ${failed.length} not reached, in ${seconds} s`);
process.exitCode = failed.length === 0 ? 0 : 1;
