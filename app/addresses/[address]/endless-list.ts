"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isLeaving } from "#components/navigation.tsx";
import { type FirstAnswer, isEarlierPage } from "#lib/client/queries.ts";
import type { UtxoList } from "#lib/contract/endpoints.ts";
import { type UtxoView, utxoList, utxosPath, utxosQuery } from "./list.ts";

export const LIST_ID = "results";

/** Where a list is read from: a cursor, and the place of the row after it (1 if not known). */
type Start = Pick<UtxoView, "from" | "row">;
const TOP: Start = { from: "", row: 1 };

/** Where this tab began each list, so that coming back to one shows the rows that it had. */
const begun = new Map<string, Start>();

/**
 * Where the list is read from, and how to start at its top. The address bar follows the reader down
 * the list, so its cursor is a start only when the list is opened.
 */
export function useStart(address: string, view: UtxoView): [Start, () => void] {
  const client = useQueryClient();
  const key = utxosPath(address, { ...view, from: "" });
  function open(): { key: string; at: Start } {
    if (view.from === "") return { key, at: TOP };
    const asked = { from: view.from, row: view.row };
    const earlier = begun.get(key);
    const cached = earlier && client.getQueryData(utxosQuery(address, { ...view, ...earlier }).queryKey);
    return { key, at: earlier && cached?.pageParams.includes(view.from) ? earlier : asked };
  }
  const [start, setStart] = useState(open);
  const current = start.key === key ? start : open();
  if (current !== start) setStart(current);
  useEffect(() => {
    // Opened by a link into the middle: the browser's scroll position belongs to a list of another length.
    if (current.at.from !== "" && !begun.has(current.key)) {
      requestAnimationFrame(() => document.getElementById(LIST_ID)?.parentElement?.scrollIntoView());
    }
    begun.set(current.key, current.at);
  }, [current]);
  return [current.at, () => setStart({ key, at: TOP })];
}

const FOLLOW_MS = 300;
/** Below the bars that stick to the top. */
const READING_LINE_PX = 160;

type Pages = ReturnType<typeof useUtxos>["data"];

/**
 * Calls back with the cursor of the page that is being read, and the number of loaded rows before it, a moment after the
 * reader stopped scrolling.
 */
export function useReadingPlace(pages: Pages, onPlace: (cursor: string, rowsBefore: number) => void) {
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
      if (cursor === undefined || isEarlierPage(cursor)) return;
      onPlace(cursor, countRows(pages.pages.slice(0, at)));
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

const countRows = (pages: NonNullable<Pages>["pages"]) =>
  pages.reduce((sum, { data }) => sum + data.result.length, 0);

/**
 * How many rows of the whole list come before the loaded ones; null if that is not known. Rows that came or went since a
 * link was made are not counted.
 */
export function rowsBefore(query: ReturnType<typeof useUtxos>, start: Start): number | null {
  if (!query.hasPreviousPage && query.data) return 0;
  if (start.row === 1) return start.from === "" ? 0 : null;
  const { pages = [], pageParams = [] } = query.data ?? {};
  const earlier = countRows(pages.filter((_, at) => isEarlierPage(pageParams[at] ?? "")));
  return Math.max(0, start.row - 1 - earlier);
}

/** The list from where the view starts. */
export function useUtxos(address: string, view: UtxoView, first: FirstAnswer<UtxoList> | null) {
  return useInfiniteQuery(utxosQuery(address, view, first));
}

/** Pages that load automatically before the reader is asked, so that the page's end can be reached. */
const AUTO_PAGES = 5;
/** The next page is asked for this many pixels before the end comes into view. */
const AHEAD_PX = 1000;

/**
 * Loads the next page as its place nears the window, a few pages in a row; then waits for a button. `loadAll` goes on to
 * the end of the list wherever the window is, until it is stopped.
 */
export function useAutomaticLoading(query: ReturnType<typeof useUtxos>, enabled: boolean, list: string) {
  const sentinel = useRef<HTMLDivElement>(null);
  const pageCount = query.data?.pages.length ?? 0;
  const [allowed, setAllowed] = useState({ list, upTo: AUTO_PAGES });
  const upTo = allowed.list === list ? allowed.upTo : AUTO_PAGES;
  const ready = query.hasNextPage && !query.isFetching && !query.error;
  const { fetchNextPage } = query;
  const [whole, setWhole] = useState("");
  const loadingAll = whole === list && query.hasNextPage && !query.error;
  useEffect(() => {
    if (loadingAll && ready) void fetchNextPage();
  }, [loadingAll, ready, fetchNextPage]);
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
    loadingAll,
    loadAll: (go: boolean) => setWhole(go ? list : ""),
    loadNext() {
      setAllowed({ list, upTo: pageCount + AUTO_PAGES });
      void fetchNextPage();
    },
  };
}
