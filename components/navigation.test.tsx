// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { openPage, PageLoading } from "./navigation.tsx";

setUpParts();

test("offline, a link keeps the page and says so until the network returns", () => {
  const offline = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  renderPart(<PageLoading />);
  act(() => openPage("/docs"));
  expect(screen.getByRole("status").textContent).toContain("You are offline");
  offline.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event("online")));
  expect(screen.queryByRole("status")).toBeNull();
});
