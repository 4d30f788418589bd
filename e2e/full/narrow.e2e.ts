import { changes, dataRows, expect, expectNoSidewaysScroll, test } from "../support.ts";

test.use({ failuresExpected: true });

for (const width of [320, 390]) {
  test(`at ${width} px no page scrolls sideways`, async ({ page, facts }) => {
    await page.setViewportSize({ width, height: 844 });
    const { notable } = facts;
    const paths = [
      "/",
      `/addresses/${notable.lookAlikeAddress}?tab=holdings`,
      `/addresses/${notable.lookAlikeAddress}?flagged=show`,
      `/addresses/${notable.hostileAddress}?flagged=show`,
      `/addresses/${notable.unseenAddress}`,
      `/addresses/${notable.busyAddress}?token=${notable.maximumToken}`,
      `/blocks/${notable.busyBlockHash}`,
      `/blocks/${notable.hugeBlockHash}?flagged=show`,
      `/blocks/${notable.replacedBlockHash}`,
      "/addresses/ckt1wrong",
    ];
    for (const path of paths) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
      if (path.startsWith("/addresses") && path.includes("flagged")) {
        await expect(page.getByText(/^End of list/)).toBeVisible();
      }
      if (path.includes("huge") || path.includes(notable.busyBlockHash!)) {
        await expect(dataRows(changes(page)).first()).toBeVisible();
      }
      await expectNoSidewaysScroll(page);
    }
  });
}

test("at 320 px no section of the API reference is wider than the window", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto("/docs");
  const sections = page.getByRole("article").getByRole("region");
  const names = await page.getByRole("navigation", { name: "Sections" }).getByRole("link").allTextContents();
  await expect(sections).toHaveCount(names.length);
  const form = page.getByRole("form", { name: "Try /v0/blocks/{blockHash}/asset-changes" });
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText(/^200/)).toBeVisible();
  for (const text of await page.locator("pre").all()) {
    expect(await text.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
  for (const name of names) {
    const right = await page
      .getByRole("region", { name, exact: true })
      .evaluate((section) => section.getBoundingClientRect().left + section.scrollWidth);
    expect(right, name).toBeLessThanOrEqual(320);
  }
  await expectNoSidewaysScroll(page);
});
