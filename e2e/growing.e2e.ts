import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { formatCount } from "#lib/client/format.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { revertAll, sync } from "./following.ts";
import {
  columnOf,
  controlsAnswer,
  dataRows,
  expect,
  expectRow,
  outputs,
  scrollWith,
  test,
} from "./support.ts";

test.use({ site: "growing" });
// The tests share one database, which the first test fills.
test.describe.configure({ mode: "serial" });

test.describe("links into an empty database", () => {
  test.use({ failuresExpected: true });

  test("say that nothing is indexed, not that the link is wrong", async ({ page }, { retry }) => {
    // The tests share one index, which the next one fills: it is empty only at the first attempt.
    test.skip(retry > 0, "The index already belongs to a chain");
    const transaction = `/transactions/0x${"12".repeat(32)}`;
    for (const path of ["/blocks/0", "/blocks/range", "/assets/0x80000135", "/search?q=ckb", transaction]) {
      await page.goto(path);
      await expect(page.getByRole("main").getByText("Nothing indexed yet").first()).toBeVisible();
    }
  });
});

test("an empty database, its first blocks, new blocks while a list is read, and a reorganisation", async ({
  page,
  api,
  context,
}, { retry }) => {
  if (retry > 0) await revertAll();
  const { blocks, fork, forkHeight, notable } = demoChain({ liveOutputs: 340 });
  await using node = await StandInNode.start({ chain: "ckb_testnet", blocks: blocks.slice(0, forkHeight) });
  const path = `/addresses/${notable.busyAddress}`;

  await test.step("an empty database says so on every page", async (step) => {
    // Without its blocks, the index still belongs to the chain that the first attempt stored.
    step.skip(retry > 0, "The index already belongs to a chain");
    await page.goto("/");
    await expect(page.getByRole("main").getByText("Nothing indexed yet").first()).toBeVisible();
    await expect(page.getByText("No data").first()).toBeVisible();
    await page.goto(path);
    await expect(page.getByRole("main").getByText("Nothing indexed yet").first()).toBeVisible();
  });

  await test.step("after the first sync the list goes to its end without asking", async () => {
    await sync(node);
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "Examples" })).toBeVisible();
    await page.goto(path);
    const all = await api.allUtxos(notable.busyAddress);
    expect(all).toHaveLength(340);
    await scrollWith(page, "End", outputs(page).locator("tr", { hasText: "End of list: 340 cells" }));
    // Rows far from the window are not drawn.
    expect((await columnOf(outputs(page), "Out point")).at(-1)).toBe(all.at(-1)!.outPoint);
  });

  await test.step("new blocks move no rows: a bar says that they are there", async () => {
    const tabs = await Promise.all(
      ["Holdings", "Statement", "Changes"].map(async (name) => {
        const tab = await context.newPage();
        await tab.goto(`${path}?tab=${name.toLowerCase()}&since=1`);
        return { tab, part: tab.getByRole("region", { name }) };
      }),
    );
    for (const { part } of tabs) await expect(part).not.toContainText("GHOST");
    const before = await columnOf(outputs(page), "Out point");
    node.reorganise(fork);
    await sync(node);
    await expect(page.getByText(/^[\d,]+ new cells?/)).toBeVisible();
    expect(await columnOf(outputs(page), "Out point")).toEqual(before);
    for (const { tab, part } of tabs) {
      const refresh = tab.getByRole("button", { name: "Refresh" });
      await expect(tab.getByText(/^[\d,]+ new cells?/)).toBeVisible();
      await expect(part).not.toContainText("GHOST");
      await refresh.click();
      await expect(part).toContainText("GHOST");
      await expect(refresh).toHaveCount(0);
      await tab.close();
    }
  });

  await test.step("refreshing shows what came", async () => {
    await page.goto(path);
    await expectRow(outputs(page), { Token: notable.abandonedToken });
    await expect(dataRows(outputs(page)).first()).toContainText("GHOST");
  });

  await test.step("a reorganisation is reported, and what it reverted is gone after a refresh", async () => {
    const { hash } = fork.at(-1)!.header;
    // A browser has six connections to a server, and each tab in front keeps one for its events.
    const others = await Promise.all(
      [
        `${path}?at=${hash}`,
        `/blocks/range?from=1&to=${hash}`,
        `/transactions/${fork.at(-1)!.transactions[0]!.hash}`,
      ].map(async (url) => {
        const tab = await context.newPage();
        await tab.goto(url);
        await controlsAnswer(tab);
        return tab;
      }),
    );
    node.reorganise(blocks.slice(forkHeight));
    await sync(node);
    for (const tab of others) {
      await expect(tab.getByText(/^The chain changed: block [\d,]+, .* was replaced/)).toBeVisible();
    }
    const [pinned] = others;
    await pinned!.getByRole("button", { name: "Reload" }).click();
    await expect(pinned!.getByText(/^Block [\d,]+ was replaced$/)).toBeVisible();
    for (const tab of others) await tab.close();
    const refresh = page.getByRole("button", { name: "Refresh" });
    await expect(refresh).toBeVisible();
    await expect(page.getByText("The chain changed: block")).toBeVisible();
    await expect(dataRows(outputs(page)).first()).toContainText("GHOST");
    await page.evaluate(() => window.scrollTo(0, 3_000));
    await refresh.press("Enter");
    await expect(page.locator("#results")).toBeFocused();
    await expect(dataRows(outputs(page)).first()).not.toContainText("GHOST");
    expect(await page.evaluate(() => window.scrollY), "the list begins again").toBe(0);
    const { result } = await api.utxos(notable.busyAddress, { pageSize: "100" });
    await expectRow(outputs(page), { "Out point": result[0]!.outPoint });
    await expect(refresh).toHaveCount(0);
    await expect(page.locator("#results")).toBeFocused();
    await page.goto(`/blocks/${fork[0]!.header.hash}`);
    await expect(page.getByText("This block was replaced by a reorganisation")).toBeVisible();
    await page.goto(`${path}?since=${hash}`);
    const changes = page.getByRole("region", { name: "Changes" });
    await expect(changes).toContainText("was replaced by a reorganisation");
    await expect(changes).toContainText(`since block ${formatCount(forkHeight - 1)}`);
    await page.goto(`${path}?tab=statement&since=${hash}`);
    await expect(page).toHaveURL(`${path}?tab=statement&since=${forkHeight - 1}&forked=${hash}`);
    await expect(page.getByText("The statement begins after the fork.")).toBeVisible();
    await expect(page.getByRole("region", { name: "Statement" })).toContainText(
      /End of list|Nothing came in/,
    );
  });
});

test("the tab has one stream, which is opened again after sleep", async ({ page }) => {
  await page.clock.install();
  const opened: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v0/events")) opened.push(request.url());
  });
  await page.goto("/");
  await controlsAnswer(page);
  await page.clock.runFor(10_000);
  await expect.poll(() => opened.length).toBe(1);
  await page.getByRole("banner").getByRole("button", { name: "Account and settings" }).click();
  await page.getByRole("banner").getByRole("link", { name: "API reference" }).click();
  await expect(page).toHaveURL("/docs");
  await page.clock.runFor(10_000);
  expect(opened).toHaveLength(1);
  await page.clock.fastForward(600_000);
  await page.clock.runFor(6_000);
  await expect.poll(() => opened.length).toBe(2);
});
