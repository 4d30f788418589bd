import type { Page } from "@playwright/test";
import { changes, dataRows, exactText, expect, outputs, test } from "./support.ts";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const heads = (page: Page) => outputs(page).getByRole("columnheader").allTextContents();
const bar = (page: Page) => page.getByRole("status").filter({ hasText: "selected" });
const boxOf = (page: Page, at: number) =>
  dataRows(outputs(page)).nth(at).getByRole("checkbox", { name: "Select this row" }).first();

test("a column that is hidden stays hidden after a reload, and in narrow windows", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  expect(await heads(page)).toEqual(["#", "Token", "Amount", "Value", "Block", "Age", "Out point", "Copy"]);
  await page.getByRole("button", { name: "Columns" }).press("Enter");
  const chooser = page.getByRole("dialog", { name: "Columns" });
  await expect(chooser.getByRole("checkbox")).toHaveCount(3);
  await chooser.getByRole("checkbox", { name: "Value" }).press("Space");
  await chooser.getByRole("checkbox", { name: "Age" }).click();
  await chooser.getByRole("checkbox", { name: "Out point" }).click();
  await expect(page).toHaveURL(/\?hide=valueUsd,blockTime,outPoint$/);
  await page.keyboard.press("Escape");
  await page.reload();
  for (const width of [1280, 1000, 700]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await heads(page)).toEqual(["#", "Token", "Amount", "Block", "Copy"]);
    const cells = await dataRows(outputs(page))
      .first()
      .getByRole("cell")
      .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect()));
    const [first] = cells;
    for (const [at, { left, top }] of cells.entries()) {
      expect(left, `cell ${at} at ${width} px`).toBeGreaterThanOrEqual(cells[at - 1]?.right ?? 0);
      expect(top, `cell ${at} at ${width} px`).toBeLessThan(first!.bottom);
    }
  }
  await page.getByRole("button", { name: "Columns (3 hidden)" }).click();
  await chooser.getByRole("checkbox", { name: "Value" }).check();
  await chooser.getByRole("checkbox", { name: "Age" }).check();
  await chooser.getByRole("checkbox", { name: "Out point" }).check();
  await expect(page).toHaveURL(/\/addresses\/[a-z0-9]+$/);
});

test("in windows of any width a row has its age, below or beside its block; a wallet's leads to the transaction", async ({
  page,
  facts: { notable },
}) => {
  const { busyAddress, smallAddress, saverAddress } = notable;
  for (const path of [
    `/addresses/${busyAddress}`,
    `/wallet?address=${saverAddress}&address=${smallAddress}`,
  ]) {
    await page.goto(path);
    const row = dataRows(outputs(page)).first();
    for (const width of [640, 899, 900, 1199, 1200]) {
      await page.setViewportSize({ width, height: 800 });
      const heads = await outputs(page)
        .getByRole("columnheader", { name: /^(Block|Out point|Address)/ })
        .evaluateAll((all) => all.map((head) => head.getBoundingClientRect()));
      const [block, below] = heads;
      expect(width < 900 ? block!.bottom <= below!.top : block!.right <= below!.left).toBe(true);
      const age = row.locator("[data-column=blockTime] time");
      await expect(age).toBeVisible();
      await expect(age).toHaveText(/^\d+ \w+$/);
      const cells = row.getByRole("cell").filter({ visible: true });
      const texts = await cells.evaluateAll((all) =>
        all.map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return range.getBoundingClientRect();
        }),
      );
      for (const [at, one] of texts.entries())
        for (const [other, { left, right, top, bottom }] of texts.entries())
          expect(
            at === other || one.right <= left || one.left >= right || one.bottom <= top || one.top >= bottom,
            `cells ${at} and ${other} of ${path} at ${width} px are apart`,
          ).toBe(true);
    }
  }
  await page.setViewportSize({ width: 900, height: 800 });
  await dataRows(outputs(page)).first().locator("[data-column=blockTime] a").click();
  await expect(page).toHaveURL(/\/transactions\/0x[0-9a-f]{64}/);
});

test("the keyboard selects rows, whose exact sum is shown and which are copied with heads", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress, knownToken } = facts.notable;
  const query = { token: knownToken!, include: "kind", value: "usd" };
  const [one, two, three] = (await api.utxos(busyAddress!, query)).result;
  await page.goto(`/addresses/${busyAddress}?token=${knownToken}`);
  await dataRows(outputs(page)).first().focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+Space");
  await expect(bar(page)).toContainText("3 rows selected");
  const sum = [one, two, three].reduce((total, row) => total + BigInt(row!.amount), 0n);
  await expect(bar(page)).toContainText(exactText(sum, one!.tokenInfo.decimals));
  await bar(page).getByRole("button", { name: "Copy rows" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Copied 3 rows" })).toBeAttached();
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split("\n");
  expect(lines[0]).toMatch(/^out_point\ttransaction_hash\t/);
  expect(lines.slice(1).map((line) => line.split("\t")[0])).toEqual(
    [one, two, three].map((row) => row!.outPoint),
  );
  await dataRows(outputs(page)).first().focus();
  await page.keyboard.press("Escape");
  await expect(bar(page)).toHaveCount(0);
});

test("a checkbox beside the row appears under the mouse, and with Shift selects a range", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const label = boxOf(page, 1).locator("..");
  await expect(label).toHaveCSS("opacity", "0");
  await dataRows(outputs(page)).nth(1).hover();
  await expect(label).toHaveCSS("opacity", "1");
  await boxOf(page, 1).click();
  await boxOf(page, 5).click({ modifiers: ["Shift"] });
  await expect(bar(page)).toContainText("5 rows selected");
  await bar(page).getByRole("button", { name: "Clear" }).click();
  await expect(bar(page)).toHaveCount(0);
  await expect(boxOf(page, 1)).not.toBeChecked();
});

test("selected asset changes of several assets have the sum of their values only", async ({
  page,
  facts,
}) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  await dataRows(changes(page)).first().focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(bar(page)).toContainText(/^2 rows selected · \$[\d,.]+Copy rowsClear$/);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("a row is selected in its details, and columns are chosen", async ({ page, facts }) => {
    await page.goto(`/addresses/${facts.notable.smallAddress}`);
    const row = dataRows(outputs(page)).first();
    await expect(row.getByRole("checkbox")).toHaveCount(0);
    await row.getByRole("button", { name: /^Details of/ }).tap();
    await row.getByRole("checkbox", { name: "Select this row" }).tap();
    await expect(bar(page)).toBeInViewport({ ratio: 1 });
    await expect(bar(page)).toContainText("1 row selected");
    await page.getByRole("button", { name: "Columns" }).tap();
    await page.getByRole("checkbox", { name: "Value" }).tap();
    await expect(page).toHaveURL(/\?hide=valueUsd$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
