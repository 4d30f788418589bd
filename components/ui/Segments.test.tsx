import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderPart, setUpParts } from "../testing/parts.tsx";
import { Segments } from "./Segments.tsx";

setUpParts();

test("choices of one title, such as an asset and its imitation, are kept apart", () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const choices = ["0x1", "0x2"].map((asset) => ({ title: "AHOY", href: { asset }, current: false }));
  renderPart(<Segments label="Assets" choices={choices} />);
  const links = screen.getAllByRole("link", { name: "AHOY" });
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/?asset=0x1", "/?asset=0x2"]);
  expect(logged).not.toHaveBeenCalled();
});
