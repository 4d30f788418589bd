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
      if (path.includes(notable.hugeBlockHash!) || path.includes(notable.busyBlockHash!)) {
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

test("on a phone the open part of an address lies inside its strip of tabs", async ({ page, facts }) => {
  for (const tab of ["holdings", "lock"]) {
    await page.goto(`/addresses/${facts.notable.smallAddress}?tab=${tab}`);
    const strip = page.getByRole("navigation", { name: "Parts of this address" });
    const open = strip.locator("[aria-current=page]");
    await expect(open).toHaveCount(1);
    await expect(async () => {
      const [link, within] = [(await open.boundingBox())!, (await strip.boundingBox())!];
      expect(link.x, tab).toBeGreaterThanOrEqual(within.x);
      expect(link.x + link.width, tab).toBeLessThanOrEqual(within.x + within.width);
    }).toPass();
    expect((await strip.boundingBox())!.width).toBeLessThanOrEqual(390);
  }
});

test("on a phone each amount of the holdings stands at the right, above its value", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=holdings`);
  const row = dataRows(page.getByRole("table", { name: "Holdings" })).first();
  const [whole, amount, value] = await Promise.all(
    [row, row.locator("[data-column=amount] > *"), row.locator("[data-column=valueUsd] > *")].map((part) =>
      part.boundingBox(),
    ),
  );
  expect(amount!.y + amount!.height).toBeLessThanOrEqual(value!.y + 1);
  for (const { x, width } of [amount!, value!]) {
    expect(whole!.x + whole!.width - x - width).toBeLessThanOrEqual(4);
  }
});

test("rows open at the left in every list, before what they name, at every width", async ({
  page,
  facts,
}) => {
  const { busyAddress, busyBlockHash, maximumToken } = facts.notable;
  const lists = {
    Outputs: `/addresses/${busyAddress}`,
    Holdings: `/addresses/${busyAddress}?tab=holdings`,
    Statement: `/addresses/${busyAddress}?tab=statement&since=900`,
    Block: `/blocks/${busyBlockHash}`,
    Range: "/blocks/range",
    Holders: `/assets/${maximumToken}`,
  };
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    for (const [list, path] of Object.entries(lists)) {
      await page.goto(path);
      const row = page.locator(".data-table [data-row]").first();
      const opener = row.getByRole("button", { name: /^Details of/ }).locator("svg");
      // A list may render once more after its first render.
      await expect(async () => {
        const [whole, opens] = [(await row.boundingBox())!, (await opener.boundingBox())!];
        expect(opens.x - whole.x, `${list} at ${width}`).toBeLessThan(24);
        const texts = await row.locator("bdi, a").and(row.locator(":not([data-heading] *)")).all();
        const boxes = await Promise.all(texts.map((text) => text.boundingBox()));
        const starts = boxes.map((box) => box?.x ?? Number.POSITIVE_INFINITY);
        expect(starts, `${list} at ${width}`).not.toEqual([]);
        expect(Math.min(...starts), `${list} at ${width}`).toBeGreaterThan(opens.x + opens.width);
      }).toPass();
    }
  }
});

test("on a phone and on a tablet a line of a statement shows what came in", async ({ page, facts }) => {
  for (const width of [390, 768]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`/addresses/${facts.notable.busyAddress}?tab=statement&since=900`);
    const line = dataRows(page.getByRole("table", { name: "Statement" })).first();
    for (const column of ["transaction", "token", "change", "closing", "valueUsd"]) {
      await expect(line.locator(`[data-column=${column}] > *`).last(), `${column} at ${width}`).toBeVisible();
    }
    const [moved, value, block, token] = await Promise.all(
      ["change", "valueUsd", "transaction", "token"].map((column) =>
        line.locator(`[data-column=${column}] > *`).last().boundingBox(),
      ),
    );
    if (width === 390) expect(moved!.x + moved!.width).toBeCloseTo(value!.x + value!.width, 0);
    expect(block!.y + block!.height, `at ${width}`).toBeLessThanOrEqual(token!.y);
  }
});

test("on a phone the strip of tabs fades at its edge, but never its last tab", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const strip = page.getByRole("navigation", { name: "Parts of this address" });
  expect(await strip.evaluate((element) => getComputedStyle(element).maskImage)).toContain("24px");
  await strip.evaluate((element) => element.scrollTo({ left: element.scrollWidth }));
  // At its end, the strip fades there only in browsers without scroll timelines.
  await expect
    .poll(async () => {
      const style = await strip.evaluate((element) =>
        getComputedStyle(element).getPropertyValue("--fade-end"),
      );
      const [whole, last] = [await strip.boundingBox(), await strip.getByRole("link").last().boundingBox()];
      return whole!.x + whole!.width - Number.parseFloat(style) - last!.x - last!.width;
    })
    .toBeGreaterThanOrEqual(0);
});

test("on a phone a receipt's names stand above what they name", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await page.getByRole("button", { name: /^Estimated value/ }).click();
  const receipt = page.getByRole("dialog", { name: /^Receipt/ });
  const [name, value] = [receipt.locator("dt").last(), receipt.locator("dd").last()];
  const box = (await name.boundingBox())!;
  expect(box.y + box.height).toBeLessThanOrEqual((await value.boundingBox())!.y);
});
