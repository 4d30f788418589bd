"use client";

import { useRouter } from "next/navigation";
import { useLayoutEffect, useTransition } from "react";

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

/** For one component that is there on every page. */
export function useNavigation(): void {
  const router = useRouter();
  const [pending, start] = useTransition();
  useLayoutEffect(() => {
    open = (href, scroll) => start(() => router.push(href, { scroll }));
    leaving = pending;
  }, [router, pending]);
}
