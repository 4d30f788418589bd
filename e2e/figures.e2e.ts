import { expect, shareImage, test } from "./support.ts";

test("cells by age counts every live cell of the address, in a picture and in a table", async ({
  page,
  facts,
  api,
}) => {
  const { smallAddress } = facts.notable;
  await page.goto(`/addresses/${smallAddress}`);
  const chart = page.getByRole("group").filter({ hasText: "Cells by age" });
  await chart.getByText("Cells by age").first().click();
  await expect(chart.getByRole("img", { name: /^Cells by age, blocks? [\d,]+/ })).toBeVisible();
  const { result } = await api.utxos(smallAddress!, { pageSize: "10" });
  const counts = await chart
    .getByRole("row", { includeHidden: true })
    .evaluateAll((rows) =>
      rows
        .slice(1)
        .map((row) => Number(row.querySelector("td:last-child")?.textContent?.replaceAll(",", ""))),
    );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(result.length);
});

test("an address's value says which prices it uses and how many tokens have none", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const figure = page.locator("dl > div").filter({ hasText: "Estimated value, US dollars" });
  await expect(figure).toContainText(/\$[\d,]+\.\d\d/);
  await expect(figure).toContainText(/latest prices, \d+ tokens unpriced/);
});

test("an address's summary and its filter count the same tokens", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const figure = page.locator("dl > div").filter({ hasText: "Distinct tokens" });
  const all = page.getByRole("combobox", { name: "Token" }).getByRole("option").first();
  const count = /\d+/.exec((await all.textContent()) ?? "")?.[0];
  expect(count).toBe("3");
  await expect(figure.locator("dd")).toHaveText("3");
});

test.describe("without any price", () => {
  test.use({ site: "mainnet" });

  test("an address of CKB alone has one token, and one unpriced", async ({ page }) => {
    await page.goto(
      "/addresses/ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqt3vn6g67jm7g5czehcmqdcr6jwjz8pdtg59p03h",
    );
    const figure = (name: string) => page.locator("dl > div").filter({ hasText: name });
    await expect(figure("Distinct tokens").locator("dd")).toHaveText("1");
    await expect(figure("Estimated value, US dollars")).toContainText("1 token unpriced");
  });
});

test("a shared link has its own preview picture, drawn by this server", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const picture = await shareImage(page);
  expect(picture.status()).toBe(200);
  expect(picture.headers()["content-type"]).toBe("image/png");
  expect((await picture.body()).subarray(1, 4).toString()).toBe("PNG");
});
