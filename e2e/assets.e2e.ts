import type { Page } from "@playwright/test";
import type { AssetEntry } from "#lib/queries/assets/contract.ts";
import { parseDecimal } from "#lib/util/amounts.ts";
import { dataRows, exactText, expect, test } from "./support.ts";

const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const holders = (page: Page) => page.getByRole("table", { name: "Holders" });
const alike = (page: Page) => page.getByRole("region", { name: "Look-alikes" });

/** Opens a part of an asset's page. */
const open = (page: Page, tab: string) =>
  page.getByRole("navigation", { name: "Parts of this token" }).getByRole("link", { name: tab }).click();

async function assetsCalled(page: Page, search: string): Promise<AssetEntry[]> {
  const answer = await page.request.get(`/v0/assets?search=${encodeURIComponent(search)}`);
  return (await answer.json()).result;
}

/** Tokens without a name, a symbol and decimals. */
async function unnamedAssets(page: Page): Promise<AssetEntry[]> {
  const answer = await page.request.get("/v0/assets?pageSize=1000");
  const { result }: { result: AssetEntry[] } = await answer.json();
  return result.filter(
    ({ tokenInfo: { name, symbol, totalSupply } }) => name + symbol === "" && totalSupply !== "1",
  );
}

test("an asset's page has what the API says of it, and its holders with their shares", async ({ page }) => {
  const [asset] = await assetsCalled(page, "dETH");
  const { token, tokenInfo, holderCount, outputCount } = asset!;
  await page.goto(`/assets/${token}`);
  await expect(heading(page)).toContainText("Demo Ether");
  await expect(page).toHaveTitle(/^dETH · Demo Ether/);
  await expect(page.getByText(`${holderCount} holders`, { exact: true })).toBeVisible();
  await expect(page.getByText(`${outputCount} cells`, { exact: true })).toBeVisible();
  await expect(page.getByTitle(exactText(BigInt(tokenInfo.totalSupply), 18)).first()).toBeVisible();

  const listed = await (await page.request.get(`/v0/assets/${token}/holders?pageSize=1000`)).json();
  await expect(dataRows(holders(page))).toHaveCount(holderCount);
  const whole = BigInt(tokenInfo.totalSupply);
  for (const [at, { address, amount }] of listed.result.slice(0, 3).entries()) {
    const row = dataRows(holders(page)).nth(at);
    const links = row.getByRole("link");
    await expect(links.first()).toHaveAttribute("href", `/addresses/${address}`);
    await expect(links.last()).toHaveAttribute("href", new RegExp(`/${address}[?]token=0x`));
    const hundredths = (BigInt(amount) * 20_000n + whole) / (2n * whole);
    await expect(row).toContainText(`${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")} %`);
  }
  await dataRows(holders(page)).first().getByRole("link").first().click();
  await expect(page).toHaveURL(`/addresses/${listed.result[0].address}`);
});

test("the blocks that moved an asset lately say how much, and lead to it in the block", async ({
  page,
  api,
}) => {
  const [asset] = await assetsCalled(page, "dETH");
  await page.goto(`/assets/${asset!.token}`);
  await open(page, "Transfers");
  const moves = page.getByRole("region", { name: "Latest transfers" });
  await expect(moves.getByRole("list", { name: "Amount moved, by block" }).getByRole("link")).toHaveCount(30);
  const row = moves.getByRole("row").nth(1);
  const height = (await row.getByRole("link").first().textContent())!.replaceAll(",", "");
  const { result } = await api.changes(height, { search: asset!.token });
  await expect(row).toContainText(exactText(BigInt(result[0]!.amountExact!), 18).slice(0, 8));
  expect(parseDecimal(result[0]!.amountUsdExact!, 8)).toBeGreaterThan(0n);
  await row.getByRole("link").first().click();
  await expect(page).toHaveURL(new RegExp(`/blocks/0x[0-9a-f]{64}\\?asset=${asset!.token}&flagged=show`));
});

test("a block's only transaction that moved an asset is a click away", async ({ page }) => {
  const [asset] = await assetsCalled(page, "TIDE");
  await page.goto(`/assets/${asset!.token}?tab=transfers&before=13`);
  await expect(page).toHaveTitle(/^TIDE · Tide Dollar · Transfers · /);
  await page.getByRole("link", { name: "1 transaction in block 12" }).click();
  await expect(page).toHaveURL(/\/transactions\/0x[0-9a-f]{64}$/);
  await expect(page.getByText("were minted for")).toBeVisible();
});

test("the first holder is in the first window, also on a phone", async ({ page }) => {
  const [asset] = await assetsCalled(page, "dETH");
  for (const [width, height, most] of [
    [1440, 900, 560],
    [390, 844, 700],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/assets/${asset!.token}`);
    const { y } = (await dataRows(holders(page)).first().boundingBox())!;
    expect(y).toBeLessThan(most);
  }
});

const ONE_LINE_PX = 24;

test("figures near 128 bits stay whole on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const [asset] = await assetsCalled(page, "MAXED");
  await page.goto(`/assets/${asset!.token}`);
  const amounts = page.locator("[data-column=amount] [data-long]");
  await expect(amounts).toHaveCount(asset!.holderCount);
  for (const amount of await amounts.all()) {
    expect((await amount.boundingBox())!.height).toBeLessThan(ONE_LINE_PX);
  }
  const inside = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  expect(inside).toBe(true);
});

test("an asset without known decimals says once that its amounts are raw", async ({ page }) => {
  const [asset] = await unnamedAssets(page);
  await page.goto(`/assets/${asset!.token}`);
  await expect(page.getByText("unknown: all amounts here are raw integers")).toBeVisible();
  await expect(page.getByText("raw", { exact: true })).toHaveCount(0);
});

test("an imitation says what it imitates, beside all that look alike", async ({ page }) => {
  const found = await assetsCalled(page, "tide dollar");
  const registered = found.find(({ tokenInfo }) => tokenInfo.public)!;
  const imitation = found.find(({ resembles }) => resembles === registered.token)!;
  await page.goto(`/assets/${imitation.token}`);
  await expect(page.getByText("This may imitate another token")).toBeVisible();
  await expect(alike(page).getByRole("listitem").first()).toContainText("This token");
  await page.getByRole("main").getByRole("link", { name: "TIDE", exact: true }).first().click();
  await expect(page).toHaveURL(`/assets/${registered.token}`);
  await expect(page.getByText("This may imitate another token")).toHaveCount(0);
  await expect(dataRows(holders(page)).first()).toBeVisible();
  await open(page, "Look-alikes");
  await expect(alike(page).getByRole("listitem").first()).toContainText("listed");
});

test("an NFT shows its collection, whose page lists the members and who has them", async ({ page }) => {
  await page.goto("/search?q=Tide%20Tables");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Tide Tables/ })
    .click();
  await expect(heading(page)).toHaveText("Tide Tables");
  const members = page.getByRole("region", { name: "Members" }).getByRole("listitem");
  await expect(members).toHaveCount(40);
  await members.first().getByRole("link").click();
  await expect(page).toHaveURL(/\/assets\/0x[0-9a-f]{64}$/);
  await open(page, "Collection");
  await page.getByRole("link", { name: "40 members" }).click();
  await expect(heading(page)).toHaveText("Tide Tables");
});

test("a symbol in a list leads to the asset's page", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  await page.getByRole("row").filter({ hasText: "Demo Ether" }).getByRole("link", { name: /dETH/ }).click();
  await expect(heading(page)).toContainText("Demo Ether");
});

for (const [access, told] of [
  ["changesOnly", "Your access token does not give access to its holders."],
  ["utxosOnly", "Your access token does not give access to the blocks that moved it."],
] as const) {
  test.describe(`with a token of one scope (${access})`, () => {
    test.use({ access });

    test("an asset's page says what the token may not read", async ({ page }) => {
      await page.goto("/assets/0x80000135");
      await expect(heading(page)).toContainText("CKB");
      await expect(page.getByText(told)).toBeVisible();
    });
  });
}

test.describe("with a token for asset changes only", () => {
  test.use({ access: "changesOnly" });

  test("a collection and a block's transactions name no addresses", async ({ page, facts }) => {
    await page.goto("/search?q=Tide%20Tables");
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Tide Tables/ })
      .click();
    await expect(page.getByRole("region", { name: "Members" }).getByRole("listitem")).toHaveCount(40);
    await expect(page.getByRole("main")).not.toContainText("ckt1");
    await page.goto(`/blocks/${facts.notable.busyBlockHash}?tab=transactions`);
    await expect(page.getByRole("table", { name: "Transactions" })).toContainText("0x");
    await expect(page.getByRole("main")).not.toContainText("ckt1");
    await expect(page.getByRole("main").locator('a[href^="/transactions/"]')).toHaveCount(0);
  });
});

test.describe("on a partial index", () => {
  test.use({ site: "mainnet" });

  test("first mint, supply and holders are not stated as facts", async ({ page }) => {
    await page.goto("/assets/0x80000135");
    await expect(page.getByText("Partial index.")).toBeVisible();
    await expect(page.getByText("unknown: some blocks are not indexed")).toBeVisible();
    await expect(page.getByText(/in the indexed blocks/).first()).toBeVisible();
    await expect(page.getByText("First indexed block")).toBeVisible();
  });
});

test.describe("an asset that is not there", () => {
  test.use({ failuresExpected: true });

  test("is 404, and its page says so", async ({ page }) => {
    for (const id of [`0x${"ab".repeat(32)}`, "hello", "0x1"]) {
      const answer = await page.goto(`/assets/${id}`);
      expect(answer?.status()).toBe(404);
      await expect(heading(page)).toHaveText("Token not found");
    }
  });
});

test("the heads of the holders stay in sight below the toolbar", async ({ page }) => {
  await page.goto("/assets/0x80000135");
  await expect(dataRows(holders(page)).nth(25)).toBeAttached();
  await page.mouse.move(600, 600);
  await page.mouse.wheel(0, 1_500);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(1_000);
  const heads = holders(page).getByRole("columnheader");
  const areSeen = await heads.evaluateAll((all) =>
    all.map((head) => {
      const { left, top, width, height } = head.getBoundingClientRect();
      return head.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }),
  );
  expect(new Set(areSeen)).toEqual(new Set([true]));
});
