/**
 * Every page and state that a reader can see, and how to reach it: the gallery takes a picture of each, and the
 * accessibility test checks each. Nobody checks a state that is missing here.
 */

import { expect, type Locator, type Page } from "@playwright/test";
import { bech32 } from "@scure/base";
import { decodeAddress, encodeAddress } from "#lib/chains/ckb/address.ts";
import type { Preferences } from "#lib/client/preferences.ts";
import { type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import type { Facts, SiteName } from "./sites.ts";
import {
  announcer,
  blockLink,
  changes,
  dataRows,
  mockTimeouts,
  outputs,
  scrollToEnd,
  scrollUntilLoaded,
  searchField,
  withoutAutoLoad,
} from "./support.ts";

export interface State {
  /** The page, then its state. The names of its pictures start with it. */
  name: string;
  /** `demo` by default. */
  site?: SiteName;
  /** The reader's token; `full` by default. */
  access?: keyof Facts["tokens"] | "none";
  preferences?: Partial<Preferences>;
  path: string | ((facts: Facts) => string);
  /** Runs before the page is opened, to set responses and the clock. */
  before?: (page: Page, facts: Facts) => Promise<unknown>;
  /** Actions of the reader, and a check that the state is reached. */
  reach?: (page: Page, facts: Facts) => Promise<unknown>;
  /** Requests are meant to fail, so the browser's messages about them are not errors. */
  failures?: true;
  /** Captures only the window: the page is too long, or the state is about scrolling. */
  windowOnly?: true;
  /** Touch screens cannot reach the state. */
  notByTouch?: true;
}

/** A phone, a tablet, a laptop and a wide screen. */
export const windows = [
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  { viewport: { width: 768, height: 1024 }, isMobile: true, hasTouch: true },
  { viewport: { width: 1280, height: 900 }, isMobile: false, hasTouch: false },
  { viewport: { width: 1600, height: 1000 }, isMobile: false, hasTouch: false },
];

const LIST = "**/v0/addresses/**";
const CHANGES = "**/v0/blocks/**";

// --- responses -------------------------------------------------------------------------------------------

/** An error as the API returns it. */
function failing(code: ErrorCode, headers: Record<string, string> = {}) {
  const { status, message } = errorTable[code];
  return {
    status,
    contentType: "application/json",
    headers: { "x-request-id": "0b6f3e0a-5b0e-4c53-9a1c-6d1f8a2f7c11", ...headers },
    body: JSON.stringify({ code, message, issues: [] }),
  };
}

const answer = (page: Page, list: string, code: ErrorCode, headers?: Record<string, string>) =>
  page.route(list, (route) => route.fulfill(failing(code, headers)));

/** Requests that never get a response. */
const hold = (page: Page, list: string) => page.route(list, () => {});

/**
 * Advances the clock until it is visible, so that retries and their pauses take no real time. In small steps, so
 * that no answered request looks like a timeout.
 */
export async function passTimeUntil(page: Page, shown: Locator): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward(4_000);
    await expect(shown).toBeVisible({ timeout: 100 });
  }).toPass({ intervals: [100] });
}

/** Takes control of the page's clock, which keeps running. */
export async function ownTime(page: Page): Promise<void> {
  await page.clock.install();
  await mockTimeouts(page);
}

/** Makes the server report another tip, and a change of the address's list. */
async function chainMoves(page: Page, change: object): Promise<void> {
  await ownTime(page);
  await page.route("**/status", async (route) => {
    // A worker that has loaded another client cannot decode Brotli.
    const headers = { ...route.request().headers(), "accept-encoding": "identity" };
    const response = await route.fetch({ headers });
    const status = (await response.json()) as { tip: { height: number; hash: string } };
    status.tip = { ...status.tip, height: status.tip.height + 6, hash: `0x${"7a".repeat(32)}` };
    await route.fulfill({ response, json: status });
  });
  await page.route("**/changes?*", (route) => route.fulfill({ json: change }));
}

// --- what a reader does ----------------------------------------------------------------------------------

const alert = (page: Page) => page.getByRole("main").getByRole("alert").first();

/** Opens the controls of a list, which narrow windows have behind a button. */
async function controls(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^Filters/ });
  if ((await button.isVisible()) && (await button.getAttribute("aria-expanded")) === "false") {
    await button.click();
  }
}

async function order(page: Page, name: string): Promise<void> {
  await controls(page);
  await page.getByRole("combobox", { name: "Order" }).selectOption(name);
}

const oldestFirst = (page: Page) => order(page, "Oldest first");
const blockOrder = (page: Page) => order(page, "Order in the block");
const loadMore = (page: Page) => page.getByRole("button", { name: "Load next 100" }).click();
const nextPage = (page: Page) =>
  page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: /^Next/ }).click();

const rowsThere = (page: Page) => expect(dataRows(outputs(page)).first()).toBeVisible();
const changesThere = (page: Page) => expect(dataRows(changes(page)).first()).toBeVisible();
const held = (page: Page) =>
  expect(page.getByRole("region", { name: "Holdings" }).getByText(/^[\d,]+ tokens?( in|,)/)).toBeVisible();
/** Opens the last transaction of the block that is shown. */
async function openTransaction(page: Page): Promise<void> {
  await page.locator("main a[href^='/transactions/']").last().click();
  await expect(page.getByRole("navigation", { name: "Parts of this transaction" })).toBeVisible();
}
const ended = (page: Page) => expect(page.getByText(/^End of list/)).toBeVisible();

async function openRow(table: Locator, at: number): Promise<void> {
  const row = dataRows(table).nth(at);
  await row.getByRole("button", { name: /^Details of/ }).click();
  await row.getByText("JSON of this row").click();
}

async function openExport(page: Page): Promise<Locator> {
  await controls(page);
  // Phones have it in a menu.
  const menu = page.getByRole("button", { name: "More actions" });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export" });
  await expect(dialog).toBeVisible();
  return dialog;
}

async function exportAll(page: Page): Promise<Locator> {
  const dialog = await openExport(page);
  await dialog.getByRole("button", { name: /^CSV of All rows/ }).click();
  return dialog;
}

// --- where things are ------------------------------------------------------------------------------------

const address =
  (name: string, search = "") =>
  ({ notable }: Facts) =>
    `/addresses/${notable[name]}${search}`;
const block =
  (name: string, search = "") =>
  ({ notable }: Facts) =>
    `/blocks/${notable[name]}${search}`;
const middling = ({ middling }: Facts) => `/addresses/${middling.address}`;
const wallet =
  (search = "") =>
  ({ notable: { saverAddress, smallAddress } }: Facts) =>
    `/wallet?address=${saverAddress}&address=${smallAddress}${search}`;

/** An address in a deprecated form: `short`, or `full` of 2019. */
export function formerForm(current: string, form: "short" | "full"): string {
  const { script } = decodeAddress(current);
  const bytes = (hex: string) => [...Buffer.from(hex.slice(2), "hex")];
  const payload =
    form === "short" ? [1, 0, ...bytes(script.args)] : [4, ...bytes(script.code_hash), ...bytes(script.args)];
  return bech32.encode(
    current.startsWith("ckt") ? "ckt" : "ckb",
    bech32.toWords(Uint8Array.from(payload)),
    1023,
  );
}

/** Tokens without metadata and one with it, as real blocks have them. */
const NAMELESS =
  "ckb1qpt0kce2zw4a44es35hqxja2u89sf85w3lere37qk62ynash2jtnxqtmqecp56kf2jx65zdgr0983xgmeglmku62zhqrxz78r0klaqrv2cssrj8t";
const NAMED =
  "ckb1qqunmue4ncels5qse4j6839yy68h9k27c6cyj7q6j9kxsze3a2dgsqffyu6qv6v0xm5mmardkszpw6zekzar567lwqjcx0ml6w6fz5rqngfq79ec";

/** A mainnet address that no block of the mainnet site mentions. */
const UNUSED = encodeAddress(
  { code_hash: `0x${"00".repeat(32)}`, hash_type: "data", args: "0x01" },
  "mainnet",
);

/** A list of hundreds of cells that stops after the first page. */
const later = { before: withoutAutoLoad, path: middling } as const;

export const states: State[] = [
  // --- home, search, sign-in
  { name: "home", path: "/" },
  {
    name: "home-recent",
    path: address("smallAddress"),
    reach: async (page) => {
      await rowsThere(page);
      await page.goto("/");
      await expect(page.getByRole("region", { name: /^Recent/ })).toBeVisible();
    },
  },
  { name: "tip", path: "/blocks/tip" },
  { name: "range", path: "/blocks/range?from=100&to=200" },
  { name: "range-none", failures: true, path: "/blocks/range?from=5&to=4" },
  { name: "home-no-data", site: "empty", path: "/" },
  { name: "home-partial-index", site: "mainnet", path: "/" },
  { name: "home-outputs-only", access: "utxosOnly", path: "/" },
  {
    name: "home-search-tokens",
    path: "/",
    reach: async (page) => {
      await searchField(page).fill("tide");
      await expect(page.getByRole("option").first()).toBeVisible();
      await searchField(page).press("ArrowDown");
      await expect(page.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
    },
  },
  {
    name: "home-search-fault",
    path: "/",
    reach: async (page) => {
      await searchField(page).fill("0xabc");
      await expect(
        page.locator("p:not([role]):visible").getByText("3 hex digits; a hash has 64"),
      ).toBeVisible();
    },
  },
  {
    name: "header-search-height",
    path: address("smallAddress"),
    windowOnly: true,
    reach: async (page) => {
      await searchField(page).fill("99999");
      await expect(page.locator("p:not([role]):visible").getByText(/is beyond the tip/)).toBeVisible();
    },
  },
  { name: "search-tokens", path: "/search?q=tide" },
  ...(["dETH", "TIDE", "TІDЕ", "Tide Tables"] as const).map(
    (name): State => ({
      name: `asset-${name === "TІDЕ" ? "look-alike" : name.replace(" ", "-")}`,
      path: `/search?q=${encodeURIComponent(name)}`,
      reach: async (page) => {
        await page.getByRole("main").getByRole("link", { name }).first().click();
        await expect(page).toHaveURL(/\/assets\/0x/);
      },
    }),
  ),
  {
    name: "asset-transfers",
    path: "/search?q=dETH",
    reach: async (page) => {
      await page.getByRole("main").getByRole("link", { name: "dETH" }).first().click();
      await page.getByRole("link", { name: "Transfers" }).click();
      await expect(page.getByRole("region", { name: "Latest transfers" })).toBeVisible();
    },
  },
  { name: "asset-not-found", path: `/assets/0x${"ab".repeat(32)}`, failures: true },
  { name: "search-nothing", path: "/search?q=hello" },
  { name: "sign-in", access: "none", path: "/sign-in" },
  {
    name: "sign-in-help",
    access: "none",
    path: "/sign-in",
    reach: (page) => page.getByText("How to get a token").click(),
  },
  {
    name: "sign-in-wrong-token",
    access: "none",
    path: "/sign-in",
    failures: true,
    reach: async (page) => {
      await page.getByLabel("Access token", { exact: true }).fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(alert(page)).toHaveText("Token not recognised.");
    },
  },
  { name: "sign-in-refused-without-scripts", access: "none", path: "/sign-in?next=%2F&refused=expired" },
  {
    name: "sign-in-unreachable",
    access: "none",
    path: "/sign-in",
    failures: true,
    reach: async (page) => {
      await page.route("**/session", (route) => route.abort());
      await page.getByLabel("Access token", { exact: true }).fill("any");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(alert(page)).toContainText("cannot be reached");
    },
  },

  // --- an address
  { name: "address", path: address("busyAddress"), windowOnly: true, reach: rowsThere },
  { name: "address-small", path: address("smallAddress"), reach: ended },
  {
    name: "address-scrolled",
    path: address("busyAddress"),
    windowOnly: true,
    reach: async (page) => {
      await scrollUntilLoaded(page, /^[345]00 cells loaded/);
      await page.keyboard.press("PageUp");
    },
  },
  {
    name: "address-row-open",
    path: address("smallAddress"),
    reach: (page) => openRow(outputs(page), 1),
  },
  {
    name: "address-row-open-hostile",
    path: address("hostileAddress", "?flagged=show"),
    reach: (page) => openRow(outputs(page), 2),
  },
  { name: "address-lock-script", path: address("smallAddress", "?tab=lock") },
  {
    name: "address-holdings",
    path: address("busyAddress", "?tab=holdings"),
    windowOnly: true,
    reach: held,
  },
  { name: "address-holdings-small", path: address("smallAddress", "?tab=holdings"), reach: held },
  {
    name: "address-holdings-flagged",
    path: address("lookAlikeAddress", "?tab=holdings"),
    reach: held,
  },
  {
    name: "address-holdings-none-found",
    path: address("smallAddress", "?tab=holdings"),
    reach: async (page) => {
      await held(page);
      await controls(page);
      await page.getByRole("textbox", { name: "Search name, symbol or id" }).fill("nothing like this");
      await expect(page.getByText("No token here has this")).toBeVisible();
    },
  },
  {
    name: "address-holdings-without-prices",
    site: "mainnet",
    path: `/addresses/${NAMELESS}?tab=holdings`,
    reach: held,
  },
  {
    name: "address-statement",
    path: address("busyAddress", "?tab=statement&since=900"),
    windowOnly: true,
    reach: (page) => expect(page.getByText("End of list")).toBeVisible(),
  },
  {
    name: "address-statement-small",
    path: address("smallAddress", "?tab=statement"),
    reach: (page) => expect(page.getByText("End of list")).toBeVisible(),
  },
  { name: "address-changes", path: address("busyAddress", "?tab=changes&since=900"), windowOnly: true },
  { name: "address-changes-small", path: address("smallAddress", "?tab=changes&since=100") },
  { name: "address-past-holdings", path: address("busyAddress", "?at=500&tab=holdings"), windowOnly: true },
  { name: "address-past", path: address("busyAddress", "?at=500"), windowOnly: true, reach: rowsThere },
  {
    name: "address-receipt",
    path: address("smallAddress"),
    reach: (page) => page.getByRole("button", { name: /^Estimated value/ }).click(),
  },
  {
    name: "address-token",
    path: ({ notable }) => `/addresses/${notable.busyAddress}?token=${notable.knownToken}`,
    windowOnly: true,
    reach: rowsThere,
  },
  {
    name: "address-token-absent",
    path: ({ notable }) => `/addresses/${notable.smallAddress}?token=${notable.unpricedToken}`,
    reach: (page) => expect(page.getByText("No live cell holds this token")).toBeVisible(),
  },
  {
    name: "address-largest-amounts",
    path: ({ notable }) => `/addresses/${notable.busyAddress}?token=${notable.maximumToken}`,
    windowOnly: true,
    reach: rowsThere,
  },
  {
    name: "address-oldest-first",
    path: address("busyAddress", "?order=asc"),
    windowOnly: true,
    reach: rowsThere,
  },
  {
    name: "address-filters-open",
    path: address("lookAlikeAddress"),
    reach: async (page) => {
      await ended(page);
      await controls(page);
    },
  },
  {
    name: "address-part-way",
    path: middling,
    windowOnly: true,
    reach: async (page) => {
      await expect(async () => {
        await page.keyboard.press("End");
        await expect(page).toHaveURL(/[?&]from=/, { timeout: 1000 });
      }).toPass();
      await page.goto(page.url());
      await expect(page.getByText("Showing from the middle of the list.")).toBeVisible();
    },
  },
  {
    name: "address-former-form",
    path: ({ notable }) => `/addresses/${formerForm(notable.smallAddress!, "short")}`,
    reach: (page) => expect(page.getByText(/^Short address format/)).toBeVisible(),
  },
  { name: "address-empty", path: address("unseenAddress") },
  { name: "address-no-data", site: "empty", path: `/addresses/${NAMED}` },
  {
    name: "address-invalid",
    failures: true,
    path: ({ notable }) =>
      `/addresses/${notable.smallAddress!.slice(0, -1)}${notable.smallAddress!.endsWith("q") ? "p" : "q"}`,
  },
  { name: "address-other-network", failures: true, path: `/addresses/${NAMED}` },
  {
    name: "address-loading",
    path: address("smallAddress"),
    reach: async (page) => {
      await hold(page, LIST);
      await oldestFirst(page);
      await expect(outputs(page)).toHaveAttribute("aria-busy", "true");
    },
  },
  {
    name: "address-loading-next",
    ...later,
    windowOnly: true,
    reach: async (page) => {
      await hold(page, LIST);
      await loadMore(page);
      await expect(outputs(page)).toHaveAttribute("aria-busy", "true");
      await scrollToEnd(page);
    },
  },
  {
    name: "address-error",
    path: address("smallAddress"),
    failures: true,
    before: ownTime,
    reach: async (page) => {
      await page.route(LIST, (route) => route.abort());
      await oldestFirst(page);
      await passTimeUntil(page, alert(page));
    },
  },
  ...(
    [
      ["unreachable", (page) => page.route(LIST, (route) => route.abort())],
      ["limit", (page) => answer(page, LIST, "TOO_MANY_REQUESTS", { "retry-after": "12" })],
      ["overloaded", (page) => answer(page, LIST, "SERVICE_UNAVAILABLE", { "retry-after": "2" })],
      ["server-fault", (page) => answer(page, LIST, "INTERNAL_SERVER_ERROR")],
      ["timeout", (page) => hold(page, LIST)],
      ["session-ended", (page) => answer(page, LIST, "UNAUTHORIZED")],
      ["scope-missing", (page) => answer(page, LIST, "FORBIDDEN")],
      [
        "no-advance",
        (page) =>
          page.route(LIST, async (route) => {
            // A worker that has loaded another client cannot decode Brotli.
            const headers = { ...route.request().headers(), "accept-encoding": "identity" };
            const response = await route.fetch({ headers });
            const cursor = new URL(route.request().url()).searchParams.get("cursor");
            await route.fulfill({ response, json: { ...(await response.json()), lastCursor: cursor } });
          }),
      ],
    ] as [string, (page: Page) => Promise<unknown>][]
  ).map(
    ([name, network]): State => ({
      name: `address-next-${name}`,
      ...later,
      failures: true,
      windowOnly: true,
      before: async (page) => {
        await withoutAutoLoad(page);
        await ownTime(page);
      },
      reach: async (page) => {
        await network(page);
        await loadMore(page);
        await passTimeUntil(page, outputs(page).getByRole("alert").first());
        await scrollToEnd(page);
      },
    }),
  ),
  {
    name: "address-next-limit-waiting",
    ...later,
    failures: true,
    windowOnly: true,
    reach: async (page) => {
      const asked = page.waitForResponse(LIST);
      await answer(page, LIST, "TOO_MANY_REQUESTS", { "retry-after": "12" });
      await loadMore(page);
      await asked;
      await expect(outputs(page)).toHaveAttribute("aria-busy", "true");
      await expect(outputs(page).getByText("Rate limit reached, continuing")).toBeVisible();
      await scrollToEnd(page);
    },
  },
  {
    name: "address-cursor-refused",
    path: address("smallAddress", "?from=made-up"),
    failures: true,
    reach: (page) => expect(alert(page)).toContainText("refused as invalid"),
  },
  { name: "address-scope-missing", access: "changesOnly", path: address("smallAddress") },
  {
    name: "address-new-blocks",
    path: address("busyAddress"),
    windowOnly: true,
    before: (page) => chainMoves(page, { kind: "touched", came: 12, left: 3, more: false }),
    reach: (page) => passTimeUntil(page, page.getByText("12 new cells, 3 spent")),
  },
  {
    name: "address-reorganised",
    path: address("smallAddress"),
    before: async (page) => {
      await chainMoves(page, { kind: "replaced", height: 1000 });
      // The page says so only if its rows, which it reads again, are not those that it shows.
      await page.route("**/utxos?*", (route) => route.fulfill({ json: { result: [], hasNext: false } }));
    },
    reach: (page) => passTimeUntil(page, page.getByText(/^The chain changed: block/)),
  },
  { name: "address-flagged-hidden", path: address("lookAlikeAddress"), reach: ended },
  { name: "address-flagged-shown", path: address("lookAlikeAddress", "?flagged=show"), reach: ended },
  { name: "address-hostile-names", path: address("hostileAddress", "?flagged=show"), reach: ended },
  {
    name: "address-lock",
    path: address("busyAddress", "?tab=lock"),
    windowOnly: true,
    reach: (page) => expect(page.getByText("Cells by age").first()).toBeVisible(),
  },
  {
    name: "address-row-menu",
    path: address("smallAddress"),
    windowOnly: true,
    notByTouch: true,
    reach: async (page) => {
      await dataRows(outputs(page)).first().getByRole("button", { name: "Copy this cell" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
    },
  },
  {
    name: "address-row-focused",
    path: address("smallAddress"),
    reach: async (page) => {
      await rowsThere(page);
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await expect(dataRows(outputs(page)).nth(1)).toBeFocused();
    },
  },
  { name: "address-export", path: address("smallAddress"), windowOnly: true, reach: openExport },
  {
    name: "address-export-running",
    path: address("busyAddress"),
    windowOnly: true,
    reach: async (page) => {
      await page.route(/pageSize=1000&?.*cursor=|cursor=.*pageSize=1000/, () => {});
      await expect((await exportAll(page)).getByText(/^1,000 rows of about/)).toBeVisible();
    },
  },
  {
    name: "address-export-limit",
    path: address("busyAddress"),
    windowOnly: true,
    failures: true,
    reach: async (page) => {
      await page.route(/pageSize=1000/, (route) =>
        route.fulfill(failing("TOO_MANY_REQUESTS", { "retry-after": "12" })),
      );
      await expect((await exportAll(page)).getByText(/limit reached, continuing in/)).toBeVisible();
    },
  },
  {
    name: "address-export-stopped",
    path: address("busyAddress"),
    windowOnly: true,
    reach: async (page) => {
      await page.route(/pageSize=1000&?.*cursor=|cursor=.*pageSize=1000/, () => {});
      const dialog = await exportAll(page);
      await expect(dialog.getByText(/^1,000 rows of about/)).toBeVisible();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expect(dialog.getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "address-comfortable",
    path: address("lookAlikeAddress", "?flagged=show"),
    preferences: { density: "comfortable" },
    reach: ended,
  },
  { name: "litecoin-home", site: "litecoin", path: "/" },
  { name: "litecoin-address", site: "litecoin", path: address("shop"), windowOnly: true, reach: rowsThere },
  { name: "litecoin-statement", site: "litecoin", path: address("shop", "?tab=statement") },
  { name: "litecoin-changes", site: "litecoin", path: address("shop", "?tab=changes&since=100") },
  { name: "litecoin-script", site: "litecoin", path: address("pioneer", "?tab=lock") },
  { name: "litecoin-block", site: "litecoin", path: "/blocks/130" },
  { name: "litecoin-transactions", site: "litecoin", path: "/blocks/130?tab=transactions" },
  { name: "litecoin-range", site: "litecoin", path: "/blocks/range?from=100&to=130" },
  { name: "litecoin-asset", site: "litecoin", path: "/assets/0x80000002" },
  { name: "litecoin-docs", site: "litecoin", path: "/docs", windowOnly: true },
  { name: "mainnet-address-nameless", site: "mainnet", path: `/addresses/${NAMELESS}`, reach: ended },
  { name: "mainnet-address", site: "mainnet", path: `/addresses/${NAMED}`, reach: ended },
  {
    name: "mainnet-address-partial-empty",
    site: "mainnet",
    path: `/addresses/${UNUSED}`,
    reach: (page) => expect(page.getByText(/no unspent outputs in the indexed blocks/)).toBeVisible(),
  },
  {
    name: "mainnet-address-partial-export",
    site: "mainnet",
    path: `/addresses/${NAMED}`,
    reach: async (page) => expect((await openExport(page)).getByText("Partial index.")).toBeVisible(),
  },

  // --- a block
  { name: "block", path: block("busyBlockHash"), reach: changesThere },
  {
    name: "block-name-filter",
    path: block("busyBlockHash", "?name=gold"),
    reach: async (page) => {
      await changesThere(page);
      await controls(page);
    },
  },
  { name: "block-tags", path: block("busyBlockHash", "?tags=meme,rwa"), reach: changesThere },
  {
    name: "block-all-tags",
    path: block("busyBlockHash"),
    reach: (page) => page.getByRole("button", { name: /^\d+ more$/ }).click(),
  },
  { name: "block-ascending", path: block("busyBlockHash", "?order=asc"), reach: changesThere },
  { name: "block-own-order", path: block("busyBlockHash", "?order=chain&size=25"), reach: changesThere },
  { name: "block-page-2", path: block("busyBlockHash", "?page=2"), reach: changesThere },
  ...["hidden", "shown"].map(
    (flagged): State => ({
      name: `block-flagged-${flagged}`,
      path: address("lookAlikeAddress"),
      reach: async (page) => {
        await blockLink(outputs(page)).first().click();
        const hidden = page.getByText(/flagged assets of this page hidden/);
        await expect(hidden).toBeVisible();
        if (flagged === "shown") await hidden.getByRole("button", { name: "Show" }).click();
      },
    }),
  ),
  {
    name: "block-row-open",
    path: block("busyBlockHash"),
    reach: (page) => openRow(changes(page), 1),
  },
  {
    name: "block-row-menu",
    path: block("busyBlockHash"),
    windowOnly: true,
    notByTouch: true,
    reach: async (page) => {
      await dataRows(changes(page)).first().getByRole("button", { name: "Copy this asset change" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
    },
  },
  {
    name: "block-shares-by-tag",
    path: block("busyBlockHash", "?shares=tags"),
    reach: changesThere,
  },
  { name: "block-transactions", path: block("busyBlockHash", "?tab=transactions") },
  {
    name: "block-transactions-of-asset",
    path: block("busyBlockHash"),
    reach: async (page) => {
      await changesThere(page);
      await dataRows(changes(page)).nth(1).getByRole("button", { name: "Details" }).click();
      await page.getByRole("link", { name: "Transactions that moved it" }).click();
      await expect(page.getByRole("button", { name: "Remove the filter" })).toBeVisible();
    },
  },
  { name: "transaction", path: block("busyBlockHash", "?tab=transactions"), reach: openTransaction },
  {
    name: "transaction-outputs",
    path: block("busyBlockHash", "?tab=transactions"),
    async reach(page) {
      await openTransaction(page);
      await page.getByRole("link", { name: /^Outputs/ }).click();
      await expect(dataRows(page.getByRole("table", { name: "Outputs" })).first()).toBeVisible();
    },
  },
  { name: "transaction-unknown", path: `/transactions/0x${"ab".repeat(32)}`, failures: true },
  { name: "wallet", path: wallet(), reach: ended },
  { name: "wallet-holdings", path: wallet("&tab=holdings"), reach: held },
  { name: "wallet-statement", path: wallet("&tab=statement") },
  { name: "wallet-none", path: "/wallet" },
  { name: "block-compared", path: block("busyBlockHash", "?compare=parent") },
  { name: "block-largest-amounts", path: block("hugeBlockHash", "?flagged=show"), reach: changesThere },
  { name: "block-ckb-alone", path: block("emptyBlockHash"), reach: changesThere },
  { name: "block-moved-nothing", path: block("bareBlockHash") },
  { name: "block-newest", path: "/blocks/1000", reach: changesThere },
  {
    name: "block-no-match",
    path: block("busyBlockHash", "?name=no%20such%20name"),
    reach: (page) => expect(page.getByText(/^No asset matches/)).toBeVisible(),
  },
  {
    name: "block-page-gone",
    path: block("busyBlockHash", "?page=99"),
    reach: (page) => expect(page.getByText(/^Page 99 does not exist/)).toBeVisible(),
  },
  { name: "block-replaced", path: block("replacedBlockHash") },
  { name: "block-unknown", path: `/blocks/0x${"ab".repeat(32)}`, failures: true },
  { name: "block-not-a-hash", path: "/blocks/0x1234", failures: true },
  { name: "block-scope-missing", access: "utxosOnly", path: block("busyBlockHash") },
  {
    name: "block-loading-next",
    path: block("busyBlockHash"),
    reach: async (page) => {
      await changesThere(page);
      await hold(page, CHANGES);
      await nextPage(page);
      await expect(page.getByRole("status").filter({ hasText: "Loading page 2" })).toBeAttached();
    },
  },
  {
    name: "block-next-failed",
    path: block("busyBlockHash"),
    failures: true,
    reach: async (page) => {
      await changesThere(page);
      await answer(page, CHANGES, "INTERNAL_SERVER_ERROR");
      await nextPage(page);
      await expect(alert(page)).toContainText("Page 2");
    },
  },
  {
    name: "block-export-early",
    path: block("busyBlockHash"),
    windowOnly: true,
    reach: async (page) => {
      await changesThere(page);
      await hold(page, CHANGES);
      await nextPage(page);
      await expect((await openExport(page)).getByText(/still belong to the previous view/)).toBeVisible();
    },
  },
  ...(
    [
      ["unreachable", (page) => page.route(CHANGES, (route) => route.abort())],
      ["limit", (page) => answer(page, CHANGES, "TOO_MANY_REQUESTS", { "retry-after": "12" })],
      ["overloaded", (page) => answer(page, CHANGES, "SERVICE_UNAVAILABLE", { "retry-after": "2" })],
      ["timeout", (page) => hold(page, CHANGES)],
      ["session-ended", (page) => answer(page, CHANGES, "UNAUTHORIZED")],
      ["gone", (page) => answer(page, CHANGES, "NOT_FOUND")],
    ] as [string, (page: Page) => Promise<unknown>][]
  ).map(
    ([name, network]): State => ({
      name: `block-${name}`,
      path: block("busyBlockHash"),
      failures: true,
      before: ownTime,
      reach: async (page) => {
        await changesThere(page);
        await network(page);
        await blockOrder(page);
        await passTimeUntil(page, alert(page));
      },
    }),
  ),
  {
    name: "block-comfortable",
    path: block("busyBlockHash"),
    preferences: { density: "comfortable" },
    reach: changesThere,
  },
  { name: "mainnet-block", site: "mainnet", path: "/blocks/13499465", reach: changesThere },

  // --- the frame around every page
  {
    name: "help",
    path: address("smallAddress"),
    windowOnly: true,
    reach: async (page) => {
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("button", { name: "Shortcuts" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "account-menu",
    path: address("smallAddress"),
    windowOnly: true,
    reach: async (page) => {
      await page.getByRole("button", { name: "Account" }).click();
      await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
    },
  },
  {
    name: "chain-status",
    path: address("smallAddress"),
    windowOnly: true,
    reach: async (page) => {
      await page.getByRole("button", { name: "Chain status" }).click();
      await expect(page.getByText("Tip hash")).toBeVisible();
    },
  },
  {
    name: "chain-status-unreachable",
    path: address("smallAddress"),
    windowOnly: true,
    failures: true,
    before: async (page) => {
      await ownTime(page);
      await page.route("**/status", (route) => route.abort());
    },
    reach: async (page) => {
      await page.getByRole("button", { name: "Chain status" }).click();
      await passTimeUntil(page, page.getByText(/^The server cannot be reached/));
    },
  },
  {
    name: "chain-status-session-ended",
    path: address("smallAddress"),
    windowOnly: true,
    failures: true,
    before: async (page) => {
      await ownTime(page);
      await answer(page, "**/status", "UNAUTHORIZED");
    },
    reach: async (page) => {
      await page.getByRole("button", { name: "Chain status" }).click();
      await passTimeUntil(page, page.getByText(/^Your session has ended/));
    },
  },
  {
    name: "page-loading",
    path: address("smallAddress"),
    windowOnly: true,
    reach: async (page, { notable }) => {
      await hold(page, "**/blocks/**");
      await searchField(page).fill(notable.busyBlockHash!);
      await searchField(page).press("Enter");
      await expect(announcer(page)).toHaveText("Loading the page");
    },
  },

  // --- the API reference
  { name: "docs", path: "/docs", windowOnly: true },
  { name: "docs-signed-out", access: "none", path: "/docs", windowOnly: true },
  { name: "docs-operation", path: "/docs#changes", windowOnly: true },
  {
    name: "docs-answer",
    path: "/docs",
    windowOnly: true,
    reach: async (page) => {
      const form = page.getByRole("form", { name: "Try /v0/blocks/{blockHash}/asset-changes" });
      await form.getByRole("button", { name: "Send" }).click();
      await expect(form.getByText(/^200/)).toBeVisible();
      await form.getByRole("button", { name: "Send" }).evaluate((button) => button.scrollIntoView());
    },
  },

  // --- error pages
  { name: "not-found", path: "/nowhere", failures: true },
  {
    name: "page-fault",
    path: address("smallAddress"),
    failures: true,
    reach: async (page) => {
      // The framework logs a page's error to the console.
      page.context().removeAllListeners("console");
      await page.route(LIST, (route) =>
        route.fulfill({ json: { result: [null], hasNext: false, lastCursor: "" } }),
      );
      await oldestFirst(page);
      await expect(page.getByRole("heading", { name: "This page could not be loaded" })).toBeVisible();
    },
  },
];
