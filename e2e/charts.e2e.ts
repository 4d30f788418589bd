import { changes, columnOf, expect, expectRow, openTab, outputs, test } from "./support.ts";

test("the chart of capacity by token has a text alternative, and each part filters the list", async ({
  page,
  facts,
}) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  const chart = await openTab(page, "Capacity by token", "CKB capacity by token");
  const picture = chart.getByRole("img", { name: /^CKB capacity by token/ });
  await expect(picture).toBeVisible();
  const parts = await chart.getByRole("listitem").allTextContents();
  const shares = parts.map((text) => Number(/([\d.]+) %$/.exec(text)?.[1]));
  expect(shares.length).toBeGreaterThan(3);
  expect(shares.reduce((sum, one) => sum + one, 0)).toBeCloseTo(100, 0);

  await chart.getByRole("listitem").getByRole("link").nth(1).click();
  await expect(page).toHaveURL(/\?panel=capacity&token=0x[0-9a-f]{64}$/);
  const token = new URL(page.url()).searchParams.get("token")!;
  await expectRow(outputs(page), { Token: token });
  for (const text of await columnOf(outputs(page), "Token")) expect(text).toContain(token);
});

test("a chart's links keep all other settings, including those changed after the page loaded", async ({
  page,
  facts,
}) => {
  const { busyAddress, busyBlockHash, knownToken } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?token=${knownToken}&flagged=show&unknown=1`);
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  const tokens = await openTab(page, "Capacity by token", "CKB capacity by token");
  await tokens.getByRole("listitem").getByRole("link").nth(2).click();
  await expect(page).not.toHaveURL(new RegExp(knownToken!));
  await expect(page).toHaveURL(/\?token=0x[0-9a-f]{64}&flagged=show&unknown=1&order=desc&panel=capacity$/);
  await expect(page.getByRole("combobox", { name: "Order" })).toHaveValue("desc");

  await page.goto(`/blocks/${busyBlockHash}?order=asc&page=3&flagged=show`);
  await page.getByRole("combobox", { name: "Rows per page" }).selectOption("25");
  const title = page.getByText("Volume by asset");
  await title.click();
  const volumes = page.getByRole("group").filter({ has: title });
  await volumes.getByRole("listitem").getByRole("link").first().click();
  await expect(page).toHaveURL(/\?order=asc&flagged=show&size=25&name=[^&]+$/);
});

test("the chart of volume by asset lists the largest in the table's order, and what has no price", async ({
  page,
  facts,
  api,
}) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}`);
  const title = page.getByText("Volume by asset");
  await title.click();
  const chart = page.getByRole("group").filter({ has: title });
  await expect(chart.getByText(/^Unpriced: \d+ assets?$/)).toBeVisible();
  const items = await chart.getByRole("listitem").allTextContents();
  const { result } = await api.changes(busyBlockHash!, { orderKey: "volume" });
  for (const [at, { asset }] of result.slice(0, 5).entries()) expect(items[at]).toContain(asset.symbol);
  await chart.getByRole("listitem").getByRole("link").first().click();
  await expect(page).toHaveURL(/[?&]name=/);
  await expectRow(changes(page), { Asset: result[0]!.asset.id });
});
