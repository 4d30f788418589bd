import {
  changes,
  dataRows,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  outputs,
  test,
} from "./support.ts";

for (const width of [320, 390]) {
  test(`at ${width} px no page scrolls sideways`, async ({ page, facts }) => {
    await page.setViewportSize({ width, height: 844 });
    const { notable } = facts;
    const paths = [
      "/",
      `/addresses/${notable.lookAlikeAddress}?flagged=show&panel=holdings`,
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

test("on a phone a row shows amount, capacity and block in 64 pixels, the block 44 of them high", async ({
  page,
  facts,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const row = dataRows(outputs(page)).first();
  await expect(row).toBeInViewport({ ratio: 1 });
  for (const at of [0, 5, 12, 20]) {
    const box = await dataRows(outputs(page)).nth(at).boundingBox();
    expect(box?.height, `row ${at}`).toBeLessThanOrEqual(64);
  }
  const link = await row.getByRole("link", { name: /^[\d,]+$/ }).boundingBox();
  expect(Math.min(link?.width ?? 0, link?.height ?? 0)).toBeGreaterThanOrEqual(44);
  for (const column of ["tokenInfo", "amount", "capacity"]) {
    await expect(row.locator(`[data-column=${column}]`)).toBeVisible();
  }
});

test("on a phone every row of outputs says what it is", async ({ page, facts }) => {
  await page.setViewportSize({ width: 360, height: 844 });
  await page.goto(`/addresses/${facts.notable.saverAddress}`);
  const badges = dataRows(outputs(page)).locator("[data-kind]");
  await expect(badges).toHaveCount(6);
  for (const badge of await badges.all()) await expect(badge).toBeInViewport({ ratio: 1 });
});

test("at 320 px no section of the API reference is wider than the window", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto("/docs");
  const sections = page.getByRole("article").getByRole("region");
  const names = await page.getByRole("navigation", { name: "Sections" }).getByRole("link").allTextContents();
  await expect(sections).toHaveCount(names.length);
  const form = page.getByRole("form", { name: "Try /v0/blocks/{blockHash}/asset-changes" });
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText(/^200/)).toBeVisible();
  for (const name of names) {
    const right = await page
      .getByRole("region", { name, exact: true })
      .evaluate((section) => section.getBoundingClientRect().left + section.scrollWidth);
    expect(right, name).toBeLessThanOrEqual(320);
  }
  await expectNoSidewaysScroll(page);
});

test("on a phone the pages have no accessibility fault", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.lookAlikeAddress}?flagged=show`);
  await expect(page.getByText(/^End of list/)).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  await expect(dataRows(changes(page)).first()).toBeVisible();
  await expectAccessible(page);
});

test("on a phone rows keep their order and amounts, and the page controls are large enough to tap", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await expect(dataRows(outputs(page))).toHaveCount(3);
  await expect(outputs(page)).toContainText("12.345678");

  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const pager = page.getByRole("navigation", { name: "Pages", exact: true });
  const next = pager.getByRole("link", { name: /^Next/ });
  const box = await next.boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  await next.tap();
  await expect(page).toHaveURL(/[?&]page=2$/);
  await expect(pager).toContainText(/of 1\d/);
});
