import { recordedBlocksOf } from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { changes, columnOf, exactText, expect, expectAmounts, expectRow, test } from "../support.ts";

test.use({ site: "mainnet" });

test("every real block opens by its number and shows the API's changes exactly", async ({ page, api }) => {
  for (const { height, hash } of recordedBlocksOf("mainnet")) {
    await page.goto(`/blocks/${height}`);
    await expect(page).toHaveURL(`/blocks/${hash}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(
      `Block ${exactText(BigInt(height), 0)} moved`,
    );
    // Missing blocks may have what nobody can know here.
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
