import { blockLink, changes, columnOf, dataRow, exactText, expect, outputs, test } from "./support.ts";

test.use({ site: "mainnet" });

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
  await expect(page.getByRole("heading", { level: 1 })).toContainText(
    `Block ${exactText(BigInt(all[0]!.blockHeight), 0)} moved`,
  );
});

test("without registry and prices there are no empty columns, and an unnamed NFT is one NFT", async ({
  page,
}) => {
  await page.goto("/blocks/12043751");
  const headings = changes(page).getByRole("columnheader");
  await expect(headings).toHaveText(["Details", "Asset", "Amount moved", "Copy"]);
  await expect(dataRow(changes(page), "Unnamed")).toContainText("1 NFT");
  await expect(page.getByText("no price", { exact: true })).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Order" })).toHaveCount(0);
  await page.goto("/");
  await expect(page.getByText("Indexed blocks:")).toBeVisible();
  const latest = page.getByRole("region", { name: "Latest blocks" }).getByRole("listitem");
  await expect(latest.first()).toContainText(/\d assets?$/);
  await expect(page.getByText("This server has no asset registry and no prices.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Moved most" })).toHaveCount(0);
});

test.describe("on another network", () => {
  test.use({ failuresExpected: true });

  test("a testnet address is refused by name, not shown as empty", async ({ page }) => {
    await page.goto("/addresses/ckt1qyqd5eyygtdmwdr7ge736zw6z0ju6wsw7rssu8fcve");
    await expect(page.getByRole("heading", { name: "Not a valid address of this chain" })).toBeVisible();
    await expect(page.getByText(/testnet/i).first()).toBeVisible();
    await expect(page.getByText("No live cells")).toHaveCount(0);
  });
});
