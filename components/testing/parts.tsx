/** Parts of pages in a simulated document: tests without a build, a browser and a server. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, configure, fireEvent, render, screen } from "@testing-library/react";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import {
  PathnameContext,
  SearchParamsContext,
} from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import { NuqsTestingAdapter } from "nuqs/adapters/testing";
import type { ReactNode } from "react";
import { afterEach, beforeEach, vi } from "vitest";
import { readPreferences } from "#lib/client/preferences.ts";
import { retryDelay, shouldRetry } from "#lib/client/queries.ts";
import type { ChainStatus } from "#lib/client/status.ts";
import { type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { LabelsProvider } from "../labels.tsx";
import { PreferencesProvider } from "../Preferences.tsx";

// Queries would spend most of their time on styles, and no test here is about hidden elements. The milliseconds are those of
// lib/testing/timeouts.ts.
configure({ defaultHidden: true, asyncUtilTimeout: 120_000 });

/** Each test of the file that calls this begins with an empty document. Files may share this module, but not hooks. */
export function setUpParts(): void {
  beforeEach(() => {
    answerRequests(never);
    window.history.replaceState(null, "", "/");
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });
}

const router = {
  back() {},
  forward() {},
  refresh() {},
  push() {},
  replace() {},
  prefetch() {},
} as unknown as NonNullable<React.ContextType<typeof AppRouterContext>>;

/**
 * Renders a part of a page as the layout does. `searches` collects the changes of the address bar's query, `opened` the
 * pages that are opened beside `PageLoading`, and `refresh` is called when the page is read again.
 */
export function renderPart(part: ReactNode, { search = "", cookies = {} as Record<string, string> } = {}) {
  const searches: string[] = [];
  const opened: string[] = [];
  if (search !== "") window.history.replaceState(null, "", `/?${search}`);
  const push = (href: string) => void opened.push(href);
  const refresh = vi.fn();
  const client = new QueryClient({
    defaultOptions: { queries: { retry: shouldRetry, retryDelay, networkMode: "always" } },
  });
  render(
    <AppRouterContext value={{ ...router, push, replace: push, refresh }}>
      <PathnameContext value="/">
        <SearchParamsContext value={new URLSearchParams(search)}>
          <QueryClientProvider client={client}>
            <NuqsTestingAdapter
              hasMemory
              searchParams={search}
              onUrlUpdate={({ queryString }) => searches.push(queryString)}
            >
              <PreferencesProvider initial={readPreferences((name) => cookies[name])}>
                <LabelsProvider>{part}</LabelsProvider>
              </PreferencesProvider>
            </NuqsTestingAdapter>
          </QueryClientProvider>
        </SearchParamsContext>
      </PathnameContext>
    </AppRouterContext>,
  );
  return { searches, opened, refresh };
}

type Answering = (path: string) => Response | Promise<Response>;

/** Stubs the responses of lists and of the status until the next call. `asked` collects the lists' paths and queries. */
export function answerRequests(answering: Answering, tip: ChainStatus["tip"] = null): { asked: string[] } {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string, { signal }: RequestInit = {}) => {
    if (path === "/status") return json({ network: null, demo: false, tip });
    asked.push(path);
    const ended = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    return await Promise.race([answering(path), ended]);
  });
  return { asked };
}

export const never = () => new Promise<never>(() => {});

export const json = (body: unknown): Response => new Response(stringifyExactJson(body));

/** An error as the API returns it. */
export function failing(code: ErrorCode, headers: Record<string, string> = {}): Response {
  const { status, message } = errorTable[code];
  const body = JSON.stringify({ code, message, issues: [] });
  return new Response(body, { status, headers: { "x-request-id": "0b6f3e0a", ...headers } });
}

/** A response that requires a wait of 12 seconds. */
export const limited = () => failing("TOO_MANY_REQUESTS", { "retry-after": "12" });

/** Failures of requests: the beginning of the message, the code in it, and the response. */
export const failures: [
  name: string,
  said: string,
  code: string,
  answer: () => Response | Promise<Response>,
][] = [
  ["the rate limit", "rate limit reached", "TOO_MANY_REQUESTS", limited],
  [
    "an overloaded server",
    "the server is overloaded",
    "SERVICE_UNAVAILABLE",
    () => failing("SERVICE_UNAVAILABLE"),
  ],
  [
    "a server that fails",
    "the server failed",
    "INTERNAL_SERVER_ERROR",
    () => failing("INTERNAL_SERVER_ERROR"),
  ],
  ["a request without a response", "the server did not respond in time", "TIMEOUT", never],
  [
    "a response that is not the API's",
    "the response could not be read",
    "UNREADABLE",
    () => new Response("<h1>Bad Gateway</h1>", { status: 502 }),
  ],
  ["a success that is not a list", "the response could not be read", "UNREADABLE", () => json({})],
  [
    "no network",
    "the server cannot be reached",
    "UNREACHABLE",
    () => Promise.reject(new TypeError("failed")),
  ],
];

/** Stops the clock, so that only the test advances timers and the timeouts of requests. */
export function ownTime(): void {
  vi.useFakeTimers();
  vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), milliseconds);
    return controller.signal;
  });
}

export async function pass(milliseconds: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(milliseconds));
}

/** Clicks the first control with this name. */
export async function press(role: string, name: string | RegExp): Promise<void> {
  const [control] = screen.getAllByRole(role, { name });
  await act(async () => fireEvent.click(control!));
}

/** Opens the dialog of exports, whose code loads then. */
export async function openExport(): Promise<void> {
  await press("button", "Export");
  await act(async () => void (await import("#components/list/ExportChoices.tsx")));
}

/** Collects the files that the page saves. */
export function savedFiles(): { name: string; text: Promise<string> }[] {
  const files: { name: string; text: Promise<string> }[] = [];
  let text = Promise.resolve("");
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    text = (blob as Blob).text();
    return "blob:test";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    files.push({ name: this.download, text });
  });
  return files;
}

/** Chooses an option of a select by its text. */
export async function choose(name: string, words: string): Promise<void> {
  const select = screen.getByRole<HTMLSelectElement>("combobox", { name });
  const option = [...select.options].find(({ text }) => text === words);
  if (!option) throw new Error(`${name} has no ${words}`);
  await act(async () => fireEvent.change(select, { target: { value: option.value } }));
}

/** The text of the page's message about a failure, if there is one. */
export const alertText = (): string | undefined => screen.queryByRole("alert")?.textContent;
