import { recordedBlocksOf } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import {
  blockLink,
  changes,
  columnOf,
  exactText,
  expect,
  expectAmounts,
  expectRow,
  outputs,
  test,
} from "./support.ts";

test.use({ site: "mainnet" });

test("every real block opens by its number and shows the API's changes exactly", async ({ page, api }) => {
  for (const { height, hash } of recordedBlocksOf("mainnet")) {
    await page.goto("/");
    await page.getByRole("searchbox", { name: "Address, block hash or block number" }).fill(String(height));
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`/blocks/${hash}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Block ${exactText(BigInt(height), 0)}`);
    await page.goto(`/blocks/${hash}?order=chain&size=100&flagged=show`);
    const { result, total } = await api.changes(hash, { pageSize: "100" });
    expect(result).toHaveLength(total);
    for (const { asset } of result) await expectRow(changes(page), { Asset: asset.id });
    const shown = await columnOf(changes(page), "Asset");
    expect(shown.map((text, at) => text.includes(result[at]?.asset.id ?? "?"))).toEqual(
      result.map(() => true),
    );
    // Amounts of a token without metadata are shown as raw integers.
    if (result.every(({ asset }) => asset.name !== "" || asset.symbol !== "")) {
      await expectAmounts(
        changes(page),
        "Amount moved",
        result.map(({ amount, asset }) => exactText(amount, asset.decimals)),
      );
    }
  }
});

test("an address of a real block lists what the API says, and its block is one link away", async ({
  page,
  api,
}) => {
  await page.goto("/");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Address/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/addresses\/ckb1/);
  const address = new URL(page.url()).pathname.split("/")[2]!;
  const all = await api.allUtxos(address);
  await expect(page.getByText(new RegExp(`^End of list: ${all.length} cell`))).toBeVisible();
  expect(await columnOf(outputs(page), "Out point")).toEqual(all.map(({ outPoint }) => outPoint));
  await blockLink(outputs(page)).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    `Block ${exactText(BigInt(all[0]!.blockHeight), 0)}`,
  );
});

test.describe("on another network", () => {
  test("a testnet address is refused by name, not shown as empty", async ({ page }) => {
    await page.goto("/addresses/ckt1qyqd5eyygtdmwdr7ge736zw6z0ju6wsw7rssu8fcve");
    await expect(page.getByRole("heading", { name: "Not an address of this chain" })).toBeVisible();
    await expect(page.getByText(/testnet/i).first()).toBeVisible();
    await expect(page.getByText("No live cells")).toHaveCount(0);
  });
});
