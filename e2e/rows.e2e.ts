import { changes, dataRows, exactText, expect, expectAmounts, expectRow, outputs, test } from "./support.ts";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const clipboard = (page: import("@playwright/test").Page) =>
  page.evaluate(() => navigator.clipboard.readText());

test("a row with the largest amount is exact, and opened shows everything as the API returned it", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress, maximumToken } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?token=${maximumToken}`);
  const [entry] = (
    await api.utxos(busyAddress!, { token: maximumToken!, include: "kind,time,block", value: "usd" })
  ).result;
  await expectRow(outputs(page), {
    Token: maximumToken!,
    Amount: "340,282,366,920,938,463,463,374,607,431,768,211,455",
  });
  const row = dataRows(outputs(page)).first();
  const toggle = row.getByRole("button", { name: "Details of row 1" });
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  for (const exact of [entry!.outPoint, entry!.token, entry!.amount, entry!.capacity]) {
    await expect(row.getByText(exact, { exact: true }).last()).toBeVisible();
  }
  await row.getByText("JSON of this row").click();
  const json = (await row.getByText('"outPoint"').textContent()) ?? "";
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(entry)));
  await toggle.click();
  await expect(row.getByText("JSON of this row")).toHaveCount(0);
});

test("an opened row spells out invisible characters of a name", async ({ page, facts, api }) => {
  const { hostileAddress } = facts.notable;
  const all = await api.allUtxos(hostileAddress!);
  const at = all.findIndex(({ tokenInfo }) => tokenInfo.symbol.includes("TI\u200bDE"));
  await page.goto(`/addresses/${hostileAddress}?flagged=show`);
  const row = dataRows(outputs(page)).nth(at);
  await row.getByRole("button", { name: /^Details of row/ }).click();
  await expect(row.getByText("TI⟦U+200B⟧DE⟦U+FEFF⟧")).toBeVisible();
  await expect(row.getByText(/invisible characters/)).toBeVisible();
});

test("an asset change has every digit of an amount beyond 128 bits, opened or not", async ({
  page,
  facts,
}) => {
  const twice = 2n * (2n ** 128n - 1n);
  await page.goto(`/blocks/${facts.notable.hugeBlockHash}?name=full%20to&flagged=show`);
  await expectAmounts(changes(page), "Amount moved", [exactText(twice, 0)]);
  const row = dataRows(changes(page)).first();
  await row.getByRole("button", { name: "Details of MAXED" }).click();
  await expect(row.getByText(twice.toString(), { exact: true }).first()).toBeVisible();
  await row.getByText("JSON of this row").click();
  await expect(row.getByText(`"amount": ${twice}`)).toBeVisible();
});

test("copy buttons copy exactly what the API returned", async ({ page, facts, api }) => {
  const { smallAddress } = facts.notable;
  const { result } = await api.utxos(smallAddress!, { include: "kind,time,block", value: "usd" });
  const token = result.findIndex(({ amount }) => amount === "12345678");
  await page.goto(`/addresses/${smallAddress}`);
  await page.getByRole("button", { name: "Copy address" }).click();
  await expect.poll(() => clipboard(page)).toBe(smallAddress);
  await expect(page.getByRole("status").filter({ hasText: "Copied address" })).toBeAttached();

  const row = dataRows(outputs(page)).nth(token);
  await row.getByRole("button", { name: "Copy out point" }).click();
  await expect.poll(() => clipboard(page)).toBe(result[token]!.outPoint);

  const menu = row.getByRole("button", { name: "Copy this cell" });
  for (const [item, copied] of [
    ["Amount, smallest unit", "12345678"],
    ["Capacity, shannons", result[token]!.capacity],
    ["Token id", result[token]!.token],
  ] as const) {
    await menu.click();
    await page.getByRole("menuitem", { name: item }).click();
    await expect.poll(() => clipboard(page), item).toBe(copied);
  }
  await menu.click();
  await page.getByRole("menuitem", { name: "Row as JSON" }).click();
  await expect
    .poll(async () => JSON.parse(await clipboard(page)))
    .toEqual(JSON.parse(JSON.stringify(result[token])));
  await menu.click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(menu).toBeFocused();
});

test("the API button copies a request that gives this view, without the token", async ({
  page,
  facts,
  baseURL,
}) => {
  const { busyBlockHash, busyAddress, knownToken } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?name=o&tags=rwa&order=asc&size=25&page=2`);
  await page.getByRole("button", { name: "API", exact: false }).click();
  await expect.poll(() => clipboard(page)).toContain("Bearer $TOKEN");
  const block = await clipboard(page);
  expect(block).not.toContain(facts.tokens.full);
  const asked = new URL(/https?:[^'"\s]+/.exec(block)?.[0] ?? "");
  expect(asked.origin).toBe(baseURL);
  expect(asked.pathname).toBe(`/v0/blocks/${busyBlockHash}/asset-changes`);
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    search: "o",
    tags: "rwa",
    orderKey: "volume",
    orderDirection: "asc",
    page: "2",
    pageSize: "25",
  });

  await page.goto(`/addresses/${busyAddress}?token=${knownToken}`);
  await page.getByRole("button", { name: "API", exact: false }).click();
  await expect.poll(() => clipboard(page)).toContain("/addresses/");
  const address = new URL(/https?:[^'"\s]+/.exec(await clipboard(page))?.[0] ?? "");
  expect(address.pathname).toBe(`/v0/addresses/${busyAddress}/utxos`);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({ token: knownToken, order: "desc" });
});
