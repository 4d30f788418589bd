import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import type { FlagsOf } from "#components/list/flagged.tsx";
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
import { type Holding, sharesOfValue } from "#lib/client/holdings.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import type { UtxoEntry, UtxoList } from "#lib/queries/address-utxos/contract.ts";
import { terms } from "#terms";
import { shareOfToken } from "./holdings/columns.tsx";
import { utxoList } from "./list.ts";
import { Outputs } from "./Outputs.tsx";

setUpParts();

const address = "ckb1test";
const tokenInfo: UtxoEntry["tokenInfo"] = {
  id: "0x01",
  name: "Coin",
  symbol: "C",
  icon: "",
  decimals: 8,
  totalSupply: "1000",
  firstMintAt: null,
  firstFoundBlock: "1",
  parentId: null,
  public: true,
} as unknown as UtxoEntry["tokenInfo"];

const MINED = new Date(Date.now() - 36 * 86_400_000 - 1000).toISOString();
const outPoint = (at: number) => `0x${String(at).padStart(64, "0")}:0`;

function pageFrom(start: number, count: number, total: number): UtxoList {
  const result = Array.from(
    { length: count },
    (_, at): UtxoEntry => ({
      token: "0x01",
      tokenInfo,
      blockHeight: 5,
      blockTime: MINED,
      outPoint: outPoint(start + at),
      amount: "150000000",
      capacity: "6100000000",
      kind: "token",
    }),
  );
  return { result, hasNext: start + count < total, lastCursor: `c${start + count}` };
}

/** Short pages: the list follows the response, not the page size that it requested. */
const PAGE = 4;
const TOTAL = 12;

/** Responds like a server with this many outputs, by cursor. */
function page(path: string, total = TOTAL): Response {
  const query = new URL(path, "http://localhost").searchParams;
  const start = Number((query.get("cursor") ?? "").slice(1));
  return json(pageFrom(start, Math.min(PAGE, total - start), total));
}

/** The list of an address, with its first rows. Without a layout, only the button loads more. */
function show(
  total = TOTAL,
  search = "",
  tip: IndexTip | null = { height: 9, hash: "0xab" },
  flagsOf: FlagsOf = () => [],
  counted = total,
) {
  const holdings = {
    address,
    native: terms.native,
    namesakes: { listed: [], bySymbol: [] },
    tokenCount: 1,
    valueUsd: "10000000000",
    first: {
      data: { result: [{ id: "0x01", symbol: "C", amount: "100", valueUsd: "25" } as Holding], total: 1 },
      tip: null,
      requestId: "",
    },
  };
  const data = pageFrom(0, Math.min(total, PAGE), total);
  const view = {
    token: "",
    order: "desc",
    sort: "",
    flagged: "hide",
    at: "",
    from: "",
    row: 1,
    skip: 0,
  } as const;
  return renderPart(
    <Outputs
      holdings={holdings}
      flagsOf={flagsOf}
      shareOf={shareOfToken(
        holdings.first.data.result,
        sharesOfValue(holdings.first.data.result, holdings.valueUsd),
      )}
      outputCount={counted}
      first={{
        path: utxoList.pathOf({ address }, view),
        response: { data, tip, requestId: "" },
      }}
      pinned={null}
      strip={(tools) => tools}
    />,
    { search },
  );
}

test("the card of an asset has its share of the address's value", async () => {
  HTMLElement.prototype.showPopover = () => {};
  answerRequests(() =>
    json({ tokenInfo: { totalSupply: "1" }, priceUsd: "", holderCount: 7, resembles: "" }),
  );
  show();
  fireEvent.pointerEnter(screen.getAllByText("C")[0]!, { pointerType: "mouse" });
  const name = await screen.findByText("Share here");
  expect(name.nextElementSibling!.textContent).toBe("25.00 %");
});

test("only a list in several parts shows how much of it is loaded", () => {
  show(3);
  expect(screen.queryByText(/ loaded$/)).toBeNull();
  expect(screen.getByText(/^End of list: 3 cells/)).toBeTruthy();
});

test("the end of the list counts the listed rows, and shows those that are hidden", async () => {
  const flag = { kind: "look-alike", label: "Look-alike", reason: "", strong: true } as const;
  show(3, "", undefined, () => [flag as unknown as ReturnType<FlagsOf>[number]]);
  expect(screen.getByText(/^End of list: 0 cells/)).toBeTruthy();
  await press("button", "3 flagged, show");
  expect(screen.getByText(/^End of list: 3 cells/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: /flagged, show/ })).toBeNull();
});

test("a list that is opened at its end shows how much of it is loaded", async () => {
  answerRequests(page);
  show(TOTAL, "?from=c8&row=9");
  expect(await screen.findByText("4 of 12 loaded")).toBeTruthy();
});

test("a list that grew after it was counted never has more rows loaded than there are", async () => {
  answerRequests(page);
  show(TOTAL, "", undefined, undefined, 7);
  expect(screen.getByText("4 of 7 loaded")).toBeTruthy();
  await press("button", "Load next 100");
  expect(await screen.findByText("8 loaded")).toBeTruthy();
  await press("button", "Load next 100");
  expect(await screen.findByText(/^End of list: 12 cells/)).toBeTruthy();
  expect(screen.queryByText(/of 7/)).toBeNull();
});

test("not even if the page after them fails", async () => {
  ownTime();
  show(TOTAL, "", undefined, undefined, 7);
  answerRequests(page);
  await press("button", "Load next 100");
  await pass(0);
  answerRequests(failures[0]![3]);
  await press("button", "Load next 100");
  await pass(120_000);
  expect(alertText()).toContain(failures[0]![2]);
  expect(document.body.textContent).not.toMatch(/8 of 7/);
});

test("an empty list says that nothing is indexed yet, if that is the reason", () => {
  show(0, "", null);
  expect(screen.getByText("Nothing indexed yet")).toBeTruthy();
  expect(screen.queryByText(/no unspent outputs/)).toBeNull();
});

test("an empty list as of a block says that the address has no outputs", () => {
  show(0);
  expect(screen.getByText(/no unspent outputs as of block 9/)).toBeTruthy();
});

const rowCount = () => screen.queryAllByRole("button", { name: /^Details of/ }).length;
describe.each(failures)("%s", (_name, said, code, answer) => {
  test("before the first rows is not shown as an empty list, and trying again loads them", async () => {
    ownTime();
    show(3);
    answerRequests(answer);
    await choose("Order", "Oldest first");
    await pass(120_000);
    expect(alertText()?.toLowerCase()).toContain(`the list: ${said}`);
    expect(alertText()).toContain(code);
    expect(screen.queryByText(/No live cells|End of list/)).toBeNull();
    answerRequests((path) => page(path, 3));
    await press("button", "Try again");
    await pass(0);
    expect(rowCount()).toBe(3);
    expect(alertText()).toBeUndefined();
  });

  test("on a later page keeps the rows, and trying again continues after them", async () => {
    ownTime();
    show();
    answerRequests(answer);
    await press("button", "Load next 100");
    await pass(120_000);
    expect(alertText()?.toLowerCase()).toContain(`rows after 4: ${said}`);
    expect(screen.getByText("4 of 12 loaded")).toBeTruthy();
    expect(screen.queryByText(/End of list/)).toBeNull();
    answerRequests((path) => page(path));
    await press("button", "Try again");
    await pass(0);
    expect(screen.getByText("8 of 12 loaded")).toBeTruthy();
  });
});

test("after a timeout, only the reader repeats the request", async () => {
  ownTime();
  show(3);
  const { asked } = answerRequests(never);
  await choose("Order", "Oldest first");
  await pass(31_000);
  expect(alertText()).toContain("The list: the server did not respond in time");
  await pass(120_000);
  expect(asked).toHaveLength(1);
});

test.each(["the first rows", "a later page"])(
  "a server that asks to wait is waited for in view: %s",
  async (place) => {
    ownTime();
    show();
    let refused = false;
    const { asked } = answerRequests((path) => {
      if (refused) return page(path);
      refused = true;
      return limited();
    });
    if (place === "a later page") await press("button", "Load next 100");
    else await choose("Order", "Oldest first");
    await pass(0);
    const left = () =>
      Number(
        /continuing in (\d+) s/.exec(screen.getByText(/limit reached, continuing/i).textContent ?? "")?.[1],
      );
    expect(left()).toBeGreaterThan(8);
    await pass(7000);
    expect(left()).toBeLessThan(8);
    expect(asked).toHaveLength(1);
    await pass(6000);
    expect(screen.queryByText(/continuing in/)).toBeNull();
    expect(asked).toHaveLength(2);
    expect(screen.getByText(place === "a later page" ? "8 of 12 loaded" : "4 of 12 loaded")).toBeTruthy();
  },
);

test("while rows load, the table is busy, and the list is neither empty nor at its end", async () => {
  show(3);
  const held = Promise.withResolvers<void>();
  answerRequests(async (path) => {
    await held.promise;
    return page(path, 3);
  });
  await choose("Order", "Oldest first");
  const table = screen.getByRole("table", { name: "Unspent outputs" });
  expect(table.getAttribute("aria-busy")).toBe("true");
  expect(rowCount()).toBe(0);
  expect(screen.queryByText(/No live cells|End of list/)).toBeNull();
  held.resolve();
  expect(await screen.findByText(/^End of list: 3 cells/)).toBeTruthy();
  expect(table.getAttribute("aria-busy")).toBe("false");
});

test("a late response does not replace that of a newer request", async () => {
  ownTime();
  const { searches } = show(3);
  const held = Promise.withResolvers<void>();
  let sent = 0;
  // A response may be on its way when its request is cancelled.
  vi.stubGlobal("fetch", async () => {
    await held.promise;
    sent += 1;
    return json(pageFrom(200, 3, 203));
  });
  await choose("Order", "Oldest first");
  await choose("Order", "Newest first");
  held.resolve();
  await pass(1_000);
  expect(sent).toBeGreaterThan(0);
  expect(screen.getByText(/^End of list: 3 cells/)).toBeTruthy();
  expect(screen.queryByTitle(outPoint(200))).toBeNull();
  expect(searches.at(-1)).toBe("");
});

test("a repeated cursor stops the list with a message", async () => {
  show();
  answerRequests(() => json({ ...pageFrom(PAGE, PAGE, TOTAL), lastCursor: "c4" }));
  await press("button", "Load next 100");
  expect(await screen.findByText(/the list does not advance/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  answerRequests((path) => page(path));
  await press("button", "Reload");
  await expect.poll(() => screen.queryByText(/the list does not advance/)).toBeNull();
});

test("a list whose block was replaced says that the chain changed, and names the fork", async () => {
  show();
  const message = "Block 9 (0x09) was replaced: nothing changed up to block 7";
  const body = { code: "NOT_FOUND", message: "Not found", issues: [{ path: [], code: "replaced", message }] };
  answerRequests(() => Response.json(body, { status: 404 }));
  await press("button", "Load next 100");
  expect(await screen.findByText(/the chain changed while the list was read/)).toBeTruthy();
  expect(screen.getByText(message)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  answerRequests((path) => page(path));
  await press("button", "Reload");
  await expect.poll(() => screen.queryByText(/the chain changed/)).toBeNull();
});

test("if the list's block is gone for good, the page is read again, which says so", async () => {
  const { refresh } = show();
  answerRequests(() => failing("NOT_FOUND"));
  await press("button", "Load next 100");
  fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect(refresh).toHaveBeenCalledTimes(1);
  cleanup();
  const again = show();
  const replaced = { code: "NOT_FOUND", message: "", issues: [{ path: [], code: "replaced", message: "" }] };
  answerRequests(() => Response.json(replaced, { status: 404 }));
  await press("button", "Load next 100");
  await screen.findByText(/the chain changed while the list was read/);
  answerRequests(() => failing("NOT_FOUND"));
  await press("button", "Reload");
  await expect.poll(() => again.refresh.mock.calls.length).toBe(1);
});

test("one click loads the list to its end; an export reads it from its start, 1,000 entries a request", async () => {
  show();
  const { asked } = answerRequests((path) => page(path));
  await press("button", "Load all 12");
  expect(await screen.findByText(/^End of list: 12 cells/)).toBeTruthy();
  expect(asked.map((path) => /cursor=(\w+)/.exec(path)?.[1])).toEqual(["c4", "c8"]);
  const saved = savedFiles();
  await openExport();
  await press("button", /^CSV of All rows/);
  await expect.poll(() => saved.length).toBe(1);
  expect(asked[2]).toBe(
    `/v0/addresses/${address}/utxos?order=desc&at=tip&include=kind%2Ctime%2Cblock&value=usd&pageSize=1000`,
  );
  // The cursors carry the block that the first page found.
  expect(asked.slice(3).map((path) => /&at=tip&cursor=(\w+)/.exec(path)?.[1])).toEqual(["c4", "c8"]);
  expect(saved[0]!.name).toMatch(new RegExp(`-${address.slice(-24)}\\.csv$`));
  const lines = (await saved[0]!.text).split("\r\n");
  expect(lines[1]).toMatch(new RegExp(`^"${address}",.*"yes"$`));
  expect(lines).toHaveLength(14);
});

test("a file of a list that is sorted by value has the most valuable first", async () => {
  show(3, "?sort=value");
  answerRequests(() => {
    const { result, ...rest } = pageFrom(0, 3, 3);
    return json({ ...rest, result: result.map((entry, at) => ({ ...entry, valueUsd: `${at}.75` })) });
  });
  const saved = savedFiles();
  await openExport();
  await press("button", /^CSV of All rows/);
  await expect.poll(() => saved.length).toBe(1);
  const [, ...lines] = (await saved[0]!.text).split("\r\n");
  const values = lines.flatMap((line) => /\b\d\.75\b/.exec(line)?.[0] ?? []);
  expect(values).toEqual(["2.75", "1.75", "0.75"]);
});

test("the headers of block and value sort the list and say how it is sorted; each block has its age", async () => {
  const { searches } = show(3);
  const { asked } = answerRequests((path) => page(path, 3));
  const sorted = (name: string) => screen.getByRole("columnheader", { name }).getAttribute("aria-sort");
  expect(sorted("Block")).toBe("descending");
  await press("button", "Block");
  expect(sorted("Block")).toBe("ascending");
  expect(searches.at(-1)).toBe("?order=asc");
  expect(asked[0]).not.toContain("order=");
  await press("button", "Value");
  expect([sorted("Value"), sorted("Block")]).toEqual(["descending", "none"]);
  await press("button", "Block");
  expect(searches.at(-1)).toBe("");
  expect(screen.getAllByText("36 d")[0]!.matches("time[title][datetime]")).toBe(true);
});

test("an export that waits for the network says so, and does not blame a limit", async () => {
  ownTime();
  show(3);
  answerRequests(() => Promise.reject(new TypeError("failed")));
  await openExport();
  await press("button", /^CSV of All rows/);
  await pass(0);
  expect(screen.getByText(/cannot be reached, continuing in 1 s/)).toBeTruthy();
  await pass(3_600_000);
  expect(alertText()).toContain("The server cannot be reached");
});

test("an export that the reader cancels is no failure", async () => {
  show(3);
  answerRequests(never);
  await openExport();
  await press("button", /^CSV of All rows/);
  await press("button", "Cancel");
  expect((await screen.findByText("Cancelled")).className).not.toContain("text-bad");
});

test("a list that is opened in the middle keeps its numbers, and loads earlier rows", async () => {
  const { asked } = answerRequests((path) => {
    const query = new URL(path, "http://localhost").searchParams;
    if (query.get("after") === null) return page(path);
    const before = pageFrom(0, PAGE, TOTAL);
    return json({ ...before, result: before.result.toReversed(), hasNext: false });
  });
  show(TOTAL, "?from=c4&row=5");
  expect(await screen.findByRole("button", { name: "Details of row 5" })).toBeTruthy();
  await press("button", "Load earlier rows");
  expect(await screen.findByRole("button", { name: "Details of row 1" })).toBeTruthy();
  expect(asked[1]).toContain("order=asc");
  expect(within(screen.getByRole("table")).queryByRole("alert")).toBeNull();
});

test("earlier rows that cannot be read say so where they were asked for, and the list goes on", async () => {
  const isEarlier = (path: string) => new URL(path, "http://localhost").searchParams.has("after");
  answerRequests((path) => (isEarlier(path) ? failing("BAD_REQUEST") : page(path)));
  show(TOTAL, "?from=c4&row=5");
  fireEvent.click(await screen.findByRole("button", { name: "Load earlier rows" }));
  await expect.poll(alertText).toContain("Earlier rows");
  const isAlone = () => expect(within(screen.getByRole("table")).queryByRole("alert")).toBeNull();
  isAlone();
  const held = Promise.withResolvers<void>();
  answerRequests(async (path) => {
    await held.promise;
    return page(path);
  });
  const next = screen.getByRole("button", { name: "Load next 100" });
  act(() => next.focus());
  fireEvent.click(next);
  expect(await screen.findByRole("button", { name: "Loading…" })).toBeTruthy();
  isAlone();
  expect(document.activeElement).toBe(next);
  held.resolve();
  expect(await screen.findByText("8 of 12 loaded")).toBeTruthy();
});

test("Refresh of a list that was opened in the middle begins at its top", async () => {
  const now = { height: 10, hash: "0x10" };
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    if (path === "/status") return json({ network: "testnet", demo: false, tip: { ...now, time: 0 } });
    if (path.startsWith("/changes")) return json({ kind: "touched", came: 1, left: 0, more: false });
    asked.push(path);
    const headers = { "x-tip-height": "9", "x-tip-hash": `0x${"09".repeat(32)}` };
    return new Response(await page(path).text(), { headers });
  });
  const { refresh, searches } = show(TOTAL, "?from=c4&row=5");
  fireEvent.click(await screen.findByRole("button", { name: "Refresh" }));
  expect(await screen.findByRole("button", { name: "Details of row 1" })).toBeTruthy();
  expect(asked.at(-1)).not.toMatch(/cursor|after/);
  expect(searches.at(-1)).toBe("");
  await expect.poll(() => refresh.mock.calls.length).toBe(1);
});

test("rows of several blocks name both ends, and are no complete file; the news bar counts from the lowest", async () => {
  const sinces = new Set<string>();
  const tip = { height: 10, hash: `0x${"10".repeat(32)}` };
  vi.stubGlobal("fetch", async (path: string) => {
    if (path === "/status") return json({ network: "testnet", demo: false, tip: { ...tip, time: 0 } });
    if (!path.startsWith("/changes")) {
      const headers = { "x-tip-height": "10", "x-tip-hash": tip.hash };
      return new Response(await page(path).text(), { headers });
    }
    sinces.add(new URL(path, "http://test").searchParams.getAll("since").join(" "));
    return json({ kind: "touched", came: 1, left: 0, more: false });
  });
  const lowest = `0x${"09".repeat(32)}`;
  show(TOTAL, "", { height: 9, hash: lowest });
  await screen.findByText("1 new cell");
  await press("button", "Load next 100");
  await screen.findByText("8 of 12 loaded");
  await press("button", "Load next 100");
  expect((await screen.findByText(/^End of list/)).textContent).toContain("read at 2 blocks up to 10");
  expect(screen.getByText("1 new cell")).toBeTruthy();
  const saved = savedFiles();
  await openExport();
  await press("button", /^JSON of Rows loaded/);
  expect(JSON.parse(await saved[0]!.text)).toMatchObject({ count: 12, complete: false, asOfBlock: 9 });
  // A reorganisation may have replaced either.
  expect([...sinces]).toEqual([lowest, `${lowest} ${tip.hash}`]);
});

test.each([
  ["has all rows of the list is not announced", pageFrom(0, PAGE, TOTAL), false],
  ["lacks a row is announced", pageFrom(1, PAGE, TOTAL), true],
  ["has fewer rows is announced", pageFrom(0, PAGE, PAGE), true],
  ["cannot be read is announced", null, true],
])("after the list's block was replaced, a chain that %s", async (_name, now, isAnnounced) => {
  ownTime();
  const { asked } = answerRequests(
    (path) => {
      if (path.startsWith("/changes")) return json({ kind: "replaced", height: 9 });
      return now ? json(now) : failing("NOT_FOUND");
    },
    { height: 10, hash: "0x10", timestamp: 0 } as never,
  );
  show();
  await pass(100);
  expect(asked.at(-1)).toMatch(/utxos\?.*pageSize=4$/);
  expect(screen.queryByText(/^The chain changed: block 9/) !== null).toBe(isAnnounced);
});

test("the news bar stays, with its focus, while the next request runs, and if it fails", async () => {
  ownTime();
  let height = 10;
  let answer = async () => json({ kind: "touched", came: 1, left: 0, more: false });
  vi.stubGlobal("fetch", async (path: string) => {
    if (path !== "/status") return answer();
    return json({ network: "testnet", demo: false, tip: { height, hash: `0x${height}`, time: 0 } });
  });
  show(3);
  await pass(100);
  const refresh = screen.getByRole("button", { name: "Refresh" });
  expect(screen.getByText("1 new cell")).toBeTruthy();
  refresh.focus();
  const held = Promise.withResolvers<void>();
  answer = async () => {
    await held.promise;
    throw new TypeError("failed");
  };
  height = 11;
  await pass(6_000);
  expect(document.activeElement).toBe(refresh);
  held.resolve();
  await pass(100);
  expect(document.activeElement).toBe(refresh);
  answer = async () => json({ kind: "touched", came: 2, left: 1, more: false });
  height = 12;
  await pass(6_000);
  expect(screen.getByText("2 new cells, 1 spent")).toBeTruthy();
  expect(document.activeElement).toBe(refresh);
});

test("a list that begins anew does not go on from its former end, even if that comes into view meanwhile", async () => {
  ownTime();
  let near: IntersectionObserverCallback = () => {};
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: IntersectionObserverCallback, { rootMargin }: IntersectionObserverInit = {}) {
        // Links have others.
        if (rootMargin?.endsWith("px 0px")) near = callback;
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    if (path === "/status")
      return json({ network: "testnet", demo: false, tip: { height: 10, hash: "0x10", time: 0 } });
    if (path.startsWith("/changes")) return json({ kind: "touched", came: 1, left: 0, more: false });
    asked.push(path);
    return page(path, 3);
  });
  show();
  await pass(100);
  const isNear = [{ isIntersecting: true }] as IntersectionObserverEntry[];
  act(() => {
    fireEvent.click(screen.getByRole("button", { name: "Refresh" }));
    near(isNear, {} as IntersectionObserver);
  });
  await pass(1_000);
  expect(screen.getByText(/^End of list: 3 cells/)).toBeTruthy();
  expect(asked.filter((path) => path.includes("cursor="))).toEqual([]);
  vi.unstubAllGlobals();
});
