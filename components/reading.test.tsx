import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { useUnlessReading } from "./reading.ts";
import { ownTime, pass, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

function List({ act }: { act: () => void }) {
  useUnlessReading("results", act);
  return (
    <section>
      <input aria-label="Filter" />
      <select aria-label="Order" />
      <div id="results">
        <button type="button">Row</button>
      </div>
    </section>
  );
}

test("a list is in use while one of its fields or rows has the focus", async () => {
  ownTime();
  const act = vi.fn();
  renderPart(<List act={act} />);
  await pass(1_500);
  expect(act).toHaveBeenCalled();
  for (const control of [
    screen.getByLabelText("Filter"),
    screen.getByLabelText("Order"),
    screen.getByText("Row"),
  ]) {
    fireEvent.focus(control);
    control.focus();
    act.mockClear();
    await pass(3_000);
    expect(act).not.toHaveBeenCalled();
    control.blur();
    await pass(1_500);
    expect(act).toHaveBeenCalled();
  }
});
