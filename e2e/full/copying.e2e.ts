import type { Locator, Page } from "@playwright/test";
import { cookieOf } from "#lib/client/preferences.ts";
import { urlOf } from "../sites.ts";
import { changes, dataRows, expect, outputs, test } from "../support.ts";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

/** Selecting, finding and copying the digits of a cell all give the same text. */
async function expectOneText(page: Page, cell: Locator): Promise<void> {
  const text = (await cell.textContent()) ?? "";
  expect(text).toMatch(/^[\d,]+\.\d{3,}$/);
  const selected = () => page.evaluate(() => getSelection()?.toString().trim());
  const digits = cell.getByText(/^\.\d+$/);
  // A click focuses the row, which would scroll at the edge of the window.
  await cell.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const size = await digits.boundingBox();
  if (!size) throw new Error("The amount is not shown");
  for (const x of [-6, size.width - 6]) {
    // Clicks by script: a page that still loads may move before the mouse clicks.
    await digits.click({ position: { x, y: size.height / 2 }, clickCount: 3, force: true });
    expect(await selected(), "three clicks").toBe(text);
  }
  const fraction = await digits.boundingBox();
  if (!fraction) throw new Error("The amount is not shown");
  const start = await cell.evaluate((element) => {
    const range = document.createRange();
    const first = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
    range.selectNodeContents(first ?? element);
    return range.getBoundingClientRect().left;
  });
  const middle = fraction.y + fraction.height / 2;
  // A press on selected text would start to drag it.
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await page.mouse.move(start + 1, middle);
  await page.mouse.down();
  await page.mouse.move(fraction.x + fraction.width - 1, middle, { steps: 4 });
  await page.mouse.up();
  expect(await selected(), "dragging").toBe(text);
  await cell.evaluate((element) => getSelection()?.selectAllChildren(element));
  await page.keyboard.press("Control+c");
  expect(await page.evaluate(() => navigator.clipboard.readText()), "copying the cell").toBe(text);
  await cell.evaluate((element) => getSelection()?.selectAllChildren(element.closest("tr") ?? element));
  await page.keyboard.press("Control+c");
  const row = await page.evaluate(() => navigator.clipboard.readText());
  expect(row.split(/[\t\n]/), "copying the row").toContain(text);
  await page.evaluate(() => getSelection()?.removeAllRanges());
  // @ts-expect-error: every browser has it, but it is not standardised
  expect(await page.evaluate((wanted) => window.find(wanted), text), "finding").toBe(true);
}

for (const density of ["compact", "comfortable"] as const) {
  for (const width of [390, 640, 1024, 1440]) {
    test(`an amount is one text to select, find and copy at ${width} px, ${density}`, async ({
      page,
      context,
      facts,
    }) => {
      await context.addCookies([{ name: cookieOf("density"), value: density, url: urlOf("demo") }]);
      await page.setViewportSize({ width, height: 900 });
      const { busyAddress, busyBlockHash } = facts.notable;

      await page.goto(`/addresses/${busyAddress}`);
      const list = dataRows(outputs(page));
      const inList = (column: string) => list.locator(`[data-column=${column}]`);
      await expectOneText(
        page,
        inList("amount")
          .filter({ hasText: /\.\d{3}/ })
          .first(),
      );
      await page.goto(`/blocks/${busyBlockHash}?name=ckb&flagged=show&tags=native`);
      const change = dataRows(changes(page))
        .locator("[data-column=amount]")
        .filter({ hasText: /\.\d{3}/ });
      await expectOneText(page, change.first());
    });
  }
}

test("an amount near 128 bits takes two lines at most", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}?token=${facts.notable.maximumToken}`);
  const amount = dataRows(outputs(page))
    .first()
    .getByTitle(/^[\d,]{40,}$/);
  expect((await amount.boundingBox())?.height).toBeLessThanOrEqual(40);
});
