import type { Locator } from "@playwright/test";
import { formatUsd } from "#lib/client/format.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { changes, columnOf, controlsAnswer, dataRow, expect, outputs, test } from "./support.ts";

test("the chart of an address says what its points are: the values of the holdings at their blocks", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}?span=all`);
  const points = page.getByRole("list", { name: "Value in US dollars, by block" }).getByRole("listitem");
  await expect.poll(() => points.count()).toBeGreaterThan(50);
  const read = (await points.allTextContents()).map((text) => /^(.*): (.*?)$/.exec(text)!.slice(1));
  for (const at of [10, 40, read.length - 1]) {
    const [where, value] = read[at]!;
    const height = /block ([\d,]+)/.exec(where!)![1]!.replaceAll(",", "");
    const { result } = await api.holdings(busyAddress!, { at: height, pageSize: "1000" });
    const sum = result.reduce(
      (total, { valueUsd }) => total + (parseDecimal(valueUsd, USD_DECIMALS) ?? 0n),
      0n,
    );
    expect(value).toBe(formatUsd(sum).text);
  }
});

test("the step that a chart names is large enough to press", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}?span=all`);
  const step = page.getByRole("link", { name: / UTC: [+−]/ });
  expect((await step.boundingBox())!.height).toBeGreaterThanOrEqual(24);
});

test("a press on the chart opens the page as of a block, and dragging the changes of a range", async ({
  page,
  facts,
}) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  const chart = page.getByRole("slider", { name: "Value in US dollars, by block" });
  const { x, y, width, height } = (await chart.boundingBox())!;
  await page.mouse.move(x + width / 50, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 5, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/\?tab=changes&since=0x[0-9a-f]{64}&to=0x[0-9a-f]{64}$/);
  await expect(page.getByRole("region", { name: "Changes", exact: true })).toContainText(
    / tokens came in or went out since block/,
  );

  // Only the list of outputs has the chart.
  await page.goto(`/addresses/${busyAddress}`);
  await controlsAnswer(page);
  await page.mouse.click(x + width / 2, y + height - 4);
  await expect(page).toHaveURL(/\?at=0x[0-9a-f]{64}$/);
  await expect(page.getByRole("status").filter({ hasText: /^As of block/ })).toBeVisible();
  // The keyboard moves two points back.
  await page.goto(`/addresses/${busyAddress}`);
  await chart.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\?at=0x[0-9a-f]{64}$/);
});

test("the chart of an address distinguishes all assets by name, and names the one that it shows", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  const { result } = await api.holdings(busyAddress!, { pageSize: "1000" });
  const far = result.at(-1)!.token;
  await page.goto(`/addresses/${busyAddress}?asset=${far}`);
  const asset = page.getByRole("combobox", { name: "What the chart shows" });
  const names = await asset.locator("option").allTextContents();
  expect(new Set(names).size).toBe(names.length);
  await expect(asset).toHaveValue(far);
});

test("the chart of an address that holds dozens of unnamed NFTs offers none of them", async ({
  page,
  facts,
  api,
}) => {
  const { busyAddress } = facts.notable;
  const { result } = await api.holdings(busyAddress!, { pageSize: "1000" });
  const unnamed = result.filter(({ tokenInfo: { name, symbol } }) => name + symbol === "");
  expect(unnamed.length).toBeGreaterThan(24);
  await page.goto(`/addresses/${busyAddress}`);
  const options = page.getByRole("combobox", { name: "What the chart shows" }).locator("option");
  await expect(options).not.toHaveCount(0);
  await expect(options.filter({ hasText: "Unnamed" })).toHaveCount(0);
});

test("the largest holdings have shares of the whole, and each filters the list", async ({ page, facts }) => {
  const { busyAddress } = facts.notable;
  await page.goto(`/addresses/${busyAddress}`);
  const largest = page.getByRole("list", { name: "The largest holdings" });
  const parts = await largest.getByRole("listitem").allTextContents();
  expect(parts).toHaveLength(6);
  const shares = parts.map((text) => Number(/([\d.]+) %/.exec(text)?.[1]));
  expect(shares.reduce((sum, one) => sum + one, 0)).toBeCloseTo(100, 6);
  await largest.getByRole("link").nth(1).click();
  await expect(page).toHaveURL(/\?token=0x[0-9a-f]{64}$/);
  await expect(async () => expect(new Set(await columnOf(outputs(page), "Token")).size).toBe(1)).toPass();
});

test("the areas of a block are proportional to its volumes, tags have bars, and each filters the list", async ({
  page,
  facts,
  api,
}) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}`);
  const { result } = await api.changes(busyBlockHash!, { orderKey: "volume", pageSize: "100" });
  const chart = (title: string) => page.getByRole("list", { name: title });
  const areas = await chart("Volume by asset")
    .getByRole("listitem")
    .evaluateAll((items) =>
      items.map((item) => {
        const { width, height } = item.getBoundingClientRect();
        const text = item.querySelector("[aria-hidden]")!;
        const isWhole = text.scrollHeight <= item.clientHeight && text.scrollWidth <= item.clientWidth;
        return { area: width * height, text: item.querySelector(".sr-only")!.textContent, isWhole };
      }),
    );
  const whole = areas.reduce((sum, { area }) => sum + area, 0);
  expect(areas.length).toBeGreaterThan(6);
  expect(areas.length).toBeLessThanOrEqual(12);
  for (const { area, text, isWhole } of areas) {
    const percent = Number(/([\d.]+) %$/.exec(text)?.[1]);
    expect(Math.abs((100 * area) / whole - percent)).toBeLessThan(0.1);
    expect(isWhole, text).toBe(true);
  }
  for (const [at, { asset }] of result.slice(0, 5).entries()) expect(areas[at]!.text).toContain(asset.symbol);
  await chart("Volume by asset").getByRole("link").first().click();
  const [largest] = result;
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}?asset=${largest!.asset.id}`);
  await expect(dataRow(changes(page), largest!.asset.id)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Name, symbol or id" })).toHaveValue("");
  await page.getByRole("button", { name: `Remove the filter ${largest!.asset.symbol}` }).click();
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}`);

  await page.getByRole("link", { name: "By tag" }).click();
  await expect(page).toHaveURL(/shares=tags/);
  const tag = chart("Volume by tag").getByRole("link").first();
  const said = /^(\S+): (\$\S+) · (\S+ %)$/.exec(
    (await chart("Volume by tag").getByRole("listitem").first().getAttribute("title"))!,
  )!;
  await tag.click();
  await expect(page.getByText(` tagged ${said[1]} · ${said[2]} · ${said[3]} of the block`)).toBeVisible();
});

test("the chart of an address has its room, and nothing lies over its line or its controls", async ({
  page,
  facts,
}) => {
  const figure = page.getByRole("region", { name: "Value" }).getByRole("figure");
  const plot = page.getByRole("slider", { name: "Value in US dollars, by block" });
  const boxOf = async (one: Locator) => {
    const { x, y, width, height } = (await one.boundingBox())!;
    return { left: x, right: x + width, top: y, bottom: y + height, height };
  };
  const open = () => page.goto(`/addresses/${facts.notable.busyAddress}?span=all`);

  await page.setViewportSize({ width: 1440, height: 900 });
  await open();
  await controlsAnswer(page);
  const { height } = await boxOf(figure);
  expect(height).toBeGreaterThanOrEqual(104);
  expect(height).toBeLessThanOrEqual(120);
  const [name, asset] = [
    figure.getByRole("link"),
    page.getByRole("combobox", { name: "What the chart shows" }),
  ];
  expect((await boxOf(name)).bottom).toBeLessThanOrEqual((await boxOf(plot)).top + 1);
  expect((await boxOf(name)).right).toBeLessThan((await boxOf(asset)).left);

  const { left, right, top } = await boxOf(plot);
  await page.mouse.move(left + 20, top + 20);
  await page.mouse.down();
  await page.mouse.move(right - 20, top + 20, { steps: 4 });
  const tooltip = plot.locator("b");
  await expect(tooltip).toHaveText(/^[+−]\$[\d,.]+$/);
  expect((await boxOf(tooltip)).top).toBeGreaterThan((await boxOf(plot)).bottom);
  await page.keyboard.press("Escape");
  await page.mouse.up();

  await page.setViewportSize({ width: 390, height: 844 });
  await open();
  await page.getByRole("button", { name: "Chart" }).click();
  expect((await boxOf(name)).bottom).toBeLessThanOrEqual((await boxOf(plot)).top + 1);
  await page.emulateMedia({ media: "print" });
  const line = figure.locator("svg");
  expect((await boxOf(name)).bottom).toBeLessThanOrEqual((await boxOf(line)).top + 1);
});
