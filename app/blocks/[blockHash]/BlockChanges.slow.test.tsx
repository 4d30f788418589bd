// @vitest-environment happy-dom
import { act, fireEvent, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, test, vi } from "vitest";
import {
  alertText,
  answerRequests,
  choose,
  failing,
  failures,
  json,
  limited,
  never,
  openExport,
  ownTime,
  pass,
  press,
  renderPart,
  savedFiles,
  setUpParts,
} from "#components/testing/parts.tsx";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { BlockChanges } from "./BlockChanges.tsx";
import { BlockLine } from "./BlockLine.tsx";
import { assetChangeList } from "./list.ts";

setUpParts();

const blockHash = "0xab";
const PAGE = 25;

function change(at: number): AssetChange {
  const asset = { id: `0x${at}`, name: `Coin ${at}`, symbol: `C${at}`, icon: "", decimals: 8 };
  const amountUsd = String(1000 - at);
  return { amount: 5n, amountUsd, asset, tags: ["meme"], amountExact: "5", amountUsdExact: amountUsd };
}

const pageOf = (page: number, total: number) => ({
  result: Array.from({ length: Math.max(0, Math.min(PAGE, total - (page - 1) * PAGE)) }, (_, at) =>
    change((page - 1) * PAGE + at),
  ),
  total,
});

const paramsOf = (path: string) => new URL(path, "http://localhost").searchParams;

/** Responds like a server with this many changes in the block. */
const answerPage = (path: string, total: number) => json(pageOf(Number(paramsOf(path).get("page")), total));

/** The list of a block. The page that `search` names came with the document. */
function show({ total = 60, search = "", priced = true, above = null as ReactNode } = {}) {
  const view = { asset: "", name: "", tags: [], order: "desc", page: 1, size: 25, flagged: "hide" } as const;
  return renderPart(
    <>
      {above}
      <BlockChanges
        block={{ height: 7, hash: blockHash, timestamp: 0, assetCount: total, transactionCount: 3 }}
        moved={{
          native: null,
          namesakes: { listed: [], bySymbol: [] },
          tags: [{ tag: "meme", count: total }],
          assetCount: total,
          largest: priced ? [{ id: "0x0", volumeUsd: "100000000000" }] : [],
          volumeUsd: priced ? "400000000000" : "0",
        }}
        first={{
          path: assetChangeList.pathOf({ blockHash }, { ...view, tags: [] }),
          response: { data: pageOf(1, total), tip: null, requestId: "" },
        }}
      />
    </>,
    { search },
  );
}

const table = () => screen.getByRole("table", { name: "Asset changes" });
const ids = () => [...document.querySelectorAll<HTMLElement>("tr[data-id]")].map((row) => row.dataset.id);
const pager = () => screen.getByRole("navigation", { name: "Pages" });

/** Enters a page number, because the framework's links work in a built app only. */
async function openPage(page: number): Promise<void> {
  const [field] = screen.getAllByRole<HTMLInputElement>("textbox", { name: "Page" });
  field!.value = String(page);
  await act(async () => fireEvent.submit(field!.form!));
}

describe.each(failures)("%s", (_name, said, _code, answer) => {
  test("keeps the rows and the pager, dimmed and not busy, until trying again succeeds", async () => {
    ownTime();
    show();
    const before = ids();
    answerRequests(answer);
    await choose("Order", "Order in the block");
    await pass(120_000);
    expect(alertText()?.toLowerCase()).toContain(`page 1: ${said}`);
    expect(screen.queryByText("No assets moved in this block")).toBeNull();
    expect(ids()).toEqual(before);
    expect(table().dataset.outdated).toBe("true");
    expect(table().getAttribute("aria-busy")).toBe("false");
    expect(pager().textContent).toContain("1–25 of 60");
    const { asked } = answerRequests((path) => answerPage(path, 60));
    await press("button", "Try again");
    await pass(0);
    expect(asked).toHaveLength(1);
    expect(alertText()).toBeUndefined();
    expect(table().dataset.outdated).toBeUndefined();
  });

  test("before the first rows is not shown as a block that moved nothing", async () => {
    ownTime();
    answerRequests(answer);
    show({ search: "?page=2" });
    await pass(120_000);
    expect(alertText()?.toLowerCase()).toContain(`the list: ${said}`);
    expect(screen.queryByText("No assets moved in this block")).toBeNull();
    answerRequests((path) => answerPage(path, 60));
    await press("button", "Try again");
    await pass(0);
    expect(ids()).toHaveLength(25);
  });
});

test("while the server asks to wait, the page says so", async () => {
  ownTime();
  show();
  let refused = false;
  const { asked } = answerRequests((path) => {
    if (refused) return answerPage(path, 60);
    refused = true;
    return limited();
  });
  await choose("Order", "Order in the block");
  await pass(5000);
  expect(screen.getByText(/limit reached, continuing in 7 s/i)).toBeTruthy();
  expect(asked).toHaveLength(1);
  await pass(8000);
  expect(screen.queryByText(/continuing in/)).toBeNull();
  expect(asked).toHaveLength(2);
});

test("a long refusal counts down the seconds, and a screen reader hears one number", async () => {
  ownTime();
  show();
  answerRequests(limited);
  await choose("Order", "Order in the block");
  await pass(36_500);
  expect(alertText()).toContain("Try again in 12 seconds.Try again in 12 seconds.");
  await pass(5000);
  const alert = screen.getByRole("alert");
  expect(alert.querySelector("[aria-hidden=true]")?.textContent).toBe("Try again in 7 seconds.");
  expect(alert.querySelector(".sr-only")?.textContent).toBe("Try again in 12 seconds.");
  await pass(8000);
  expect(alertText()).not.toContain("Try again in");
});

test("a failure of the server shows its request id, to copy", async () => {
  ownTime();
  show();
  answerRequests(() => failing("INTERNAL_SERVER_ERROR"));
  await choose("Order", "Order in the block");
  await pass(100);
  expect(alertText()).toContain("give the operator the request id");
  expect(screen.getByRole("button", { name: "Copy request id" })).toBeTruthy();
});

test("while the next page loads, the previous rows stay, and a slow one is announced", async () => {
  ownTime();
  show();
  const before = ids();
  answerRequests(never);
  await openPage(2);
  await pass(300);
  expect(ids()).toEqual(before);
  expect(table().getAttribute("aria-busy")).toBe("true");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Page" }).defaultValue).toBe("1");
  expect(pager().textContent).toContain("1–25 of 60");
  expect(screen.queryByText("Loading page 2")).toBeNull();
  await pass(200);
  expect(screen.getAllByText("Loading page 2")).toHaveLength(2);
});

test("while a filter loads, the sum is that of the shown rows", async () => {
  ownTime();
  show();
  answerRequests(never);
  await press("button", /^meme 60/);
  await pass(100);
  expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toContain(
    "60 assets · $4,000.00",
  );
});

test("the name filter waits for a pause in typing, and for none on Enter", async () => {
  ownTime();
  const { asked } = answerRequests((path) => answerPage(path, 3));
  show();
  const field = screen.getByRole("textbox", { name: "Name, symbol or id" });
  const type = (value: string) => act(async () => fireEvent.change(field, { target: { value } }));
  const searched = () =>
    asked.filter((path) => path.startsWith("/v0/")).map((path) => paramsOf(path).get("search"));
  for (const typed of ["g", "go", "gol"]) {
    await type(typed);
    await pass(240);
  }
  expect(searched()).toEqual([]);
  await pass(20);
  await expect.poll(searched).toEqual(["gol"]);
  await type("gold");
  await act(async () => fireEvent.keyDown(field, { key: "Enter" }));
  await pass(100);
  expect(searched()).toEqual(["gol", "gold"]);
});

test("from low to high, the list says if it begins with assets without a price", async () => {
  const unpriced = (path: string) =>
    json({ total: 1, result: [{ ...change(1), amountUsd: paramsOf(path).get("tags") ? "0.5" : "0" }] });
  answerRequests((path) => (path.startsWith("/v0/") ? unpriced(path) : json({ volumeUsd: "500000000" })));
  show({ search: "?order=asc" });
  const said = () => screen.getAllByRole("status").map(({ textContent }) => textContent);
  await expect.poll(said).toContain("1 asset · $4,000.00 · those without a price first");
  await press("button", /^meme 60/);
  await expect.poll(said).toContain("1 asset tagged meme · $5.00 · 0.13 % of the block");
});

const bars = () =>
  [...document.querySelectorAll<HTMLElement>("td[data-column=share] [style]")].map(
    ({ style }) => style.width,
  );

test("bars of shares are relative to the largest asset of the block, or to the largest row that a filter leaves", async () => {
  show();
  expect(bars().slice(0, 2)).toEqual(["100%", "99.9%"]);
  answerRequests((path) =>
    path.startsWith("/v0/")
      ? json({ total: 2, result: [change(500), change(750)] })
      : json({ volumeUsd: "0" }),
  );
  await press("button", /^meme 60/);
  await expect.poll(bars).toEqual(["100%", "50%"]);
});

test("the details of an NFT have its unit, like its row", async () => {
  const asset = { id: "0x5", name: "", symbol: "", icon: "", decimals: 0 };
  const nft = { ...change(1), asset, kind: "Spore", amount: 1n, amountExact: "1", amountUsd: "0" };
  answerRequests((path) =>
    path.startsWith("/v0/") ? json({ total: 1, result: [nft] }) : json({ volumeUsd: "0" }),
  );
  show({ search: "?asset=0x5" });
  await screen.findByText("1 NFT");
  await press("button", /^Details of/);
  expect(screen.getByText("Amount moved, smallest unit").parentElement!.textContent).toContain("NFT");
  expect(screen.queryByText(/decimals unknown/)).toBeNull();
});

test("the card of an asset has its share of the block's volume", async () => {
  HTMLElement.prototype.showPopover = () => {};
  show();
  const link = screen.getByText("C0").closest("a")!;
  vi.spyOn(HTMLElement.prototype, "matches").mockReturnValue(true);
  act(() => link.focus());
  vi.restoreAllMocks();
  expect((await screen.findByRole("tooltip")).textContent).toContain("Share here25.00 %");
});

test("an asset that the list is filtered by has a chip with its symbol, and the name field is empty", async () => {
  const { asked } = answerRequests((path) =>
    path.startsWith("/v0/") ? json({ total: 1, result: [change(3)] }) : json({ volumeUsd: "0" }),
  );
  const { searches } = show({ search: "?asset=0x3" });
  const remove = await screen.findByRole("button", { name: "Remove the filter C3" });
  expect(asked.filter((path) => path.startsWith("/v0/")).map((path) => paramsOf(path).get("search"))).toEqual(
    ["0x3"],
  );
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name, symbol or id" }).value).toBe("");
  await act(async () => fireEvent.click(remove));
  await expect.poll(() => searches).toEqual([""]);
});

test("a list that is not found makes the page check at once whether its block was replaced", async () => {
  ownTime();
  const tip = { height: 7, hash: "0x07", time: null };
  const block = { height: 7, hash: blockHash, timestamp: 0, parentHash: "0x06", parentIndexed: true };
  show({ above: <BlockLine block={{ ...block, nextHash: null, tip: { ...tip, height: 99 } }} /> });
  await pass(0);
  expect(screen.getByText("92 confirmations")).toBeTruthy();
  answerRequests(
    (path) => (path.startsWith("/v0/") ? failing("NOT_FOUND") : json({ kind: "replaced", by: null })),
    { ...tip, hash: "0x70" },
  );
  await choose("Order", "Order in the block");
  await pass(100);
  expect(screen.getByText("Replaced by a reorganisation")).toBeTruthy();
  expect(screen.queryByText(/confirmations/)).toBeNull();
});

test("a block whose list is not found has no confirmations until the list is found again", async () => {
  ownTime();
  const tip = { height: 99, hash: "0x99", time: null };
  const block = { height: 7, hash: blockHash, timestamp: 0, parentHash: "0x06", parentIndexed: true };
  show({ above: <BlockLine block={{ ...block, nextHash: "0x08", tip }} /> });
  await pass(0);
  answerRequests(() => failing("NOT_FOUND"), tip);
  await choose("Order", "Order in the block");
  await pass(100);
  expect(screen.getByText("No longer on the chain")).toBeTruthy();
  expect(screen.queryByText(/confirmations/)).toBeNull();
  expect(screen.queryByRole("link", { name: "Next block" })).toBeNull();
  answerRequests((path) => answerPage(path, 60), tip);
  await press("button", "Try again");
  await pass(100);
  expect(screen.getByText("92 confirmations")).toBeTruthy();
});

test("a page is requested when its link is hovered, and opens without another request", async () => {
  const { searches } = show();
  const { asked } = answerRequests((path) => answerPage(path, 60));
  const [next] = screen.getAllByRole("link", { name: "Next page ›" });
  await act(async () => fireEvent.focus(next!));
  expect(asked).toHaveLength(1);
  await openPage(2);
  expect(ids()[0]).toBe("0x25");
  expect(asked).toHaveLength(1);
  await expect.poll(() => searches).toEqual(["?page=2"]);
});

test.each([
  ["size", () => choose("Rows per page", "50 per page"), "?size=50"],
  ["order", () => choose("Order", "Volume, low to high"), "?order=asc"],
  ["tag", () => press("button", /^meme 60/), "?tags=meme"],
])("a change of %s goes back to page 1 in the same step", async (_name, changing, search) => {
  const { asked } = answerRequests((path) => answerPage(path, 60));
  const { searches } = show({ search: "?page=2" });
  await screen.findAllByText("26–50 of 60", { exact: false });
  await changing();
  await expect.poll(() => searches).toEqual([search]);
  const pages = asked.slice(1).filter((path) => path.startsWith("/v0/"));
  expect(pages.map((path) => paramsOf(path).get("page"))).toEqual(["1"]);
});

test("the volume header cycles through high to low, low to high and the block's order", async () => {
  answerRequests((path) => answerPage(path, 60));
  const { searches } = show();
  const header = () => screen.getByRole("columnheader", { name: "Volume" });
  expect(header().getAttribute("aria-sort")).toBe("descending");
  for (const [next, sorted, search] of [
    ["Next: Volume, low to high", "ascending", "?order=asc"],
    ["Next: Order in the block", "none", "?order=chain"],
    ["Next: Volume, high to low", "descending", ""],
  ]) {
    const button = screen.getByRole("button", { name: "Volume" });
    expect(button.title).toBe(next);
    await act(async () => fireEvent.click(button));
    expect(header().getAttribute("aria-sort")).toBe(sorted);
    await expect.poll(() => searches.at(-1)).toBe(search);
  }
});

test("a page past the end says how many there are, and links to the first and the last", async () => {
  answerRequests((path) => answerPage(path, 60));
  const { searches } = show({ search: "?page=999" });
  expect(await screen.findByText("Page 999 does not exist: this list has 3 pages")).toBeTruthy();
  await press("button", "Last page");
  await expect.poll(() => searches).toEqual(["?page=3"]);
  expect(ids()).toHaveLength(10);
});

test("a refused page links to the first one", async () => {
  answerRequests((path) =>
    paramsOf(path).get("page") === "1" ? answerPage(path, 60) : failing("BAD_REQUEST"),
  );
  const { searches } = show({ search: "?page=2" });
  await screen.findByText(/refused as invalid/);
  await press("button", "First page");
  await expect.poll(() => searches).toEqual([""]);
});

test("on a phone, only filters that hide rows are counted", () => {
  show({ search: "?name=zzz&order=asc&size=50" });
  expect(screen.getByRole("button", { name: "Filters (1)" })).toBeTruthy();
});

test("a filter that nothing matches can be cleared", async () => {
  answerRequests((path) => json(pageOf(1, paramsOf(path).has("search") ? 0 : 60)));
  const { searches } = show({ search: "?name=zzz" });
  expect(await screen.findByText("No asset matches “zzz”")).toBeTruthy();
  expect(screen.getByText("60 assets without the filters.")).toBeTruthy();
  await press("button", "Clear the filters");
  await expect.poll(() => searches).toEqual([""]);
});

test("a block that moved nothing says so, and one without prices has no order by value", async () => {
  show({ total: 0, priced: false });
  expect(screen.getByText("No assets moved in this block")).toBeTruthy();
  expect(screen.queryByRole("combobox", { name: "Order" })).toBeNull();
});

test("a file names its block in each row, and its name ends with the block's hash", async () => {
  show();
  const saved = savedFiles();
  await openExport();
  await press("button", /^CSV of Rows loaded/);
  expect(saved[0]!.name).toMatch(/^asset-changes-\d{14}-.*0xab\.csv$/);
  const [heads, row] = (await saved[0]!.text).split("\r\n");
  expect(heads).toMatch(/^\ufeff"block_height","block_time","block_hash","asset_id",/);
  expect(row).toMatch(/^"7","1970-01-01T00:00:00.000Z","0xab","0x0",/);
});
