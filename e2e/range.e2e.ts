import { changes, dataRows, expect, test } from "./support.ts";

test("a block leads to the blocks up to it, whose assets equal the API's", async ({
  page,
  facts,
  request,
}) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  await page.getByRole("link", { name: "Range" }).click();
  await expect(page).toHaveURL(/\/blocks\/range\?from=\d+&to=\d+/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/^10 blocks moved \$/);
  const given = new URL(page.url()).searchParams;
  const answer = await request.get(
    `/v0/asset-changes?${new URLSearchParams({ from: given.get("from")!, to: given.get("to")!, orderKey: "volume" })}`,
    { headers: { authorization: `Bearer ${facts.tokens.full}` } },
  );
  const { total } = await answer.json();
  await expect(page.getByText(`of ${total}`).first()).toBeVisible();
  await expect(dataRows(changes(page))).toHaveCount(10);
});

test("a range that is not one becomes the last ten blocks, and one above the tip is 404", async ({
  page,
}) => {
  await page.goto("/blocks/range?from=abc&to=7x");
  await expect(page.getByRole("link", { name: "Last 10", exact: true })).toHaveAttribute(
    "aria-current",
    "true",
  );
  const response = await page.goto("/blocks/range?from=10&to=99999999");
  expect(response?.status()).toBe(404);
});
