import { changes, expect, expectRow, rowsOf, test } from "./support.ts";

test("a block that moved nothing says so", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.bareBlockHash}`);
  await expect(page.getByText("No assets moved in this block")).toBeVisible();
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
});

test("a block that moved CKB alone has one row and no page controls", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.emptyBlockHash}`);
  await expectRow(changes(page), { Asset: "CKB" });
  expect(await rowsOf(changes(page))).toHaveLength(1);
  await expect(page.getByRole("navigation", { name: "Pages" })).toHaveCount(0);
});

test("neighbours are one link away", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const heading = page.getByRole("heading", { level: 1 });
  const height = Number(((await heading.textContent()) ?? "").replace(/\D/g, ""));
  await page.getByRole("link", { name: "Next block" }).click();
  await expect(heading).toHaveText(`Block ${height + 1}`);
  await page.getByRole("link", { name: "Previous block" }).click();
  await expect(heading).toHaveText(`Block ${height}`);
  await expect(page).toHaveURL(`/blocks/${facts.notable.busyBlockHash}`);
});

test.describe("an unknown block", () => {
  test.use({ failuresExpected: true });

  test("has a page that says so", async ({ page }) => {
    const unknown = `0x${"ab".repeat(32)}`;
    const response = await page.goto(`/blocks/${unknown}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByText("No block with this hash is indexed.")).toBeVisible();
    await expect(page.getByText(/this service does not list transactions/)).toBeVisible();

    await page.goto("/blocks/99999999");
    await expect(page.getByText("Block 99,999,999 is not indexed.")).toBeVisible();
    await page.goto("/blocks/0x1234");
    await expect(page.getByText(/Not a block hash: 4 hex digits, a hash has 64/)).toBeVisible();
  });
});

test("a replaced block says so and links to the block at its height", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.replacedBlockHash}`);
  await expect(page.getByText("This block was replaced by a reorganisation")).toBeVisible();
  const heading = page.getByRole("heading", { level: 1 });
  const name = ((await heading.textContent()) ?? "").replace(" was replaced", "");
  await page.getByRole("link", { name: "Open the block at this height" }).click();
  await expect(heading).toHaveText(name);
  await expect(page).not.toHaveURL(new RegExp(facts.notable.replacedBlockHash!));
});
