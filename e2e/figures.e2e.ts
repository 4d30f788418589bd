import { dataRows, exactText, expect, openTab, outputs, test } from "./support.ts";

test("cells by age counts every live cell of the address, and a column leads to what its blocks changed", async ({
  page,
  facts,
  api,
}) => {
  const { smallAddress } = facts.notable;
  await page.goto(`/addresses/${smallAddress}?tab=lock`);
  const columns = page.getByRole("list", { name: "Cells by age" }).getByRole("link");
  await expect(columns.first()).toBeVisible();
  const { result } = await api.utxos(smallAddress!, { pageSize: "10" });
  const counts = await columns.evaluateAll((links) =>
    links.map(({ ariaLabel }) =>
      Number(/: ([\d,]+) cells?$/.exec(ariaLabel ?? "")?.[1]?.replaceAll(",", "")),
    ),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(result.length);
  await columns.nth(counts.findIndex((count) => count > 0)).click();
  await expect(page.getByRole("table", { name: /^Changes since block/ })).toBeVisible();
});

test("an address's value says which prices it uses and how many tokens have none", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const figure = page.getByRole("button", { name: /^Estimated value, US dollars/ });
  await expect(figure).toContainText(/\$[\d,]+\.\d\d/);
  await expect(page.getByText(/^\d+ tokens have no price$/)).toBeVisible();
});

test("the capacity of each kind is the sum of its cells, and cells without a mark are plain", async ({
  page,
  facts,
  api,
}) => {
  const { saverAddress } = facts.notable;
  const { result: all } = await api.utxos(saverAddress!, { include: "kind" });
  const sum = (entries: typeof all) => entries.reduce((total, { capacity }) => total + BigInt(capacity), 0n);
  const plain = all.filter(({ kind }) => kind === "plain");
  expect(plain).toHaveLength(1);
  await page.goto(`/addresses/${saverAddress}`);
  const rows = dataRows(outputs(page));
  // Tokens without a mark in the list are plain.
  await expect(rows).toHaveCount(all.length);
  expect(await rows.filter({ has: page.locator("[data-kind]") }).count()).toBe(
    all.filter(({ kind, token }) => kind !== "plain" && token === "0x80000135").length,
  );
  const panel = await openTab(page, "Lock script", "Lock script");
  for (const [label, kind] of [
    ["Plain", /^plain$/],
    ["DAO deposit", /^dao-deposit$/],
    ["DAO withdrawal", /^dao-withdrawal@/],
    ["Data", /^data$/],
    ["Code", /^code$/],
    ["Immature", /^immature$/],
  ] as const) {
    const held = sum(all.filter((entry) => kind.test(entry.kind!)));
    const row = panel
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: label, exact: true }) });
    await expect(row.getByTitle(exactText(held, 8), { exact: true })).toBeVisible();
  }
});

test("a cell that is held back says from when on it can be spent, and a deposit what it has earned", async ({
  page,
  facts,
  api,
}) => {
  const { saverAddress, lockedAddress } = facts.notable;
  await page.goto(`/addresses/${lockedAddress}`);
  const row = dataRows(outputs(page)).first();
  await expect(row.getByText("Time lock")).toBeVisible();
  await row.getByRole("button", { name: /^Details of row/ }).click();
  await expect(row.getByText("epoch 5", { exact: true })).toBeVisible();

  const { result } = await api.utxos(saverAddress!, { include: "kind" });
  const at = result.findIndex(({ kind }) => kind === "dao-deposit");
  const [out, depositBlock] = result
    .map(({ kind }, place) => [place, /^dao-withdrawal@(\d+)/.exec(kind!)?.[1]] as const)
    .find(([, height]) => height !== undefined)!;
  await page.goto(`/addresses/${saverAddress}`);
  const deposit = dataRows(outputs(page)).nth(at);
  // Only the last opened row is open.
  for (const [row, height] of [
    [dataRows(outputs(page)).nth(out), depositBlock],
    [deposit, result[at]!.blockHeight],
  ] as const) {
    await row.getByRole("button", { name: /^Details of row/ }).click();
    await expect(
      row
        .getByRole("definition")
        .getByRole("link", { name: exactText(BigInt(height!), 0), exact: true })
        .first(),
    ).toBeVisible();
  }
  const { compensation } = result[at]!;
  expect(BigInt(compensation!)).toBeGreaterThan(0n);
  await expect(deposit.getByText(compensation!, { exact: true })).toBeVisible();
  await expect(deposit.getByText(`${exactText(BigInt(compensation!), 8)} CKB`)).toBeVisible();
});

test.describe("without any price", () => {
  test.use({ site: "mainnet" });

  test("an address of CKB alone has one token, and one unpriced", async ({ page }) => {
    await page.goto(
      "/addresses/ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqt3vn6g67jm7g5czehcmqdcr6jwjz8pdtg59p03h",
    );
    await expect(page.getByRole("link", { name: "Holdings 1" })).toBeVisible();
    await expect(page.getByRole("button", { name: /^CKB in all cells/ })).toBeVisible();
    await expect(page.getByText("No asset here has a price", { exact: true })).toBeVisible();
  });
});
