import { announcer, expect, loadPages, outputs, scrollWith, test } from "../support.ts";

test("of a long list only rows near the window are in the document; the position and an open row stay", async ({
  page,
  facts,
}) => {
  await loadPages(page, facts.notable.busyAddress!, 5);
  const table = outputs(page);
  const row = (place: number) => table.locator(`[aria-rowindex="${place + 1}"]`);
  await row(1)
    .getByRole("button", { name: "Details of row 1" })
    .evaluate((button: HTMLElement) => button.click());
  for (const loaded of ["600", "700", "800", "900", "1,000"]) {
    await page.getByRole("button", { name: "Load next 100" }).click();
    await expect(announcer(page)).toHaveText(`${loaded} cells loaded, more available`);
  }
  await expect(announcer(page)).toHaveText("1,000 cells loaded, more available");
  await expect(async () => expect(await table.locator("tr").count()).toBeLessThan(300)).toPass();
  // The window was near row 800 when the last hundred rows loaded.
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(800 * 30);

  await scrollWith(page, "End", row(1000));
  await expect(row(200)).toHaveCount(0);
  await scrollWith(page, "Home", row(1));
  await expect(row(1).getByText("JSON of this row")).toBeVisible();
});
