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

let open: (href: string, scroll: boolean) => void = (href) => window.location.assign(withBase(href));
let leaving = false;

/** Opens another page within the same layout. `scroll` false keeps the scroll position. */
export function openPage(href: string, scroll = true): void {
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
    };
  }, [pending]);
  return pending && <LoadingBar of="window" />;
}
