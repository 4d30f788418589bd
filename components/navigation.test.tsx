import { act, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { PageLoading, ShownAt } from "./navigation.tsx";

setUpParts();

test("a page that cannot be loaded leaves the shown one, says why, and loads once the server responds", async () => {
  const failures = [new TypeError("no network"), new TypeError("no network")];
  const ask = vi.fn(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return new Response("the page");
  });
  vi.stubGlobal("fetch", ask);
  const offline = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  renderPart(<PageLoading />);
  const page = fetch("/docs", { headers: { rsc: "1" } });
  await waitFor(() => expect(screen.getByRole("status").textContent).toContain("You are offline."));
  offline.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event("online")));
  await waitFor(() => expect(screen.getByRole("status").textContent).toContain("cannot be reached."));
  act(() => void window.dispatchEvent(new Event("online")));
  expect(await (await page).text()).toBe("the page");
  await waitFor(() => expect(screen.queryByRole("status")).toBeNull());
  expect(ask).toHaveBeenCalledTimes(3);
});

test.each([
  [429, "The rate limit is reached."],
  [503, "The server is busy."],
])(
  "a page that is refused for a while with %i leaves the shown one, and loads later",
  async (status, reason) => {
    const responses = [
      new Response("", { status, headers: { "Retry-After": "40" } }),
      new Response("the page"),
    ];
    vi.stubGlobal("fetch", async () => responses.shift());
    renderPart(<PageLoading />);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const page = fetch("/docs", { headers: { rsc: "1" } });
    await vi.waitFor(() => expect(screen.getByRole("status").textContent).toContain(reason));
    await act(() => vi.advanceTimersByTimeAsync(39_000));
    expect(responses).toHaveLength(1);
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(await (await page).text()).toBe("the page");
  },
);

test("a page that the reader gave up is not requested again", async () => {
  const ask = vi.fn(async () => new Response("", { status: 429, headers: { "Retry-After": "40" } }));
  vi.stubGlobal("fetch", ask);
  renderPart(<PageLoading />);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  void fetch("/docs", { headers: { rsc: "1" } });
  await vi.waitFor(() => expect(screen.getByRole("status")).toBeTruthy());
  window.dispatchEvent(new Event("popstate"));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(ask).toHaveBeenCalledTimes(1);
});

test("a page that is refused for good is left to the router", async () => {
  vi.stubGlobal("fetch", async () => new Response("", { status: 503 }));
  renderPart(<PageLoading />);
  expect((await fetch("/docs", { headers: { rsc: "1" } })).status).toBe(503);
});

test("other requests fail at once, so that lists say what happened", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network")));
  renderPart(<PageLoading />);
  await expect(fetch("/v0/blocks")).rejects.toThrow("no network");
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
