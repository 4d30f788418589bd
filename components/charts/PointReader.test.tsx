import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { PageLoading } from "#components/navigation.tsx";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { PointReader } from "./PointReader.tsx";

setUpParts();
beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => {};
});

const DOLLAR = 100_000_000n;
const points = ["a", "b", "c"].map((key, at) => ({
  ...{ x: at / 2, y: 0.5, text: `$${at}`, where: key, key },
  ...(at > 0 && { amount: BigInt(at) * DOLLAR }),
}));

/** A chart of 100 pixels, and a function that presses there, moves and lets go. */
function show() {
  const { opened } = renderPart(
    <>
      <PageLoading />
      <PointReader
        label="Value"
        colour="red"
        points={points}
        ofPoint={{ tab: "" }}
        ofRange={{ tab: "changes" }}
      />
    </>,
    { search: "token=0x01&tab=x" },
  );
  const chart = screen.getByRole("slider");
  chart.getBoundingClientRect = () => new DOMRect(0, 0, 100, 50);
  const at = (pointerType: string, clientX: number, button = 0) => ({
    ...{ pointerType, clientX, button, bubbles: true },
  });
  const press = (pointerType: string, from: number, to: number, button = 0) => {
    fireEvent.pointerDown(chart, at(pointerType, from, button));
    fireEvent.pointerMove(chart, at(pointerType, to, button));
  };
  const drag = (pointerType: string, from: number, to: number, button = 0) => {
    press(pointerType, from, to, button);
    fireEvent.pointerUp(chart, at(pointerType, to, button));
    fireEvent.pointerLeave(chart, at(pointerType, to, button));
  };
  return { opened, press, drag };
}

test("a dragged range shows what it adds, in either direction, or both ends if one is not known", () => {
  const { press } = show();
  const read = () => screen.getByRole("slider").getAttribute("aria-valuetext");
  press("mouse", 50, 100);
  expect(read()).toBe("+$1.00, b to c");
  expect(screen.getByText("+$1.00")).toBeTruthy();
  press("mouse", 100, 50);
  expect(read()).toBe("+$1.00, b to c");
  press("mouse", 0, 100);
  expect(read()).toBe("$0 to $2, a to c");
});

test("a click opens a point of the same view, also if the mouse moves a little, and dragging opens a range", async () => {
  const { opened, drag } = show();
  drag("mouse", 24, 27);
  await Promise.resolve();
  drag("mouse", 0, 100);
  await Promise.resolve();
  expect(opened).toEqual(["/?token=0x01&at=b", "/?token=0x01&tab=changes&since=a&to=c"]);
});

test("other buttons of the mouse open nothing", async () => {
  const { opened, drag } = show();
  drag("mouse", 50, 50, 2);
  await Promise.resolve();
  expect(opened).toEqual([]);
});

test("a finger first reads a point or a range, and a second tap on it opens it", async () => {
  const { opened, drag } = show();
  drag("touch", 50, 50);
  expect(screen.getByText("$1")).toBeTruthy();
  expect(screen.getByText("Tap again to open")).toBeTruthy();
  drag("touch", 100, 100);
  expect(screen.getByText("$2")).toBeTruthy();
  expect(opened).toEqual([]);
  drag("touch", 100, 100);
  await Promise.resolve();
  expect(opened).toEqual(["/?token=0x01&at=c"]);
  drag("touch", 0, 50);
  drag("touch", 10, 10);
  await Promise.resolve();
  expect(opened.at(-1)).toBe("/?token=0x01&tab=changes&since=a&to=b");
});

test("keys with Ctrl, Alt or Meta are the browser's", () => {
  show();
  const chart = screen.getByRole("slider");
  for (const held of ["ctrlKey", "altKey", "metaKey"]) {
    // `fireEvent` returns false if the default was prevented.
    expect(fireEvent.keyDown(chart, { key: "ArrowLeft", [held]: true })).toBe(true);
  }
  expect(fireEvent.keyDown(chart, { key: "ArrowLeft" })).toBe(false);
});
