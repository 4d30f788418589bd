import type { Page } from "@playwright/test";
import { announcer, expect, outputs, scrollWith, test, withoutAutoLoad } from "../support.ts";

/** Loads this many rows after the first hundred, a thousand per click. */
async function loadThousands(page: Page, thousands: number): Promise<void> {
  await page.route(/\/utxos\?.*pageSize=100$/, (route) =>
    route.continue({ url: `${route.request().url()}0` }),
  );
  await withoutAutoLoad(page);
  await page.reload();
  for (let count = 1; count <= thousands; count += 1) {
    await page.getByRole("button", { name: "Load next 100" }).click();
    await expect(announcer(page)).toHaveText(`${count},100 cells loaded, more available`);
  }
}

/** Runs `look` while the page has its printed layout, between the browser's print events. */
async function print(page: Page, look: () => Promise<void>): Promise<void> {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await look();
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
}

const placesPrinted = (page: Page) =>
  outputs(page)
    .locator("tr[data-row]")
    .evaluateAll((rows: HTMLElement[]) =>
      rows.filter((row) => row.offsetHeight > 0).map((row) => Number(row.ariaRowIndex) - 1),
    );
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const sentence = (page: Page) => page.getByText(/^This printout has the first/);

test("a list of more than 1,000 rows is printed completely, and unchanged afterwards", async ({
  page,
  facts,
  baseURL,
}) => {
  const path = `/addresses/${facts.notable.busyAddress}?order=asc`;
  await page.goto(path);
  await loadThousands(page, 1);
  await page.evaluate(() => scrollTo(0, 24_700));
  const row = outputs(page).locator("[aria-rowindex='560']");
  await expect(row).toBeInViewport();
  await print(page, async () => {
    expect(await placesPrinted(page)).toEqual(upTo(1100));
    await expect(sentence(page)).toHaveCount(0);
    await expect(page.getByText(/^1,100 of [\d,]+ loaded$/)).toBeVisible();
    await expect(page.getByText(`${baseURL}${path}`)).toBeVisible();
    await expect(page.getByRole("button", { name: "Columns" })).toBeHidden();
  });
  expect(await page.evaluate(() => scrollY)).toBe(24_700);
  await expect(row).toBeInViewport();
  await expect(async () => expect((await placesPrinted(page)).length).toBeLessThan(300)).toPass();
});

test("a list that is too long to print says how much of it is printed, instead of blank sheets", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  await loadThousands(page, 2);
  const last = outputs(page).locator("[aria-rowindex='2101']");
  await scrollWith(page, "End", last);
  await last.focus();
  await print(page, async () => {
    expect(await placesPrinted(page)).toEqual(upTo(2000));
    await expect(sentence(page)).toHaveText(
      "This printout has the first 2,000 of 2,100 loaded rows. An export has all of them.",
    );
    const table = await outputs(page).boundingBox();
    const end = await sentence(page).boundingBox();
    expect(table!.y + table!.height - end!.y - end!.height, "blank below the sentence").toBeLessThan(40);
  });
  await expect(sentence(page)).toHaveCount(0);
  await expect(last).toBeFocused();
  await expect(last).toBeInViewport();
});

test("on paper a statement's hashes have room, so that its lines stay short", async ({ page, facts }) => {
  // The width of a printed sheet.
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=statement`);
  const lines = page.getByRole("table", { name: "Statement" }).locator("tr[data-row]");
  await expect(lines.first()).toBeVisible();
  await print(page, async () => {
    const heights = await lines.evaluateAll((rows: HTMLElement[]) => rows.map((row) => row.offsetHeight));
    expect(Math.max(...heights)).toBeLessThan(100);
  });
});
