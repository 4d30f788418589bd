import type { Page } from "@playwright/test";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { formatCount } from "#lib/client/format.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { revertAll, sync } from "../following.ts";
import { controlsAnswer, expect, observeShifts, test } from "../support.ts";

test.use({ site: "growing" });

test("open pages follow the chain: home, a block, and the newest block", async ({ page, context }, {
  retry,
}) => {
  if (retry > 0) await revertAll();
  let { builder } = demoChain({ liveOutputs: 340 });
  await using node = await StandInNode.start({ chain: "ckb_testnet", blocks: builder.blocks });
  await sync(node);
  /** Adds blocks to the chain, and indexes them. */
  async function mine(count: number): Promise<string> {
    builder.emptyBlocks(count);
    node.setChain(builder.blocks);
    await sync(node);
    return builder.tip.header.hash;
  }
  async function open(path: string): Promise<Page> {
    const other = await context.newPage();
    await other.goto(path);
    await controlsAnswer(other);
    return other;
  }
  const heading = (of: Page) => of.getByRole("heading", { level: 1 });
  const named = (height: number) => new RegExp(`^Block ${formatCount(height)} moved`);
  const { height } = builder;
  const first = builder.tip.header.hash;
  const latest = page.getByRole("region", { name: "Latest blocks" });
  const newest = latest.getByRole("listitem").getByRole("link").first();
  const columns = page.getByRole("list", { name: /^What each block moved/ }).getByRole("link");

  await page.goto("/");
  const block = await open(`/blocks/${first}`);
  const tip = await open("/blocks/tip?order=asc");
  await test.step("they show the tip", async () => {
    await expect(newest).toHaveText(formatCount(height));
    await expect(block.getByText("0 of 24 confirmations")).toBeVisible();
    await expect(block.getByRole("link", { name: "Next block: not indexed" })).toBeVisible();
    await expect(heading(tip)).toHaveText(named(height));
  });

  await test.step("new blocks appear without reloading, and filters stay", async () => {
    const next = await mine(1);
    await expect(newest).toHaveText(formatCount(height + 1));
    await expect(latest.getByRole("listitem")).toHaveCount(8);
    await expect(columns).toHaveCount(60);
    await expect(columns.last()).toHaveAttribute("href", `/blocks/${next}`);
    await expect(block.getByText("1 of 24 confirmations")).toBeVisible();
    await expect(block.getByRole("link", { name: "Next block" })).toHaveAttribute("href", `/blocks/${next}`);
    await expect(heading(tip)).toHaveText(named(height + 1));
    await expect(tip).toHaveURL("/blocks/tip?order=asc");
    await expect(tip.getByRole("combobox", { name: "Order" })).toHaveValue("asc");
  });

  await test.step("a part that is being read does not move", async () => {
    await latest.getByRole("list").hover();
    await tip.getByRole("button", { name: "Pause" }).click();
    const paused = await mine(2);
    await expect(page.getByRole("button", { name: "Show 2 new blocks" })).toBeVisible();
    await expect(newest).toHaveText(formatCount(height + 1));
    await page.getByRole("button", { name: "Show 2 new blocks" }).click();
    await expect(newest).toHaveAttribute("href", `/blocks/${paused}`);
    await expect(tip.getByText("2 newer blocks")).toBeVisible();
    await expect(heading(tip)).toHaveText(named(height + 1));
    await tip.getByRole("link", { name: /^Transactions/ }).click();
    await expect(tip).toHaveURL(/tab=transactions/);
    await expect(heading(tip)).toHaveText(named(height + 1));
    await tip.getByRole("button", { name: "Show" }).click();
    await expect(heading(tip)).toHaveText(named(height + 3));
    await tip.getByRole("button", { name: "Pause" }).click();
    await expect(tip.getByText("Following the newest block")).toBeVisible();
  });

  await test.step("events bring new tips while polling gets no response", async () => {
    const other = await open("/blocks/tip");
    await other.route("**/status", () => {});
    // The stream does not report blocks from before its start.
    await expect(async () => {
      await mine(1);
      await expect(heading(other)).toHaveText(named(builder.height), { timeout: 10_000 });
    }).toPass();
    await other.close();
  });

  await test.step("without events the status is polled", async () => {
    const other = await context.newPage();
    await other.route("**/v0/events", (route) => route.fulfill({ status: 204 }));
    await other.goto("/blocks/tip");
    await controlsAnswer(other);
    const { height: before } = builder;
    await mine(1);
    await expect(heading(other)).toHaveText(named(before + 1));
    await other.close();
  });

  await test.step("the newest block's table keeps its place", async () => {
    const other = await context.newPage();
    await other.goto("/blocks/tip");
    await controlsAnswer(other);
    const shifts = await observeShifts(other);
    for (let block = 0; block < 4; block++) {
      await mine(1);
      await expect(heading(other)).toHaveText(named(builder.height));
    }
    expect((await shifts()).all).toBeLessThan(0.1);
    // The pages of the last blocks are equally high, so none reserves room for another.
    const room = other.locator("[style^=min-height]");
    expect(
      await room.evaluate((all) => all.clientHeight - (all.firstElementChild?.clientHeight ?? 0)),
    ).toBeLessThan(2);
    await other.close();
  });

  await test.step("a block that is replaced while its page is open says so", async () => {
    const { height: replaced } = builder;
    builder = builder.fork(height - 1);
    await mine(replaced - height + 3);
    await expect(block.getByText("Replaced by a reorganisation", { exact: true })).toBeVisible();
    await expect(block.getByText(/confirmations/)).toHaveCount(0);
    await block.getByRole("link", { name: "Open the block at this height" }).click();
    await expect(heading(block)).toHaveText(named(height));
    await expect(block).toHaveURL(`/blocks/${builder.blocks[height]!.header.hash}`);
    await expect(heading(tip)).toHaveText(named(builder.height));
  });
});
