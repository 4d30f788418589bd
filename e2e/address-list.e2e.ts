import type { Locator } from "@playwright/test";
import { formatUsdText } from "#lib/client/format.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import {
  announcer,
  columnOf,
  dataRows,
  drawAllRows,
  exactText,
  expect,
  expectAmounts,
  loadPages,
  observeShifts,
  outputs,
  rowsOf,
  scrollThrough,
  scrollToEnd,
  scrollWith,
  test,
  tokensOf,
  topOf,
  withoutAutoLoad,
} from "./support.ts";

test("an address shows the API's first entries in its order, to the last digit", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  const table = outputs(page);
  await drawAllRows(page);
  await expect(dataRows(table).nth(99)).toBeAttached();

  const { result } = await api.utxos(busyAddress!, { pageSize: "100" });
  const rows = (await rowsOf(table)).slice(0, 100);
  expect(rows.map((row) => row["Out point"])).toEqual(result.map(({ outPoint }) => outPoint));
  expect(rows.map((row) => row.Block)).toEqual(
    result.map(({ blockHeight }) => exactText(BigInt(blockHeight), 0)),
  );
  expect((await tokensOf(table)).slice(0, 100)).toEqual(result.map(({ token }) => token));
});

test("amounts and values are exact", async ({ page, facts, api }) => {
  const { busyAddress } = facts.notable;
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${busyAddress}`);
  const { result } = await api.utxos(busyAddress!, { pageSize: "100", value: "usd" });
  const table = outputs(page);
  await drawAllRows(page);
  await expect(dataRows(table)).toHaveCount(100);
  await expectAmounts(
    table,
    "Amount",
    result.map(({ amount, tokenInfo }) => exactText(amount, tokenInfo.decimals)),
  );
  const values = await columnOf(table, "Value");
  expect(values).toEqual(result.map(({ valueUsd, amount }) => formatUsdText(valueUsd!, amount)?.text ?? "—"));
});

test("the list begins in the first window, on a desktop and on a phone", async ({ page, facts }) => {
  const topOf = async (one: Locator) => (await one.boundingBox())!.y;
  for (const [width, height, tabs, first] of [
    [1440, 900, 260, 430],
    [390, 844, 400, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/addresses/${facts.notable.busyAddress}`);
    const strip = page.getByRole("navigation", { name: "Parts of this address" });
    expect(await topOf(strip), `tabs at ${width} px`).toBeLessThan(tabs);
    expect(await topOf(dataRows(outputs(page)).first()), `row at ${width} px`).toBeLessThanOrEqual(first);
    const { busyAddress, smallAddress, saverAddress } = facts.notable;
    for (const path of [
      `/addresses/${busyAddress}?at=900`,
      `/addresses/${busyAddress}?token=${terms.native.id}`,
      `/addresses/${busyAddress}?at=900&token=${terms.native.id}`,
      `/wallet?address=${saverAddress}&address=${smallAddress}`,
    ]) {
      await page.goto(path);
      expect(await topOf(dataRows(outputs(page)).first()), `${path} at ${width} px`).toBeLessThanOrEqual(
        first,
      );
    }
    for (const tab of ["holdings", "statement", "changes", "lock"]) {
      await page.goto(`/addresses/${facts.notable.busyAddress}?tab=${tab}`);
      expect(await topOf(strip), `${tab} at ${width} px`).toBeLessThan(200);
      if (width < 1440) continue;
      // Everything about the address takes one line.
      const headline = await page.locator("[data-short]").boundingBox();
      expect(headline!.height, `${tab} at ${width} px`).toBe(56);
    }
  }
});

test("the largest holdings and the remark on the other ones share a line", async ({ page, facts }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const part = page.getByRole("region", { name: "Composition" });
  const list = (await part.getByRole("list", { name: "The largest holdings" }).boundingBox())!;
  const remark = (await part.getByRole("link", { name: /no price|flagged/ }).boundingBox())!;
  expect([list.height, remark.height]).toEqual([20, 24]);
  expect(remark.y + 2).toBe(list.y);
  expect(list.x + list.width).toBeLessThan(remark.x);
});

test("the number of cells is shown once, at their tab", async ({ page, facts }) => {
  const { address, cells } = facts.middling;
  await page.goto(`/addresses/${address}`);
  await expect(page.getByRole("link", { name: `Cells ${cells}` })).toBeVisible();
  await expect(page.getByRole("region", { name: "Value" })).not.toContainText(String(cells));
});

test("scrolling alone reaches the end, and shows every output once", async ({ page, facts, api }) => {
  const { address, cells } = facts.middling;
  // The document contains the first page.
  await scrollThrough(page, Math.ceil(cells / 100) - 1, () => page.goto(`/addresses/${address}`));
  const table = outputs(page);
  await expect(announcer(page)).toHaveText(`${cells} cells loaded`);
  const last = table.locator("tr").last();
  await expect(last).toContainText(`End of list: ${cells} cells`);
  await expect(last).toContainText(/as of block [\d,]+/);
  await expect(page.getByRole("button", { name: "Load next 100" })).toHaveCount(0);

  // Only rows near the window are drawn.
  expect(await dataRows(table).count()).toBeLessThan(100);
  const all = await api.allUtxos(address);
  await drawAllRows(page);
  expect(await columnOf(table, "Out point")).toEqual(all.map(({ outPoint }) => outPoint));
  await expect(table).toHaveAttribute("aria-rowcount", String(cells + 1));
});

test("the next rows are requested while the end of those loaded is far below the window", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  await expect(announcer(page)).toHaveText("100 cells loaded, more available");
  // The response never comes, so that the end stays where it was.
  await page.route("**/utxos?*cursor=*", () => {});
  const asked = page.waitForRequest("**/utxos?*cursor=*");
  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, 100);
  await asked;
  const end = page.getByRole("group", { name: "More rows" });
  expect((await topOf(end)) - page.viewportSize()!.height).toBeGreaterThan(2000);
});

test("the mouse wheel finds rows down to the end of the window, through hundreds of them", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const row = dataRows(outputs(page)).first();
  await row.scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    const frames = { all: 0, empty: 0 };
    Object.assign(window, { frames });
    const hasRow = (fromEnd: number) =>
      document.elementFromPoint(innerWidth / 2, innerHeight - fromEnd)?.closest("tr[data-row]");
    const look = () => {
      frames.all += 1;
      if (![2, 14, 26, 38, 49].some(hasRow)) frames.empty += 1;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.mouse.move(400, 400);
  const last = () =>
    page.evaluate(() => {
      const drawn = document.elementFromPoint(400, innerHeight - 60)?.closest("tr[data-row]");
      return Number(drawn?.getAttribute("aria-rowindex"));
    });
  while ((await last()) < 900) await page.mouse.wheel(0, 240);
  const frames = await page.evaluate(() => (window as unknown as { frames: object }).frames);
  expect(frames).toEqual({ all: expect.any(Number), empty: 0 });
});

test("rows are drawn where the window is, also after the page grew above them", async ({ page, facts }) => {
  await loadPages(page, facts.notable.busyAddress!, 3);
  await page.evaluate(() => {
    const drawing = document.createElement("div");
    drawing.style.height = "6000px";
    document.querySelector("main")!.prepend(drawing);
  });
  await scrollToEnd(page);
  await page.evaluate(() => scrollBy(0, -3_000));
  const isDrawn = () =>
    document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("tr[data-row]") != null;
  await expect.poll(() => page.evaluate(isDrawn)).toBe(true);
});

test("focus stays where it is after more rows were loaded", async ({ page, facts }) => {
  const { address, cells } = facts.middling;
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${address}`);
  const more = page.getByRole("button", { name: "Load next 100" });
  await scrollWith(page, "End", more);
  await more.press("Enter");
  await expect(page.getByText(`200 of ${cells} loaded`)).toBeVisible();
  await expect(more).toBeFocused();

  // The buttons disappear at the end of the list.
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.getByRole("button", { name: /^Load all/ }).press("Enter");
  await expect(announcer(page)).toHaveText(`${cells} cells loaded`);
  await expect(page.locator("#results")).toBeFocused();
  expect(requests.filter((url) => url.includes("/utxos?"))).toHaveLength(Math.ceil((cells - 200) / 1000));
});

test("nothing shifts while all rows load", async ({ page, facts }) => {
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const all = page.getByRole("button", { name: /^Load all/ });
  await scrollWith(page, "End", all);
  const shifts = await observeShifts(page);
  // A slow machine may still add rows of the first page when the key scrolls to its end.
  const { unexpected: before } = await shifts();
  await all.press("Enter");
  await expect(announcer(page)).toHaveText("20,000 cells loaded", { timeout: 60_000 });
  expect((await shifts()).unexpected - before).toBeLessThan(0.05);
});

test("the order by value is of all outputs, and of those that are loaded if the reader stops", async ({
  page,
  facts,
  api,
}) => {
  const { address, cells } = facts.middling;
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${address}`);
  const order = page.getByRole("combobox", { name: "Order" });
  await order.selectOption("Most valuable first");
  await expect(announcer(page)).toHaveText(`${cells} cells loaded`);
  const { result } = await api.utxos(address, { pageSize: "1000", value: "usd" });
  const worth = ({ valueUsd }: (typeof result)[number]) => parseDecimal(valueUsd!, USD_DECIMALS) ?? -1n;
  const best = result.toSorted((one, other) => Number(worth(other) - worth(one)));
  // The code that draws rows may still load, and misses what comes before it.
  await expect
    .poll(async () => {
      await drawAllRows(page);
      return columnOf(outputs(page), "Value");
    })
    .toEqual(best.map(({ valueUsd, amount }) => formatUsdText(valueUsd!, amount)?.text ?? "—"));
  await expect(page).toHaveURL(/sort=value/);

  await page.route("**/v0/addresses/**", () => {});
  await page.goto(`/addresses/${facts.notable.busyAddress}?sort=value`);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(order).toContainText("Most valuable of the 100 loaded");
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the lists of an address and the statement of a wallet have their first rows", async ({
    context,
    facts,
  }) => {
    const { busyAddress, smallAddress } = facts.notable;
    const page = await context.newPage();
    await page.goto(`/addresses/${busyAddress}`);
    await expect(dataRows(outputs(page)).first()).toBeVisible();
    for (const path of [
      `/addresses/${busyAddress}?tab=statement`,
      `/wallet?address=${busyAddress}&address=${smallAddress}&tab=statement`,
    ]) {
      await page.goto(path);
      await expect(dataRows(page.getByRole("table", { name: "Statement" })).first()).toBeVisible();
    }
    // A form sends the number of a block as the page writes it.
    await page.goto(`/addresses/${busyAddress}?at=1,000`);
    await expect(page).toHaveURL(`/addresses/${busyAddress}?at=1000`);
    await expect(dataRows(outputs(page)).first()).toBeVisible();
  });
});
