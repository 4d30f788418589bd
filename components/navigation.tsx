"use client";

import { useRouter } from "next/navigation";
import { useEffect, useLayoutEffect, useTransition } from "react";
import { announce } from "./announce.ts";

/** Most pages come sooner: what is read out only to be interrupted is noise. */
const SLOW_MS = 400;

let open: (href: string, scroll: boolean) => void = (href) => window.location.assign(href);
let leaving = false;

/** Opens another page in the frame of this one; `scroll` false leaves the window where it is. */
export function openPage(href: string, scroll = true): void {
  open(href, scroll);
}

/**
 * True from the wish for another page until it is there. Whoever changes the address bar meanwhile calls the
 * wish off, so what the reader did not ask for must wait.
 */
export function isLeaving(): boolean {
  return leaving;
}

/** A bar over the page while another one is on its way; on every page once. */
export function PageLoading() {
  const router = useRouter();
  const [pending, start] = useTransition();
  useLayoutEffect(() => {
    open = (href, scroll) => start(() => router.push(href, { scroll }));
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
  return pending && <div aria-hidden="true" className="loading-bar fixed z-40" />;
}
