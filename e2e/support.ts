/** Shared by the browser tests: signed-in pages on a chosen site, exact expectations, and checks of every page. */

import { readFileSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import {
  type APIResponse,
  type BrowserContext,
  test as base,
  type Download,
  expect,
  type Locator,
  type Page,
  type Response,
} from "@playwright/test";
import { HYDRATED } from "#components/use-hydrated.ts";
import { issueToken } from "#lib/api/access-tokens.ts";
import { SESSION_COOKIE } from "#lib/api/authenticate.ts";
import { hasRecordedBlocks } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { revokeAccessToken } from "#lib/queries/access-tokens.ts";
import type { HoldingEntry } from "#lib/queries/address-holdings/contract.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import type { RangeAssetChange } from "#lib/queries/range-asset-changes/contract.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { walkAll } from "#lib/testing/walk-all.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { databaseOf, type Facts, factsFile, type SiteName, urlOf } from "./sites.ts";

export { expect };

export interface Options {
  site: SiteName;
  /** The token in the session cookie; `none`: signed out. */
  access: keyof Facts["tokens"] | "none";
  /** Requests of this test are meant to fail, so the browser's messages about them are not errors. */
  failuresExpected: boolean;
}

interface Fixtures {
  facts: Facts;
  api: Api;
}

export const test = base.extend<Options & Fixtures>({
  site: ["demo", { option: true }],
  access: ["full", { option: true }],
  failuresExpected: [false, { option: true }],
  baseURL: async ({ site }, use, info) => {
    info.skip(site === "mainnet" && !hasRecordedBlocks, "There are no real blocks");
    await use(urlOf(site));
  },
  facts: async ({ site }, use) => use(readFacts(site)),
  api: async ({ site, facts }, use) => use(new Api(urlOf(site), facts.tokens.full)),
  // Checked on every page of every test: no script error, no policy violation, no other host, no dialog.
  context: async ({ context, site, access, failuresExpected, facts }, use) => {
    if (access !== "none") await signIn(context, site, facts.tokens[access]);
    const problems = watch(context, urlOf(site), failuresExpected);
    await use(context);
    expect(problems).toEqual([]);
  },
  // Tests start once the page's controls respond: an earlier click would be lost.
  page: async ({ page }, use) => {
    const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
    page.goto = async (...args) => {
      const response = await goto(...args);
      await controlsAnswer(page);
      return response;
    };
    page.reload = async (...args) => {
      const response = await reload(...args);
      await controlsAnswer(page);
      return response;
    };
    await use(page);
  },
});

/** Waits until the document says that its controls respond. A page may have none, or no scripts. */
export async function controlsAnswer(page: Page): Promise<void> {
  await page.waitForFunction(
    (said) =>
      said in document.documentElement.dataset ||
      !(document.querySelector("button, input, select") && document.querySelector("script")),
    HYDRATED,
  );
}

/**
 * Makes request timeouts follow the page's clock, which otherwise controls only timers. For pages with
 * `page.clock`.
 */
export async function mockTimeouts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    AbortSignal.timeout = (milliseconds) => {
      const controller = new AbortController();
      const reason = new DOMException("The operation timed out.", "TimeoutError");
      setTimeout(() => controller.abort(reason), milliseconds);
      return controller.signal;
    };
  });
}

/** The page's only search. */
export const searchField = (page: Page) =>
  page.getByRole("combobox", { name: "Search an address, a block, a transaction or a token" });

export function readFacts(site: SiteName): Facts {
  return JSON.parse(readFileSync(factsFile(site), "utf8")) as Facts;
}

/** Signs a browser in without the form. */
export async function signIn(context: BrowserContext, site: SiteName, token: string): Promise<void> {
  await context.addCookies([
    { name: SESSION_COOKIE, value: token, url: urlOf(site), httpOnly: true, sameSite: "Strict" },
  ]);
}

/** Collects forbidden events of any page. The list grows while the test runs. */
export function watch(context: BrowserContext, origin: string, failuresExpected = false): string[] {
  const problems: string[] = [];
  context.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // Browsers request it on their own, whatever icon a page names.
    if (message.location().url.endsWith("/favicon.ico")) return;
    // A preloaded style sheet that an error page does not use.
    if (message.text().includes("was preloaded using link preload")) return;
    if (failuresExpected && message.text().startsWith("Failed to load resource")) return;
    problems.push(`console ${message.type()}: ${message.text()} ${message.location().url}`);
  });
  context.on("weberror", (error) => problems.push(`script error: ${error.error().stack}`));
  context.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== "data:" && protocol !== "blob:") {
      problems.push(`request to another host: ${request.url()}`);
    }
  });
  return problems;
}

/** Calls the API as any program does, and keeps numbers exact. */
export class Api {
  readonly #origin: string;
  readonly #token: string;

  constructor(origin: string, token: string) {
    this.#origin = origin;
    this.#token = token;
  }

  /** In the page's order by default. */
  utxos(
    address: string,
    query: Record<string, string> = {},
  ): Promise<{ result: UtxoEntry[]; lastCursor: string }> {
    return this.get(`/v0/addresses/${address}/utxos?${new URLSearchParams({ order: "desc", ...query })}`);
  }

  holdings(address: string, query: Record<string, string>): Promise<{ result: HoldingEntry[] }> {
    return this.get(`/v0/addresses/${address}/holdings?${new URLSearchParams(query)}`);
  }

  /** Every entry in the page's order, following the cursors. */
  allUtxos(address: string, query: Record<string, string> = {}): Promise<UtxoEntry[]> {
    return walkAll((cursor) => {
      const search = new URLSearchParams({ order: "desc", ...query, cursor, pageSize: "1000" });
      return this.get(`/v0/addresses/${address}/utxos?${search}`);
    });
  }

  changes(
    block: string,
    query: Record<string, string> | [string, string][] = {},
  ): Promise<{ result: AssetChange[]; total: number }> {
    return this.get(`/v0/blocks/${block}/asset-changes?${new URLSearchParams(query)}`);
  }

  /** Asset changes in the blocks after `from` up to `to`. */
  rangeChanges(query: Record<string, string>): Promise<{ result: RangeAssetChange[]; total: number }> {
    return this.get(`/v0/asset-changes?${new URLSearchParams(query)}`);
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(this.#origin + path, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    expect(response.status, path).toBe(200);
    return parseExactJson(await response.text()) as T;
  }
}

/** Works on a site's database while its server runs. */
export async function onDatabase<T>(site: SiteName, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(databaseOf(site));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A new access token, and how to revoke it. */
export function newToken(
  site: SiteName,
  name: string,
): Promise<{ token: string; revoke(): Promise<boolean> }> {
  return onDatabase(site, async (store) => {
    const { token, record } = await issueToken(store, { name, scopes: [], expiresAt: null, now: Date.now() });
    const revoke = () => onDatabase(site, (again) => again.record(revokeAccessToken, record.id, Date.now()));
    return { token, revoke };
  });
}

/** The exact text of an amount on a page. Shifts the decimal point with bigints only, and groups the digits. */
export function exactText(amount: bigint | string, decimals: number): string {
  const value = BigInt(amount);
  const scale = 10n ** BigInt(decimals);
  const whole = (value / scale).toString().replace(/(?<=\d)(?=(\d{3})+$)/g, ",");
  const fraction = (value % scale).toString().padStart(decimals, "0").replace(/0+$/, "");
  return decimals === 0 || fraction === "" ? whole : `${whole}.${fraction}`;
}

type Cells = Record<string, { text: string; titles: string[] }>;

/** A table's rows by column heading, with the full text of cells that are cut off visually. */
async function cellsOf(table: Locator): Promise<Cells[]> {
  return table.evaluate((element) => {
    const text = (node: Element) => (node.textContent ?? "").replace(/\s+/g, " ").trim();
    const headings = [...element.querySelectorAll('[role="columnheader"]')].map(text);
    return [...element.querySelectorAll('[role="row"]')]
      .map((row) => [...row.querySelectorAll(':scope > [role="cell"]')])
      .filter((cells) => cells.length >= headings.length)
      .map((cells) =>
        Object.fromEntries(
          cells.map((cell, at) => [
            headings[at] ?? "",
            {
              // A listed asset does not show its id.
              text: text(cell) + (headings[at] === "Asset" ? ` ${cell.closest("tr")?.dataset.id ?? ""}` : ""),
              titles: [...cell.querySelectorAll("[title]")].map((one) => one.getAttribute("title") ?? ""),
            },
          ]),
        ),
      );
  });
}

/** The cells' texts by column heading; out points as in the API: `<hash>:<index>`. */
export async function rowsOf(table: Locator): Promise<Record<string, string>[]> {
  return (await cellsOf(table)).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([heading, { text }]) => [
        heading,
        heading === "Out point" ? text.replace(/\s*#/, ":") : text,
      ]),
    ),
  );
}

/**
 * Each amount of a column is `exact`, top to bottom: its title has all digits, and its visible text is the same, or a
 * beginning of it that is marked as cut off.
 */
export async function expectAmounts(table: Locator, heading: string, exact: string[]): Promise<void> {
  const cells = (await cellsOf(table)).map((row) => row[heading]);
  const said = cells.map(
    (cell, at) => cell?.titles.find((title) => title === exact[at]) ?? cell?.titles.join(),
  );
  expect(said).toEqual(exact);
  for (const [at, cell] of cells.entries()) {
    const [shown = "", rest] = cell?.text.split("…") ?? [];
    // NFTs have a unit.
    if (rest === undefined) expect(shown.replace(/ (× )?NFT$/, "")).toBe(exact[at]);
    else expect(exact[at]?.startsWith(shown), `${cell?.text} is cut from ${exact[at]}`).toBe(true);
  }
}

/** One column, top to bottom. */
export async function columnOf(table: Locator, heading: string): Promise<string[]> {
  return (await rowsOf(table)).map((row) => row[heading] ?? `no column ${heading}`);
}

/** Waits for a row whose cells, found by their columns' headings, contain these texts. */
export async function expectRow(table: Locator, wanted: Record<string, string | RegExp>): Promise<void> {
  const matches = (text: string | undefined, part: string | RegExp) =>
    text !== undefined && (typeof part === "string" ? text.includes(part) : part.test(text));
  await expect(async () => {
    const rows = await rowsOf(table);
    const found = rows.some((row) =>
      Object.entries(wanted).every(([heading, part]) => matches(row[heading], part)),
    );
    expect(found ? wanted : rows).toEqual(wanted);
  }).toPass();
}

/** Number of rows that axe checks. The others have the same markup, and hundreds would take minutes. */
const ROWS_LOOKED_AT = 5;
/** Number of errors of each kind in a report: a table repeats them in every row. */
const FAULTS_SAID = 4;

/**
 * Expects no accessibility error on the page, or in the part that a selector names. Checks everything in the light
 * theme, and colours in the dark theme.
 */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  const putBack = await page.evaluateHandle((from) => {
    const beyond = [...document.querySelectorAll<HTMLElement>(`tbody tr[data-row]:nth-child(n + ${from})`)]
      .filter((row) => !row.contains(document.activeElement))
      .map((row) => ({ row, height: row.offsetHeight, cells: [...row.childNodes] }));
    // Emptied rows keep their height, so that nothing else moves or loads.
    for (const { row, height } of beyond) {
      row.style.cssText = `visibility: hidden; height: ${height}px`;
      row.replaceChildren();
    }
    // Sticky bars cover parts of the content below, which would count as small targets.
    const sticky = [...document.querySelectorAll<HTMLElement>("body *")].filter(
      (element) => getComputedStyle(element).position === "sticky",
    );
    for (const { style } of sticky) style.position = "static";
    return () => {
      for (const { style } of sticky) style.position = "";

      for (const { row, cells } of beyond) {
        row.style.cssText = "";
        row.replaceChildren(...cells);
      }
    };
  }, ROWS_LOOKED_AT + 1);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const axe = new AxeBuilder({ page })
      // It would open a separate page for frames, and there are none.
      .setLegacyMode()
      // By default axe omits this rule of WCAG 2.2.
      .options({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } });
    if (part !== undefined) axe.include(part);
    if (colorScheme === "dark") axe.withRules(["color-contrast", "link-in-text-block"]);
    const { violations } = await axe.analyze();
    const faults = violations.flatMap(({ id, nodes }) => [
      ...nodes
        .slice(0, FAULTS_SAID)
        .map((node) => `${id} at ${node.target.join(" ")}: ${node.failureSummary}`),
      ...(nodes.length > FAULTS_SAID ? [`${id} at ${nodes.length - FAULTS_SAID} more places`] : []),
    ]);
    expect(faults, `axe, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
  await putBack.evaluate((call) => call());
}

/** The page is not wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const widths = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  expect(widths.content).toBeLessThanOrEqual(widths.window);
}

export const outputs = (page: Page): Locator => page.getByRole("table", { name: "Unspent outputs" });
export const changes = (page: Page): Locator => page.getByRole("table", { name: "Asset changes" });
/** Rows with data: all except the header and messages across the table. */
export const dataRows = (table: Locator): Locator =>
  table.getByRole("row").filter({ has: table.page().getByRole("button", { name: /^Details of/ }) });
export const holdings = (page: Page): Locator => page.getByRole("table", { name: "Holdings" });
/** The tokens of the rows that are shown, by their links. */
export const tokensOf = (table: Locator): Promise<string[]> =>
  table
    .getByTitle("Show only this token")
    .evaluateAll((links) =>
      links.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get("token") ?? ""),
    );
/** The row of a table that shows this text, in full even if it is cut visually, or whose id it is. */
export const dataRow = (table: Locator, text: string): Locator =>
  table
    .getByRole("row")
    .filter({ hasText: text })
    .or(table.locator(`tr[data-id="${text}"]`));
/** The link to a block in a row of outputs, beside the one to its token; or those of all rows of a table. */
export const blockLink = (rows: Locator): Locator => rows.getByRole("link", { name: /^(Block )?[\d,]+$/ });
/** Opens a tab of an address and returns its panel. */
export async function openTab(page: Page, tab: string | RegExp, panel: string): Promise<Locator> {
  await page
    .getByRole("navigation", { name: "Parts of this address" })
    .getByRole("link", { name: tab })
    .click();
  const region = page.getByRole("region", { name: panel, exact: true });
  await expect(region).toBeVisible();
  return region;
}
/** The last announcement to screen readers. In a long document, this is faster than searching by text. */
export const announcer = (page: Page): Locator => page.locator("body > [role='status']");

/**
 * Scrolls an element into the window. A key that is pressed just as an earlier scroll ends may scroll nothing in
 * Chromium, so it is pressed again.
 */
export async function scrollWith(page: Page, key: "Home" | "End", to: Locator): Promise<void> {
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(to).toBeInViewport({ timeout: 1000 });
  }).toPass({ intervals: [50] });
}

/** Scrolls to the end of a page that loads nothing more by itself. */
export async function scrollToEnd(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("End");
    const below = () => document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
    expect(await page.evaluate(below)).toBeLessThan(1);
  }).toPass({ intervals: [50] });
}

/** Scrolls to the end of an address's list repeatedly until this many cells are loaded, such as `1,000`. */
export async function scrollUntilLoaded(page: Page, cells: string | RegExp): Promise<void> {
  const said = typeof cells === "string" ? `${cells} cells loaded, more available` : cells;
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(announcer(page)).toHaveText(said, { timeout: 200 });
  }).toPass({ intervals: [50] });
}

/** The preview picture of a link to this page. */
export async function shareImage(page: Page): Promise<APIResponse> {
  const address = await page.locator('meta[property="og:image"]').getAttribute("content");
  return page.request.get(new URL(address!, page.url()).pathname);
}

/** Opens the page of an address and loads this many pages of 100 cells, by the button only. */
export async function loadPages(page: Page, address: string, pages: number): Promise<void> {
  const loaded = (count: number) =>
    expect(announcer(page)).toHaveText(`${count * 100} cells loaded, more available`);
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${address}`);
  await loaded(1);
  for (let count = 2; count <= pages; count += 1) {
    await page.getByRole("button", { name: "Load next 100" }).click();
    await loaded(count);
  }
}

/** Draws all loaded rows, as for printing, not only those near the window. */
export const drawAllRows = (page: Page) => page.evaluate(() => dispatchEvent(new Event("beforeprint")));

/** Distance from the top of the window; NaN if the element is not drawn. */
export async function topOf(element: Locator): Promise<number> {
  const [top = Number.NaN] = await element.evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect().y),
  );
  return top;
}

/** Turns the wheel until the row is near the middle of the window. */
export async function wheelTo(page: Page, row: Locator): Promise<void> {
  const { height } = page.viewportSize()!;
  await page.mouse.move(400, height / 2);
  await expect(async () => {
    await page.mouse.wheel(0, 300);
    expect(await topOf(row)).toBeLessThan(height - 100);
  }).toPass({ intervals: [20] });
}

/** Makes rows load by the button only. Call it before the page is opened. */
export const withoutAutoLoad = (page: Page) =>
  page.addInitScript(() => {
    window.IntersectionObserver = class extends IntersectionObserver {
      override observe() {}
    };
  });

/** The height in the title of a block's page: `Block 1,107 moved $5.00`. */
export const heightOf = (title: string | null): number =>
  Number((/^Block ([\d,]+)/.exec(title ?? "")?.[1] ?? "").replaceAll(",", ""));

/** A setting in the account menu, open or closed. */
export const setting = (page: Page, name: string) =>
  page.locator("#account").getByRole("combobox", { name, includeHidden: true });

export async function openExport(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export" });
  await expect(dialog).toBeVisible();
  return dialog;
}

export async function textOf(download: Download): Promise<string> {
  expect(download.suggestedFilename()).toMatch(/^[a-z0-9-]+\.(csv|json|ndjson)$/);
  return readFileSync(await download.path(), "utf8");
}

export async function chooseSetting(page: Page, name: string, value: string): Promise<void> {
  await page.getByRole("button", { name: "Account and settings" }).click();
  await setting(page, name).selectOption(value);
  await page.keyboard.press("Escape");
}

/** Scrolls to the end repeatedly until `act` has loaded this many more pages. */
export async function scrollThrough(page: Page, pages: number, act: () => Promise<unknown>): Promise<void> {
  let came = 0;
  const count = (response: Response) => {
    if (response.url().includes("/utxos?")) came += 1;
  };
  page.on("response", count);
  await act();
  await expect(async () => {
    await page.keyboard.press("End");
    expect(came).toBe(pages);
  }).toPass({ intervals: [100] });
  page.off("response", count);
}

/** Sums of layout shifts: all of them, and those that do not follow an input. */
interface Shifts {
  all: number;
  unexpected: number;
}

/** Adds up the page's layout shifts, earlier ones included. Returns a function that reads the sums. */
export async function observeShifts(page: Page): Promise<() => Promise<Shifts>> {
  await page.evaluate(() => {
    const shifts: Shifts = { all: 0, unexpected: 0 };
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
      for (const { value, hadRecentInput } of list.getEntries() as Shift[]) {
        shifts.all += value;
        if (!hadRecentInput) shifts.unexpected += value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () =>
    page.evaluate(async () => {
      // The observer reports a frame's shifts after it.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return (window as unknown as { shifts: Shifts }).shifts;
    });
}
