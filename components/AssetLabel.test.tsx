import { act, fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { sharesIn } from "#lib/client/format.ts";
import { AssetLabel } from "./AssetLabel.tsx";
import { ShareLine, shareInUsd } from "./charts/ShareBar.tsx";
import { answerRequests, json, ownTime, pass, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

const asset = { id: "0x01", name: "Tide Dollar", symbol: "TIDE", decimals: 2, public: true };
const entry = { tokenInfo: { totalSupply: "12345" }, priceUsd: "1.5", holderCount: 7, resembles: "" };

function show() {
  HTMLElement.prototype.showPopover = () => {};
  const { asked } = answerRequests(() => json(entry));
  renderPart(<AssetLabel asset={asset} flags={[]} share="2.00 %" />);
  const label = screen.getByText("TIDE");
  const enter = (pointerType: string) => act(() => fireEvent.pointerEnter(label, { pointerType }));
  return { asked, label, enter };
}

test("the focus of a keyboard opens a card with facts, and Escape closes it", async () => {
  const { asked, label } = show();
  vi.spyOn(HTMLElement.prototype, "matches").mockReturnValue(true);
  act(() => label.closest("a")!.focus());
  vi.restoreAllMocks();
  const card = await screen.findByRole("tooltip");
  await screen.findByText("123.45");
  expect(card.textContent).toBe("Tide Dollar 0x01Price$1.50Supply123.45Holders7Share here2.00 %");
  expect(document.activeElement?.getAttribute("aria-describedby")).toBe(card.id);
  expect(asked).toEqual(["/v0/assets/0x01"]);
  act(() => void fireEvent.keyDown(document.body, { key: "Escape" }));
  expect(screen.queryByRole("tooltip")).toBeNull();
});

test("a collection has no card", async () => {
  ownTime();
  const { asked } = answerRequests(() => json(entry));
  renderPart(<AssetLabel asset={asset} flags={[]} opens={false} />);
  act(() => fireEvent.pointerEnter(screen.getByText("TIDE"), { pointerType: "mouse" }));
  await pass(5_000);
  expect(asked).toEqual([]);
});

test("a mouse that rests on an asset opens its card; one that passes and a finger do not", async () => {
  ownTime();
  const { label, enter, asked } = show();
  enter("mouse");
  act(() => void fireEvent.pointerLeave(label));
  enter("touch");
  await pass(5_000);
  expect(asked).toEqual([]);
  enter("mouse");
  await pass(5_000);
  await vi.dynamicImportSettled();
  await pass(0);
  expect(screen.queryByRole("tooltip")).not.toBeNull();
});

test("a part of a drawing opens the card of its asset, and other parts open none", async () => {
  ownTime();
  HTMLElement.prototype.showPopover = () => {};
  answerRequests(() => json(entry));
  const parts = [
    shareInUsd("0x01", "TIDE", 300_000_000n, { asset: { asset, flags: [] } }),
    shareInUsd("more", "2 more", 100_000_000n),
  ];
  renderPart(<ShareLine title="Holdings" parts={parts} shares={sharesIn(400_000_000n, [])} />);
  const [tide, more] = screen.getAllByRole("listitem");
  expect([tide!.title, more!.title]).toEqual(["", "$1.00"]);
  for (const item of [more!, tide!]) {
    act(() => void fireEvent.pointerEnter(item, { pointerType: "mouse" }));
    await pass(5_000);
    await vi.dynamicImportSettled();
    await pass(0);
    expect(screen.queryAllByRole("tooltip").length).toBe(item === tide ? 1 : 0);
  }
  expect(screen.getByRole("tooltip").textContent).toContain("Share here75.00 % · $3.00");
});
