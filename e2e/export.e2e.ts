import type { Locator, Page } from "@playwright/test";
import { addressOf, decodeAddress, encodeAddress } from "#lib/chains/ckb/address.ts";
import { parseExactJson } from "#lib/util/json.ts";
import {
  controlsAnswer,
  dataRows,
  exactText,
  expect,
  expectRow,
  openExport,
  openTab,
  outputs,
  searchField,
  test,
  textOf,
  withoutAutoLoad,
} from "./support.ts";

async function save(page: Page, button: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return textOf(download);
}

/** Parses RFC 4180 strictly: every field must be quoted. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /"((?:[^"]|"")*)"(,|\r\n)/y;
  for (let at = 0; at < text.length; at = field.lastIndex) {
    field.lastIndex = at;
    const match = field.exec(text);
    if (!match) throw new Error(`not a quoted field at ${at}: ${text.slice(at, at + 60)}`);
    rows.at(-1)!.push(match[1]!.replaceAll('""', '"'));
    if (match[2] === "\r\n") rows.push([]);
  }
  rows.pop();
  return rows;
}

test("an address that is too long for a link is found, read and exported by its lock's hash", async ({
  page,
  facts,
  api,
}) => {
  const address = facts.notable.longAddress!;
  await page.goto("/");
  await searchField(page).fill(address);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/addresses/${address}`);
  const [cell] = await api.allUtxos(address);
  await expectRow(outputs(page), { "Out point": cell!.outPoint });
  const dialog = await openExport(page);
  const text = await save(page, dialog.getByRole("button", { name: /^JSON of Rows loaded/ }));
  await page.keyboard.press("Escape");
  const script = await openTab(page, "Lock script", "Lock script");
  await expect(script.getByText(address.replace("lock-hash:", ""), { exact: true })).toBeVisible();
  expect(text).toContain(`/v0/addresses/${encodeURIComponent(address)}/utxos`);
  expect(text).toContain(cell!.outPoint);

  // The text fits into a link, but is too long to be shown.
  const lock = { ...decodeAddress(facts.notable.smallAddress!).script, args: `0x${"01".repeat(5_000)}` };
  await page.goto(`/addresses/${encodeAddress(lock, "testnet")}?order=asc`);
  await expect(page).toHaveURL(new RegExp(`/addresses/${addressOf(lock, "testnet").text}\\?.*order=asc`));
  await expect(page.getByText(/shown by the hash of its lock script/)).toBeVisible();
});

test("a CSV file with hostile names runs nothing in a spreadsheet, and keeps every digit", async ({
  page,
  facts,
  api,
}) => {
  const { hostileAddress } = facts.notable;
  await page.goto(`/addresses/${hostileAddress}?flagged=show`);
  const all = await api.allUtxos(hostileAddress!);
  await expect(dataRows(outputs(page))).toHaveCount(all.length);
  const dialog = await openExport(page);
  const text = await save(page, dialog.getByRole("button", { name: /^CSV of Rows loaded/ }));

  expect(text.startsWith("\ufeff")).toBe(true);
  const [columns = [], ...rows] = parseCsv(text.slice(1));
  expect(rows).toHaveLength(all.length);
  for (const row of rows) for (const field of row) expect(field).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
  const column = (row: string[], name: string) => row[columns.indexOf(name)] ?? `no column ${name}`;
  for (const [at, entry] of all.entries()) {
    const row = rows[at]!;
    expect(column(row, "complete")).toBe("yes");
    expect(column(row, "as_of_block_hash")).toMatch(/^0x[0-9a-f]{64}$/);
    expect(column(row, "out_point")).toBe(entry.outPoint);
    expect(column(row, "token")).toBe(entry.token);
    expect(column(row, "amount")).toBe(entry.amount);
    expect(column(row, "capacity")).toBe(entry.capacity);
    expect(column(row, "name").replace(/^'(?=[=+\-@\t\r\n])/, "")).toBe(entry.tokenInfo.name);
    const { name, symbol, decimals } = entry.tokenInfo;
    const unknown = decimals > 38 || (decimals === 0 && name === "" && symbol === "");
    expect(column(row, "amount_in_units")).toBe(
      unknown ? "" : exactText(entry.amount, decimals).replaceAll(",", ""),
    );
  }
  expect(rows.map((row) => column(row, "name"))).toContain(`'=HYPERLINK("http://evil.example/","Claim")`);
});

test("JSON of a block keeps integers of any length", async ({ page, facts, api }) => {
  const { hugeBlockHash } = facts.notable;
  await page.goto(`/blocks/${hugeBlockHash}?flagged=show&order=chain`);
  const dialog = await openExport(page);
  const text = await save(page, dialog.getByRole("button", { name: /^JSON of Rows loaded/ }));
  const file = parseExactJson(text) as { rows: unknown[]; complete: boolean };
  const { result } = await api.changes(hugeBlockHash!, { include: "kind", pageSize: "25" });
  expect(file.complete).toBe(true);
  expect(file.rows).toEqual(result);
  expect(text).toContain((2n * (2n ** 128n - 1n)).toString());
});

test("rows of the previous filter are not saved as rows of the new one", async ({ page, facts, api }) => {
  const { busyBlockHash } = facts.notable;
  await page.goto(`/blocks/${busyBlockHash}?size=25`);
  const held = Promise.withResolvers<void>();
  await page.route("**/asset-changes?*", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("group", { name: "Filter by tag" }).getByRole("button", { name: /^meme/ }).click();
  const dialog = await openExport(page);
  const json = dialog.getByRole("button", { name: /^JSON of Rows loaded/ });
  await expect(json).toBeDisabled();
  await expect(dialog.getByText(/still belong to the previous view/)).toBeVisible();
  held.resolve();
  await expect(json).toBeEnabled();
  const text = await save(page, json);
  const file = parseExactJson(text) as { query: string; rows: unknown[]; count: number; complete: boolean };
  const { result, total } = await api.changes(busyBlockHash!, [
    ["tags", "meme"],
    ["orderKey", "volume"],
    ["pageSize", "25"],
  ]);
  expect(file).toMatchObject({ count: total, complete: true, rows: result });
  expect(file.query).toContain("tags=meme");
});

test("an export of a list that was opened part-way names the request of its rows", async ({
  page,
  facts,
  api,
}) => {
  const { address, cells } = facts.middling;
  const { lastCursor } = await api.utxos(address, { pageSize: "100" });
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${address}?from=${lastCursor}`);
  const dialog = await openExport(page);
  const text = await save(page, dialog.getByRole("button", { name: /^JSON of Rows loaded/ }));
  const file = parseExactJson(text) as { query: string; complete: boolean };
  expect(new URLSearchParams(file.query.split("?")[1]).get("cursor")).toBe(lastCursor);
  expect(file.complete).toBe(false);
  await expect(dialog.getByRole("group", { name: `All rows (${cells} as of this page)` })).toBeVisible();
});

test("a cancelled export offers a file that says it is incomplete", async ({ page, facts }) => {
  await withoutAutoLoad(page);
  await page.goto(`/addresses/${facts.notable.busyAddress}`);
  const held = Promise.withResolvers<void>();
  await page.route(/\/utxos\?.*pageSize=1000/, async (route) => {
    if (route.request().url().includes("cursor=")) await held.promise;
    await route.continue().catch(() => {});
  });
  const dialog = await openExport(page);
  await dialog.getByRole("button", { name: /^CSV of All rows/ }).click();
  await expect(dialog.getByText("1,000 rows of about 20,000 read")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  held.resolve();
  await expect(dialog.getByRole("alert")).toContainText("Cancelled");
  const [columns = [], ...rows] = parseCsv(
    (await save(page, dialog.getByRole("button", { name: "Save the incomplete file" }))).slice(1),
  );
  for (const row of rows) expect(row[columns.indexOf("complete")]).toBe("no");
  expect(rows).toHaveLength(1000);
});

test.describe("without its code", () => {
  test.use({ failuresExpected: true });

  test("an export that cannot be loaded says so, and the page goes on", async ({ page, facts }) => {
    await page.goto(`/addresses/${facts.notable.smallAddress}`);
    await controlsAnswer(page);
    await page.route(/\.js(\?|$)/, (route) => route.abort());
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export" });
    await expect(dialog).toContainText("could not be loaded");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(dataRows(outputs(page)).first()).toBeVisible();
  });
});
