import { expect, expectAccessible, expectNoSidewaysScroll, test } from "./support.ts";

test("each page has a title and one main heading, and the first stop of the keyboard leads to the results", async ({
  page,
  facts,
}) => {
  const wallet = `/wallet?address=${facts.notable.smallAddress}&address=${facts.notable.saverAddress}`;
  for (const [path, title] of [
    ["/", /^Asset Query Service$/],
    [`/addresses/${facts.notable.smallAddress}`, /^Address ckt1.+….+ · UTXOs/],
    [`/addresses/${facts.notable.smallAddress}?tab=holdings`, /^Address ckt1.+….+ · Holdings/],
    [`/addresses/${facts.notable.smallAddress}?tab=statement`, /^Address ckt1.+….+ · Statement/],
    [`/addresses/${facts.notable.smallAddress}?tab=changes`, /^Address ckt1.+….+ · Changes/],
    [`/addresses/${facts.notable.smallAddress}?tab=lock`, /^Address ckt1.+….+ · Lock script/],
    [wallet, /^Wallet · UTXOs/],
    [`${wallet}&tab=holdings`, /^Wallet · Holdings/],
    [`${wallet}&tab=statement`, /^Wallet · Statement/],
    [`${wallet}&tab=changes`, /^Wallet · Changes/],
    [`/blocks/${facts.notable.busyBlockHash}`, /^Block .+ · Asset changes/],
    [`/blocks/${facts.notable.busyBlockHash}?tab=transactions`, /^Block .+ · Transactions/],
    ["/blocks/range?from=900&to=1000", /^Blocks 901 to 1,000 · Asset changes/],
    [`/assets/${facts.notable.knownToken}`, /^TIDE · Tide Dollar/],
    ["/search?q=tide+dollar+x", /^Search: tide dollar x/],
  ] as const) {
    await page.goto(path);
    await expect(page).toHaveTitle(title);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    // Starts from the top of the page: the home page focuses its search field.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press("Tab");
    if (path === "/") continue;
    await expect(page.getByRole("link", { name: "Skip to results" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#results$/);
  }
});

// All other pages and states: `e2e/full/states.e2e.ts`.
test("an address with an open row has no accessibility fault in either theme", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.lookAlikeAddress}?tab=holdings`);
  await page
    .getByRole("button", { name: /^Details of/ })
    .last()
    .click();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
