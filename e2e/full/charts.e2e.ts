import { expect, test } from "../support.ts";

test("a chart's links keep all other settings, including those changed after the page loaded", async ({
  page,
  facts,
}) => {
  const { busyAddress, busyBlockHash, knownToken } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?token=${knownToken}&flagged=show&unknown=1`);
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  await expect(page).toHaveURL(/order=asc/);
  const largest = page.getByRole("list", { name: "The largest holdings" }).getByRole("link").first();
  await expect(largest).toHaveAttribute("href", /order=asc/);
  await largest.click();
  await expect(page).not.toHaveURL(new RegExp(knownToken!));
  await expect(page).toHaveURL(/\?token=0x[0-9a-f]{64}&flagged=show&unknown=1&order=asc$/);
  await expect(page.getByRole("combobox", { name: "Order" })).toHaveValue("asc");

  await page.goto(`/blocks/${busyBlockHash}?order=asc&page=3&flagged=show`);
  await page.getByRole("combobox", { name: "Rows per page" }).selectOption("50");
  const volumes = page.getByRole("list", { name: "Volume by asset" });
  await volumes.getByRole("listitem").getByRole("link").first().click();
  await expect(page).toHaveURL(/\?order=asc&flagged=show&size=50&asset=0x[0-9a-f]+$/);
});
