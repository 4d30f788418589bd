import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { PageLoading } from "#components/navigation.tsx";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { PointReader } from "./PointReader.tsx";

setUpParts();
beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => {};
});

const points = ["a", "b", "c"].map((key, at) => ({ x: at / 2, y: 0.5, text: `$${at}`, where: key, key }));

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
  const drag = (pointerType: string, from: number, to: number, button = 0) => {
    const at = (clientX: number) => ({ pointerType, clientX, button, bubbles: true });
    fireEvent.pointerDown(chart, at(from));
    fireEvent.pointerMove(chart, at(to));
    fireEvent.pointerUp(chart, at(to));
    fireEvent.pointerLeave(chart, at(to));
  };
  return { opened, drag };
}

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
