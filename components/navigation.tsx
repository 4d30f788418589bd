"use client";

import { useRouter } from "next/navigation";
import { useEffect, useLayoutEffect, useState, useTransition } from "react";
import { withBase, withoutBase } from "#lib/client/base-path.ts";
import { announce } from "./announce.ts";
import { LoadingBar } from "./ui/LoadingBar.tsx";
import { addressBarIsWritten } from "./url-state.ts";
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
let open: (href: string, scroll: boolean) => void = load;
const reload = () => window.location.reload();
let refresh = reload;
let leaving = false;

/** Keeps the place of keyboard users when the focused element disappears. */
export function focusResults(): void {
  document.getElementById("results")?.focus({ preventScroll: true });
}

/** Opens another page within the same layout. Unless `scroll` is set, it keeps the scroll position. */
export function openPage(href: string, scroll = true): void {
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
  else open(href, scroll);
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

/** A bar at the top while another page is loading. Offline, links keep the page and say so. Only the layout renders it. */
export function PageLoading() {
  const router = useRouter();
  const [pending, start] = useTransition();
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    document.documentElement.dataset[HYDRATED] = "";
  }, []);
  useLayoutEffect(() => {
    open = (href, scroll) => {
      setRefused(!navigator.onLine);
      // Offline, the browser would replace the page by its own message.
      if (!navigator.onLine) return;
      // The list must not write its place once the address bar is written, although the transition is yet to begin.
      leaving = true;
      void addressBarIsWritten().finally(() => start(() => router.push(href, { scroll })));
    };
    refresh = () => {
      setRefused(!navigator.onLine);
      if (navigator.onLine && !pending) start(() => router.refresh());
    };
    leaving = pending;
    return () => {
      open = load;
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
  useEffect(() => {
    const goOn = () => setRefused(false);
    window.addEventListener("online", goOn);
    return () => window.removeEventListener("online", goOn);
  }, []);
  if (refused) {
    return (
      <p
        role="status"
        className="fixed inset-x-0 bottom-4 z-30 mx-auto w-fit rounded-full bg-text px-4 py-2 text-bg shadow-popover print:hidden"
      >
        You are offline. This page stays as it is.
      </p>
    );
  }
  return pending && <LoadingBar of="window" />;
}
