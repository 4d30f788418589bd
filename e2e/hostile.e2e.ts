import type { Page } from "@playwright/test";
import { changes, dataRows, expect, expectRow, outputs, rowsOf, test } from "./support.ts";

/** No token name, whatever it contains, creates an element on the page. */
async function expectNothingInjected(page: Page): Promise<void> {
  const injected = await page.getByRole("main").evaluate((main) => ({
    elements: [
      ...main.querySelectorAll("script, img, iframe, object, embed, base, b, a[href^='javascript:']"),
    ].map((element) => element.outerHTML),
    handlers: [...main.querySelectorAll("*")]
      .filter((element) => element.getAttributeNames().some((name) => name.startsWith("on")))
      .map((element) => element.outerHTML),
    otherHosts: [...main.querySelectorAll("a[href]")]
      .map((link) => (link as HTMLAnchorElement).href)
      .filter((href) => new URL(href).origin !== location.origin),
  }));
  expect(injected).toEqual({ elements: [], handlers: [], otherHosts: [] });
}

test("hostile names are harmless text in low rows, with what is odd about them", async ({
  page,
  facts,
  api,
}) => {
  const { hostileAddress } = facts.notable;
  await page.goto(`/addresses/${hostileAddress}?flagged=show`);
  await expect(page.getByText(/^End of list/)).toBeVisible();
  const table = outputs(page);
  const all = await api.allUtxos(hostileAddress!);
  await expect(dataRows(table)).toHaveCount(all.length);
  await expectNothingInjected(page);

  const tokens = (await rowsOf(table)).map((row) => row.Token ?? "");
  const of = (name: string) => {
    const at = all.findIndex(({ tokenInfo }) => tokenInfo.name.includes(name));
    expect(at, name).toBeGreaterThanOrEqual(0);
    return tokens[at];
  };
  expect(of("<img")).toContain("<b>B</b>");
  expect(of("</script>")).toContain("'\"><svg/onload");
  expect(of("=HYPERLINK")).toContain("=1+1");
  expect(of("https://claim")).toContain("www[.]example");
  expect(of("https://claim")).toContain("Web address");
  expect(of("Safe \u202etxt")).toContain("Hidden characters");
  for (const text of tokens)
    expect(text).not.toMatch(/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u);
  const nameless = all.findIndex(({ tokenInfo }) => tokenInfo.name === "" && tokenInfo.symbol === "");
  expect(tokens[nameless]).toMatch(/^Unnamed\s*0x/);

  const heights = await dataRows(outputs(page)).evaluateAll((rows) =>
    rows.map((row) => Math.round(row.getBoundingClientRect().height)),
  );
  // Names and their warnings take two lines at most.
  expect(Math.max(...heights), String(heights)).toBeLessThanOrEqual(72);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test("a hostile name in a block and in its filter stays text", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  const script = "<img src=x onerror=alert(1)>";
  await page.goto(
    `/blocks/${busyBlockHash}?name=${encodeURIComponent(script)}&tags=${encodeURIComponent(script)}`,
  );
  await expect(page.getByText(`No asset matches “${script}”`)).toBeVisible();
  await expectNothingInjected(page);
  await expect(
    page.getByRole("group", { name: "Filter by tag" }).getByRole("button", { name: script }),
  ).toBeVisible();
  expect((await api.changes(busyBlockHash!, { assetName: script })).total).toBe(0);
});

test("a block marks the imitation of a listed token, and not the token that is imitated", async ({
  page,
  facts,
  api,
}) => {
  const { lookAlikeAddress, knownToken, lookAlikeToken } = facts.notable;
  const entries = await api.allUtxos(lookAlikeAddress!);
  const height = entries.find(({ token }) => token === lookAlikeToken)!.blockHeight;
  await page.goto(`/blocks/${height}?flagged=show&size=100`);
  const table = changes(page);
  await expectRow(table, { Asset: lookAlikeToken! });
  const rows = await rowsOf(table);
  const of = (token: string) => rows.find((row) => row.Asset?.includes(token))?.Asset;
  expect(of(lookAlikeToken!)).toContain("Look-alike of TIDE");
  expect(of(knownToken!)).not.toMatch(/look-alike/i);

  // The mark stays although the imitated token is on another page of the list.
  await page.goto(`/blocks/${height}?flagged=show&size=100&tags=warning`);
  await expectRow(table, { Asset: /Look-alike of TIDE/ });
});
