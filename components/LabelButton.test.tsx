import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { LabelButton } from "./LabelButton.tsx";
import { press, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

test("the focus returns to the button when the field closes", async () => {
  renderPart(<LabelButton address="ckb1test" />);
  for (const close of [
    () => press("button", "Cancel"),
    async () => fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" }),
    async () => fireEvent.submit(screen.getByRole("textbox").closest("form")!),
  ]) {
    await press("button", "+ Label");
    expect(document.activeElement).toBe(screen.getByRole("textbox"));
    await close();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "+ Label" }));
  }
});
