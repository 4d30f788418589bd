import type { Page } from "@playwright/test";
import { changes, columnOf, dataRows, expect, expectRow, signIn, test, watch } from "./support.ts";

const pager = (page: Page) => page.getByRole("navigation", { name: "Pages", exact: true });

test("walking all pages shows every asset once, in the API's order", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  const wanted: string[] = [];
  const { total } = await api.changes(busyBlockHash!);
  for (let at = 1; wanted.length < total; at++) {
    const { result } = await api.changes(busyBlockHash!, {
      orderKey: "volume",
      pageSize: "50",
      page: String(at),
    });
    wanted.push(...result.map(({ asset }) => asset.id));
  }
  await page.goto(`/blocks/${busyBlockHash}?flagged=show`);
  await page.getByRole("combobox", { name: "Rows per page" }).selectOption("50");
  const pages = Math.ceil(total / 50);
  const seen: string[] = [];
  for (let at = 1; at <= pages; at++) {
    const expected = wanted.slice((at - 1) * 50, at * 50);
    await expectRow(changes(page), { Asset: expected[0]! });
    await expect(dataRows(changes(page))).toHaveCount(expected.length);
    const shown = await columnOf(changes(page), "Asset");
    seen.push(...shown.map((text) => wanted.find((id) => text.includes(id)) ?? text));
    await expect(pager(page)).toContainText(`${(at - 1) * 50 + 1}–${Math.min(at * 50, total)} of ${total}`);
    if (at < pages) await pager(page).getByRole("link", { name: /^Next/ }).click();
  }
  expect(seen).toEqual(wanted);
  await expect(pager(page).getByRole("link", { name: /^Next/ })).toHaveAttribute("aria-disabled", "true");
  await expect(pager(page).getByRole("link", { name: /^Last/ })).toHaveAttribute("aria-disabled", "true");
});

test("page controls are links, a page number can be typed, and Back goes through the pages", async ({
  page,
  facts,
}) => {
  const path = `/blocks/${facts.notable.busyBlockHash}`;
  await page.goto(path);
  await expect(pager(page).getByRole("link", { name: /^‹ Prev/ })).toHaveAttribute("aria-disabled", "true");
  await expect(pager(page).getByRole("link", { name: /^Next/ })).toHaveAttribute("href", `${path}?page=2`);
  await pager(page).getByRole("link", { name: /^Next/ }).click();
  await expect(page).toHaveURL(`${path}?page=2`);
  const jump = pager(page).getByRole("textbox", { name: "Page" });
  await expect(jump).toHaveValue("2");
  await jump.fill("5");
  await jump.press("Enter");
  await expect(page).toHaveURL(`${path}?page=5`);
  await expect(page.getByRole("status").filter({ hasText: /^Page 5 of \d+$/ })).toBeAttached();
  await pager(page).getByRole("link", { name: /^Last/ }).click();
  await expect(page).toHaveURL(/[?&]page=1\d$/);
  await page.goBack();
  await expect(page).toHaveURL(`${path}?page=5`);
  await page.goBack();
  await expect(page).toHaveURL(`${path}?page=2`);
  await expect(jump).toHaveValue("2");
  await page.goForward();
  await expect(page).toHaveURL(`${path}?page=5`);
  await pager(page)
    .getByRole("link", { name: /^« First/ })
    .click();
  await expect(page).toHaveURL(path);
});

test("a page is asked for when its link is pointed at, and opens without another request", async ({
  page,
  facts,
}) => {
  const path = `/blocks/${facts.notable.busyBlockHash}`;
  await page.goto(path);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/asset-changes")) asked.push(new URL(request.url()).search);
  });
  const answer = page.waitForResponse((response) => response.url().includes("/asset-changes"));
  await pager(page).getByRole("link", { name: /^Next/ }).hover();
  expect((await answer).status()).toBe(200);
  await expect(page).toHaveURL(path);
  await page.keyboard.press("]");
  await expect(page).toHaveURL(`${path}?page=2`);
  await expect(page.getByText(/^11–20 of \d+$/).first()).toBeVisible();
  expect(asked).toEqual([expect.stringContaining("page=2")]);
});

test("a change of filter, tag, order or size goes back to page 1 in the same step", async ({
  page,
  facts,
}) => {
  const path = `/blocks/${facts.notable.busyBlockHash}`;
  const tag = page.getByRole("group", { name: "Filter by tag" }).getByRole("button", { name: /^rwa/ });
  const cases: [() => Promise<unknown>, string][] = [
    [() => page.getByRole("textbox", { name: "Name, symbol or id" }).fill("o"), "?name=o"],
    [() => tag.click(), "?tags=rwa"],
    [() => page.getByRole("combobox", { name: "Order" }).selectOption("asc"), "?order=asc"],
    [() => page.getByRole("combobox", { name: "Rows per page" }).selectOption("25"), "?size=25"],
  ];
  for (const [act, search] of cases) {
    await page.goto(`${path}?page=3`);
    await expect(pager(page).getByRole("textbox", { name: "Page" })).toHaveValue("3");
    await act();
    await expect(page).toHaveURL(path + search);
    await expect(page.getByText(/^1–\d+ of \d+$/).first()).toBeVisible();
  }
});

test("a link restores filter, tags, order, size and page in another browser", async ({
  page,
  browser,
  baseURL,
  site,
  facts,
}) => {
  const path = `/blocks/${facts.notable.busyBlockHash}?name=o&tags=rwa,governance&order=asc&size=10&page=2`;
  await page.goto(path);
  await expect(pager(page).getByRole("textbox", { name: "Page" })).toHaveValue("2");
  const shown = await columnOf(changes(page), "Asset");
  expect(shown.length).toBeGreaterThan(1);
  await page.reload();
  await expectRow(changes(page), { Asset: shown[0]! });

  const other = await browser.newContext({ ...(baseURL ? { baseURL } : {}) });
  const problems = watch(other, baseURL ?? "");
  await signIn(other, site, facts.tokens.full);
  const pasted = await other.newPage();
  await pasted.goto(page.url());
  await expectRow(changes(pasted), { Asset: shown[0]! });
  expect(await columnOf(changes(pasted), "Asset")).toEqual(shown);
  await expect(pasted.getByRole("textbox", { name: "Name, symbol or id" })).toHaveValue("o");
  await expect(pasted.getByRole("combobox", { name: "Order" })).toHaveValue("asc");
  await other.close();
  expect(problems).toEqual([]);
});

test("a page past the end says how many there are", async ({ page, facts }) => {
  const path = `/blocks/${facts.notable.busyBlockHash}`;
  await page.goto(`${path}?page=99`);
  await expect(page.getByText(/^Page 99 does not exist: this list has 1\d pages$/)).toBeVisible();
  await page.getByRole("button", { name: "Last page" }).click();
  await expect(page).toHaveURL(/[?&]page=1\d$/);
  await expect(changes(page)).toBeVisible();
  await page.goto(`${path}?page=99`);
  await page.getByRole("button", { name: "First page" }).click();
  await expect(page).toHaveURL(path);
});

test("while the next page loads, the previous rows stay and the table is busy", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const before = await columnOf(changes(page), "Asset");
  await expect(async () => expect(await columnOf(changes(page), "Asset")).toHaveLength(10)).toPass();
  const held = Promise.withResolvers<void>();
  await page.route("**/asset-changes?*page=2*", async (route) => {
    await held.promise;
    await route.continue();
  });
  await pager(page).getByRole("link", { name: /^Next/ }).click();
  await expect(changes(page)).toHaveAttribute("aria-busy", "true");
  await expect(page.getByRole("status").filter({ hasText: "Loading page 2" })).toBeAttached();
  const during = await columnOf(changes(page), "Asset");
  expect(during).toHaveLength(10);
  expect(during.slice(0, before.length)).toEqual(before);
  held.resolve();
  await expect(changes(page)).toHaveAttribute("aria-busy", "false");
  expect(await columnOf(changes(page), "Asset")).not.toEqual(during);
});
