import { act, fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { assetColour } from "#components/asset-colour.ts";
import {
  answerRequests,
  failing,
  json,
  ownTime,
  pass,
  press,
  renderPart,
  setUpParts,
} from "#components/testing/parts.tsx";
import type { LatestBlock, NewestAsset } from "#lib/client/home.ts";
import { LatestBlocks } from "./LatestBlocks.tsx";
import { MovedMost } from "./MovedMost.tsx";
import { NewestAssets } from "./NewestAssets.tsx";

setUpParts();

const assetOf = (at: number) => ({
  ...{ id: `0x${at}`, name: `Coin ${at}`, symbol: `C${at}`, icon: "", decimals: 8, public: true },
});

test("a change tells the amounts of both periods when it has the focus or the pointer, until Escape", async () => {
  const row = { asset: assetOf(1), volumeUsd: "1500000000", points: [], before: "1000000000" };
  renderPart(
    <MovedMost
      period="1h"
      first={{ after: 1, tip: { height: 9, hash: "0x9" }, isWhole: true, rows: [row] }}
      blocks={{ blocks: [], assets: {} }}
    />,
  );
  const change = screen.getByRole("button", {
    description: "$15.00 in this period $10.00 in the one before",
  });
  const tooltip = () => screen.getByRole("tooltip", { hidden: true });
  expect(tooltip().hidden).toBe(true);
  await act(async () => change.focus());
  expect(tooltip().hidden).toBe(false);
  await act(async () => fireEvent.keyDown(change, { key: "Escape" }));
  expect(tooltip().hidden).toBe(true);
  await act(async () => fireEvent.pointerEnter(change.parentElement!));
  expect(tooltip().hidden).toBe(false);
});

test("what moved most has the colours of the chart, and no colour if the chart gives it none", () => {
  const rows = [1, 2].map((at) => ({ asset: assetOf(at), volumeUsd: "9", points: [], before: null }));
  const largest = [{ id: assetOf(2).id, volumeUsd: "5" }];
  renderPart(
    <MovedMost
      period="1h"
      first={{ after: 1, tip: { height: 9, hash: "0x9" }, isWhole: true, rows }}
      blocks={{ blocks: [{ ...blockAt(9), largest }], assets: { "0x2": assetOf(2) } }}
    />,
  );
  const colours = screen.getAllByRole("listitem").map((row) => /--color-asset-\w+/.exec(row.innerHTML)?.[0]);
  expect(colours).toEqual([expect.stringMatching(/rest$/), assetColour("0x2").slice("var(".length, -1)]);
});

test("newest assets leave out flagged ones, and list them on request", async () => {
  const newest = (at: number): NewestAsset => ({
    ...{ asset: assetOf(at), standard: "xudt", members: 1, holderCount: 1, firstMintAt: "" },
    flags: at === 2 ? [{ kind: "look-alike", strong: true, label: "Look-alike", reason: "" }] : [],
  });
  renderPart(<NewestAssets isWhole assets={Array.from({ length: 7 }, (_, at) => newest(at))} />);
  const shown = () => screen.getAllByRole("listitem").map(({ textContent }) => /C\d/.exec(textContent!)?.[0]);
  expect(shown()).toEqual(["C0", "C1", "C3", "C4", "C5", "C6"]);
  expect(document.body.textContent).toContain("1 flagged, show");
  await press("button", "Show flagged assets");
  expect(shown()).toEqual(["C0", "C1", "C2", "C3", "C4", "C5", "C6"]);
});

const blockAt = (height: number): LatestBlock => ({
  ...{ height, hash: `0x${height}`, timestamp: 0, transactionCount: 1, assetCount: 1, volumeUsd: "0" },
  largest: [],
});
const blocksUpTo = (height: number) => ({ blocks: [blockAt(height), blockAt(height - 1)], assets: {} });
const latest = () => screen.getAllByRole("listitem")[0]!.textContent;

test("after new blocks are shown, the focus is on the link in the button's place", async () => {
  ownTime();
  answerRequests(() => json(blocksUpTo(11)), { height: 11, hash: "0x11", timestamp: 0 } as never);
  renderPart(<LatestBlocks first={blocksUpTo(9)} />);
  act(() => screen.getAllByRole("link", { name: "9" })[0]!.focus());
  await pass(2_000);
  expect(latest()).toContain("9");
  const show = screen.getByRole("button", { name: "Show 2 new blocks" });
  act(() => show.focus());
  fireEvent.click(show);
  await pass(100);
  expect(latest()).toContain("11");
  expect(document.activeElement).toBe(screen.getByRole("link", { name: "Follow" }));
});

test("if more blocks came than the list has, their number is not claimed, and a failure keeps the list", async () => {
  ownTime();
  let height = 20;
  let answer = () => json(blocksUpTo(height));
  vi.stubGlobal("fetch", async (path: string) =>
    path === "/status"
      ? json({ network: "testnet", demo: false, tip: { height, hash: `0x${height}`, time: 0 } })
      : answer(),
  );
  renderPart(<LatestBlocks first={blocksUpTo(9)} />);
  act(() => screen.getAllByRole("link", { name: "9" })[0]!.focus());
  await pass(2_000);
  expect(screen.getByRole("button", { name: "Show the newest blocks" })).toBeTruthy();
  act(() => (document.activeElement as HTMLElement).blur());
  answer = () => failing("BAD_REQUEST");
  height = 21;
  await pass(6_000);
  expect(latest()).toContain("20");
});

/** The page at block 8, and at block 10 after a click. */
function Home() {
  const [height, setHeight] = useState(8);
  return (
    <>
      <button type="button" onClick={() => setHeight(10)}>
        24 h
      </button>
      <LatestBlocks first={blocksUpTo(height)} />
    </>
  );
}

test("blocks of an earlier tip do not replace newer ones that came with the page", async () => {
  ownTime();
  let tip = { height: 9, hash: "0x9", timestamp: 0 };
  answerRequests(() => json(blocksUpTo(tip.height)), tip as never);
  renderPart(<Home />);
  await pass(2_000);
  expect(latest()).toContain("9");
  tip = { height: 10, hash: "0x10", timestamp: 0 };
  answerRequests(() => json(blocksUpTo(tip.height)), tip as never);
  fireEvent.click(screen.getByRole("button", { name: "24 h" }));
  await pass(20_000);
  expect(latest()).toContain("10");
});
