import type { Locator } from "@playwright/test";
import type { AssetEntry } from "#lib/queries/assets/contract.ts";
import { formerForm } from "./states.ts";
import {
  announcer,
  blockLink,
  changes,
  columnOf,
  dataRows,
  expect,
  expectRow,
  loadPages,
  observeShifts,
  outputs,
  rowsOf,
  scrollToEnd,
  setting,
  test,
  topOf,
  wheelTo,
  withoutAutoLoad,
} from "./support.ts";

test("a link to an address in an old form leads to the current one, with its filters, and says so", async ({
  page,
  facts,
}) => {
  const current = facts.notable.smallAddress!;
  const query = `token=${facts.notable.knownToken}&order=asc`;
  for (const [text, note] of [
    [formerForm(current, "short").toUpperCase(), "Short address format, still valid, shown in full form."],
    [formerForm(current, "full"), "Old full address format, still valid, shown in its current form."],
  ] as const) {
    await page.goto(`/addresses/${text}?${query}`);
    await expect(page).toHaveURL(new RegExp(`/addresses/${current}\\?.*${query}`));
    await expect(page.getByText(note)).toBeVisible();
    await expect(page.getByRole("button", { name: "Remove the filter TIDE" })).toBeVisible();
    await expect(dataRows(outputs(page))).toHaveCount(1);
  }
});

test("Back and a reload return to the row that was read, at the same place of the window", async ({
  page,
  facts,
  api,
}) => {
  const { address } = facts.middling;
  await loadPages(page, address, 3);
  const row = outputs(page).locator('[aria-rowindex="241"]');
  await wheelTo(page, row);
  await expect(page).toHaveURL(/[?&]from=0x\w+:\d+&row=2\d\d$/);
  const all = await api.allUtxos(address);
  const { searchParams } = new URL(page.url());
  const above = all[Number(searchParams.get("row")) - 2];
  expect(searchParams.get("from"), "the row above the one that is read").toBe(above?.outPoint);

  const left = await topOf(row);
  await blockLink(row).click();
  await expect(dataRows(changes(page)).first()).toBeVisible();
  await page.goBack();
  const isThere = async () => expect(Math.abs((await topOf(row)) - left)).toBeLessThanOrEqual(2);
  await expect(isThere).toPass();
  await expect(announcer(page)).toHaveText("300 cells loaded, more available");
  await expect(row).toHaveAttribute("data-id", all[239]!.outPoint);
  await expect(row).toBeFocused();
  await expect(page.getByText("Showing from the middle of the list.")).toHaveCount(0);

  await page.reload();
  await expect(isThere).toPass();
  await expect(row).toHaveAttribute("data-id", all[239]!.outPoint);
  await expect(page.getByText("Showing from the middle of the list.")).toBeAttached();
});

test("after the list is filtered by a row's token, Back returns to the row", async ({ page, facts }) => {
  await loadPages(page, facts.middling.address, 3);
  const row = outputs(page).locator('[aria-rowindex="241"]');
  await wheelTo(page, row);
  await expect(page).toHaveURL(/[?&]row=2\d\d$/);
  const [id, left] = [await row.getAttribute("data-id"), await topOf(row)];
  await row.locator('a[href*="token="]').click();
  await expect(page).toHaveURL(/[?&]token=/);
  await expect(page.getByRole("button", { name: /^Remove/ })).toBeVisible();
  await page.goBack();
  await expect(async () => expect(Math.abs((await topOf(row)) - left)).toBeLessThanOrEqual(2)).toPass();
  await expect(row).toHaveAttribute("data-id", id!);
  await expect(page.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
});

test("Back and a reload return to the row that was read in a statement and among an asset's holders", async ({
  page,
  facts,
  api,
}) => {
  const { result: assets } = await api.get<{ result: AssetEntry[] }>("/v0/assets?pageSize=1000");
  const [widest] = assets.toSorted((one, other) => other.holderCount - one.holderCount);
  await withoutAutoLoad(page);
  for (const [path, caption] of [
    [`/addresses/${facts.middling.address}?tab=statement`, "Statement"],
    [`/assets/${widest!.token}`, "Holders"],
  ] as const) {
    await page.goto(path);
    await page.getByRole("button", { name: "Load next 100" }).click();
    await expect(announcer(page)).toHaveText(/^200 \w+ loaded, more available$/);
    const table = page.getByRole("table", { name: caption });
    await wheelTo(page, table.locator('[aria-rowindex="171"]'));
    const idAt = (y: number) =>
      page.evaluate(
        (at) => document.elementFromPoint(400, at)?.closest<HTMLElement>("tr[data-id]")?.dataset.id,
        y,
      );
    // The tab keeps the place once the reader has stopped.
    await expect(async () => {
      const id = (await idAt(160))!;
      expect(await page.evaluate(() => JSON.stringify(window.history.state))).toContain(`"id":"${id}"`);
    }).toPass();
    const row = table.locator(`[data-id="${await idAt(400)}"]`);
    const [left, place] = [await topOf(row), (await row.getAttribute("aria-rowindex"))!];
    const isThere = async () => expect(Math.abs((await topOf(row)) - left)).toBeLessThanOrEqual(2);

    await row.locator("a[href^='/blocks/'], a[href^='/addresses/']").first().click();
    await expect(table).toHaveCount(0);
    await page.goBack();
    await expect(isThere, `${caption}, Back`).toPass();
    await page.reload();
    await expect(isThere, `${caption}, reload`).toPass();
    await expect(row).toHaveAttribute("aria-rowindex", place);
  }
});

test("a link from the middle of a statement or a wallet opens at the row that was read", async ({
  page,
  context,
  facts,
}) => {
  const { address } = facts.middling;
  for (const [path, caption] of [
    [`/addresses/${address}?tab=statement`, "Statement"],
    [`/wallet?address=${address}&address=${facts.notable.smallAddress}`, "Unspent outputs"],
  ] as const) {
    await page.goto(path);
    await wheelTo(page, page.getByRole("table", { name: caption }).locator('[aria-rowindex="71"]'));
    const isRead = async (row: Locator) => {
      const box = await row.boundingBox({ timeout: 1000 });
      expect(box?.y).toBeLessThanOrEqual(160);
      expect(box!.y + box!.height).toBeGreaterThan(160);
    };
    // The address bar is updated a moment after scrolling, and may name rows on the way until then.
    let read = page.locator("tr");
    await expect(async () => {
      expect(page.url()).toMatch(/[?&]skip=\d\d$/);
      const { searchParams } = new URL(page.url());
      read = page.locator(`tr[aria-rowindex="${Number(searchParams.get("skip")) + 2}"]`);
      await isRead(read);
    }).toPass();
    const id = await read.getAttribute("data-id");

    const other = await context.newPage();
    await other.goto(page.url());
    await expect(() => isRead(other.locator(`tr[data-id="${id}"]`))).toPass();
    expect(other.url()).toBe(page.url());
    await other.close();
  }
});

test("a link works right after scrolling", async ({ page, facts }) => {
  await page.clock.install();
  await loadPages(page, facts.middling.address, 2);
  const held = Promise.withResolvers<void>();
  await page.route("**/blocks/**", async (route) => {
    await held.promise;
    await route.continue();
  });
  const row = outputs(page).locator('[aria-rowindex="131"]');
  await wheelTo(page, row);
  await blockLink(row).click();
  // The address bar is updated a moment after scrolling, while the server still renders the next page.
  await page.clock.runFor(1000);
  held.resolve();
  await expect(page).toHaveURL(/\/blocks\/0x/);
});

test("a link works right after typing a filter, and Back returns to what was typed", async ({
  page,
  facts,
}) => {
  await page.clock.install();
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const held = Promise.withResolvers<void>();
  await page.route(/\/$|\/\?_rsc/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("textbox", { name: "Name, symbol or id" }).fill("gold");
  await page.getByRole("banner").getByRole("link", { name: "Asset Query Service" }).click();
  await page.clock.runFor(1000);
  held.resolve();
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(page).toHaveURL(`/blocks/${facts.notable.busyBlockHash}?name=gold`);
});

test("flagged assets of a block are hidden with a count, and shown on demand", async ({
  page,
  facts,
  api,
}) => {
  const [entry] = (await api.utxos(facts.notable.lookAlikeAddress!)).result;
  await page.goto(`/blocks/${entry!.blockHeight}?size=100&order=chain`);
  const table = changes(page);
  const hash = new URL(page.url()).pathname.split("/")[2]!;
  const { result } = await api.changes(hash, { pageSize: "100" });
  const hide = page.getByRole("button", { name: /^Hide flagged/ });
  await expect(hide).toHaveAttribute("aria-pressed", "true");
  const hidden = Number(/\d+/.exec((await hide.textContent()) ?? "")?.[0]);
  expect(hidden).toBeGreaterThan(0);
  await expect(dataRows(table)).toHaveCount(result.length - hidden);
  await expect(table.getByText(`${hidden} flagged assets of this page hidden.`)).toBeVisible();
  await table.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/[?&]flagged=show/);
  await expect(dataRows(table)).toHaveCount(result.length);
  for (const { asset } of result.slice(0, 3)) await expectRow(table, { Asset: asset.id });
  expect(await rowsOf(table)).toHaveLength(result.length);
});

test.describe("keys of the page", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  test("change the theme, open the export and copy the view", async ({ page, facts }) => {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`/addresses/${facts.notable.smallAddress}?order=asc`);
    const theme = setting(page, "Theme");
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.keyboard.press("t");
    await expect(theme).toHaveValue("light");
    expect(await ground()).toBe(light);
    await page.keyboard.press("t");
    await expect(theme).toHaveValue("dark");
    await expect.poll(ground).not.toBe(light);

    await page.keyboard.press("y");
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain(`/v0/addresses/${facts.notable.smallAddress}/utxos?include=`);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    const dialog = page.getByRole("dialog", { name: "Export" });
    await expect(dialog).toBeVisible();
    // Single-key shortcuts do nothing in dialogs.
    await page.keyboard.press("t");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(theme).toHaveValue("dark");
    await expect(dataRows(outputs(page)).first(), "where the reader was").toBeFocused();
  });
});

test("nothing on a page shifts after its first paint", async ({ page, facts }) => {
  for (const path of [
    "/",
    `/addresses/${facts.notable.busyAddress}`,
    `/blocks/${facts.notable.busyBlockHash}`,
    "/docs",
  ]) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    const shifts = await observeShifts(page);
    expect((await shifts()).all, path).toBeLessThan(0.05);
  }
});

test("with reduced motion, nothing moves while rows load", async ({ page, facts }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await page.route("**/v0/addresses/**", () => {});
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  await expect(outputs(page)).toHaveAttribute("aria-busy", "true");
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test("the API reference sends real requests, and links to the page of the result", async ({
  page,
  facts,
  api,
}) => {
  const { hugeBlockHash } = facts.notable;
  await page.goto("/docs");
  const form = page.getByRole("form", { name: "Try /v0/blocks/{blockHash}/asset-changes" });
  await form.getByRole("textbox", { name: /^blockHash/ }).fill(hugeBlockHash!);
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText("200 OK")).toBeVisible();
  const { result } = await api.changes(hugeBlockHash!, { orderKey: "volume" });
  const body = form.getByRole("region", { name: "Response body" });
  // Doubles cannot hold this amount, and every digit is shown.
  for (const { amount } of result) await expect(body).toContainText(`"amount": ${amount}`);

  await form.getByRole("textbox", { name: /^pageSize/ }).fill("1000");
  page.context().removeAllListeners("console");
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText(/^400/)).toBeVisible();
  await expect(body).toContainText('"code": "BAD_REQUEST"');
  await form.getByRole("link", { name: "Open in the dashboard" }).click();
  await expect(page).toHaveURL(`/blocks/${hugeBlockHash}`);
  expect(await columnOf(changes(page), "Asset")).not.toHaveLength(0);
});

test("the API reference has an answer to each request, and marks the section that is read", async ({
  page,
}) => {
  await page.goto("/docs#changes");
  const sections = page.getByRole("navigation", { name: "Sections" });
  await expect(sections.locator("[aria-current]")).toHaveText("Asset changes");
  const requests = page.getByRole("form", { name: /^Try / });
  await expect(page.getByText("Example response", { exact: true })).toHaveCount(await requests.count());
  await scrollToEnd(page);
  await expect(sections.locator("[aria-current]")).toHaveText("Limits");
  await sections.getByRole("link", { name: "Errors" }).click();
  await expect(sections.locator("[aria-current]")).toHaveText("Errors");
});
