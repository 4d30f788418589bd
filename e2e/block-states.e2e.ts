import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { parseDecimal } from "#lib/util/amounts.ts";
import { changes, expect, expectRow, heightOf, rowsOf, test } from "./support.ts";

test("a block that moved nothing says so", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.bareBlockHash}`);
  await expect(page.getByText("No assets moved in this block")).toBeVisible();
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
});

test("a block that moved CKB alone has one row and no page controls", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.emptyBlockHash}`);
  await expectRow(changes(page), { Asset: "CKB" });
  expect(await rowsOf(changes(page))).toHaveLength(1);
  await expect(page.getByRole("navigation", { name: "Pages" })).toHaveCount(0);
  // A single area would be meaningless.
  await expect(page.getByRole("list", { name: "Volume by asset" })).toHaveCount(0);
});

test("in a narrow window a row without tags has its amount under the header, too", async ({
  page,
  facts,
}) => {
  await page.setViewportSize({ width: 768, height: 900 });
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?flagged=show&size=100&page=2`);
  const ends = await changes(page)
    .locator("[data-column=amount]")
    .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)));
  expect(ends.length).toBeGreaterThan(5);
  expect(new Set(ends).size).toBe(1);
});

test("on a laptop a busy block's line of facts and its sentence are one line each", async ({
  page,
  facts,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const line = page.getByRole("navigation", { name: "Neighbouring blocks" }).locator("..");
  await expect(line).toContainText("confirmations");
  const sentence = page.locator("h1 + div");
  await expect(sentence).toHaveText(/ in \d+ priced assets.* have no price\.$/);
  await expect(sentence).toHaveCSS("line-height", "24px");
  expect((await sentence.boundingBox())!.height).toBe(24);
  expect((await line.boundingBox())!.height).toBe(32);
});

test("neighbours are one link away", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}`);
  const heading = page.getByRole("heading", { level: 1 });
  const height = heightOf(await heading.textContent());
  await page.getByRole("link", { name: "Next block" }).click();
  await expect(heading).toContainText(`Block ${height + 1} moved`);
  await expect(page).toHaveTitle(new RegExp(`^Block ${height + 1} ·`));
  await page.getByRole("link", { name: "Previous block" }).click();
  await expect(heading).toContainText(`Block ${height} moved`);
  await expect(page).toHaveURL(`/blocks/${facts.notable.busyBlockHash}`);
});

test("a date in the path opens the last block of that day", async ({ page, api }) => {
  const { hash } = await api.get<{ hash: string }>("/v0/blocks/2026-09-30");
  await page.goto("/blocks/2026-09-30");
  await expect(page).toHaveURL(`/blocks/${hash}`);
  await page.goto("/blocks/latest");
  await expect(page).toHaveURL("/blocks/tip");
});

test("a link to the newest block that was paused shows the block at which it was", async ({
  page,
  facts,
}) => {
  const { busyBlockHash, replacedBlockHash } = facts.notable;
  const heading = page.getByRole("heading", { level: 1 });
  const pause = page.getByRole("button", { name: "Pause" });
  await page.goto(`/blocks/${busyBlockHash}`);
  const busy = heightOf(await heading.textContent());
  await page.goto(`/blocks/tip?paused=${busyBlockHash}&order=asc`);
  await expect(heading).toContainText(`Block ${busy} moved`);
  await expect(pause).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText(/^\d+ newer blocks/)).toBeVisible();
  await pause.click();
  await expect(heading).toContainText("Block 1,000 moved");
  await expect(page).toHaveURL("/blocks/tip?order=asc");
  await page.goto(`/blocks/tip?paused=${replacedBlockHash}&order=asc`);
  await expect(page).toHaveURL(`/blocks/${replacedBlockHash}`);
  await expect(page.getByText("This block was replaced by a reorganisation")).toBeVisible();
  // The server of the link may have a block that this one has not.
  await page.goto(`/blocks/tip?paused=0x${"ab".repeat(32)}`);
  await expect(heading).toContainText("Block 1,000 moved");
  await expect(pause).toHaveAttribute("aria-pressed", "false");
});

test.describe("an unknown block", () => {
  test.use({ failuresExpected: true });

  test("has a page that says so", async ({ page }) => {
    const unknown = `0x${"ab".repeat(32)}`;
    const response = await page.goto(`/blocks/${unknown}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByText("No block with this hash is indexed.")).toBeVisible();
    await expect(page.getByText("No indexed transaction and no asset has this hash either.")).toBeVisible();

    const beyond = await page.goto("/blocks/99999999");
    expect(beyond?.status()).toBe(404);
    await expect(page.getByText("Block 99,999,999 is not indexed.")).toBeVisible();
    await expect(page.getByText("The newest indexed block is 1,000.")).toBeVisible();
    const bad = await page.goto("/blocks/0x1234");
    expect(bad?.status()).toBe(404);
    await expect(page.getByText(/4 hex digits; a hash has 64/)).toBeVisible();
    await expect(page.getByRole("main").getByText(/transaction/)).toHaveCount(0);
  });

  test("that is an asset opens the asset", async ({ page, facts }) => {
    const { knownToken } = facts.notable;
    await page.goto(`/blocks/${knownToken}`);
    await expect(page).toHaveURL(`/assets/${knownToken}`);
  });
});

test("a replaced block says so and links to the block at its height", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.replacedBlockHash}`);
  await expect(page.getByText("This block was replaced by a reorganisation")).toBeVisible();
  const heading = page.getByRole("heading", { level: 1 });
  const name = ((await heading.textContent()) ?? "").replace(" was replaced", "");
  await page.getByRole("link", { name: "Open the block at this height" }).click();
  await expect(heading).toContainText(`${name} moved`);
  await expect(page).not.toHaveURL(new RegExp(facts.notable.replacedBlockHash!));
});

test("a change's details lead to the transactions that moved its asset, which a chip names", async ({
  page,
  facts,
  api,
}) => {
  const hash = facts.notable.busyBlockHash!;
  const { result } = await api.changes(hash, {});
  const { id } = result.find(({ asset }) => asset.symbol !== "" && asset.symbol !== "CKB")!.asset;
  await page.goto(`/blocks/${hash}?asset=${id}&flagged=show`);
  await page.getByRole("button", { name: /^Details of/ }).click();
  await page.getByRole("link", { name: "Transactions that moved it" }).click();
  await expect(page).toHaveURL(`/blocks/${hash}?tab=transactions&asset=${id}`);
  const groups = page.getByRole("table", { name: "Transactions" }).locator("tbody");
  const moving = groups.filter({ has: page.locator(`a[href="/assets/${id}"]`) });
  await expect(groups.first()).toBeVisible();
  const count = await groups.count();
  await expect(moving).toHaveCount(count);
  await page.getByRole("button", { name: /^Remove the filter/ }).click();
  await expect(page).toHaveURL(`/blocks/${hash}?tab=transactions`);
  await expect(page.getByRole("button", { name: /^Remove the filter/ })).toHaveCount(0);
  await expect(moving).toHaveCount(count);
  expect(await groups.count()).toBeGreaterThan(count);
});

test("a block lists its transactions, whose sums are the block's, and a transaction's hash opens its page", async ({
  page,
  facts,
  api,
}) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}`);
  await page.getByRole("link", { name: /^Transactions \d+$/ }).click();
  await expect(page).toHaveURL(`/blocks/${busyBlockHash}?tab=transactions`);
  const table = page.getByRole("table", { name: "Transactions" });
  const groups = table.locator("tbody");
  const counted = (await page.getByRole("link", { name: /^Transactions/ }).textContent())!.replace(/\D/g, "");
  await expect(groups).toHaveCount(Number(counted));
  // The first transaction creates the miner's reward.
  await expect(groups.first().getByRole("row").nth(1).getByRole("cell")).toHaveText([
    /^CKB/,
    /—$/,
    /Out[\d,.]+$/,
    /Minted[\d,.]+ issued$/,
    /—$/,
  ]);
  // An asset's moved amount is the larger of both sides, summed over the transactions.
  const { result } = await api.changes(busyBlockHash!, { search: "0x80000135" });
  const rows = await table.getByRole("row").filter({ hasText: /^CKB/ }).all();
  const moved = await Promise.all(
    rows.map(async (row) => {
      const cells = await row.getByRole("cell").allTextContents();
      const [came = 0n, out = 0n] = cells
        .slice(1, 3)
        .map((text) => parseDecimal(text.replace(/[^\d.]/g, "") || "0", 8)!);
      return came > out ? came : out;
    }),
  );
  expect(moved).toHaveLength(Number(counted));
  expect(moved.reduce((sum, one) => sum + one, 0n)).toBe(result[0]!.amount);

  const hash = await groups.nth(1).getAttribute("id");
  await page.goto(`/blocks/${hash}`);
  await expect(page).toHaveURL(`/transactions/${hash}`);
});

test("a transaction of a block says from whom to whom it went, as its first inputs and outputs do", async ({
  page,
  api,
}) => {
  const ownersOf = async (hash: string, side: "inputs" | "outputs") => {
    const path = `/v0/transactions/${hash}/${side}?pageSize=10`;
    const { result } = await api.get<{ result: OutputEntry[] }>(path);
    return [...new Set(result.map(({ address }) => address))];
  };
  const kinds = new Set<string>();
  // Several are paid in one of these blocks, and pay in the other.
  for (const height of [12, 155]) {
    await page.goto(`/blocks/${height}?tab=transactions`);
    const groups = page.getByRole("table", { name: "Transactions" }).locator("tbody");
    await expect(groups.first()).toBeVisible();
    for (const group of await groups.all()) {
      const hash = (await group.getAttribute("id"))!;
      const from = await ownersOf(hash, "inputs");
      // An amount that returns to a payer is change.
      const to = (await ownersOf(hash, "outputs")).filter((address) => !from.includes(address));
      for (const [word, named] of Object.entries({ from, to })) {
        const party = group.getByText(new RegExp(`^${word} `));
        const many = named.length > 1 ? " and others" : "";
        kinds.add(`${word}${named.length > 0 ? many : " nobody"}`);
        await expect(party, `${word} in ${hash}`).toHaveCount(named.length > 0 ? 1 : 0);
        if (named.length === 0) continue;
        await expect(party.getByRole("link")).toHaveAttribute("href", `/addresses/${named[0]}`);
        await expect(party).toHaveText(new RegExp(`^${word} \\w+${many}\\s*$`));
      }
    }
  }
  expect([...kinds]).toEqual(expect.arrayContaining(["from", "from and others", "to", "to and others"]));
});
