import {
  columnOf,
  dataRow,
  dataRows,
  drawAllRows,
  exactText,
  expect,
  expectRow,
  holdings,
  openTab,
  outputs,
  rowsOf,
  test,
  tokensOf,
} from "./support.ts";

test("the server filters by token, the URL holds the filter, and the page shows the balance", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress, knownToken } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  await openTab(page, "Holdings 116", "Holdings");
  await dataRow(holdings(page), knownToken!).getByRole("link", { name: "TIDE", exact: true }).click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}?token=${knownToken}`);

  const all = await api.allUtxos(busyAddress!, { token: knownToken! });
  const table = outputs(page);
  await drawAllRows(page);
  await expect(dataRows(table).nth(Math.min(all.length, 100) - 1)).toBeAttached();
  await expect(async () => {
    const shown = await columnOf(table, "Out point");
    expect(shown).toEqual(all.slice(0, shown.length).map(({ outPoint }) => outPoint));
    expect(shown.length).toBeGreaterThanOrEqual(100);
  }).toPass();

  const sum = all.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const decimals = all[0]!.tokenInfo.decimals;
  const remove = page.getByRole("button", { name: "Remove the filter TIDE" });
  await expect(remove).toBeVisible();
  await expect(page.getByTitle(exactText(sum, decimals), { exact: true })).toContainText(
    `in ${exactText(BigInt(all.length), 0)} cells`,
  );

  await page.reload();
  await expect(remove).toBeVisible();
  await expectRow(table, { Token: "TIDE", "Out point": all[0]!.outPoint });
  await remove.click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}`);
  await expect(page.getByText(/of 20,000 loaded/)).toBeVisible();
});

test("oldest first shows the list from its other end", async ({ page, facts, api }) => {
  const { address, cells } = facts.middling;
  await page.goto(`/addresses/${address}`);
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  await expect(page).toHaveURL(`/addresses/${address}?order=asc`);
  const descending = await api.allUtxos(address);
  expect(descending).toHaveLength(cells);
  const oldest = descending.toReversed().map(({ outPoint }) => outPoint);
  const table = outputs(page);
  await drawAllRows(page);
  await expect(async () => {
    const shown = await columnOf(table, "Out point");
    expect(shown.length).toBeGreaterThanOrEqual(100);
    expect(shown).toEqual(oldest.slice(0, shown.length));
  }).toPass();
});

test("tokens with the same symbol are distinguished by their ids, and flagged ones are hidden with a count", async ({
  page,
  facts,
  api,
}) => {
  const { lookAlikeAddress, knownToken, lookAlikeToken } = facts.notable;
  await page.goto(`/addresses/${lookAlikeAddress}`);
  const all = await api.allUtxos(lookAlikeAddress!);
  const table = outputs(page);
  await expect(page.getByText(/^End of list/)).toBeVisible();

  const hide = page.getByRole("button", { name: /^Hide flagged/ });
  await expect(hide).toHaveAttribute("aria-pressed", "true");
  const [, hidden] = /\((\d+)\)/.exec((await hide.textContent()) ?? "") ?? [];
  // Hides all tokens except the listed one, including the clone of its name and symbol.
  expect(Number(hidden)).toBe(all.length - 1);
  const [only, ...others] = await rowsOf(table);
  expect(others).toEqual([]);
  expect(only?.Token).toContain("Tide Dollar");
  await expect(dataRows(table).first().getByLabel("listed")).toBeVisible();
  await expect(page.getByText(`${hidden} flagged rows hidden`)).toBeVisible();

  await hide.click();
  await expect(page).toHaveURL(/[?&]flagged=show/);
  await expect(dataRows(table)).toHaveCount(all.length);
  await expectRow(table, { Token: lookAlikeToken! });
  const rows = await rowsOf(table);
  expect(rows.find((row) => row.Token?.includes(lookAlikeToken!))?.Token).toContain("Look-alike of TIDE");
  const known = (await tokensOf(table)).indexOf(knownToken!);
  expect(rows[known]?.Token).not.toContain("ook-alike");

  await openTab(page, /^Holdings/, "Holdings");
  const held = await columnOf(holdings(page), "Token");
  expect(held.filter((text) => text.startsWith("TIDE")).length).toBeGreaterThanOrEqual(2);
  expect(new Set(held).size).toBe(held.length);
  expect(held.find((text) => text.includes(lookAlikeToken!))).toContain("Look-alike of TIDE");
});

test("the token of a row filters the list, and scrolls it into the window", async ({ page, facts }) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  const row = dataRows(outputs(page)).nth(8);
  await row.scrollIntoViewIfNeeded();
  const link = row.getByTitle("Show only this token");
  const token = new URL((await link.getAttribute("href"))!, page.url()).searchParams.get("token")!;
  await link.click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}?token=${token}`);
  await expect(dataRows(outputs(page)).first()).toBeInViewport();
  await expect(async () => expect(new Set(await columnOf(outputs(page), "Token")).size).toBe(1)).toPass();
  await expect(dataRows(outputs(page)).first().getByTitle("Show only this token")).toHaveCount(0);
});

test("a filter for a token that the address does not hold says so and can be cleared", async ({
  page,
  facts,
}) => {
  const { smallAddress, unpricedToken } = facts.notable;
  await page.goto(`/addresses/${smallAddress}?token=${unpricedToken}`);
  await expect(page.getByText("No live cell holds this token")).toBeVisible();
  await expect(page.getByText(/^3 cells without the filter/)).toBeVisible();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await expect(page).toHaveURL(`/addresses/${smallAddress}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
});

test.describe("a filter that fails", () => {
  test.use({ failuresExpected: true });

  test("still says what it filters by, and can be removed", async ({ page, facts }) => {
    const { smallAddress } = facts.notable;
    for (const token of ["made-up", `0x${"ab".repeat(32)}`]) {
      await page.goto(`/addresses/${smallAddress}?token=${token}`);
      const remove = page.getByRole("button", { name: /^Remove the filter/ });
      await expect(remove.locator("xpath=..")).toHaveText(/^Token(made-up|0xab\w*…\w*ab)$/);
      await remove.click();
      await expect(dataRows(outputs(page))).toHaveCount(3);
    }
    // Neither the list nor the filter's token can be read.
    await page.route("**/v0/**", (route) => route.fulfill({ status: 400, json: {} }));
    await dataRows(outputs(page)).last().getByTitle("Show only this token").click();
    await expect(page.getByRole("main").getByRole("alert").first()).toBeVisible();
    await expect(page.getByRole("button", { name: /^Remove the filter/ }).locator("xpath=..")).toHaveText(
      /^CKB0x80000135/,
    );
  });
});

test("a token filter stays from the outputs to the statement and back", async ({ page, facts }) => {
  const { busyAddress, knownToken } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?token=${knownToken}`);
  const parts = page.getByRole("navigation", { name: "Parts of this address" });
  await parts.getByRole("link", { name: /^Statement/ }).click();
  await expect(page.getByRole("button", { name: "Remove the filter TIDE" })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("token")).toBe(knownToken);
  await parts.getByRole("link", { name: /^Cells/ }).click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}?token=${knownToken}`);
});
