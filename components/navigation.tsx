"use client";

import { useRouter } from "next/navigation";
import { useEffect, useLayoutEffect, useTransition } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { announce } from "./announce.ts";
import { LoadingBar } from "./ui/LoadingBar.tsx";
import { addressBarIsWritten } from "./url-state.ts";
import { HYDRATED } from "./use-hydrated.ts";

/** Most pages load sooner, and an announcement that is cut short is noise. */
const SLOW_MS = 400;

/** The focused link of a group of links: the next page may have the same group. */
let pressed: { group: string; at: number } | null = null;

function linkPressed() {
  const link = document.activeElement;
  const nav = link?.closest("nav[aria-label]");
  return link && nav ? { group: nav.ariaLabel ?? "", at: [...nav.children].indexOf(link) } : null;
}

/** By keyboard, one goes on from the link that was pressed, though the page drew it anew. */
function focusAgain() {
  if (!pressed || document.activeElement !== document.body) return;
  const link = document.querySelector(`nav[aria-label="${pressed.group}"]`)?.children[pressed.at];
  if (link instanceof HTMLElement) link.focus({ preventScroll: true });
}

let open: (href: string, scroll: boolean) => void = (href) => window.location.assign(withBase(href));
let leaving = false;

/** For the reader by keyboard, if what was pressed goes away. */
export function focusResults(): void {
  document.getElementById("results")?.focus({ preventScroll: true });
}

/** Opens another page within the same layout. `scroll` false keeps the scroll position. */
export function openPage(href: string, scroll = true): void {
  pressed = linkPressed();
  open(href, scroll);
}

/** True while another page is loading, which a change of the URL would cancel. */
export function isLeaving(): boolean {
  return leaving;
}

/** A bar at the top while another page is loading. The layout has the only one. */
export function PageLoading() {
  const router = useRouter();
  const [pending, start] = useTransition();
  useEffect(() => {
    document.documentElement.dataset[HYDRATED] = "";
  }, []);
  useLayoutEffect(() => {
    open = (href, scroll) =>
      void addressBarIsWritten().finally(() => start(() => router.push(href, { scroll })));
    leaving = pending;
  }, [router, pending]);
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => announce("Loading the page"), SLOW_MS);
    return () => {
      clearTimeout(timer);
      announce("");
      focusAgain();
    };
  }, [pending]);
  return pending && <LoadingBar of="window" />;
}
