import {
  blockLink,
  changes,
  columnOf,
  dataRow,
  dataRows,
  exactText,
  expect,
  outputs,
  test,
} from "./support.ts";

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

test("what a cell is besides plain or a token is told by a badge, and every kind by what its row opens", async ({
  page,
}) => {
  const kinds = {
    ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdcl3rpjeweuahltpvdpf30d27xxgvsmhqcrd287: [
      "Spore",
      "Plain",
    ],
    ckb1qpt0kce2zw4a44es35hqxja2u89sf85w3lere37qk62ynash2jtnxqtmqecp56kf2jx65zdgr0983xgmeglmku62zhqrxz78r0klaqrv2cssrj8t:
      ["Token", "Token"],
    ckb1qz7xc452rgxs5z0ks3xun46dmdp58sepg0ljtae8ck0d7nah945nvqgpqqqqqqkx0p6akrqa3s8ywcxgf2a9h68r3sekqq4se9zcw0zw8xxem8kgg3rc2q:
      ["Cluster"],
    ckb1qqwqfhcfmxk7medlcs8lrgu68gtler3f79w9dutt0eyxsrrqpmj6cqwqge9mksrygxm9r6zd9vstk0fvngxqtav4kpfmssy6vplx24rhtu7frlmk:
      ["Type-id code"],
    ckb1qzjrnpmgmpaaz7h2zds7msave44qz9mhfhzwhjqnh7sh869vp5yx6qgqwhrzgpkxkxqd3llfvsqd0uywd6yarpkuqqu2gqs3: [
      "Unknown type",
      "Unknown type",
      "Unknown type",
    ],
  };
  for (const [address, labels] of Object.entries(kinds)) {
    await page.goto(`/addresses/${address}`);
    await expect(dataRows(outputs(page))).toHaveCount(labels.length);
    const cells = await columnOf(outputs(page), "Token");
    const unmarked = ["Plain", "Token", "Spore"];
    expect(cells.map((cell, at) => cell.endsWith(labels[at]!))).toEqual(
      labels.map((label) => !unmarked.includes(label)),
    );
    await page.getByRole("button", { name: "Details of row 1" }).click();
    await expect(outputs(page).getByText(`${labels[0]}. `)).toBeVisible();
  }
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
  await expect(page.getByText("Assets moved by each block: nothing has a price.")).toBeVisible();
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
