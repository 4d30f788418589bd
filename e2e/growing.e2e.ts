import { spawn } from "node:child_process";
import { once } from "node:events";
import { demoChain } from "#lib/chains/ckb/demo/demo-chain.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { databaseOf, root } from "./sites.ts";
import { columnOf, dataRows, expect, expectRow, outputs, test } from "./support.ts";

test.use({ site: "growing" });

/** The page asks for the index's status every fifteen seconds. */
const NEXT_STATUS = { timeout: 25_000 };

/** Follows the node to its tip, in a separate process as an operator would. */
async function sync(node: StandInNode): Promise<void> {
  const child = spawn(
    `${root}node_modules/.bin/node`,
    ["lib/cli/main.ts", "sync", "--rpc", node.url, "--once"],
    { cwd: root, env: { ...process.env, DATABASE_URL: databaseOf("growing") }, stdio: "ignore" },
  );
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
}

test("an empty database, its first blocks, new blocks while a list is read, and a reorganisation", async ({
  page,
  api,
}) => {
  test.setTimeout(120_000);
  const { blocks, fork, forkHeight, notable } = demoChain({ liveOutputs: 340 });
  await using node = await StandInNode.start({ chain: "ckb_testnet", blocks: blocks.slice(0, forkHeight) });
  const path = `/addresses/${notable.busyAddress}`;

  await test.step("an empty database says so on every page", async () => {
    await page.goto("/");
    await expect(page.getByText("Nothing indexed yet", { exact: true })).toBeVisible();
    await expect(page.getByText("No data").first()).toBeVisible();
    await page.goto(path);
    await expect(page.getByText("No live cells", { exact: true })).toBeVisible();
  });

  await test.step("after the first sync the list goes to its end without asking", async () => {
    await sync(node);
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "Examples" })).toBeVisible();
    await page.goto(path);
    const all = await api.allUtxos(notable.busyAddress);
    expect(all).toHaveLength(340);
    const end = page.getByText("End of list: 340 cells");
    await expect(async () => {
      await page.keyboard.press("End");
      await expect(end).toBeVisible({ timeout: 300 });
    }).toPass({ timeout: 30_000 });
    expect(await columnOf(outputs(page), "Out point")).toEqual(all.map(({ outPoint }) => outPoint));
  });

  await test.step("new blocks move no rows: a bar says that they are there", async () => {
    const before = await columnOf(outputs(page), "Out point");
    node.reorganise(fork);
    await sync(node);
    await expect(page.getByText(`${fork.length} new blocks changed this list`)).toBeVisible(NEXT_STATUS);
    expect(await columnOf(outputs(page), "Out point")).toEqual(before);
  });

  await test.step("refreshing shows what came", async () => {
    await page.goto(`${path}?order=desc`);
    await expectRow(outputs(page), { Token: notable.abandonedToken });
    await expect(dataRows(outputs(page)).first()).toContainText("GHOST");
  });

  await test.step("a reorganisation is reported, and what it reverted is gone after a refresh", async () => {
    node.reorganise(blocks.slice(forkHeight));
    await sync(node);
    const refresh = page.getByRole("button", { name: "Refresh" });
    await expect(refresh).toBeVisible(NEXT_STATUS);
    await expect(page.getByText("The chain changed: block")).toBeVisible();
    await expect(dataRows(outputs(page)).first()).toContainText("GHOST");
    await refresh.click();
    await expect(dataRows(outputs(page)).first()).not.toContainText("GHOST");
    const { result } = await api.utxos(notable.busyAddress, { order: "desc", pageSize: "100" });
    await expectRow(outputs(page), { "Out point": result[0]!.outPoint });
    await expect(refresh).toHaveCount(0);
    await page.goto(`/blocks/${fork[0]!.header.hash}`);
    await expect(page.getByText("This block was replaced by a reorganisation")).toBeVisible();
  });
});
