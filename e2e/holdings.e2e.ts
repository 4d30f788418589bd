import { readFile } from "node:fs/promises";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import {
  columnOf,
  dataRow,
  dataRows,
  exactText,
  expect,
  holdings,
  openTab,
  rowsOf,
  test,
  tokensOf,
} from "./support.ts";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

/** Sums of the outputs of a list, by token. */
function sums(entries: UtxoEntry[]) {
  const byToken = new Map<string, { amount: bigint; capacity: bigint; cells: number; decimals: number }>();
  for (const { token, tokenInfo, amount, capacity } of entries) {
    const sum = byToken.get(token) ?? { amount: 0n, capacity: 0n, cells: 0, decimals: tokenInfo.decimals };
    sum.amount += BigInt(amount);
    sum.capacity += BigInt(capacity);
    sum.cells += 1;
    byToken.set(token, sum);
  }
  return byToken;
}

test("holdings have a row for each token, with exact sums, the most valuable first", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?tab=holdings`);
  const expected = sums(await api.allUtxos(busyAddress!));
  const panel = page.getByRole("region", { name: "Holdings" });
  await expect(panel.getByText(/^116 tokens in 18 rows, as of block/)).toBeVisible();
  await expect(dataRows(holdings(page))).toHaveCount(18);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await panel.getByRole("button", { name: /as cURL/ }).click();
  expect(await copied()).toContain(`/v0/addresses/${busyAddress}/holdings`);
  const rows = await rowsOf(holdings(page));
  const ids = await tokensOf(holdings(page));
  for (const [at, { amount, cells, decimals }] of ids
    .map((id) => expected.get(id!)!)
    .entries()
    .filter(([at]) => at < 12)) {
    const row = dataRow(holdings(page), ids[at]!);
    await expect(row.getByTitle(exactText(amount, decimals), { exact: true }).first()).toBeVisible();
    expect(rows[at]?.Cells).toContain(exactText(BigInt(cells), 0));
    expect(rows[at]?.Price).toMatch(/^\$[\d,.]+$/);
  }
  const values = rows.map((row) => row.Value ?? "");
  const numbers = values.filter((text) => text !== "—").map((text) => Number(text.replace(/[^\d.]/g, "")));
  expect(numbers).toHaveLength(16);
  expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
  expect(values.slice(16)).toEqual(values.slice(16).map(() => "—"));
  expect(rows[0]?.Share).toMatch(/^\d+\.\d\d %$/);

  await panel.getByRole("button", { name: "Show them" }).click();
  await expect(panel.getByText(/^99 tokens found/)).toBeVisible();
  await expect(page).toHaveURL(/search=unnamed/);
  const others = await tokensOf(holdings(page));
  expect(new Set([...ids, ...others])).toEqual(new Set(expected.keys()));
  expect(ids.length + others.length).toBe(expected.size);
});

test("opening a holding moves none of its cells", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=holdings`);
  const row = dataRows(holdings(page)).first();
  const endOfShare = () =>
    row.getByText("%").evaluate((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return text.getBoundingClientRect().right;
    });
  const before = await endOfShare();
  await row.getByRole("button", { name: /^Details of/ }).click();
  await expect(row.getByText("Token id")).toBeVisible();
  expect(await endOfShare()).toBe(before);
});

test("a statement counts an NFT as one", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}?tab=statement`);
  const nft = page.getByRole("table", { name: "Statement" }).getByRole("row", { name: /Unnamed/ });
  await expect(nft).toContainText("1 NFT");
  await expect(nft).not.toContainText("raw");
});

test("the search finds a token by name, symbol and id, wherever it stands", async ({ page, facts, api }) => {
  const { busyAddress, knownToken } = facts.notable;
  // The last row has no price, one cell, and the highest id.
  const last = [...sums(await api.allUtxos(busyAddress!)).keys()].toSorted().at(-1);
  await page.goto(`/addresses/${busyAddress}`);
  await page.getByRole("link", { name: "Choose a token" }).click();
  const panel = page.getByRole("region", { name: "Holdings" });
  const search = panel.getByRole("textbox", { name: "Search name, symbol or id" });
  for (const [text, id] of [
    ["tide", knownToken],
    [last!.slice(4, 30), last],
  ] as const) {
    await search.fill(text);
    await expect(panel.getByText(/\d+ tokens? found, as of block/)).toBeVisible();
    await expect(dataRow(holdings(page), id!)).toHaveCount(1);
  }
  await search.fill("no such token");
  await expect(panel.getByText("No token here has this in its name, symbol or id.")).toBeVisible();
  await panel.getByRole("button", { name: "Clear the search" }).click();
  await expect(panel.getByText("116 tokens in 18 rows")).toBeVisible();
});

test("the NFTs of a collection are one holding, which finds each of them", async ({ page }) => {
  await page.goto("/search?q=Tide%20Tables");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Tide Tables/ })
    .click();
  await page.getByRole("region", { name: "Members" }).getByRole("link").first().click();
  await page.getByRole("table", { name: "Holders" }).getByRole("link").first().click();
  await page.getByRole("link", { name: /^Holdings/ }).click();
  const panel = page.getByRole("region", { name: "Holdings" });
  await expect(panel.getByText(/^[\d,]+ tokens in (\d+ of )?\d+ rows, as of block/)).toBeVisible();
  const members = panel.getByRole("button", { name: /^Show its \d+$/ }).first();
  const [, count] = /(\d+)$/.exec((await members.textContent())!)!;
  await members.click();
  await expect(panel.getByText(new RegExp(`^${count} tokens found`))).toBeVisible();
  await expect(page).toHaveURL(/search=0x/);
  await page.reload();
  await expect(dataRows(holdings(page))).toHaveCount(Number(count));
});

test("holdings are copied as a table and saved as CSV, exactly", async ({ page, context, facts, api }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { smallAddress } = facts.notable;
  await page.goto(`/addresses/${smallAddress}`);
  const panel = await openTab(page, "Holdings 3", "Holdings");
  const expected = sums(await api.allUtxos(smallAddress!));
  const isExact = (lines: string[][]) => {
    for (const [id, { amount, capacity, cells }] of expected) {
      const line = lines.find((fields) => fields.slice(0, 2).includes(id));
      expect(line).toEqual(expect.arrayContaining([String(amount), String(capacity), String(cells)]));
    }
  };
  await panel
    .getByRole("button", { name: "Copy: Copy the shown tokens as a table" })
    .or(panel.getByRole("button", { name: /^Copy the shown/ }))
    .click();
  const pasted = await page.evaluate(() => navigator.clipboard.readText());
  isExact(
    pasted
      .trim()
      .split("\n")
      .map((line) => line.split("\t")),
  );

  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download");
  await page
    .getByRole("dialog", { name: "Export" })
    .getByRole("button", { name: /^CSV of All rows/ })
    .click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^holdings-.*\.csv$/);
  const text = await readFile(await file.path(), "utf8");
  expect(text).toContain('"as_of_block_hash","complete"');
  isExact(
    text
      .trim()
      .split("\r\n")
      .map((line) => line.slice(1, -1).split('","')),
  );
});

test("tokens whose names mislead are marked among the holdings, and not among the most valuable", async ({
  page,
  facts,
}) => {
  const { lookAlikeAddress, lookAlikeToken } = facts.notable;
  await page.goto(`/addresses/${lookAlikeAddress}?tab=holdings`);
  await expect(dataRow(holdings(page), lookAlikeToken!)).toContainText("Look-alike of TIDE");
  await page.goto(`/addresses/${lookAlikeAddress}`);
  const most = page.getByRole("list", { name: "The largest holdings" }).getByRole("link");
  await expect(most).not.toHaveCount(0);
  for (const link of await most.all()) expect(await link.getAttribute("href")).not.toContain(lookAlikeToken!);
  await expect(page.getByText(/4 of 5 tokens flagged$/)).toBeVisible();
});

test.describe("without any price", () => {
  test.use({ site: "mainnet" });

  test("the holdings have no columns for prices", async ({ page }) => {
    await page.goto("/");
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Address/ })
      .first()
      .click();
    await openTab(page, /^Holdings/, "Holdings");
    await expect(holdings(page).getByRole("columnheader", { name: "Amount" })).toBeVisible();
    await expect(holdings(page).getByRole("columnheader", { name: /Price|Value|Share/ })).toHaveCount(0);
    expect(await columnOf(holdings(page), "Amount")).not.toHaveLength(0);
  });
});
