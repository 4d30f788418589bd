import type { Page, Request } from "@playwright/test";
import { announcer, changes, expect, searchField as field, outputs, test } from "./support.ts";

const options = (page: Page) => page.getByRole("option");

/** A link of the home page. */
const example = (page: Page, address: string) =>
  page.getByRole("main").locator(`a[href="/addresses/${address}"]`);

test("the home page has the only search in its middle, and examples", async ({ page, facts }) => {
  await page.goto("/");
  await expect(field(page)).not.toBeFocused();
  await page.keyboard.press("/");
  await expect(field(page)).toBeFocused();
  await expect(page.getByRole("banner").getByRole("combobox")).toHaveCount(0);
  await example(page, facts.notable.busyAddress!).click();
  await expect(page).toHaveURL(`/addresses/${facts.notable.busyAddress}`);
});

test("an address is found while it is typed, and Enter opens it", async ({ page, facts }) => {
  const { smallAddress } = facts.notable;
  await page.goto("/");
  await field(page).fill(`  ${smallAddress!.toUpperCase()} `);
  await expect(options(page)).toHaveText(/^Address .*3 cells↵$/);
  await field(page).press("Enter");
  await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  await expect(outputs(page)).toBeVisible();
  await expect(page).toHaveTitle(/^Address ckt1.*….* · /);
  await page.goBack();
  await expect(field(page)).toBeVisible();
});

test("an address opens by its end, and as pages shorten it", async ({ page, facts }) => {
  const { smallAddress = "" } = facts.notable;
  await page.goto(`/addresses/${smallAddress}`);
  const [shortened = ""] = (await page.title()).match(/ckt1\S*…\S*/)!;
  for (const text of [smallAddress.slice(-10), shortened, shortened.replace("…", "...")]) {
    await page.goto("/");
    await field(page).fill(text);
    await expect(options(page)).toHaveText(/^Address .*3 cells↵$/);
    await field(page).press("Enter");
    await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  }
});

test("using what sticks to the top of the window does not scroll the page", async ({ page, facts }) => {
  const scrolled = () => page.evaluate(() => scrollY);
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=statement`);
  await expect(page.getByRole("table", { name: "Statement" }).locator("[data-index='20']")).toBeAttached();
  await page.evaluate(() => scrollTo(0, 1500));
  await page.keyboard.press("/");
  await page.keyboard.type("TIDE");
  await expect(options(page)).not.toHaveCount(0);
  expect(await scrolled()).toBe(1500);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Columns" }).press("Enter");
  expect(await scrolled()).toBe(1500);
});

test("a block hash opens without 0x and in upper case", async ({ page, facts }) => {
  const hash = facts.notable.busyBlockHash!;
  await page.goto("/");
  await field(page).fill(` ${hash.slice(2).toUpperCase()} `);
  await expect(options(page)).toHaveCount(1);
  await options(page).click();
  await expect(page).toHaveURL(`/blocks/${hash}`);
  await expect(changes(page)).toBeVisible();
});

test("a block number leads to that block's hash", async ({ page }) => {
  await page.goto("/");
  await field(page).fill("1,000");
  await field(page).press("Enter");
  await expect(page).toHaveURL(/\/blocks\/0x[0-9a-f]{64}$/);
  await expect(page.getByRole("heading", { name: "Block 1,000" })).toBeVisible();
});

test("a page's URL opens that view, even if pasted with invisible characters", async ({ page, facts }) => {
  const path = `/blocks/${facts.notable.busyBlockHash}?order=asc`;
  await page.goto("/");
  await field(page).fill(`\u200bhttps://aqs.example${path}\u2069`);
  await field(page).press("Enter");
  await expect(page).toHaveURL(path);
  await expect(changes(page)).toBeVisible();
});

test("a link to a page of this site opens that page, even if it names no single thing", async ({
  page,
  facts,
  baseURL,
}) => {
  const path = `/wallet?address=${facts.notable.smallAddress}&tab=holdings`;
  await page.goto("/");
  await field(page).fill(`<${baseURL}${path}>`);
  await field(page).press("Enter");
  await expect(page).toHaveURL(path);
});

test("a text that finds nothing says why, and nothing opens", async ({ page, facts }) => {
  const { busyBlockHash, smallAddress } = facts.notable;
  await page.goto("/");
  for (const [text, fault] of [
    ["0xabc", "3 hex digits; a hash has 64."],
    [`${busyBlockHash!.slice(0, -1)}g`, "Character 66 is not a hex digit."],
    [`${smallAddress!.slice(0, 20)}B${smallAddress!.slice(21)}`, /lower case or all upper case/],
    [`${smallAddress!.slice(0, 20)}b${smallAddress!.slice(21)}`, "Character 21 cannot be in an address."],
    ["hello", "No asset has a name, a symbol or an id that starts with this."],
    ["99,999", "Block 99,999 is beyond the tip: the newest block is 1,000."],
    [`${busyBlockHash}:0`, "No such transaction is indexed."],
  ] as const) {
    await field(page).fill(text);
    await field(page).press("Enter");
    await expect(
      page.getByRole("search").locator("p:visible").filter({ hasText: fault }).first(),
      text,
    ).toBeVisible();
    await expect(field(page)).toHaveAttribute("aria-invalid", "true");
    await expect(page).toHaveURL("/");
  }
});

test("tokens are found by name, symbol or id, imitations last, and chosen by keyboard alone", async ({
  page,
}) => {
  await page.goto("/docs");
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("tide");
  await expect(options(page).first()).toHaveText(/^TIDE ?Tide Dollar/);
  await expect(field(page)).toHaveAttribute("aria-expanded", "true");
  await expect(page.getByRole("status").filter({ hasText: /^\d results\.$/ })).toBeAttached();
  const flagged = options(page).filter({ has: page.locator("[data-flag]") });
  const [marked, all] = [await flagged.count(), await options(page).count()];
  expect(marked).toBeGreaterThan(2);
  for (let at = all - marked; at < all; at++) {
    await expect(options(page).nth(at).locator("[data-flag]"), "imitations come last").toBeVisible();
  }

  await page.keyboard.press("ArrowUp");
  await expect(options(page).last()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(field(page)).not.toHaveAttribute("aria-activedescendant");
  await page.keyboard.press("Escape");
  await expect(options(page).first()).toBeHidden();
  await expect(field(page), "Escape closes the list first").toHaveValue("tide");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/assets\/0x[0-9a-f]{64}$/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Tide Dollar");
  await expect(field(page)).toHaveValue("");
});

test("a pasted page's URL opens the page with its filter, in any script", async ({ page }) => {
  await page.goto(`/search?q=${encodeURIComponent("https://aqs.example/blocks/5?name=日本")}`);
  await expect(page).toHaveURL(/\/blocks\/\w+\?name=%E6%97%A5%E6%9C%AC$/);
});

test("a late response does not replace that of a later text", async ({ page }) => {
  await page.goto("/docs");
  const held = Promise.withResolvers<void>();
  await page.route("**/find?q=tide", async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  const asked = page.waitForRequest("**/find?q=tide");
  await field(page).fill("tide");
  await asked;
  const isTide = (request: Request) => request.url().endsWith("/find?q=tide");
  const over = Promise.race([
    page.waitForEvent("requestfinished", isTide),
    page.waitForEvent("requestfailed", isTide),
  ]);
  await field(page).fill("dETH");
  await expect(options(page)).toHaveText(/^dETH/);
  held.resolve();
  await over;
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(options(page)).toHaveText(/^dETH/);
});

test("a transaction's hash opens its page, and an out point the same page at its output", async ({
  page,
  api,
  facts,
}) => {
  const { result } = await api.utxos(facts.notable.smallAddress!);
  const [hash = "", index = ""] = result[0]!.outPoint.split(":");
  await page.goto("/");
  await field(page).fill(hash.slice(0, 12));
  await expect(options(page)).toHaveText(/^Transaction.*↵$/);
  await field(page).press("Enter");
  await expect(page).toHaveURL(`/transactions/${hash}`);
  await field(page).fill(`${hash}:${index}`);
  await expect(options(page)).toHaveText([new RegExp(`^Cell ${index} of.*unspent↵$`), /^Address/]);
  await field(page).press("Enter");
  await expect(page).toHaveURL(`/transactions/${hash}#${index}`);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the search opens what a text names, and lists what it finds", async ({ context, facts }) => {
    const { smallAddress } = facts.notable;
    const page = await context.newPage();
    await page.goto("/docs");
    await field(page).fill(smallAddress!);
    await field(page).press("Enter");
    await expect(page).toHaveURL(`/addresses/${smallAddress}`);
    await page.goto("/docs");
    await field(page).fill("coin");
    await field(page).press("Enter");
    await expect(page).toHaveURL("/search?q=coin");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("coin");
    await page.goto("/search?q=99999");
    await expect(page.getByText("Block 99,999 is beyond the tip: the newest block is 1,000.")).toBeVisible();
  });
});

test("the header's field searches from every page, and Ctrl+Enter opens a new tab", async ({
  page,
  facts,
  context,
}) => {
  const { smallAddress, busyBlockHash } = facts.notable;
  await page.goto(`/addresses/${smallAddress}`);
  const header = page.getByRole("banner").getByRole("combobox");
  await header.fill(busyBlockHash!);
  await header.press("Enter");
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}`);

  const opened = context.waitForEvent("page");
  await header.fill(smallAddress!);
  await header.press("Control+Enter");
  await expect(await opened).toHaveURL(`/addresses/${smallAddress}`);
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}`);
});

test.describe("while the server takes its time", () => {
  const bar = (page: Page) => page.locator("body > [data-loading]");

  /** Holds back pages from now on; the returned function releases them. */
  async function holdPages(page: Page): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    await page.route(/\/(addresses|blocks)\/[^/]+$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    return held.resolve;
  }

  test("a running search is visible, and its text stays until the page has loaded", async ({
    page,
    facts,
  }) => {
    const { smallAddress, busyBlockHash } = facts.notable;
    await page.goto(`/addresses/${smallAddress}`);
    const release = await holdPages(page);
    const header = page.getByRole("banner").getByRole("combobox");
    await expect(bar(page)).toHaveCount(0);
    await header.fill(busyBlockHash!);
    await header.press("Enter");
    await expect(bar(page)).toBeVisible();
    await expect(announcer(page)).toHaveText("Loading the page");
    await expect(header).toHaveValue(busyBlockHash!);
    await expect(page).toHaveURL(`/addresses/${smallAddress}`);

    release();
    await expect(changes(page)).toBeVisible();
    await expect(header).toHaveValue("");
    await expect(bar(page)).toHaveCount(0);
    await expect(announcer(page)).not.toHaveText("Loading the page");
  });

  test("a followed link shows progress, and text typed in the meantime is not lost", async ({
    page,
    facts,
  }) => {
    await page.goto(`/addresses/${facts.notable.smallAddress}`);
    const release = await holdPages(page);
    await outputs(page)
      .getByRole("link", { name: /^(Block )?[\d,]+$/ })
      .first()
      .click();
    await expect(bar(page)).toBeVisible();
    const header = page.getByRole("banner").getByRole("combobox");
    await header.fill("14203551");
    release();
    await expect(changes(page)).toBeVisible();
    await expect(header).toHaveValue("14203551");
    await expect(bar(page)).toHaveCount(0);
  });
});

test.describe("a lost reader", () => {
  test.use({ failuresExpected: true });

  test("an unknown path says so in the usual font, and has the search and the account", async ({ page }) => {
    const font = () => page.locator("body").evaluate((body) => getComputedStyle(body).fontFamily);
    await page.goto("/");
    const usual = await font();
    const response = await page.goto("/nowhere");
    expect(await font()).toBe(usual);
    await expect(page.getByRole("button", { name: "Account" })).toBeVisible();
    expect(response?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    const search = field(page);
    await search.fill("tip");
    await search.press("Enter");
    await expect(page).toHaveURL("/blocks/tip");
  });
});
