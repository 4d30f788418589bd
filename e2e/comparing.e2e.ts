import type { Page } from "@playwright/test";
import { formatCount } from "#lib/client/format.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { changes, expect, heightOf, newToken, openTab, test } from "./support.ts";

const comparison = (page: Page) => page.getByRole("region", { name: "Comparison" });
const table = (page: Page, kind: string) => page.getByRole("table", { name: `Assets: ${kind}` });

test("the neighbour links keep name, tags, order, size and what is compared, and start at page 1", async ({
  page,
  facts,
}) => {
  const view = "name=o&tags=meme&order=asc&size=25&flagged=show&compare=parent";
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?${view}&page=2`);
  for (const label of ["Previous block", "Next block"]) {
    await expect(page.getByRole("link", { name: label })).toHaveAttribute(
      "href",
      new RegExp(`^/blocks/0x[0-9a-f]{64}\\?${view}$`),
    );
  }
  await page.getByRole("link", { name: "Previous block" }).click();
  await expect(comparison(page)).toBeVisible();
  await page.getByRole("link", { name: /^Assets/ }).click();
  await expect(page.getByRole("textbox", { name: "Name, symbol or id" })).toHaveValue("o");
  await expect(page.getByRole("combobox", { name: "Order" })).toHaveValue("asc");
});

test("a block is compared with the last one up to a date", async ({ page, facts }) => {
  await page.goto(`/blocks/${facts.notable.busyBlockHash}?compare=2999-12-31`);
  const heading = comparison(page).getByRole("heading", { name: /^Compared with block/ });
  await expect(heading.getByRole("link")).toHaveAttribute("href", /^\/blocks\/0x[0-9a-f]{64}$/);
});

test("a block is compared with the previous one and, by link, with any other", async ({
  page,
  facts,
  api,
}) => {
  const hash = facts.notable.busyBlockHash!;
  const all = async (block: string) => {
    const pages = await Promise.all(
      ["1", "2", "3"].map((at) => api.changes(block, { page: at, pageSize: "100" })),
    );
    return new Map(pages.flatMap(({ result }) => result).map((change) => [change.asset.id, change]));
  };
  await page.goto(`/blocks/${hash}`);
  const height = heightOf(await page.getByRole("heading", { level: 1 }).textContent());
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page).toHaveURL(`/blocks/${hash}?compare=parent`);

  const expectComparison = async (other: number) => {
    const [there, here] = [await all(String(other)), await all(hash)];
    const isSame = ({ asset, amount, amountUsd }: AssetChange) =>
      there.get(asset.id)?.amount === amount && there.get(asset.id)?.amountUsd === amountUsd;
    const changes = [...here.values()];
    const added = changes.filter(({ asset }) => !there.has(asset.id)).length;
    const gone = [...there.keys()].filter((id) => !here.has(id)).length;
    const unchanged = changes.filter(isSame).length;
    const changed = here.size - added - unchanged;
    const counts = `${added} new · ${gone} gone · ${changed} changed · ${unchanged} unchanged`;
    await expect(comparison(page).getByText(counts)).toBeVisible();
    await expect(comparison(page).getByRole("link", { name: `block ${formatCount(other)}` })).toBeVisible();
    return { added, gone, changed };
  };
  const { changed } = await expectComparison(height - 1);
  expect(changed).toBeGreaterThan(0);
  const native = table(page, "changed").getByRole("row").filter({ hasText: "CKB" }).first();
  await expect(native.getByRole("cell").last()).toContainText(/[+−][\d,.…]+[+−]\$/);

  await comparison(page)
    .getByRole("textbox", { name: "Block number, hash or date" })
    .fill(String(height - 7));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/blocks/${hash}?compare=${height - 7}`);
  await expectComparison(height - 7);
  await page.getByRole("link", { name: /^Assets/ }).click();
  await expect(page).toHaveURL(`/blocks/${hash}`);
  await expect(comparison(page)).toHaveCount(0);

  for (const [named, said] of [
    [hash, "This is the block that you are looking at."],
    ["99999999", "Block 99,999,999 is not indexed."],
    [`0x${"12".repeat(32)}`, "No block with this hash is indexed"],
  ] as const) {
    await page.goto(`/blocks/${hash}?compare=${encodeURIComponent(named)}`);
    await expect(comparison(page).getByText(said)).toBeVisible();
  }
  // Invalid blocks are ignored, and the field says so.
  await page.goto(`/blocks/${hash}?compare=${encodeURIComponent("<b>x</b>")}&page=x`);
  await expect(comparison(page)).toHaveCount(0);
  await expect(changes(page)).toBeVisible();
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  const field = comparison(page).getByRole("textbox", { name: "Block number, hash or date" });
  await field.fill("<b>x</b>");
  await page.keyboard.press("Enter");
  expect(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain("block");
  await expect(page).toHaveURL(/compare=parent/);
});

test("an address shows what came in and went out since a block, by token", async ({ page, facts, api }) => {
  const { busyAddress } = facts.notable;
  const since = 900;
  await page.goto(`/addresses/${busyAddress}`);
  const panel = await openTab(page, "Changes", "Changes");
  await panel.getByRole("textbox", { name: /^After a block/ }).fill(String(since));
  await panel.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}?tab=changes&since=900`);

  const flows = panel.getByRole("table", { name: "Changes since block 900" });
  await expect(flows).toBeVisible();
  // Each figure counts the lines of the statement that have it.
  const path = `/v0/addresses/${busyAddress}/statement?from=${since}&per=transaction&pageSize=1000`;
  const { result: lines } = await api.get<{ result: StatementLine[] }>(path);
  expect(lines.length).toBeGreaterThan(0);
  for (const [at, side] of [
    [2, "in"],
    [3, "out"],
  ] as const) {
    const notes = flows.locator(`td:nth-child(${at})`).getByText(/^[\d,]+ transactions?$/);
    const counted = (await notes.allTextContents())
      .map((text) => Number.parseInt(text.replaceAll(",", ""), 10))
      .reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(lines.filter((line) => line[side] !== "0").length);
  }
  const { result } = await api.utxos(busyAddress!, { pageSize: "1" });
  await expect(flows).toContainText(result[0]!.tokenInfo.symbol);

  // The link opens the panel, also with a block hash, and ranges end at their last block.
  await page.goto(`/addresses/${busyAddress}?since=1000`);
  await expect(page.getByRole("region", { name: "Changes" })).toContainText("Nothing came in or went out");
  await page.goto(`/addresses/${busyAddress}?since=5000`);
  await expect(page.getByText("Block 5,000 is not indexed yet: the newest is 1,000.")).toBeVisible();
  await page.goto(`/addresses/${busyAddress}?since=900&to=901`);
  await expect(page.getByRole("region", { name: "Changes" })).toContainText("up to block 901");
  await panel.getByRole("textbox", { name: /^Up to a block/ }).fill("902");
  await panel.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page).toHaveURL(`/addresses/${busyAddress}?since=900&to=902`);
  await expect(page.getByRole("region", { name: "Changes" })).toContainText("up to block 902");
});

test("a range with an end alone begins a day before it", async ({ page, facts }) => {
  await page.goto(`/addresses/${facts.notable.busyAddress}?tab=statement&to=400`);
  await page.getByRole("link", { name: "Changes" }).click();
  await expect(page).toHaveURL(/tab=changes/);
  const changes = page.getByRole("region", { name: "Changes" });
  await expect(changes).toContainText("up to block 400");
  await expect(changes).not.toContainText("ends before it begins");
});

test("a reader who returns is offered the changes since the last visit", async ({ page, facts, baseURL }) => {
  const { busyAddress } = facts.notable;
  const { token } = await newToken("demo", "visitor");
  const head = await fetch(`${baseURL}/v0/blocks/950/asset-changes?pageSize=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const hash = head.headers.get("x-block-hash")!;
  const offer = page.getByRole("link", { name: "Since your last visit" });
  await page.goto(`/addresses/${busyAddress}?tab=changes`);
  await expect(page.getByRole("link", { name: "1 h", exact: true })).toBeVisible();
  const stored = () => page.evaluate(() => localStorage.getItem("aqs_visits"));
  await expect.poll(stored).toContain(busyAddress);
  await expect(offer).toHaveCount(0);

  // Pretends that the last visit was yesterday, at block 950.
  const yesterday = [{ address: busyAddress, hash, height: 950, time: Date.now() - 86_400_000 }];
  await page.evaluate((text) => localStorage.setItem("aqs_visits", text), JSON.stringify(yesterday));
  await page.reload();
  const since = await page.evaluate(
    async (visit) => (await fetch(`/visits?of=${visit}`)).json(),
    `${busyAddress},950,${hash}`,
  );
  const news = [since[0].created > 0 && `+${since[0].created}`, since[0].spent > 0 && `−${since[0].spent}`];
  await expect(page.getByRole("link", { name: /^Changes/ })).toHaveText(
    `Changes${news.filter(Boolean).join(" ")}`,
  );
  await offer.click();
  await expect(page.getByRole("region", { name: "Changes" })).toContainText("since block 950");
  await expect(page).toHaveURL(`/addresses/${busyAddress}?tab=changes&since=${hash}`);

  await page.goto("/");
  await page.getByRole("button", { name: "Clear" }).click();
  expect(await stored()).toBeNull();
});
