import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { recordedBlocksOf } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { exactText, expect, test } from "./support.ts";

// A database of a few real blocks that are far apart.
test.use({ site: "mainnet" });

const heights = recordedBlocksOf("mainnet").map(({ height }) => height);
const listed = heights.map((height) => exactText(BigInt(height), 0)).join(" · ");
const said = "Unspent outputs and totals count only these blocks.";
const unfold = (within: Page | Locator) =>
  within.getByText(`Partial index. Indexed blocks: ${listed}.`).click();
const BURN_CODE = `0x${"00".repeat(32)}`;
const unused = encodeAddress({ code_hash: BURN_CODE, hash_type: "data", args: "0x01" }, "mainnet");

test("home, block, address and export say which blocks are indexed", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText(said)).toBeHidden();
  await unfold(page);
  await expect(page.getByText(said)).toBeVisible();
  await expect(
    page.getByText(`Indexed from block ${exactText(BigInt(heights[0]!), 0)}, with gaps`),
  ).toBeVisible();
  await page.goto(`/blocks/${heights[0]}`);
  await unfold(page);
  await expect(page.getByText(said)).toBeVisible();
  await page.goto("/");
  const example = page.getByRole("main").getByRole("link", { name: /^Address/ });
  await example.first().click();
  await expect(page).toHaveURL(/\/addresses\/ckb1/);
  await unfold(page);
  await expect(page.getByText(said)).toBeVisible();

  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export" });
  await unfold(dialog);
  await expect(dialog.getByText(said)).toBeVisible();
  const all = dialog.getByRole("button", { name: /^CSV of All rows/ });
  const [download] = await Promise.all([page.waitForEvent("download"), all.click()]);
  const [head = "", row = ""] = readFileSync(await download.path(), "utf8").split("\r\n");
  expect(head).toContain('"indexed_blocks"');
  expect(row).toContain(`"${heights.join(", ")}"`);
});

test.describe("a transaction whose block is not indexed", () => {
  test.use({ failuresExpected: true });

  test("has a page with its known outputs", async ({ page }) => {
    await page.goto(`/blocks/${heights.at(-1)}?tab=transactions`);
    const spending = page.getByRole("main").locator('a[href^="/transactions/"]');
    await spending.nth(1).click();
    await expect(page).toHaveURL(/\/transactions\/0x/);
    await page.getByRole("link", { name: "Inputs" }).click();
    const input = page.getByRole("table").locator('a[href^="/transactions/"]').first();
    const [, index = ""] = (await input.getAttribute("href"))!.split("#");
    await input.click();
    await expect(page.getByText("The block of this transaction is not indexed.")).toBeVisible();
    const output = page.getByRole("main").getByRole("listitem").and(page.locator("[aria-current]"));
    await expect(output).toContainText(`#${index}`);
    await expect(output.getByRole("link", { name: /^ckb1/ })).toBeVisible();
  });
});

test("an address without outputs there is not said to have none", async ({ page }) => {
  await page.goto(`/addresses/${unused}`);
  await expect(
    page.getByText("There are no unspent outputs in the indexed blocks. There may be some in other blocks."),
  ).toBeVisible();
});

test.describe("an index without gaps", () => {
  test.use({ site: "demo" });

  test("needs no such note", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "Examples" })).toBeVisible();
    await expect(page.getByText("Partial index")).toHaveCount(0);
    await expect(page.getByText(/^Indexed from block 0, [\d,]+ assets/)).toBeVisible();
  });
});
