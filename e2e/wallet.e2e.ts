import { formatCount, formatUsd } from "#lib/client/format.ts";
import type { AddressedUtxo } from "#lib/queries/utxos/contract.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { formerForm } from "./states.ts";
import {
  dataRows,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  outputs,
  searchField,
  test,
} from "./support.ts";

interface Holdings {
  result: { valueUsd: string; tokenInfo: { symbol: string } }[];
  hasNext: boolean;
}

const sumOf = (holdings: Holdings["result"]) =>
  holdings.reduce((whole, { valueUsd }) => whole + (parseDecimal(valueUsd, USD_DECIMALS) ?? 0n), 0n);

test("a wallet counts its addresses as one, as the API does, and the browser keeps it by its name", async ({
  page,
  facts,
  api,
}) => {
  const { saverAddress = "", smallAddress = "" } = facts.notable;
  await page.goto("/wallet");
  const editor = page.getByLabel(/^Addresses/);
  await editor.fill(`${saverAddress}, nonsense`);
  await page.getByRole("button", { name: "Show wallet" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "nonsense" })).toBeVisible();
  await editor.fill(`${saverAddress}\n${smallAddress},${saverAddress}`);
  await page.getByLabel(/^Name/).fill("Savings");
  await page.getByRole("button", { name: "Show wallet" }).click();
  const both = `address=${saverAddress}&address=${smallAddress}`;
  await expect(page).toHaveURL(`/wallet?${both}&repeated=1`);
  await expect(page.getByText("1 repeated address left out: each counts once.")).toBeVisible();
  const holdings = await api.get<Holdings>(`/v0/holdings?${both}&pageSize=1000`);
  expect(holdings.hasNext).toBe(false);
  await expect(
    page.getByTitle(formatUsd(sumOf(holdings.result)).exact, { exact: true }).first(),
  ).toBeVisible();
  const { result } = await api.get<{ result: AddressedUtxo[] }>(`/v0/utxos?${both}&pageSize=1000`);
  const rows = dataRows(page.getByRole("table", { name: "Unspent outputs" }));
  await expect(rows).toHaveCount(result.length);
  // The order of the addresses comes first, so the list does not claim to be in the order of the blocks.
  await expect(page.getByRole("option", { name: "By address, newest first", selected: true })).toBeAttached();
  const header = page.getByRole("columnheader", { name: "Block" });
  await expect(header).toHaveAttribute("aria-sort", "other");
  await expect(header).toHaveText("Block, By address, newest first");
  await expect(header.getByRole("button")).toHaveAttribute("title", "Next: By address, oldest first");
  await header.getByRole("button", { name: "Block" }).click();
  await expect(page.getByRole("option", { name: "By address, oldest first", selected: true })).toBeAttached();
  await expect(rows.first()).toHaveAttribute("data-id", result[0]!.outPoint);
  await header.getByRole("button", { name: "Block" }).click();
  const newest = await api.get<{ result: AddressedUtxo[] }>(`/v0/utxos?${both}&order=desc&pageSize=1`);
  await expect(rows.first()).toHaveAttribute("data-id", newest.result[0]!.outPoint);
  await expect(header).toHaveAttribute("aria-sort", "other");
  await expect(page.getByRole("link", { name: `Cells ${formatCount(result.length)}` })).toBeVisible();
  const links = rows.getByRole("link", { name: /^ckt1/ });
  expect(new Set(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href"))))).toEqual(
    new Set([saverAddress, smallAddress].map((address) => `/addresses/${address}`)),
  );
  await page.getByRole("link", { name: "Statement" }).click();
  await expect(dataRows(page.getByRole("table", { name: "Statement" })).first()).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);

  // Another wallet cannot take its name.
  await page.goto("/wallet");
  await editor.fill(smallAddress);
  await page.getByLabel(/^Name/).fill("Savings");
  await page.getByRole("button", { name: "Show wallet" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "has this name" })).toBeVisible();
  await page.goto("/");
  await page.getByRole("region", { name: "Wallets" }).getByRole("link", { name: "Savings" }).click();
  await expect(page.getByRole("button", { name: "Edit", exact: true })).toBeVisible();
});

test("a wallet has the chart of its value, which ends at the headline's, and its largest holdings", async ({
  page,
  facts,
  api,
}) => {
  const { saverAddress = "", busyAddress = "" } = facts.notable;
  const both = `address=${saverAddress}&address=${busyAddress}`;
  await page.goto(`/wallet?${both}`);
  const { result } = await api.get<Holdings>(`/v0/holdings?${both}&pageSize=1000`);
  const worth = formatUsd(sumOf(result));
  const value = page.getByRole("region", { name: "Value" });
  await expect(value.getByTitle(worth.exact, { exact: true })).toHaveText(worth.text);
  const points = value.getByRole("list", { name: "Value in US dollars, by block" }).getByRole("listitem");
  await expect(points.last()).toHaveText(new RegExp(`: ${RegExp.escape(worth.text)}$`));
  expect(await points.count()).toBeGreaterThan(1);
  const largest = page.getByRole("list", { name: "The largest holdings" }).getByRole("listitem");
  const { tokenInfo, valueUsd } = result[0]!;
  await expect(largest.first()).toContainText(tokenInfo.symbol);
  await expect(largest.first()).toContainText(formatUsd(parseDecimal(valueUsd, USD_DECIMALS)!).text);
});

test("a wallet of 100 addresses opens, and its statement by a click", async ({ page, api }) => {
  const { result } = await api.get<{ result: { address: string }[] }>(
    "/v0/assets/0x80000135/holders?pageSize=100",
  );
  expect(result).toHaveLength(100);
  await page.goto(`/wallet?${result.map(({ address }) => `address=${address}`).join("&")}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wallet of 100 addresses");
  await expect(dataRows(outputs(page)).first()).toBeVisible();
  await page.getByRole("link", { name: "Statement" }).click();
  await expect(page).toHaveURL(/&tab=statement$/);
  await expect(dataRows(page.getByRole("table", { name: "Statement" })).first()).toBeVisible();
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the form opens the wallet, whatever stands between its addresses", async ({ context, facts }) => {
    const page = await context.newPage();
    const { saverAddress = "", smallAddress = "" } = facts.notable;
    await page.goto("/wallet");
    await page.getByLabel(/^Addresses/).fill(`${saverAddress}\n${smallAddress};${saverAddress}`);
    await page.getByRole("button", { name: "Show wallet" }).click();
    await expect(page.getByText("1 repeated address left out: each counts once.")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Wallet of 2 addresses");
  });
});

test("a label and a watch stay in the browser: home and the search show them", async ({ page, facts }) => {
  const { smallAddress = "" } = facts.notable;
  await page.goto("/wallet");
  const ref = formerForm(smallAddress, "short");
  const line = JSON.stringify({ type: "addr", ref, label: "Alice" });
  await page.getByLabel("Import labels").setInputFiles({
    name: "labels.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from(`${line}\n{"type":"tx"}\n`),
  });
  await expect(page.getByText("1 label read. Left out: 1 line without a label of an address.")).toBeVisible();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export labels" }).click();
  expect((await saved).suggestedFilename()).toBe("labels.jsonl");
  await page.goto(`/addresses/${smallAddress}`);
  await page.getByRole("button", { name: /Watch$/ }).click();
  await page.getByRole("button", { name: "Edit label" }).click();
  await page.getByLabel("Label of this address").fill("Alice B.");
  await page.keyboard.press("Enter");
  await page.goto("/");
  const watched = page.getByRole("region", { name: "Watched addresses" }).getByRole("listitem");
  await expect(watched).toHaveText(/^Alice B\..*\$.*No transactions/);
  await expect(page.getByRole("region", { name: "Recent addresses" })).toHaveCount(0);
  await searchField(page).fill("alice");
  await expect(page.getByRole("option", { name: /Alice B\..*your label/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  await page.goto("/search?q=alice");
  await expect(page.locator("main").getByRole("link", { name: /Alice B\./ })).toBeVisible();
  await page.goto("/wallet");
  await page.getByRole("button", { name: "Remove all" }).click();
  await page.getByRole("button", { name: "Remove 1 label?" }).click();
  await expect(page.getByText("All labels were removed.")).toBeVisible();
});
