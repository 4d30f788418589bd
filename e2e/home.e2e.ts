import { formatUsd } from "#lib/client/format.ts";
import type { LatestBlocks, Moved } from "#lib/client/home.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { ownTime } from "./states.ts";
import { expect, expectNoSidewaysScroll, searchField, test } from "./support.ts";

const usd = (text: string) => formatUsd(parseDecimal(text, USD_DECIMALS)!).text;

test("each block's volume is what the API says, in the chart and in the list", async ({ page, api }) => {
  await page.goto("/");
  const columns = page.getByRole("list", { name: /^What each block moved/ }).getByRole("link");
  await expect(columns).toHaveCount(60);
  const rows = page.getByRole("region", { name: "Latest blocks" }).getByRole("listitem");
  await expect(rows).toHaveCount(8);
  for (const [at, row] of (await rows.all()).entries()) {
    const href = await row.getByRole("link").getAttribute("href");
    const column = columns.nth(59 - at);
    await expect(column).toHaveAttribute("href", href!);
    const { result, total } = await api.changes(href!.split("/").at(-1)!, {
      pageSize: "100",
      orderKey: "volume",
      orderDirection: "desc",
    });
    expect(total).toBeLessThanOrEqual(100);
    const sum = result.reduce((whole, { amountUsd }) => whole + parseDecimal(amountUsd, USD_DECIMALS)!, 0n);
    const volume = formatUsd(sum);
    await expect(row).toContainText(volume.text);
    await expect(row.getByTitle(volume.exact)).toBeVisible();
    await expect(column).toHaveAccessibleName(
      `Block ${await row.getByRole("link").textContent()}: ${volume.text} in ${total} ${total === 1 ? "asset" : "assets"}, led by ${result[0]!.asset.symbol}`,
    );
  }
});

test("lists begin in the first window, on a laptop and a phone", async ({ page, facts }) => {
  const pages = {
    "/": { row: "#moved-most li:nth-child(3)", laptop: 720, phone: 780 },
    [`/blocks/${facts.notable.busyBlockHash}`]: { row: "tr[data-row]", laptop: 560, phone: 540 },
    "/blocks/tip": { row: "tr[data-row]", laptop: 560, phone: 600 },
    "/blocks/range": { row: "tr[data-row]", laptop: 560, phone: 640 },
  };
  for (const [path, { row, laptop, phone }] of Object.entries(pages)) {
    for (const [width, height, most] of [
      [1440, 900, laptop],
      [390, 844, phone],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(path);
      const first = page.locator(row).first();
      await expect
        .poll(async () => (await first.boundingBox())?.y, { message: `${path} at ${width}` })
        .toBeLessThanOrEqual(most);
    }
  }
  await page.goto("/");
  await expect(page.getByRole("list", { name: /^What each block/ })).toBeInViewport({ ratio: 1 });
});

test("the header leads to the sum of a range and to the reference of the API", async ({ page }) => {
  const site = page.getByRole("banner").getByRole("navigation", { name: "Site" });
  for (const [name, path, title] of [
    ["Range", "/blocks/range", /^Blocks [\d,]+ to 1,000 moved/],
    ["API", "/docs", "API reference"],
  ] as const) {
    await page.goto("/");
    await site.getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
  }
});

test("on a laptop the header's status keeps its place and its width as the newest block gets older", async ({
  page,
}) => {
  await page.clock.install();
  // The age passes for none for another minute.
  const time = Date.now() + 60_000;
  await page.route("**/status", async (route) => {
    const headers = { ...route.request().headers(), "accept-encoding": "identity" };
    const response = await route.fetch({ headers });
    const status = (await response.json()) as { tip: object };
    await route.fulfill({ response, json: { ...status, tip: { ...status.tip, time } } });
  });
  await page.goto("/");
  await page.clock.runFor(16_000);
  const status = page.getByRole("banner").getByRole("button", { name: "Chain status" });
  const place = async () => {
    const { x, width } = (await status.boundingBox())!;
    return { x, width };
  };
  await expect(status).toContainText("just now");
  const before = await place();
  await page.clock.fastForward("01:00:00");
  await expect(status).toContainText("59 min ago");
  expect(await place()).toEqual(before);
  // A request of the hour that passed may still be on its way.
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("the chart is one stop of the Tab key, and arrow keys lead from block to block", async ({ page }) => {
  await page.goto("/");
  const columns = page.getByRole("list", { name: /^What each block moved/ }).getByRole("link");
  await columns.last().focus();
  await page.keyboard.press("ArrowLeft");
  await expect(columns.nth(58)).toBeFocused();
  await page.keyboard.press("Home");
  await expect(columns.first()).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(
    page.getByRole("navigation", { name: "Moved most in" }).getByRole("link").first(),
  ).toBeFocused();
});

test("what moved most is what the API says of the same blocks, for each period", async ({ page, api }) => {
  await page.goto("/");
  const moved = page.getByRole("region", { name: "Moved most" });
  for (const [title, period] of [
    ["1 h", "1h"],
    ["24 h", "24h"],
    ["7 d", "7d"],
  ] as const) {
    await moved.getByRole("link", { name: title, exact: true }).click();
    await expect(page).toHaveURL(period === "1h" ? "/" : `/?moved=${period}`);
    const { after, tip, isWhole } = (await (
      await page.request.get(`/moved?period=${period}`)
    ).json()) as Moved;
    const { result } = await api.rangeChanges({
      ...(after >= 0 && { from: String(after) }),
      to: String(tip.height),
      orderKey: "volume",
      orderDirection: "desc",
      pageSize: "10",
    });
    const rows = moved.getByRole("listitem");
    await expect(rows).toHaveCount(6);
    for (const [at, { asset, amountUsd }] of result.slice(0, 6).entries()) {
      await expect(rows.nth(at)).toContainText(asset.symbol);
      await expect(rows.nth(at)).toContainText(usd(amountUsd));
    }
    await expect(moved.getByText("Some blocks of this period are not indexed.")).toHaveCount(isWhole ? 0 : 1);
  }
});

test("an imitation among the newest assets is hidden until it is asked for, and marked", async ({ page }) => {
  await page.goto("/");
  const part = page.getByRole("region", { name: "Newest assets" });
  const imitation = part.getByRole("listitem").filter({ hasText: "Hidden characters" });
  await expect(part.getByRole("listitem")).toHaveCount(6);
  await expect(imitation).toHaveCount(0);
  await expect(part.getByText(/^\d+ flagged, show$/)).toBeVisible();
  await part.getByRole("button", { name: "Show flagged assets" }).click();
  await expect(imitation).toHaveCount(1);
});

test("a recent address says what happened since the last visit", async ({ page, facts }) => {
  const { busyAddress, replacedBlockHash } = facts.notable;
  const { blocks } = (await (await page.request.get("/latest-blocks")).json()) as LatestBlocks;
  const at = (height: number) => blocks.find((block) => block.height === height)!;
  const visit = (hash: string, height: number) => [
    { address: busyAddress, hash, height, time: Date.now() - 3 * 3_600_000 },
  ];
  await page.goto("/");
  const recent = page.getByRole("region", { name: "Recent addresses" });
  const after = async (visits: unknown) => {
    await page.evaluate((text) => localStorage.setItem("aqs_visits", text), JSON.stringify(visits));
    await page.reload();
    return recent.getByRole("listitem");
  };
  await expect(await after(visit(at(1000).hash, 1000))).toContainText("No transactions · 3 h ago");
  const path = `/v0/addresses/${busyAddress}/changes?from=941&pageSize=1000`;
  const { result } = (await (await page.request.get(path)).json()) as { result: { change: string }[] };
  const count = (change: string) => result.filter((one) => one.change === change).length;
  expect(count("created")).toBeGreaterThan(0);
  const said =
    count("spent") > 0 ? `+${count("created")} −${count("spent")} cell` : `+${count("created")} cell`;
  await expect(await after(visit(at(941).hash, 941))).toContainText(said);
  await expect(await after(visit(`0x${"12".repeat(32)}`, 950))).toContainText("Reorganised since your visit");
  await after(visit(replacedBlockHash!, 950));
  await recent.getByRole("link", { name: "Reorganised since your visit" }).click();
  await expect(page.getByText(/^Block [\d,]+ of this link was replaced by a reorganisation/)).toBeVisible();
});

test.describe("after the session has ended", () => {
  test.use({ failuresExpected: true });

  test("an open home says so, and offers to sign in", async ({ page, context, facts }) => {
    await ownTime(page);
    await page.goto("/");
    await context.clearCookies();
    await page.clock.runFor(16_000);
    const main = page.getByRole("main");
    await expect(main.getByText("Your session has ended")).toBeVisible();
    await main.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Access token", { exact: true }).fill(facts.tokens.full);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL("/");
  });
});

for (const [access, missing, there] of [
  ["utxosOnly", ["The last 60 blocks", "Moved most", "Latest blocks"], ["Newest assets", "Examples"]],
  ["changesOnly", ["Recent addresses"], ["The last 60 blocks", "Moved most", "Latest blocks", "Examples"]],
] as const) {
  test.describe(`with a token for ${access}`, () => {
    test.use({ access });

    test("home shows what it may read, and nothing fails", async ({ page }) => {
      await page.goto("/");
      for (const name of there) await expect(page.getByRole("region", { name })).toBeVisible();
      for (const name of missing) await expect(page.getByRole("region", { name })).toHaveCount(0);
    });
  });
}

test.describe("on a touch screen", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test("the search does not take the focus, and nothing is too wide", async ({ page }) => {
    await page.goto("/");
    await expect(searchField(page)).not.toBeFocused();
    await expect(
      page.getByRole("region", { name: "Newest assets" }).getByRole("listitem").first(),
    ).toBeVisible();
    await expectNoSidewaysScroll(page);
  });
});
