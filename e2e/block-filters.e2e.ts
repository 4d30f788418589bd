import type { Page } from "@playwright/test";
import { formatUsd, shareOf } from "#lib/client/format.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { changes, columnOf, exactText, expect, expectAmounts, expectRow, rowsOf, test } from "./support.ts";

const nameFilter = (page: Page) => page.getByRole("textbox", { name: "Name, symbol or id" });
const tags = (page: Page) => page.getByRole("group", { name: "Filter by tag" });

/** The table has exactly these assets, in this order. */
async function expectAssets(page: Page, wanted: AssetChange[]): Promise<void> {
  const ids = wanted.map(({ asset }) => asset.id);
  await expect(async () => {
    const shown = await columnOf(changes(page), "Asset");
    expect(shown.map((text, at) => (ids[at] && text.includes(ids[at]) ? ids[at] : text))).toEqual(ids);
  }).toPass();
}

test("a block shows the API's changes by volume, with exact amounts", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?size=100&flagged=show`);
  const { result, total } = await api.changes(busyBlockHash!, { orderKey: "volume", pageSize: "100" });
  expect(total).toBeGreaterThan(150);
  await expectAssets(page, result);
  await expectAmounts(
    changes(page),
    "Amount moved",
    result.map(({ amount, asset }) => exactText(amount, asset.decimals)),
  );
});

test("the name filter highlights its matches, and Escape clears it", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  const page25 = { orderKey: "volume", pageSize: "25" };
  const all = await api.changes(busyBlockHash!, page25);
  const found = await api.changes(busyBlockHash!, { ...page25, search: "gOLd" });
  expect(found.total).toBeGreaterThan(3);
  await page.goto(`/blocks/${busyBlockHash}`);
  await expectAssets(page, all.result);

  await nameFilter(page).pressSequentially("gOLd");
  await expectAssets(page, found.result);
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}?name=gOLd`);
  await expect(changes(page).locator("mark").first()).toHaveText("Gold");

  await nameFilter(page).press("Escape");
  await expect(nameFilter(page)).toHaveValue("");
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}`);
  await expectAssets(page, all.result);

  await nameFilter(page).fill("dollar");
  await nameFilter(page).press("Enter");
  await expectRow(changes(page), { Asset: "Tide Dollar" });
  await page.getByRole("button", { name: "Clear the name filter" }).click();
  await expectAssets(page, all.result);
});

test("the name filter also finds assets by symbol and by id, and takes % literally", async ({
  page,
  facts,
  api,
}) => {
  const { busyBlockHash } = facts.notable;
  const { result } = await api.changes(busyBlockHash!, { pageSize: "100" });
  const one = result.find(({ asset: { name, symbol } }) => symbol && !name.includes(symbol))!;
  await page.goto(`/blocks/${busyBlockHash}?flagged=show`);
  for (const text of [one.asset.symbol.toLowerCase(), one.asset.id.slice(6, 40)]) {
    await nameFilter(page).fill(text);
    const found = await api.changes(busyBlockHash!, { orderKey: "volume", pageSize: "25", search: text });
    expect(found.result.map(({ asset }) => asset.id)).toContain(one.asset.id);
    await expectAssets(page, found.result);
  }
  await nameFilter(page).fill("%");
  await expect(page.getByText("No asset matches “%”")).toBeVisible();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await expect(nameFilter(page)).toHaveValue("");
  await expect(changes(page)).toBeVisible();
});

test("tag chips show this block's counts, and any selected tag matches", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?size=100`);
  const more = tags(page).getByRole("button", { name: /^\d+ more$/ });
  await more.click();
  const meme = tags(page).getByRole("button", { name: /^meme/ });
  const stable = tags(page).getByRole("button", { name: /^stablecoin/ });
  const one = await api.changes(busyBlockHash!, { orderKey: "volume", pageSize: "100", tags: "meme" });
  await expect(meme).toHaveText(new RegExp(`^meme\\s*${one.total}$`));

  await meme.click();
  await expect(meme).toHaveAttribute("aria-pressed", "true");
  await expectAssets(page, one.result);

  await stable.click();
  const two = await api.changes(busyBlockHash!, [
    ["orderKey", "volume"],
    ["pageSize", "100"],
    ["tags", "meme"],
    ["tags", "stablecoin"],
  ]);
  expect(two.total).toBeGreaterThan(one.total);
  await expectAssets(page, two.result);
  await expect(page.getByText(`${two.total} assets tagged meme or stablecoin`)).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}?size=100&tags=meme`);
  await expectAssets(page, one.result);
  await page.goBack();
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}?size=100`);
  await expect(meme).toHaveAttribute("aria-pressed", "false");
  await page.goForward();
  await page.goForward();
  await expectAssets(page, two.result);

  await page.reload();
  await expectAssets(page, two.result);
  await expect(stable).toHaveAttribute("aria-pressed", "true");
  await page.goBack();
  await expect(stable, "Back stays on the block").toHaveAttribute("aria-pressed", "false");
  await expect(meme).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Clear tags" }).click();
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}?size=100`);
  await changes(page).getByRole("button", { name: "meme", exact: true }).first().click();
  await expect(meme).toHaveAttribute("aria-pressed", "true");
  await expectAssets(page, one.result);
});

test("tags with plus signs and ampersands survive the URL, and rows say them", async ({
  page,
  facts,
  api,
}) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?name=research`);
  const said = (await columnOf(changes(page), "Tags")).join(", ");
  for (const tag of ["a+b", "R&D"]) expect(said).toContain(tag);
  await tags(page)
    .getByRole("button", { name: /^\d+ more$/ })
    .click();
  await tags(page).getByRole("button", { name: /^a\+b/ }).click();
  await tags(page).getByRole("button", { name: /^R&D/ }).click();
  await nameFilter(page).press("Escape");
  const wanted = await api.changes(busyBlockHash!, [
    ["orderKey", "volume"],
    ["pageSize", "25"],
    ["tags", "a+b"],
    ["tags", "R&D"],
  ]);
  await expectAssets(page, wanted.result);
  await page.goto(page.url());
  await expectAssets(page, wanted.result);
  await expect(tags(page).getByRole("button", { name: /^a\+b/ })).toHaveAttribute("aria-pressed", "true");
});

test("an asset without a price is shown as unpriced, not as worth nothing", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?name=test%20coin`);
  await expectRow(changes(page), { Asset: facts.notable.unpricedToken!, Volume: "no price" });
  const [row] = await rowsOf(changes(page));
  expect(row?.Volume).not.toContain("$0");
});

test("whatever is filtered has a sum, which is that of the API's entries", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  const sumOf = async (query: [string, string][]) => {
    const all: bigint[] = [];
    for (let at = 1; ; at++) {
      const asked: [string, string][] = [...query, ["pageSize", "100"], ["page", String(at)]];
      const { result, total } = await api.changes(busyBlockHash!, asked);
      all.push(...result.map(({ amountUsd }) => parseDecimal(amountUsd, USD_DECIMALS)!));
      if (all.length >= total) return { total, sum: all.reduce((sum, one) => sum + one, 0n) };
    }
  };
  const whole = await sumOf([]);
  const said = async (query: [string, string][], what: string) => {
    const { total, sum } = await sumOf(query);
    return `${total} assets ${what} · ${formatUsd(sum).text} · ${shareOf(sum, whole.sum)} of the block`;
  };
  await page.goto(`/blocks/${busyBlockHash}?flagged=show`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(formatUsd(whole.sum).text);
  await expect(page.getByText(`${whole.total} assets · ${formatUsd(whole.sum).text}`)).toBeVisible();
  await tags(page).getByRole("button", { name: /^rwa/ }).click();
  await expect(page.getByText(await said([["tags", "rwa"]], "tagged rwa"))).toBeVisible();
  await nameFilter(page).fill("gold");
  const both: [string, string][] = [
    ["tags", "rwa"],
    ["search", "gold"],
  ];
  await expect(page.getByText(await said(both, "tagged rwa matching “gold”"))).toBeVisible();
});
