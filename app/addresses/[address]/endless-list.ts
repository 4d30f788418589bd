"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isLeaving } from "#components/navigation.tsx";
import type { FirstAnswer } from "#lib/client/queries.ts";
import type { UtxoList } from "#lib/contract/endpoints.ts";
import { type UtxoView, utxoList, utxosPath, utxosQuery } from "./list.ts";

export const LIST_ID = "results";

/** Where this tab began each list, so that coming back to one shows the rows that it had. */
const begun = new Map<string, string>();

/**
 * The cursor that the list is read from, and how to start elsewhere. The address bar follows the reader down
 * the list, so its cursor is a start only when the list is opened.
 */
export function useStart(address: string, view: UtxoView): [string, (cursor: string) => void] {
  const client = useQueryClient();
  const key = utxosPath(address, { ...view, from: "" });
  function open(): { key: string; cursor: string } {
    const earlier = begun.get(key);
    if (earlier === undefined || view.from === "") return { key, cursor: view.from };
    const cached = client.getQueryData(utxosQuery(address, { ...view, from: earlier }).queryKey);
    return { key, cursor: cached?.pageParams.includes(view.from) ? earlier : view.from };
  }
  const [start, setStart] = useState(open);
  const current = start.key === key ? start : open();
  if (current !== start) setStart(current);
  useEffect(() => {
    // Opened by a link into the middle: the browser's scroll position belongs to a list of another length.
    if (current.cursor !== "" && !begun.has(current.key)) {
      requestAnimationFrame(() => document.getElementById(LIST_ID)?.parentElement?.scrollIntoView());
    }
    begun.set(current.key, current.cursor);
  }, [current]);
  return [current.cursor, (cursor) => setStart({ key, cursor })];
}

const FOLLOW_MS = 300;
/** Below the bars that stick to the top. */
const READING_LINE_PX = 160;

type Pages = ReturnType<typeof useUtxos>["data"];

/** Calls back with the cursor of the page that is being read, a moment after the reader stopped scrolling. */
export function useReadingPlace(pages: Pages, onPlace: (cursor: string) => void) {
  const latest = useRef({ pages, onPlace });
  latest.current = { pages, onPlace };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function settle() {
      const { pages, onPlace } = latest.current;
      const row = document
        .elementFromPoint(window.innerWidth / 2, READING_LINE_PX)
        ?.closest<HTMLElement>("tr[data-id]");
      if (!pages || !row || isLeaving()) return;
      const at = pages.pages.findIndex(({ data }) =>
        data.result.some((entry) => utxoList.idOf(entry) === row.dataset.id),
      );
      const cursor = pages.pageParams[at];
      if (cursor !== undefined) onPlace(cursor);
    }
    function onScroll() {
      clearTimeout(timer);
      timer = setTimeout(settle, FOLLOW_MS);
    }
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", onScroll);
    };
  }, []);
}

/** The list from where the view starts. */
export function useUtxos(address: string, view: UtxoView, first: FirstAnswer<UtxoList> | null) {
  return useInfiniteQuery(utxosQuery(address, view, first));
}

/** Pages that load automatically before the reader is asked, so that the page's end can be reached. */
const AUTO_PAGES = 5;
/** The next page is asked for this many pixels before the end comes into view. */
const AHEAD_PX = 1000;

/** Loads the next page as its place nears the window, a few pages in a row; then waits for the button. */
export function useAutomaticLoading(query: ReturnType<typeof useUtxos>, enabled: boolean, list: string) {
  const sentinel = useRef<HTMLDivElement>(null);
  const pageCount = query.data?.pages.length ?? 0;
  const [allowed, setAllowed] = useState({ list, upTo: AUTO_PAGES });
  const upTo = allowed.list === list ? allowed.upTo : AUTO_PAGES;
  const ready = query.hasNextPage && !query.isFetching && !query.error;
  const { fetchNextPage } = query;
  useEffect(() => {
    const element = sentinel.current;
    if (!element || !ready || !enabled || pageCount >= upTo) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page gets several at once; only the last one still holds.
        if (entries.at(-1)?.isIntersecting) void fetchNextPage();
      },
      { rootMargin: `${AHEAD_PX}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ready, enabled, pageCount, upTo, fetchNextPage]);
  return {
    sentinel,
    loadNext() {
      setAllowed({ list, upTo: pageCount + AUTO_PAGES });
      void fetchNextPage();
    },
  };
}
