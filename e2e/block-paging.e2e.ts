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
  await expect(jump).toHaveValue("5");
  for (const text of ["", "x"]) {
    await jump.fill(text);
    await jump.press("Enter");
    await expect(jump).toHaveValue("5");
  }
  await expect(page).toHaveURL(`${path}?page=5`);
  await expect(page.getByRole("status").filter({ hasText: /^Page 5 of \d+$/ })).toBeAttached();
  await pager(page).getByRole("link", { name: /^Last/ }).click();
  await expect(page).toHaveURL(/[?&]page=[67]$/);
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
