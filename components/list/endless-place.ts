"use client";

import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { isLeaving } from "#components/navigation.tsx";
import {
  type CursorList,
  type CursorPage,
  type EndlessView,
  endlessQuery,
  isEarlierPage,
} from "#lib/client/queries.ts";
import type { Fetched } from "#lib/client/request.ts";

const TOP: EndlessView = { from: "", row: 1 };

/** Where this tab began each list, so that coming back to one shows the rows that it had. */
const begun = new Map<string, EndlessView>();

/** Where the list was opened, and how to start at its top. The address bar's cursor follows the reader afterwards. */
export function useStart<Entry, View extends EndlessView, Of extends Record<string, string>>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  view: View,
): [EndlessView, () => void] {
  const client = useQueryClient();
  const key = list.pathOf(of, { ...view, ...TOP });
  function open(): { key: string; at: EndlessView } {
    if (view.from === "") return { key, at: TOP };
    const asked = { from: view.from, row: view.row };
    const earlier = begun.get(key);
    const cached = earlier && client.getQueryData(endlessQuery(list, of, { ...view, ...earlier }).queryKey);
    return { key, at: earlier && cached?.pageParams.includes(view.from) ? earlier : asked };
  }
  const [start, setStart] = useState(open);
  const current = start.key === key ? start : open();
  if (current !== start) setStart(current);
  useEffect(() => {
    // Opened by a link into the middle: the browser's scroll position belongs to a list of another length.
    if (current.at.from !== "" && !begun.has(current.key)) {
      requestAnimationFrame(() => document.getElementById("results")?.parentElement?.scrollIntoView());
    }
    begun.set(current.key, current.at);
  }, [current]);
  return [current.at, () => setStart({ key, at: TOP })];
}

const FOLLOW_MS = 300;
const READING_LINE_PX = 160;

type Pages<Entry> = InfiniteData<Fetched<CursorPage<Entry>>, string> | undefined;

/** Says, a moment after the last scroll, the cursor of the page that is read and the number of loaded rows before it. */
export function useReadingPlace<Entry>(
  pages: Pages<Entry>,
  idOf: (entry: Entry) => string,
  onPlace: (cursor: string, rowsBefore: number) => void,
) {
  const settle = useEffectEvent(() => {
    const row = document
      .elementFromPoint(window.innerWidth / 2, READING_LINE_PX)
      ?.closest<HTMLElement>("tr[data-id]");
    if (!pages || !row || isLeaving()) return;
    const isRead = (entry: Entry) => idOf(entry) === row.dataset.id;
    const at = pages.pages.findIndex(({ data }) => data.result.some(isRead));
    const cursor = pages.pageParams[at];
    if (cursor === undefined || isEarlierPage(cursor)) return;
    onPlace(cursor, countRows(pages.pages.slice(0, at)));
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
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

const countRows = (pages: readonly Fetched<CursorPage<unknown>>[]) =>
  pages.reduce((sum, { data }) => sum + data.result.length, 0);

/** Rows of the whole list before the loaded ones, as the link has it; null if unknown. */
export function rowsBefore(pages: Pages<unknown>, hasEarlier: boolean, start: EndlessView): number | null {
  if (!hasEarlier && pages) return 0;
  if (start.row === 1) return start.from === "" ? 0 : null;
  const earlier = pages?.pages.filter((_, at) => isEarlierPage(pages.pageParams[at] ?? "")) ?? [];
  return Math.max(0, start.row - 1 - countRows(earlier));
}
