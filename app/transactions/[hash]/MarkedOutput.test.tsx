import { act, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { MarkedOutput } from "./MarkedOutput.tsx";

setUpParts();
afterEach(() => {
  window.location.hash = "";
});

const hash = `0x${"ab".repeat(32)}`;
const COUNT = 100_000;

test("a link to an output that is not drawn opens the list at it, once", () => {
  window.location.hash = "#13000";
  const { opened } = renderPart(<MarkedOutput hash={hash} count={COUNT} />);
  const place = new URLSearchParams({ tab: "outputs", from: `${hash}:12999`, row: "13001", output: "13000" });
  expect(opened).toEqual([`/?${place}#13000`.replace("%3A", ":")]);
  expect(screen.queryByText(/has no output/)).toBeNull();
});

test.each([
  [true, []],
  [false, ["/?tab=outputs&output=1"]],
])("a link to an output marks it in the drawing, or opens the list if that is hidden", (isVisible, paths) => {
  window.location.hash = "#1";
  const visible = (element: HTMLElement | null) => {
    if (element) element.checkVisibility = () => isVisible;
  };
  const { opened } = renderPart(
    <>
      <p id="1" ref={visible}>
        drawn
      </p>
      <MarkedOutput hash={hash} count={2} />
    </>,
  );
  expect(screen.getByText("drawn").ariaCurrent).toBe(isVisible ? "true" : undefined);
  expect(opened.map((path) => path.replace(/from=[^&]*&row=2&/, "").replace("#1", ""))).toEqual(paths);
});

test("a link to an output after the last one says how many there are", () => {
  window.location.hash = "#100000";
  const { opened } = renderPart(<MarkedOutput hash={hash} count={COUNT} />);
  expect(screen.getByText("This transaction has no output #100000")).toBeTruthy();
  expect(screen.getByText("It has 100,000 outputs, counted from #0.")).toBeTruthy();
  expect(opened).toEqual([]);
});

test("of a transaction whose number of outputs is unknown, a link asks for any output", () => {
  window.location.hash = "#7";
  const { opened } = renderPart(<MarkedOutput hash={hash} count={null} />);
  expect(opened).toEqual([expect.stringMatching(/output=7#7$/)]);
});

test("another output of the same transaction takes over the mark", () => {
  window.location.hash = "#0";
  const visible = (element: HTMLElement | null) => {
    if (element) element.checkVisibility = () => true;
  };
  const rows = ["0", "1"].map((index) => (
    <p key={index} id={index} ref={visible}>
      drawn {index}
    </p>
  ));
  renderPart(
    <>
      {rows}
      <MarkedOutput hash={hash} count={2} />
    </>,
  );
  window.location.hash = "#1";
  act(() => void window.dispatchEvent(new Event("hashchange")));
  const marks = ["0", "1"].map((index) => screen.getByText(`drawn ${index}`).ariaCurrent ?? null);
  expect(marks).toEqual([null, "true"]);
});
