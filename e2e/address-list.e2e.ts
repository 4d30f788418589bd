import type { Page, Response } from "@playwright/test";
import {
  announcer,
  columnOf,
  dataRows,
  exactText,
  expect,
  expectAmounts,
  outputs,
  rowsOf,
  scrollToEnd,
  scrollWith,
  test,
} from "./support.ts";

/** Scrolls to the end repeatedly until `act` has led to this many more pages. */
async function scrollThrough(page: Page, pages: number, act: () => Promise<unknown>): Promise<void> {
  let came = 0;
  const count = (response: Response) => {
    if (response.url().includes("/utxos?")) came += 1;
  };
  page.on("response", count);
  await act();
  await expect(async () => {
    await page.keyboard.press("End");
    expect(came).toBe(pages);
  }).toPass({ intervals: [100], timeout: 30_000 });
  page.off("response", count);
}

test("an address shows the API's first entries in its order, to the last digit", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  const table = outputs(page);
  await expect(dataRows(table).nth(99)).toBeAttached();

  const { result } = await api.utxos(busyAddress!, { pageSize: "100" });
  const rows = (await rowsOf(table)).slice(0, 100);
  expect(rows.map((row) => row["Out point"])).toEqual(result.map(({ outPoint }) => outPoint));
  expect(rows.map((row) => row.Block)).toEqual(
    result.map(({ blockHeight }) => exactText(BigInt(blockHeight), 0)),
  );
  for (const [at, { token }] of result.entries()) expect(rows[at]?.Token).toContain(token);
});

test("amounts and capacities are exact", async ({ page, facts, api }) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?order=desc`);
  await page.getByRole("checkbox", { name: "Auto-load" }).click();
  const { result } = await api.utxos(busyAddress!, { pageSize: "100", order: "desc" });
  const table = outputs(page);
  await expect(dataRows(table)).toHaveCount(100);
  await expectAmounts(
    table,
    "Amount",
    result.map(({ amount, tokenInfo }) => exactText(amount, tokenInfo.decimals)),
  );
  await expectAmounts(
    table,
    "Capacity, CKB",
    result.map(({ capacity }) => exactText(capacity, 8)),
  );
});

test("scrolling, and the button after 500 rows, reach the end and show every output once", async ({
  page,
  facts,
  api,
}) => {
  const { address, cells } = facts.middling;
  // The document contains the first page.
  await scrollThrough(page, 4, () => page.goto(`/addresses/${address}`));
  const table = outputs(page);
  await expect(announcer(page)).toHaveText("500 cells loaded, more available");
  await expect(table).toHaveAttribute("aria-rowcount", "-1");

  // The footer can be reached now, and nothing more loads.
  const more = page.getByRole("button", { name: "Load next 100" });
  await scrollToEnd(page);
  await expect(more).toBeInViewport();
  await expect(announcer(page)).toHaveText("500 cells loaded, more available");

  await scrollThrough(page, Math.ceil(cells / 100) - 5, () => more.click());
  await expect(announcer(page)).toHaveText(`${cells} cells loaded`);
  const last = table.locator("tr").last();
  await expect(last).toContainText(`End of list: ${cells} cells`);
  await expect(last).toContainText(/as of block [\d,]+/);
  await expect(more).toHaveCount(0);

  const all = await api.allUtxos(address);
  expect(await columnOf(table, "Out point")).toEqual(all.map(({ outPoint }) => outPoint));
  await expect(table).toHaveAttribute("aria-rowcount", String(cells + 1));
});

test("from 1,000 rows on only those near the window are in the document, and the position is kept", async ({
  page,
  facts,
}) => {
  await scrollThrough(page, 4, () => page.goto(`/addresses/${facts.notable.busyAddress}`));
  const table = outputs(page);
  const row = (place: number) => table.locator(`[aria-rowindex="${place + 1}"]`);
  await expect(announcer(page)).toHaveText("500 cells loaded, more available");
  await scrollThrough(page, 5, () => page.getByRole("button", { name: "Load next 100" }).click());
  // The switch to the window's rows alone is the most work that the page does at once.
  await expect(announcer(page)).toHaveText("1,000 cells loaded, more available", { timeout: 30_000 });
  await expect(async () => expect(await table.locator("tr").count()).toBeLessThan(300)).toPass();
  // Row 800 is about where the window was when the last hundred rows loaded.
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(800 * 30);

  await scrollWith(page, "End", row(1000));
  await scrollWith(page, "Home", row(1));
});

test("without automatic loading only the button loads, and the choice is kept", async ({ page, facts }) => {
  const { address, cells } = facts.middling;
  await page.goto(`/addresses/${address}`);
  const automatic = page.getByRole("checkbox", { name: "Auto-load" });
  await automatic.click();
  await expect(automatic).not.toBeChecked();
  await page.reload();
  await expect(automatic).not.toBeChecked();
  await expect(page.getByText(`100 of ${cells} loaded`)).toBeVisible();
  const more = page.getByRole("button", { name: "Load next 100" });
  await scrollWith(page, "End", more);
  await more.press("Enter");
  await expect(page.getByText(`200 of ${cells} loaded`)).toBeVisible();
  await scrollWith(page, "End", more);
  await expect(page.getByText(`200 of ${cells} loaded`)).toBeVisible();
});
