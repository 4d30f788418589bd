import { formatUsd } from "#lib/client/format.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { changes, dataRows, expect, expectNoSidewaysScroll, test } from "./support.ts";

const RANGE = { from: "900", to: "1000" };
const path = `/blocks/range?${new URLSearchParams(RANGE)}`;

test("a range shows what the API says of its blocks, in a sentence and a list", async ({ page, api }) => {
  await page.goto(path);
  const { result } = await api.rangeChanges({ ...RANGE, orderKey: "volume", pageSize: "100" });
  const values = result.map(({ amountUsd }) => parseDecimal(amountUsd, USD_DECIMALS)!);
  expect(values.at(-1)).toBe(0n);
  const volume = formatUsd(values.reduce((sum, value) => sum + value, 0n));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    `Blocks 901 to 1,000 moved ${volume.text}`,
  );
  const priced = values.filter((value) => value > 0n).length;
  await expect(
    page.getByText(`in ${priced} priced assets and 100 blocks, led by ${result[0]!.asset.symbol} (`),
  ).toBeVisible();
  const rows = dataRows(changes(page));
  for (const [at, { asset, amountUsd, blocks }] of result.slice(0, 5).entries()) {
    const row = rows.nth(at);
    await expect(row).toContainText(asset.symbol);
    await expect(row).toContainText(formatUsd(parseDecimal(amountUsd, USD_DECIMALS)!).text);
    await expect(row).toContainText(String(blocks));
  }
});

test("a filter is in the address bar, and its sum is the API's", async ({ page, api }) => {
  await page.goto(`${path}&name=deth`);
  const { result, total } = await api.rangeChanges({ ...RANGE, search: "deth", pageSize: "100" });
  const sum = result.reduce((whole, { amountUsd }) => whole + parseDecimal(amountUsd, USD_DECIMALS)!, 0n);
  await expect(page.getByRole("status").filter({ hasText: formatUsd(sum).text })).toContainText(
    String(total),
  );
  await expect(dataRows(changes(page))).toHaveCount(Math.min(total, 25));
});

test("without a range the last 100 blocks are shown, others by a link or by their numbers", async ({
  page,
}) => {
  await page.goto("/blocks/range");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(/^Blocks 901 to 1,000 moved/);
  await dataRows(changes(page)).first().press("Space");
  await expect(page.getByText("1 row selected")).toBeVisible();
  await page.getByRole("link", { name: "Last 10", exact: true }).click();
  await expect(heading).toHaveText(/^Blocks 991 to 1,000 moved/);
  await expect(page.getByText("1 row selected"), "the selection was of another range").toHaveCount(0);
  await expect(page).toHaveURL("/blocks/range?from=990&to=1000");
  const form = page.getByRole("form", { name: "Add up blocks" });
  await form.getByLabel("All blocks after").fill("170");
  await form.getByLabel("up to and including").fill("175");
  await form.getByRole("button", { name: "Show" }).click();
  await expect(heading).toHaveText(/^Blocks 171 to 175 moved/);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
});

test.describe("a range that is none", () => {
  test.use({ failuresExpected: true });

  test("says which field is wrong and why, with the status of what is not there", async ({ page, facts }) => {
    const replaced = facts.notable.replacedBlockHash!;
    const hash = `0x${"12".repeat(32)}`;
    for (const [from, to, field, reason] of [
      ["5", "4", "from", "Enter a block below the last one."],
      ["153", "153", "from", "Enter a block below the last one."],
      [
        "1970-01-01",
        "1970-01-01",
        "from",
        "This range is empty: a date stands for its last block. For a single day, start with the day before.",
      ],
      ["1", "5000", "to", "The newest block is 1,000."],
      ["x", "7", "from", "Enter a block number, a block hash or a date."],
      [replaced, "1000", "from", /^A reorganisation replaced this block, number [\d,]+\.$/],
      ["1", hash, "to", "No indexed block has this hash, or the last block is below the first."],
      ["1", "1970-01-01", "to", "All indexed blocks are later, or the last block is below the first."],
      ["", "1970-01-01", "to", "All indexed blocks are later."],
      ["1970-01-01", "1970-01-02", "from", "No indexed block is between these two."],
      ["2099-01-01", "2099-01-02", "from", "No indexed block is later."],
    ] as const) {
      const response = await page.goto(`/blocks/range?${new URLSearchParams({ from, to })}`);
      expect(response?.status()).toBe(404);
      await expect(page.getByText("This is not a range of blocks")).toBeVisible();
      const fields = {
        from: page.getByLabel("All blocks after"),
        to: page.getByLabel("up to and including"),
      };
      await expect(fields.from).toHaveValue(from);
      await expect(fields.to).toHaveValue(to);
      await expect(fields[field]).toHaveAccessibleDescription(reason);
      await expect(page.locator("[aria-invalid=true]")).toHaveCount(1);
    }
  });
});

test("a range that begins before all blocks begins with the first one", async ({ page, facts }) => {
  await page.goto("/blocks/range?from=1970-01-01&to=9");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Blocks 0 to 9 moved/);
  await expect(page.getByLabel("All blocks after")).toHaveValue("");
  const statement = `/addresses/${facts.notable.busyAddress}?tab=statement`;
  await page.goto(`${statement}&since=1970-01-01&to=9`);
  await expect(page).toHaveURL(`${statement}&to=9`);
});

test("blocks are read as pages write them, and another range keeps the filters", async ({ page }) => {
  await page.goto("/blocks/range?from=900&to=1,000");
  await expect(page).toHaveURL("/blocks/range?from=900&to=1000");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(/^Blocks 901 to 1,000 moved/);
  await page.goto("/blocks/range?from=950&tags=meme");
  const form = page.getByRole("form", { name: "Add up blocks" });
  await form.getByLabel("All blocks after").fill("990");
  await form.getByLabel("up to and including").fill(" 2099-03-06 08:12:45 UTC ");
  await form.getByRole("button", { name: "Show" }).click();
  await expect(heading).toHaveText(/^Blocks 991 to 1,000 moved/);
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({
    ...{ from: "990", to: "2099-03-06T08:12:45.999Z", tags: "meme" },
  });
});

test("a form whose blocks make no range leads back to it, with what is wrong, and the page has no error", async ({
  page,
}) => {
  await page.goto("/blocks/range?from=900&to=910");
  const form = page.getByRole("form", { name: "Add up blocks" });
  await form.getByLabel("All blocks after").fill("990");
  await form.getByLabel("up to and including").fill("10");
  await form.getByLabel("up to and including").press("Enter");
  await expect(page.getByText("This is not a range of blocks")).toBeVisible();
  await expect(form.getByLabel("All blocks after")).toHaveValue("990");
  await form.getByLabel("up to and including").fill("1000");
  await form.getByLabel("up to and including").press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Blocks 991 to 1,000 moved/);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false, failuresExpected: true });

  test("pages about what does not exist say so", async ({ context }) => {
    const page = await context.newPage();
    for (const [path, heading] of [
      ["/blocks/range?from=5&to=4", "Range not found"],
      ["/blocks/99999999", "Block not found"],
      [`/transactions/0x${"12".repeat(32)}`, "Transaction not found"],
      ["/assets/0x12", "Token not found"],
      ["/addresses/ckt1qqqq", "Not a valid address of this chain"],
    ] as const) {
      expect((await page.goto(path))?.status()).toBe(404);
      await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    }
  });
});
