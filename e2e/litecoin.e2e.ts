import type { Page } from "@playwright/test";
import { bech32 } from "@scure/base";
import { dataRows, expect, expectNoSidewaysScroll, outputs, test } from "./support.ts";

test.use({ site: "litecoin" });

/** The page mentions outputs and only one asset. */
async function expectOwnWords(page: Page): Promise<void> {
  const foreign = page.getByText(/\b(cells?|tokens?|ckb|shannons?)\b/i).filter({ visible: true });
  await expect(foreign).toHaveCount(0);
  await expectNoSidewaysScroll(page);
}

test("on a chain without tokens, the home page has its words", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText("Every output of every address on Litecoin")).toBeVisible();
  const blocks = page.getByRole("region", { name: "Latest blocks" }).getByRole("listitem");
  await expect(blocks.first()).toContainText("3 transactions");
  await expect(page.getByRole("region", { name: "Moved most" })).toHaveCount(0);
  await expectOwnWords(page);
});

test("on a phone, the header names the network beside the tip", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("/");
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  expect((await status.getByText("Regtest").boundingBox())?.width).toBeGreaterThan(40);
  await expectNoSidewaysScroll(page);
});

test("an address lists its outputs by kind, and its statement has no column for one asset", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.shop}`);
  const table = page.getByRole("table", { name: "Unspent outputs" });
  await expect(table.getByRole("columnheader", { name: "Kind" })).toBeVisible();
  await expect(table.getByText("P2WPKH").first()).toBeVisible();
  await expectOwnWords(page);
  await page.getByRole("link", { name: "Statement" }).click();
  const statement = page.getByRole("table", { name: "Statement" });
  await expect(statement.getByRole("columnheader")).toHaveText([
    "Transaction",
    "In or out",
    "Balance",
    "Balance in US$",
  ]);
  await expectOwnWords(page);
});

test("a script without an address has a page, and so have its immature rewards", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.pioneer}`);
  await expect(page.getByText("Immature").first()).toBeVisible();
  await expectOwnWords(page);
});

test("an address that was never used says once that it holds nothing", async ({ page }) => {
  const unused = bech32.encode("rltc", [0, ...bech32.toWords(new Uint8Array(20))]);
  await page.goto(`/addresses/${unused}`);
  await expect(page.getByRole("region", { name: "Value" }).getByText(/\bLTC$/)).toHaveCount(1);
});

test("a script that nobody can spend says that its outputs are never listed", async ({ page }) => {
  await page.goto("/addresses/script:6a0568656c6c6f");
  await expect(page.getByText("Outputs that are never listed")).toBeVisible();
});

test("a block opens by its hash as users write it, and by its height", async ({ page, facts }) => {
  const hash = facts.notable.blockHash!;
  await page.goto(`/blocks/${hash.slice(2)}`);
  await expect(page).toHaveURL(`/blocks/${hash}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Block 130 moved \$/);
  await expectOwnWords(page);
  // The block has only one asset, so its transactions are more informative.
  await expect(page.getByRole("link", { name: /^Assets/ })).toHaveCount(0);
  await expect(page.getByRole("link", { name: /^Transactions/ })).toHaveAttribute("aria-current", "page");
  const rows = page.getByRole("table", { name: "Transactions" }).locator("tbody").getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.first().getByRole("cell")).toHaveText([
    /^1[0-9a-f]{64} to script:/,
    "Inputs0",
    "Outputs1",
    "Amount50",
    "Reward or fee50 reward",
  ]);
  await page.goto("/blocks/range?from=100&to=130");
  await expect(page.getByText(/^2,914\.07407292 LTC in \d+ transactions in 30 blocks\./)).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
  await expectOwnWords(page);
  await page.goto("/blocks/130");
  await expect(page.getByRole("main")).toHaveText(new RegExp(`^${hash.slice(2)}\\d{4}-`));
  await expectOwnWords(page);
});

test("a payment link in the search opens the address that it pays", async ({ page, facts }) => {
  await page.goto("/");
  const search = page.getByRole("combobox", { name: /^Search an address/ });
  await search.fill(`litecoin:${facts.notable.shop}?amount=1`);
  await search.press("Enter");
  await expect(page).toHaveURL(`/addresses/${facts.notable.shop}`);
  await expect(dataRows(outputs(page)).first()).toBeVisible();
});

test("the search says what it knows, and the reference is about this chain", async ({ page }) => {
  await page.goto("/search?q=hello");
  await expect(page.getByText("transactions and out points")).toBeVisible();
  await expectOwnWords(page);
  await page.goto("/docs");
  await expect(page.getByText("The chain is Litecoin.")).toBeVisible();
  await expect(page.getByText(/\b(cells?|CKB|shannons?)\b/)).toHaveCount(0);
});

for (const [clock, minutes] of [
  ["10 minutes behind", -10],
  ["two days ahead", 2 * 1_440],
] as const) {
  test(`ages are right with a clock that is ${clock}`, async ({ page }) => {
    await page.clock.install({ time: Date.now() + minutes * 60_000 });
    await page.goto("/");
    await expect(page.getByRole("banner").getByRole("button", { name: "Chain status" })).toContainText(
      /just now|min ago/,
    );
    await expect(page.getByRole("main")).not.toContainText(/\bin \d+ (s|min|h|d)\b/);
  });
}
