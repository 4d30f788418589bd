import { act, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { openPage, PageLoading, ShownAt } from "./navigation.tsx";

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

test("a page that was opened by another path shows its own, with the same query", () => {
  window.history.replaceState(null, "", "/blocks/7?page=2");
  renderPart(<ShownAt path="/blocks/0xab" />);
  expect(window.location.pathname + window.location.search).toBe("/blocks/0xab?page=2");
});

test("an entry of the history that the browser made for a fragment becomes one of the router", () => {
  const { opened } = renderPart(<PageLoading />);
  window.history.pushState(null, "", "/docs?a=1#paging");
  window.dispatchEvent(new Event("hashchange"));
  expect(opened).toEqual(["/docs?a=1#paging"]);
  window.history.replaceState({ own: true }, "", "/docs?a=1#events");
  window.dispatchEvent(new Event("hashchange"));
  expect(opened).toHaveLength(1);
});
