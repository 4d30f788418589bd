import type { Browser, Locator, Page } from "@playwright/test";
import { passTimeUntil, states, windows } from "./states.ts";
import { controlsAnswer, dataRows, expect, loadPages, outputs, test, wheelTo } from "./support.ts";

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

test("turning a phone, or another width of the window, keeps the row that is read in its place", async ({
  page,
  facts,
}) => {
  await loadPages(page, facts.middling.address, 3);
  await wheelTo(page, outputs(page).locator('[aria-rowindex="241"]'));
  const read = () =>
    page.evaluate(() => {
      const row = document.elementFromPoint(window.innerWidth / 2, 160)?.closest<HTMLElement>("tr[data-id]");
      return { id: row?.dataset.id, top: Math.round(row?.getBoundingClientRect().top ?? 0) };
    });
  // The tab keeps the place once the reader has stopped.
  await expect(async () => {
    const { id } = await read();
    expect(await page.evaluate(() => JSON.stringify(window.history.state))).toContain(`"id":"${id}"`);
  }).toPass();
  const before = await read();
  for (const [width, height] of [
    [844, 390],
    [390, 844],
    [1280, 800],
    [320, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(read, `${width} px`).toEqual(before);
  }
});

test("on a phone the logo and what opens under a list are at least 24 pixels in both directions", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}?tab=changes&since=0`);
  for (const target of [
    page.getByRole("banner").getByRole("link", { name: "Asset Query Service" }),
    page.getByText("Where these figures come from"),
  ]) {
    const box = await target.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24);
  }
});

test("on a phone every link and button in the details of a row is at least 44 pixels high", async ({
  page,
  facts,
}) => {
  for (const path of [`/blocks/${facts.notable.busyBlockHash}`, `/addresses/${facts.notable.busyAddress}`]) {
    await page.goto(path);
    await page
      .getByRole("button", { name: /^Details of/ })
      .first()
      .tap();
    const details = page.locator("tr[data-expanded] > td").last();
    await details.getByText("Where these figures come from").tap();
    await details.getByText("JSON of this row").tap();
    await expect(details.getByText(/^GET /)).toBeVisible();
    for (const target of await details.locator("a, button, summary, label").all()) {
      expect((await target.boundingBox())?.height, (await target.textContent()) ?? "").toBeGreaterThanOrEqual(
        44,
      );
    }
  }
});

test("on a phone the block and the address of a wallet's row are beside each other", async ({
  page,
  facts,
}) => {
  const { busyAddress, smallAddress } = facts.notable;
  await page.setViewportSize({ width: 360, height: 844 });
  await page.goto(`/wallet?address=${busyAddress}&address=${smallAddress}`);
  await expect(dataRows(outputs(page)).nth(7)).toBeVisible();
  for (const row of (await dataRows(outputs(page)).all()).slice(0, 8)) {
    const [block, owner, value] = await Promise.all(
      ["[data-column=blockHeight] > a", "[data-column=blockHeight] > span", "[data-column=valueUsd] > *"].map(
        (part) => row.locator(part).first().boundingBox(),
      ),
    );
    expect(block!.x + block!.width).toBeLessThanOrEqual(owner!.x);
    if (value) expect(owner!.x + owner!.width).toBeLessThanOrEqual(value.x);
  }
});

test("on a phone no two cells of a row overlap, in any list", async ({ page, api, facts }) => {
  const { busyAddress, smallAddress, busyBlockHash } = facts.notable;
  const { result } = await api.utxos(busyAddress!);
  const transaction = `/transactions/${result[0]!.outPoint.split(":")[0]}`;
  const { token } = result.find(({ token }) => token !== result[0]!.token)!;
  for (const path of [
    ...[`${transaction}?tab=outputs`, `${transaction}?tab=inputs`, `/assets/${token}`],
    ...["", "?tab=holdings", "?tab=statement"].map((query) => `/addresses/${busyAddress}${query}`),
    ...[`/blocks/${busyBlockHash}`, `/wallet?address=${busyAddress}&address=${smallAddress}`],
    // Has an NFT without a name.
    `/addresses/${smallAddress}?tab=statement`,
  ]) {
    await page.goto(path);
    const rows = page.locator("tr[data-row]");
    await expect(rows.first()).toBeVisible();
    const overlaps = await rows.evaluateAll((all) =>
      all.slice(0, 10).flatMap((row) => {
        const boxes = [...row.querySelectorAll("td")].flatMap((cell) => {
          const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          const found: { column: string | undefined; box: DOMRect }[] = [];
          while (texts.nextNode()) {
            const range = document.createRange();
            range.selectNode(texts.currentNode);
            let { left, right, top, bottom } = range.getBoundingClientRect();
            // An ancestor may cut off a part of the text.
            for (let each = texts.currentNode.parentElement!; each !== cell; each = each.parentElement!) {
              if (getComputedStyle(each).overflowX === "visible") continue;
              const cut = each.getBoundingClientRect();
              [left, right] = [Math.max(left, cut.left), Math.min(right, cut.right)];
              [top, bottom] = [Math.max(top, cut.top), Math.min(bottom, cut.bottom)];
            }
            found.push({
              column: cell.dataset.column,
              box: new DOMRect(left, top, right - left, bottom - top),
            });
          }
          return found;
        });
        return boxes.flatMap((one, at) =>
          boxes.slice(at + 1).flatMap((other) => {
            const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
            const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
            const areApart = one.column === other.column || width <= 1 || height <= 1;
            return areApart ? [] : [`${one.column} and ${other.column}`];
          }),
        );
      }),
    );
    expect(overlaps, path).toEqual([]);
  }
});

test("on a phone the tools of holdings take one line", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=holdings`);
  const filters = await page.getByRole("button", { name: "Filters" }).boundingBox();
  const count = await page.getByText(/^116 tokens in 18 rows/).boundingBox();
  expect(count!.y).toBeGreaterThan(filters!.y);
  expect(count!.y + count!.height).toBeLessThan(filters!.y + filters!.height);
  await page.getByRole("button", { name: "More actions" }).tap();
  await expect(page.getByRole("button", { name: /^Copy the shown tokens/ })).toBeVisible();
});

test("on a phone an address's export and its request are behind a tap", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const actions = ["Export", "API: Copy this view as cURL"].map((name) =>
    page.getByRole("button", { name, exact: true, includeHidden: true }),
  );
  for (const action of actions) await expect(action).toBeHidden();
  await page.getByRole("button", { name: "More actions" }).tap();
  for (const action of actions) await expect(action).toBeVisible();
});

test("on a phone a legend that is too long fades at its edge", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const legend = page.getByRole("list", { name: "The largest holdings" });
  expect(await legend.evaluate((list) => list.scrollWidth - list.clientWidth)).toBeGreaterThan(0);
  await expect(legend).toHaveCSS("mask-image", /linear-gradient/);
  await page.goto("/docs");
  await expect(page.getByRole("navigation", { name: "Sections" })).toHaveCSS("mask-image", /linear-gradient/);
});

test("on a phone a strip fades only at the edge that hides something", async ({ page, facts }) => {
  const fades = (strip: Locator) =>
    strip.evaluate((element) => {
      const style = getComputedStyle(element);
      return ["--fade-start", "--fade-end"].map(
        (name) => Number.parseFloat(style.getPropertyValue(name)) > 0,
      );
    });
  const tabs = page.getByRole("navigation", { name: "Parts of this address" });
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  await expect.poll(() => fades(tabs)).toEqual([false, true]);
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=statement`);
  await expect.poll(() => fades(tabs)).toEqual([true, true]);
  await page.goto(`/blocks/${facts.notable.emptyBlockHash}`);
  const tags = page.getByRole("group", { name: "Filter by tag" }).locator("span").first();
  await expect.poll(() => fades(tags)).toEqual([false, false]);
});

test("on a phone the button that pauses the newest block is apart from its title", async ({ page }) => {
  await page.goto("/blocks/tip");
  const pause = await page.getByRole("button", { name: "Pause" }).boundingBox();
  const title = await page.getByRole("heading", { level: 1 }).boundingBox();
  expect(pause!.y + pause!.height + 4).toBeLessThanOrEqual(title!.y);
});

/** Opens the page that another one shows as a phone without scripts does. */
async function withoutScripts(browser: Browser, page: Page): Promise<Page> {
  const { viewport, isMobile, hasTouch } = windows[0]!;
  const plain = await browser.newContext({ viewport, isMobile, hasTouch, javaScriptEnabled: false });
  await plain.addCookies(await page.context().cookies());
  const before = await plain.newPage();
  await before.goto(page.url());
  return before;
}

test("on a phone a block's title stays where it is when scripts show the block's age", async ({
  page,
  browser,
  facts,
}) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const title = await page.getByRole("heading", { level: 1 }).boundingBox();
  const before = await withoutScripts(browser, page);
  expect((await before.getByRole("heading", { level: 1 }).boundingBox())!.y).toBe(title!.y);
  await before.context().close();
});

test("on a phone a list is as high before scripts run as after, and no age is missing behind a dot", async ({
  page,
  browser,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const row = await dataRows(outputs(page)).first().boundingBox();
  const before = await withoutScripts(browser, page);
  const list = await outputs(before).locator("tbody").boundingBox();
  expect(list!.height).toBeCloseTo(100 * row!.height, 0);
  const age = dataRows(outputs(before)).first().locator("[data-column=blockTime]");
  expect(await age.evaluate((cell) => getComputedStyle(cell, "::before").content)).toBe("none");
  await before.context().close();
});

test("on a phone the shares of a block are behind a tap", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const shares = page.getByRole("list", { name: "Volume by asset" }).getByText("dETH");
  await expect(shares).toBeHidden();
  await page.getByRole("button", { name: "Chart" }).tap();
  await expect(shares).toBeVisible();
  await page.getByRole("link", { name: "By tag" }).tap();
  await expect(page.getByRole("list", { name: "Volume by tag" }).getByRole("link").first()).toBeVisible();
});

test("on a phone a transaction's list is in the first window, and its drawing behind a tap", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.smallAddress}`);
  const link = dataRows(outputs(page)).first().locator("a[href^='/transactions/']");
  const [path = "", index] = (await link.getAttribute("href"))!.split("#");
  await page.goto(path);
  const row = await page.locator("#results tbody tr").first().boundingBox();
  expect(row!.y).toBeLessThanOrEqual(640);
  const drawn = page.getByRole("region", { name: "Outputs drawn" });
  await expect(drawn).toBeHidden();
  await page.getByRole("button", { name: "Drawing" }).tap();
  await expect(drawn).toBeVisible();
  await page.goto(`${path}?#${index}`);
  await expect(page.locator("tr[aria-current=true]")).toBeInViewport();
});

test("on a phone the title of the reference is in the first half of the window", async ({ page }) => {
  await page.goto("/docs");
  const title = await page.getByRole("heading", { level: 1 }).boundingBox();
  expect(title!.y).toBeLessThan(422);
});

test("on a phone a block's transactions cut long labels of their addresses", async ({ page, facts, api }) => {
  const path = `/v0/addresses/${facts.notable.smallAddress}/changes?order=desc&pageSize=1`;
  const { result } = await api.get<{ result: { changeHeight: number }[] }>(path);
  await page.addInitScript(
    (labels) => localStorage.setItem("aqs_labels_1", labels),
    JSON.stringify([{ ref: facts.notable.smallAddress, label: "W".repeat(255) }]),
  );
  await page.goto(`/blocks/${result[0]!.changeHeight}?tab=transactions`);
  await expect(page.getByText("WWWW").first()).toBeVisible();
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  expect(await page.evaluate(overflow)).toBe(0);
});

test("on a phone what a chart shows is chosen in one line, however long a token's name", async ({
  page,
  facts,
}) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  await page.getByRole("button", { name: "Chart" }).tap();
  const asset = await page.getByRole("combobox", { name: "What the chart shows" }).boundingBox();
  const span = await page.getByRole("link", { name: "24 h" }).boundingBox();
  expect(asset!.y).toBe(span!.y);
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

test("on a phone the bar of news is whole in the window", async ({ page, facts }) => {
  const { before, path } = states.find(({ name }) => name === "address-new-blocks")!;
  await before!(page, facts);
  await page.goto((path as (of: typeof facts) => string)(facts));
  const news = page.getByText("12 new cells, 3 spent");
  await passTimeUntil(page, news);
  await expect(news).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("button", { name: "Refresh" })).toBeInViewport({ ratio: 1 });
});

test("on a phone the fields of a range take two rows, and its answer is in the first half of the window", async ({
  page,
}) => {
  await page.goto("/blocks/range?from=100&to=200");
  const form = page.getByRole("form", { name: "Add up blocks" });
  expect((await form.boundingBox())!.height).toBeLessThan(100);
  await form.getByLabel("All blocks after").fill("150");
  await form.getByRole("button", { name: "Show the sum" }).tap();
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toContainText("Blocks 151 to 200 moved");
  const { y, height } = (await heading.boundingBox())!;
  expect(y + height).toBeLessThan(422);
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
  await expect(pager).toContainText(/of [67]/);
});

test("on a phone the account menu leads to ranges, wallets and the reference", async ({ page }) => {
  for (const [name, path] of [
    ["Range of blocks", /\/blocks\/range/],
    ["Wallets and labels", /\/wallet$/],
    ["API reference", /\/docs$/],
  ] as const) {
    await page.goto("/");
    await controlsAnswer(page);
    await page.getByRole("banner").getByRole("button", { name: "Account and settings" }).click();
    await page.getByRole("banner").getByRole("link", { name }).click();
    await expect(page).toHaveURL(path);
  }
});
