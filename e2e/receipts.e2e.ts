import type { Locator } from "@playwright/test";
import { parseDecimal, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { changes, columnOf, dataRow, dataRows, expect, holdings, openTab, outputs, test } from "./support.ts";

/** Maximum distance between a receipt and its figure, in pixels. */
const BESIDE = 12;

/** Expects the receipt beside the figure, within the window, and beginning with the figure's name. */
async function expectBeside(receipt: Locator, figure: Locator, name: string): Promise<void> {
  await expect(receipt).toBeInViewport({ ratio: 1 });
  await expect(receipt.getByText(name, { exact: true }).first()).toBeVisible();
  const [hung, at] = [(await receipt.boundingBox())!, (await figure.boundingBox())!];
  const gap = Math.max(hung.y - (at.y + at.height), at.y - (hung.y + hung.height));
  expect(gap).toBeGreaterThanOrEqual(0);
  expect(gap).toBeLessThanOrEqual(BESIDE);
  expect(hung.x).toBeLessThanOrEqual(at.x + at.width);
  expect(hung.x + hung.width).toBeGreaterThanOrEqual(at.x);
}

/** Unfolds the receipt of an opened row. */
async function openReceipt(row: Locator): Promise<Locator> {
  await row.getByText("Where these figures come from").click();
  return row.getByRole("region", { name: "Receipt" });
}

test("a row of a block says how its figures come about, and how to ask for and cite them", async ({
  page,
  facts,
  api,
  baseURL,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const hash = facts.notable.busyBlockHash!;
  const { result } = await api.changes(hash, { orderKey: "volume" });
  const { asset, amount, amountUsd } = result[0]!;
  await page.goto(`/blocks/${hash}`);
  const row = dataRow(changes(page), asset.id);
  await row.getByRole("button", { name: /^Details of/ }).click();
  await expect(row).toContainText(new RegExp(`${amount} */ 10\\^${asset.decimals} = `));
  const receipt = await openReceipt(row);
  await expect(receipt).toContainText(`= $${amountUsd} (cut at 8 decimals)`);
  await expect(receipt).toContainText(hash);
  // The formula can be checked: the price times the amount, cut, is the value.
  const text = (await receipt.textContent()) ?? "";
  const [, price = ""] = /Price\$([\d.]+)/.exec(text) ?? [];
  const usd = (amount * parseDecimal(price, 18)!) / 10n ** BigInt(asset.decimals + 10);
  expect(toUnits(usd, USD_DECIMALS)).toBe(amountUsd);

  await receipt.getByRole("button", { name: "Copy the request as cURL" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(
      `curl -H "Authorization: Bearer $TOKEN" '${baseURL}/v0/blocks/${hash}/asset-changes?search=${asset.id}'`,
    );
  expect((await api.changes(hash, { search: asset.id })).result).toEqual([result[0]]);
  await receipt.getByRole("link").click();
  await expect(page).toHaveURL(`/blocks/${hash}?asset=${asset.id}&flagged=show`);
  await expect(dataRow(changes(page), asset.id)).toHaveCount(1);
});

test("the receipt of an asset without a price has neither a price nor a value", async ({
  page,
  facts,
  api,
}) => {
  const hash = facts.notable.busyBlockHash!;
  const { result } = await api.changes(hash, { orderKey: "volume", orderDirection: "asc" });
  const { asset, amountUsd } = result[0]!;
  expect(amountUsd).toBe("0");
  await page.goto(`/blocks/${hash}?name=${asset.id}&flagged=show`);
  const row = dataRow(changes(page), asset.id);
  await row.getByRole("button", { name: /^Details of/ }).click();
  await openReceipt(row);
  await expect(row).toContainText("no price at the block's time");
  await expect(row).not.toContainText("$");
});

test("the figures of a block and of an address open their receipts", async ({ page, facts, api }) => {
  const { busyBlockHash, busyAddress } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}`);
  const moved = page.getByTitle("Volume, US dollars: where this figure comes from");
  await moved.click();
  const volume = page.getByRole("dialog", { name: "Receipt: Volume, US dollars" });
  await expectBeside(volume, moved, "Volume, US dollars");
  await expect(volume).toContainText("Sum of amountUsd");
  await expect(volume).toContainText(busyBlockHash!);
  await page.keyboard.press("Escape");
  await expect(volume).toBeHidden();
  await page.getByRole("button", { name: /^\d+ priced assets$/ }).click();
  const priced = page.getByRole("dialog", { name: "Receipt: Priced assets" });
  await expect(priced).toContainText(/As of block0x[0-9a-f]{64}/);
  await expect(priced).toContainText(`GET /v0/blocks/${busyBlockHash}/asset-changes?pageSize=100`);

  await page.goto(`/addresses/${busyAddress}`);
  const name = "Estimated value, US dollars";
  const value = page.getByRole("button", { name: new RegExp(`^${name}`) });
  await value.click();
  const receipt = page.getByRole("dialog", { name: `Receipt: ${name}` });
  await expectBeside(receipt, value, name);
  await expect(receipt).toContainText("each amount × its latest price");
  // The request returns values whose sum is the figure.
  const [, at = ""] =
    /GET \/v0\/addresses\/\w+\/holdings\?at=(0x[0-9a-f]{64})/.exec((await receipt.textContent())!) ?? [];
  const { result } = await api.holdings(busyAddress!, { at, pageSize: "1000" });
  const sum = result.reduce(
    (total, { valueUsd }) => total + (parseDecimal(valueUsd, USD_DECIMALS) ?? 0n),
    0n,
  );
  await expect(receipt).toContainText(`$${toUnits(sum, USD_DECIMALS)}`);
  await receipt.getByRole("link").click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}?at=${at}`);
});

test("compared blocks and changes since a block say where their figures come from", async ({
  page,
  facts,
}) => {
  const { busyBlockHash, busyAddress } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?compare=parent`);
  await page.getByText("Where these figures come from").click();
  const compared = page.getByRole("region", { name: "Receipt" });
  const requests = compared.getByText(/^GET \/v0\/blocks\/0x[0-9a-f]{64}\/asset-changes$/);
  await expect(requests).toHaveCount(2);
  await expect(requests.last()).toContainText(busyBlockHash!);
  await expect(compared.getByRole("button", { name: "Copy the request as cURL" })).toHaveCount(2);
  const cited = await compared.getByRole("link").getAttribute("href");
  expect(cited).toMatch(new RegExp(`^/blocks/${busyBlockHash}\\?compare=0x[0-9a-f]{64}$`));

  await page.goto(`/addresses/${busyAddress}?since=900`);
  await page.getByText("Where these figures come from").click();
  const changed = page.getByRole("region", { name: "Receipt" });
  await expect(changed).toContainText(/Block 9000x[0-9a-f]{64}/);
  await expect(changed).toContainText(/As of block0x[0-9a-f]{64}/);
  await changed.getByRole("link").click();
  await expect(page).toHaveURL(/since=0x[0-9a-f]{64}&to=0x[0-9a-f]{64}$/);
  await expect(page.getByRole("table", { name: "Changes since block 900" })).toBeVisible();
});

test("an output and a holding say where their figures come from", async ({ page, facts, api }) => {
  const { busyAddress, knownToken } = facts.notable;
  const { result } = await api.utxos(busyAddress!, { pageSize: "9", value: "usd" });
  const entry = result[8]!;
  await page.goto(`/addresses/${busyAddress}`);
  const row = dataRows(outputs(page)).nth(8);
  await row.getByRole("button", { name: /^Details of/ }).click();
  await expect(row).toContainText(new RegExp(`${entry.amount} */ 10\\^${entry.tokenInfo.decimals} = `));
  const receipt = await openReceipt(row);
  await expect(receipt).toContainText(/Block hash0x[0-9a-f]{64}/);
  await expect(receipt).toContainText(`block ${entry.blockHeight}, 20`);
  await expect(receipt).toContainText(`$${entry.valueUsd}`);
  await expect(receipt).toContainText(/\/utxos\?token=0x[0-9a-f]+&value=usd&at=0x[0-9a-f]{64}/);
  // The link is to the block that was read, and begins with the row in its order.
  await receipt.getByRole("link").click();
  await expect(page).toHaveURL(/[?&]at=0x[0-9a-f]{64}/);
  await expect.poll(async () => (await columnOf(outputs(page), "Out point"))[0]).toBe(entry.outPoint);
  await expect(
    dataRows(outputs(page)).first().getByRole("button", { name: "Details of row 9" }),
  ).toBeVisible();

  const panel = await openTab(page, /^Holdings/, "Holdings");
  const held = dataRow(holdings(page), knownToken!);
  await held.getByRole("button", { name: /^Details of/ }).click();
  const holding = await openReceipt(panel);
  await expect(holding).toContainText(/Price\$[\d.]+/);
  await expect(holding).toContainText("(cut at 8 decimals)");
});
