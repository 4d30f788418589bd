"use client";

import { useRouter } from "next/navigation";
import { useEffect, useLayoutEffect, useState, useTransition } from "react";
import { withBase, withoutBase } from "#lib/client/base-path.ts";
import { retryAfterOf } from "#lib/client/request.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import { announce } from "./announce.ts";
import { LoadingBar } from "./ui/LoadingBar.tsx";
import { addressBarIsWritten, pathNow } from "./url-state.ts";
import { HYDRATED } from "./use-hydrated.ts";

/** Faster pages are not announced as loading. */
const SLOW_MS = 400;

/** The link in a `nav` that had the focus when a page was opened. The next page may have the same `nav`. */
let followed: { group: string; at: number } | null = null;
/** Whether the focus was on the page, which the next one shows in another state. */
let staysOnPage = false;

function focusedLink() {
  const link = document.activeElement;
  const nav = link?.closest("nav[aria-label]");
  return link && nav ? { group: nav.ariaLabel ?? "", at: [...nav.children].indexOf(link) } : null;
}

/** Restores the focus of keyboard users if the focused element is gone: to the same link, or else to the results. */
function restoreFocus() {
  if (document.activeElement !== document.body) return;
  const link =
    followed && document.querySelector(`nav[aria-label="${followed.group}"]`)?.children[followed.at];
  if (link instanceof HTMLElement) link.focus({ preventScroll: true });
  else if (staysOnPage) focusResults();
}

/** Opens a page without the layout that is shown. */
const load = (href: string) => window.location.assign(withBase(href));
let open: (hrefNow: () => string, scroll: boolean) => void = (hrefNow) => load(hrefNow());
const reload = () => window.location.reload();
let refresh = reload;
let leaving = false;

/** Keeps the place of keyboard users when the focused element disappears. */
export function focusResults(): void {
  document.getElementById("results")?.focus({ preventScroll: true });
}

/** Changes to the parameters of the page's own URL, of which `""` removes one. */
export type Changes = Readonly<Record<string, string>>;

interface Opening {
  /** Scrolls to the top: by default for paths, not for changes of parameters. */
  scroll?: boolean | undefined;
  keepsFragment?: boolean | undefined;
}

/** Opens another page within the same layout. */
export function openPage(
  to: string | Changes,
  { scroll = typeof to === "string", keepsFragment = false }: Opening = {},
): void {
  // The page may have changed the address bar since a link was rendered.
  const hrefNow = () =>
    (typeof to === "string" ? to : changeParameters(pathNow(), to)) +
    (keepsFragment ? window.location.hash : "");
  const href = hrefNow();
  followed = focusedLink();
  const { pathname, search, hash } = window.location;
  staysOnPage = document.activeElement !== document.body && /^[^?#]*/.exec(withBase(href))?.[0] === pathname;
  // The browser would replace its entry for the page by one that the router does not know.
  if (hash !== "" && withBase(href) === pathname + search + hash) {
    document.getElementById(hash.slice(1))?.scrollIntoView({ block: "center" });
    return;
  }
  // Within the page, the browser scrolls and sends the event `hashchange`. The router would do neither.
  if (withBase(href).startsWith(`${pathname}${search}#`)) load(href);
  else open(hrefNow, scroll);
}

/** Reads the page again, with its focus on the results. */
export function refreshPage(): void {
  focusResults();
  refresh();
}

/** True while another page is loading, which a change of the URL would cancel. */
export function isLeaving(): boolean {
  return leaving;
}

/** Shows the path of the page in the address bar, after a link by another path. */
export function ShownAt({ path }: { path: string }) {
  useEffect(() => {
    const { pathname, search } = window.location;
    if (pathname !== withBase(path)) window.history.replaceState(null, "", withBase(path) + search);
  }, [path]);
  return null;
}

const AGAIN_MS = 2_000;
const AT_MOST_MS = 60_000;
/** A proxy responds with these while the server is away. Our server never does. */
const GATEWAY_FAILED = [502, 504];
const UNREACHABLE = "The server cannot be reached.";
let openings = 0;
if (typeof window !== "undefined") window.addEventListener("popstate", () => (openings += 1));

/** Number of pages that the reader opened so far, also by Back. Tells whether there was another one in the meantime. */
export const openingsSoFar = (): number => openings;

/** Whether the router asks for a page. */
const isForPage = (init?: RequestInit): boolean => new Headers(init?.headers).has("rsc");

/** Resolves after a while, or once the browser is online again. */
const whenToTryAgain = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    window.addEventListener("online", resolve, { once: true, signal: AbortSignal.timeout(ms) });
  });

/** Why a response has no page but may have one later, and when to ask again; null for any other response. */
function problemOf({ status, headers }: Response): { sentence: string; ms: number } | null {
  if (GATEWAY_FAILED.includes(status)) return { sentence: UNREACHABLE, ms: AGAIN_MS };
  const seconds = retryAfterOf(headers);
  if (seconds === null || (status !== 429 && status !== 503)) return null;
  const sentence = status === 429 ? "The rate limit is reached." : "The server is busy.";
  return { sentence, ms: Math.min(Math.max(seconds * 1000, AGAIN_MS), AT_MOST_MS) };
}

/**
 * Keeps the page while the server cannot be reached or refuses requests for a while: the router would leave it to the browser,
 * which replaces it by an error. The router's requests are repeated instead until there is a page. `onProblem` gets a sentence
 * about each failure, and then `""`.
 */
function keepPage(onProblem: (sentence: string) => void): () => void {
  const plainFetch = window.fetch;
  window.fetch = async (input, init) => {
    if (!isForPage(init)) return plainFetch(input, init);
    const opening = openings;
    for (;;) {
      let problem: ReturnType<typeof problemOf>;
      try {
        const response = await plainFetch(input, init);
        problem = problemOf(response);
        if (!problem) {
          if (opening === openings) onProblem("");
          return response;
        }
      } catch (error) {
        if (init?.signal?.aborted) throw error;
        problem = { sentence: navigator.onLine ? UNREACHABLE : "You are offline.", ms: AGAIN_MS };
      }
      if (opening === openings) {
        onProblem(problem.sentence);
        await whenToTryAgain(problem.ms);
      }
      // The reader went elsewhere. A refusal would make the router leave the page to the browser.
      if (opening !== openings) return new Promise(() => {});
    }
  };
  return () => {
    window.fetch = plainFetch;
  };
}

/** A bar at the top while another page is loading. If the server cannot be reached, the page stays and says so. Only the layout renders it. */
export function PageLoading() {
  const router = useRouter();
  const [pending, start] = useTransition();
  const [problem, setProblem] = useState("");
  useEffect(() => keepPage(setProblem), []);
  useEffect(() => {
    document.documentElement.dataset[HYDRATED] = "";
  }, []);
  useLayoutEffect(() => {
    open = (hrefNow, scroll) => {
      openings += 1;
      setProblem("");
      // The list must not write its place once the address bar is written, although the transition is yet to begin.
      leaving = true;
      void addressBarIsWritten().finally(() => start(() => router.push(hrefNow(), { scroll })));
    };
    refresh = () => {
      if (!pending) start(() => router.refresh());
    };
    leaving = pending;
    return () => {
      open = (hrefNow) => load(hrefNow());
      refresh = reload;
      leaving = false;
    };
  }, [router, pending]);
  useEffect(() => {
    // The browser's entry for a fragment has no state, and the router ignores entries without its own when the reader returns.
    const adopt = () => {
      const { pathname, search, hash } = window.location;
      if (window.history.state === null)
        router.replace(withoutBase(pathname) + search + hash, { scroll: false });
    };
    // Before other listeners, which may open another page.
    window.addEventListener("hashchange", adopt, { capture: true });
    return () => window.removeEventListener("hashchange", adopt, { capture: true });
  }, [router]);
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => announce("Loading the page"), SLOW_MS);
    return () => {
      clearTimeout(timer);
      announce("");
      restoreFocus();
    };
  }, [pending]);
  if (problem !== "") {
    return (
      <p
        role="status"
        className="fixed inset-x-0 bottom-4 z-30 mx-auto w-fit rounded-full bg-text px-4 py-2 text-bg shadow-popover print:hidden"
      >
        {problem} This page stays until the next one loads.
      </p>
    );
  }
  return pending && <LoadingBar of="window" />;
}
