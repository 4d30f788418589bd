import { recordedBlocksOf } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import {
  changes,
  columnOf,
  dataRows,
  exactText,
  expect,
  expectAmounts,
  expectRow,
  outputs,
  test,
} from "../support.ts";

test.use({ site: "mainnet" });

test("every real block opens by its number and shows the API's changes exactly", async ({ page, api }) => {
  for (const { height, hash } of recordedBlocksOf("mainnet")) {
    await page.goto(`/blocks/${height}`);
    await expect(page).toHaveURL(`/blocks/${hash}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(
      `Block ${exactText(BigInt(height), 0)} moved`,
    );
    // Missing blocks may contain inputs that are unknown here.
    await expect(page.getByText(/may still be replaced|for the first time/)).toHaveCount(0);
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

test("special cells have a badge, and the details of a row name every kind", async ({ page }) => {
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
    await page.goto(`/addresses/${address}?order=asc`);
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
