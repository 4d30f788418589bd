import { passTimeUntil, states } from "./states.ts";
import { dataRows, expect, outputs, test } from "./support.ts";

test("on a phone a row shows amount, value and block in 64 pixels, the block 44 of them high", async ({
  page,
  facts,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const row = dataRows(outputs(page)).first();
  await row.scrollIntoViewIfNeeded();
  for (const at of [0, 5, 12, 20]) {
    const box = await dataRows(outputs(page)).nth(at).boundingBox();
    expect(box?.height, `row ${at}`).toBeLessThanOrEqual(64);
  }
  const link = await row.getByRole("link", { name: /^Block [\d,]+$/ }).boundingBox();
  expect(Math.min(link?.width ?? 0, link?.height ?? 0)).toBeGreaterThanOrEqual(44);
  for (const column of ["tokenInfo", "amount", "valueUsd"]) {
    await expect(row.locator(`[data-column=${column}]`)).toBeVisible();
  }
});

test("on a phone every row that is not plain says what it is", async ({ page, facts }) => {
  await page.setViewportSize({ width: 360, height: 844 });
  await page.goto(`/addresses/${facts.notable.saverAddress}`);
  const badges = dataRows(outputs(page)).locator("[data-kind]");
  await expect(badges).toHaveCount(5);
  for (const badge of await badges.all()) {
    await badge.scrollIntoViewIfNeeded();
    await expect(badge).toBeInViewport({ ratio: 1 });
  }
});

test("on a phone the bar of news is whole in the window, although its list begins below it", async ({
  page,
  facts,
}) => {
  const { before, path } = states.find(({ name }) => name === "address-new-blocks")!;
  await before!(page, facts);
  await page.goto((path as (of: typeof facts) => string)(facts));
  const news = page.getByText("12 new cells, 3 spent");
  await passTimeUntil(page, news);
  await expect(outputs(page)).not.toBeInViewport();
  await expect(news).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("button", { name: "Refresh" })).toBeInViewport({ ratio: 1 });
});

test("on a phone the form of a range takes two rows, and its answer is in the first half of the window", async ({
  page,
}) => {
  await page.goto("/blocks/range?from=100&to=200");
  const form = page.getByRole("form", { name: "Add up blocks" });
  expect((await form.boundingBox())!.height).toBeLessThan(50);
  await form.getByLabel("All blocks after").fill("150");
  await form.getByRole("button", { name: "Show the sum" }).tap();
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toContainText("Blocks 151 to 200 moved");
  const { y, height } = (await heading.boundingBox())!;
  expect(y + height).toBeLessThan(422);
});

test("on a phone a block's areas have names, and what is left of it is one at their foot", async ({
  page,
  facts,
}) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const areas = page.getByRole("list", { name: "Volume by asset" }).getByRole("listitem");
  await expect(areas).toHaveCount(10);
  for (const area of await areas.all()) await expect(area.locator("span").first()).toBeVisible();
  const [list, left] = [(await areas.locator("..").boundingBox())!, (await areas.last().boundingBox())!];
  expect(left.width).toBeCloseTo(list.width, 0);
  expect(left.y + left.height).toBeCloseTo(list.y + list.height, 0);
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

test("on a phone and on a tablet a line of a statement shows what came in", async ({ page, facts }) => {
  for (const width of [390, 768]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`/addresses/${facts.notable.busyAddress}?tab=statement&since=900`);
    const line = dataRows(page.getByRole("table", { name: "Statement" })).first();
    for (const column of ["time", "in", "closing", "valueUsd"]) {
      await expect(
        line.locator(`[data-column=${column}] > *`).first(),
        `${column} at ${width}`,
      ).toBeVisible();
    }
    const [came, held] = await Promise.all(
      ["in", "closing"].map((column) => line.locator(`[data-column=${column}] > *`).first().boundingBox()),
    );
    if (width === 390) expect(came!.x + came!.width).toBeCloseTo(held!.x + held!.width, 0);
    else await expect(line.locator("[data-column=out]")).toBeVisible();
  }
});

test("on a phone the strip of tabs fades at an end beyond which it goes on", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const strip = page.getByRole("navigation", { name: "Parts of this address" });
  const fades = () =>
    strip.evaluate((element) =>
      ["--fade-start", "--fade-end"].map(
        (name) => Number.parseFloat(getComputedStyle(element).getPropertyValue(name)) > 0,
      ),
    );
  await expect.poll(fades).toEqual([false, true]);
  await strip.evaluate((element) => element.scrollTo({ left: element.scrollWidth }));
  await expect.poll(fades).toEqual([true, false]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(fades).toEqual([false, false]);
});

test("on a phone a receipt's names stand above what they name", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  await page.getByRole("button", { name: /^Estimated value/ }).click();
  const receipt = page.getByRole("dialog", { name: /^Receipt/ });
  const [name, value] = [receipt.locator("dt").last(), receipt.locator("dd").last()];
  const box = (await name.boundingBox())!;
  expect(box.y + box.height).toBeLessThanOrEqual((await value.boundingBox())!.y);
});
