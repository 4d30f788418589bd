import type { Locator, Page } from "@playwright/test";
import { markedAmount } from "#lib/client/chain-text.ts";
import type { Transaction } from "#lib/queries/transaction/contract.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import {
  dataRows,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  outputs,
  searchField,
  shareImage,
  test,
  topOf,
  wheelTo,
} from "./support.ts";

/** Waits until a row that is sought has been held at its place, for 60 frames. */
const rowsAreHeld = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 70; frame++) await new Promise(requestAnimationFrame);
  });

test("an out point leads to its transaction, marked, and from there to the spender", async ({
  page,
  api,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const link = dataRows(outputs(page)).first().locator("a[href^='/transactions/']");
  const [path = "", index = ""] = (await link.getAttribute("href"))!.split("#");
  await link.click();
  await expect(page).toHaveURL(`${path}#${index}`);
  const marked = page.locator("li[aria-current=true], tr[aria-current=true]");
  await expect(marked).toContainText(`#${index}`);
  await expect(marked).toBeInViewport();
  await expect(marked).toContainText("unspent");

  // Its first input links to the output that it spends, which names its spender: this transaction.
  const { result } = await api.get<{ result: OutputEntry[] }>(`/v0${path}/inputs`);
  await page
    .locator(`li a[href='/transactions/${result[0]!.outPoint.replace(":", "#")}']`)
    .first()
    .click();
  await expect(marked).toContainText(/in block/);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await marked.getByRole("link", { name: /in block/ }).click();
  await expect(page).toHaveURL(path);
});

test("a search leads to an output's transaction, and Back from a payer to the row where the walk began", async ({
  page,
  api,
  facts,
}) => {
  const address = `/addresses/${facts.notable.busyAddress}`;
  const { result } = await api.get<{ result: OutputEntry[] }>(`/v0${address}/utxos?order=desc&pageSize=60`);
  const { outPoint } = result.at(-1)!;
  // The list of many outputs begins before the marked one, which the URL says.
  const transaction = new RegExp(`/transactions/${outPoint.replace(":", "[^#]*#")}$`);
  await page.goto("/");
  await searchField(page).fill(outPoint);
  await searchField(page).press("Enter");
  await expect(page).toHaveURL(transaction);
  const marked = page.locator("tr[aria-current=true], li[aria-current=true]");
  await expect(marked).toBeInViewport();

  await page.goto(address);
  const row = page.locator(`tr[data-id='${outPoint}']`);
  await wheelTo(page, row);
  const link = row.locator("a[href^='/transactions/']");
  // Hovering may scroll, and so would the click.
  await link.hover();
  await rowsAreHeld(page);
  const top = await topOf(row);
  await link.click();
  await expect(page).toHaveURL(transaction);
  await expect(marked).toBeInViewport();
  const payer = page
    .getByRole("region", { name: "From inputs to outputs" })
    .locator("a[href^='/addresses/']");
  await payer.first().click();
  await expect(outputs(page)).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL(transaction);
  await expect(payer.first()).toBeInViewport();
  await page.goBack();
  await expect(row).toBeInViewport();
  await expect.poll(async () => Math.abs((await topOf(row)) - top)).toBeLessThanOrEqual(2);
});

test("a transaction without inputs has no drawing, which would join nothing", async ({ page, api }) => {
  const { result } = await api.get<{ result: { hash: string }[] }>("/v0/blocks?pageSize=1");
  await page.goto(`/blocks/${result[0]!.hash}?tab=transactions`);
  await page.locator("main a[href^='/transactions/']").first().click();
  await expect(page.getByRole("table", { name: "Assets" })).toBeInViewport();
  await expect(page.getByRole("region", { name: "Outputs drawn" })).toHaveCount(0);
});

test("a long drawing is cut, so that the list is in the first window, and is shown whole on request", async ({
  page,
  api,
  facts,
}) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?tab=transactions`);
  const links = page.locator("main a[href^='/transactions/']");
  await expect(links.first()).toBeVisible();
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
  const counted = await Promise.all(
    [...new Set(paths)].map(async (path) => ({
      path,
      ...(await api.get<{ outputCount: number }>(`/v0${path}`)),
    })),
  );
  const { path, outputCount } = counted.find(({ outputCount }) => outputCount > 10 && outputCount <= 40)!;
  await page.goto(path);
  await expect(page.locator("#results tbody tr").first()).toBeInViewport();
  const last = page.locator(`[id="${outputCount - 1}"]`);
  await expect(last).not.toBeInViewport();
  await expectAccessible(page);

  await page.goto(`${path}#${outputCount - 1}`);
  await expect(last).toBeInViewport();
  await expect(last).toHaveAttribute("aria-current", "true");
  // Another output of the same transaction, without a new page.
  await page.keyboard.press("Control+k");
  await page.keyboard.type(`${path.slice("/transactions/".length)}#0`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${path}#0`);
  const marked = page.locator("li[aria-current=true]");
  await expect(marked).toHaveId("0");
  await expect(marked).toBeInViewport();
  // The browser made this entry of the history, and the page returns to it.
  await page.locator("main a[href^='/blocks/']").first().click();
  await expect(page.getByRole("heading", { level: 1, name: /^Block/ })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: /^Moved/ })).toBeVisible();
  await expect(marked).toHaveId("0");

  await page.getByRole("link", { name: `Show all ${outputCount} rows` }).click();
  await expect(page).toHaveURL(`${path}?drawing=whole#0`);
  await expect(marked).toHaveId("0");
  await page.getByRole("link", { name: "Show less" }).scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport();
});

test("the drawing measures the asset that the reader chooses: its sums are what the transaction moves of it", async ({
  page,
  api,
  facts,
}) => {
  const { result } = await api.utxos(facts.notable.smallAddress!);
  const { outPoint, token } = result.find(({ tokenInfo }) => !["", "CKB"].includes(tokenInfo.symbol))!;
  const path = `/transactions/${outPoint.split(":")[0]}`;
  const { assets, inputCount } = await api.get<Transaction>(`/v0${path}`);
  expect(inputCount).toBeGreaterThan(0);
  await page.goto(path);
  const measures = page.getByRole("navigation", { name: "What the drawing measures" });
  const [before, after] = ["Inputs drawn", "Outputs drawn"].map((name) =>
    page.getByRole("region", { name }).getByRole("heading"),
  ) as [Locator, Locator];
  await expect(measures.getByRole("link", { name: "Value" })).toHaveAttribute("aria-current", "true");
  for (const side of [before, after]) await expect(side).toContainText("$");
  const measured = assets.filter((asset) => asset.token === token || asset.tokenInfo.symbol === "CKB");
  expect(measured).toHaveLength(2);
  for (const each of measured) {
    const { symbol } = each.tokenInfo;
    await measures.getByRole("link", { name: symbol, exact: true }).click();
    await expect(page).toHaveURL(`${path}?asset=${each.token}`);
    const sums = [each.in, each.out].map((sum) => `${markedAmount(sum, each.tokenInfo).text} ${symbol}`);
    for (const [at, side] of [before, after].entries()) await expect(side).toContainText(` · ${sums[at]}`);
  }
});

test("one of many outputs is marked in the list, which goes on above and below it", async ({
  page,
  api,
  facts,
}) => {
  const { result } = await api.get<{ result: OutputEntry[] }>(
    `/v0/addresses/${facts.notable.busyAddress}/utxos`,
  );
  const [hash] = result[0]!.outPoint.split(":");
  const { outputCount } = await api.get<{ outputCount: number }>(`/v0/transactions/${hash}`);
  const index = outputCount - 80;
  expect(index).toBeGreaterThan(100);
  await page.goto(`/transactions/${hash}#${index}`);
  const marked = page.locator("tr[aria-current=true]");
  await expect(marked).toBeInViewport();
  await expect(marked).toHaveAttribute("data-id", `${hash}:${index}`);
  await expectAccessible(page);
  const before = await topOf(marked);
  // A click by the mouse would scroll to the button first.
  const earlier = page.getByRole("button", { name: "Load earlier rows" });
  await earlier.focus();
  await earlier.evaluate((button: HTMLButtonElement) => button.click());
  await expect(page.getByText(`180 of ${outputCount} loaded`)).toBeVisible();
  await expect(async () => expect(Math.abs((await topOf(marked)) - before)).toBeLessThanOrEqual(2)).toPass();
  await expect(earlier).toBeFocused();
  await rowsAreHeld(page);

  // Who read on above the list returns there, not to the marked output.
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  await expect(page.getByRole("button", { name: `Details of output ${index - 100}` })).toBeVisible();
  await page.locator("main a[href^='/blocks/']").first().click();
  await page.waitForURL(/blocks/);
  await page.goBack();
  await expect(page.locator("tr[data-id]").first()).toBeAttached();
  await rowsAreHeld(page);
  const scrolled = await page.evaluate(() => window.scrollY);
  expect(scrolled).toBeLessThan(50);

  await page.goto(`/transactions/${hash}#${outputCount}`);
  await expect(page.getByText(`This transaction has no output #${outputCount}`)).toBeVisible();
});

test("links to a transaction have a picture", async ({ page, api, facts }) => {
  const { result } = await api.get<{ result: OutputEntry[] }>(
    `/v0/addresses/${facts.notable.smallAddress}/utxos`,
  );
  await page.goto(`/transactions/${result[0]!.outPoint.split(":")[0]}`);
  const picture = await shareImage(page);
  expect([picture.status(), picture.headers()["content-type"]]).toEqual([200, "image/png"]);
});
