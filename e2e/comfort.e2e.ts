import type { Locator } from "@playwright/test";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import { blockLink, changes, dataRows, expect, outputs, test } from "./support.ts";

/** Number of parts of a text that are hidden by their size. */
const hiddenParts = (text: Locator) =>
  text
    .locator("span")
    .evaluateAll((parts) => parts.filter((part) => getComputedStyle(part).fontSize === "0px").length);

test("a printed list is light, and has its header on each sheet, whole rows, and nothing to press", async ({
  page,
  facts,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`/addresses/${facts.middling.address}`);
  await expect(dataRows(outputs(page)).first()).toBeVisible();
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  await expect(page.getByRole("banner")).toBeHidden();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).color)).toBe("rgb(20, 22, 26)");
  await expect(page.getByRole("link", { name: "Skip to results" })).toBeHidden();
  // A figure with a receipt is a button, too, and so is a heading that sorts.
  await expect(page.locator("button:not([popovertarget], th *)").filter({ visible: true })).toHaveCount(0);
  await expect(page.getByRole("combobox")).toHaveCount(0);
  const style = (selector: string, property: string) =>
    outputs(page)
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  expect(await style("thead", "display")).toBe("table-header-group");
  expect(await style("tbody tr[aria-rowindex]", "break-inside")).toBe("avoid");
  for (const heading of ["Token", "Amount", "Block", "Age", "Out point"]) {
    await expect(outputs(page).getByRole("columnheader", { name: heading, exact: true })).toBeVisible();
  }
  // A sheet of A4 between its margins.
  await page.setViewportSize({ width: 718, height: 1000 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(718);
  await expect(outputs(page).getByRole("columnheader", { name: "Age", exact: true })).toHaveText("Age");
  const size = (column: string) => style(`tbody [data-column=${column}]`, "font-size");
  expect(await size("blockTime")).toBe(await size("amount"));
});

test("a printed block keeps its figures and says how many of its rows there are", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?flagged=show`);
  await page.emulateMedia({ media: "print" });
  const title = page.getByRole("heading", { level: 1, name: /^Block \d+ moved \$[\d,.]+$/ });
  await expect(title.getByRole("button")).toBeVisible();
  await expect(page.getByText(/^\d+ priced assets$/)).toBeVisible();
  await expect(page.getByText(/^25 of \d+ rows$/)).toBeVisible();
  // Bars and tiles are backgrounds, which browsers do not print unless told to.
  const main = page.getByRole("main");
  expect(await main.evaluate((element) => getComputedStyle(element).printColorAdjust)).toBe("exact");
});

test("a printed address keeps all parts of its value, and hashes are whole", async ({ page, facts }) => {
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  await expect(dataRows(outputs(page)).first()).toBeVisible();
  await page.emulateMedia({ media: "print" });
  const parts = page.getByRole("list", { name: "The largest holdings" }).getByRole("listitem");
  await expect(parts).not.toHaveCount(0);
  for (const part of await parts.all()) {
    const { x, width } = (await part.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(718);
  }
  const outPoint = outputs(page).locator("[data-row] [data-column=outPoint] a").first();
  await expect(outPoint).toHaveText(/^0x[0-9a-f]{64}#\d+$/);
  expect(await hiddenParts(outPoint)).toBe(0);
});

test("a printed asset has its holders' whole addresses, and a printed transaction its whole hash", async ({
  page,
  facts,
  api,
}) => {
  const { knownToken, smallAddress } = facts.notable;
  const { result: holders } = await api.get<{ result: Holder[] }>(`/v0/assets/${knownToken}/holders`);
  const { result: cells } = await api.utxos(smallAddress!);
  const [hash] = cells[0]!.outPoint.split(":");
  for (const [path, text] of [
    [`/assets/${knownToken}`, holders[0]!.address],
    [`/transactions/${hash}`, hash!],
  ] as const) {
    await page.goto(path);
    const shown = page.getByRole("main").getByTitle(text, { exact: true }).first();
    expect(await hiddenParts(shown), path).toBe(1);
    await page.emulateMedia({ media: "print" });
    await expect(shown).toBeVisible();
    await expect(shown).toHaveText(text);
    expect(await hiddenParts(shown), path).toBe(0);
    await page.emulateMedia({ media: "screen" });
  }
});

test.describe("with an expired token", () => {
  test.use({ access: "expired" });

  test("a reload leads to the form, which says why", async ({ page, facts }) => {
    const path = `/addresses/${facts.notable.smallAddress}`;
    await page.goto(path);
    await expect(page.getByRole("main").getByRole("alert")).toHaveText(
      "This token has expired. Ask for a new one.",
    );
    await page.getByLabel("Access token").fill(facts.tokens.full);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(path);
  });
});

test("the window shows that a page is loading at any scroll position", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?size=50`);
  await expect(dataRows(changes(page)).first()).toBeVisible();
  await page.route("**/v0/blocks/**", () => {});
  const next = page
    .getByRole("navigation", { name: "Pages", exact: true })
    .getByRole("link", { name: /^Next/ });
  await next.click();
  const said = page.getByText("Loading page 2", { exact: true }).last();
  await expect(said).toBeInViewport();
  const header = await page.getByRole("banner").boundingBox();
  const box = await said.boundingBox();
  expect(box!.y).toBeGreaterThanOrEqual(header!.y + header!.height);
});

test("screen readers hear a shortened id once", async ({ page, facts, api }) => {
  const address = facts.notable.smallAddress!;
  await page.goto(`/addresses/${address}`);
  const { result } = await api.utxos(address);
  const { outPoint } = result[0]!;
  const cell = dataRows(outputs(page))
    .first()
    .getByRole("cell")
    .filter({ hasText: outPoint.split(":")[0]! });
  await expect(cell).toMatchAriaSnapshot(
    `- cell /^${outPoint.slice(0, 10)} ?${outPoint.split(":")[0]!.slice(-8)}/`,
  );
});

test("selected rows are copied as a table", async ({ page, context, facts, api }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const address = facts.notable.smallAddress!;
  await page.goto(`/addresses/${address}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await outputs(page).evaluate((table) => {
    const rows = table.querySelectorAll("tbody tr[data-row]");
    getSelection()!.setBaseAndExtent(rows[0]!, 0, rows[1]!, rows[1]!.childNodes.length);
  });
  await page.keyboard.press("Control+c");
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n");
  const { result } = await api.utxos(address);
  expect(lines).toHaveLength(2);
  for (const [at, line] of lines.entries()) {
    const cells = line.split("\t");
    expect(cells).toHaveLength(7);
    expect(cells[6]!.replace(/ ?#/, ":")).toBe(result[at]!.outPoint);
  }
});

test("Back returns the focus to the row that the reader left from", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await blockLink(dataRows(outputs(page)).nth(1)).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Block");
  await page.goBack();
  await expect(dataRows(outputs(page)).nth(1)).toBeFocused();
});
