"use client";

import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { isLeaving } from "#components/navigation.tsx";
import { isAboveRows, placeInHistory, readRow } from "#components/table/row-place.ts";
import {
  type CursorList,
  type CursorPage,
  type EndlessView,
  endlessQuery,
  isEarlierPage,
  type ListPlace,
} from "#lib/client/queries.ts";
import type { Fetched } from "#lib/client/request.ts";
import { placeFields, readView } from "#lib/client/url-state.ts";

export const TOP: ListPlace = { from: "", row: 1, skip: 0 };

/** The start of each list that this tab opened, so that returning to it shows the same rows. */
const starts = new Map<string, ListPlace>();

/** The place where the list was opened, and a function that starts from the top. Later the address bar follows the reader. */
export function useStart<Entry, View extends EndlessView, Of extends Record<string, string>>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  view: View,
): [ListPlace, () => void] {
  const client = useQueryClient();
  const search = useSearchParams();
  const key = list.pathOf(of, { ...view, ...TOP });
  function open(): { key: string; at: ListPlace } {
    // On a page that was just opened, the view may still have the place that was written on the page before.
    const place = readView(placeFields, new URLSearchParams(search));
    const { from } = place;
    // After a change of the view, the address bar may still have the place that is left.
    const skip = Math.min(place.skip, view.skip);
    if (from === "" || view.from === "") return { key, at: { ...TOP, skip } };
    const earlier = starts.get(key);
    const cached = earlier && client.getQueryData(endlessQuery(list, of, { ...view, ...earlier }).queryKey);
    const read = cached && rowAfter(cached, place, list.idOf);
    return { key, at: earlier && read !== undefined ? { ...earlier, skip: read } : place };
  }
  const [start, setStart] = useState(open);
  const current = start.key === key ? start : open();
  if (current !== start) setStart(current);
  useEffect(() => {
    // After a link into the middle, the browser's scroll position belongs to a list of another length.
    if (current.at.from !== "" && current.at.skip === 0 && !starts.has(current.key) && !placeInHistory()) {
      requestAnimationFrame(() => document.getElementById("results")?.parentElement?.scrollIntoView());
    }
    starts.set(current.key, current.at);
  }, [current]);
  return [current.at, () => setStart({ key, at: TOP })];
}

/** Index among the loaded rows of the one that a place names; undefined if its page is not loaded. */
function rowAfter<Entry>(
  { pages, pageParams }: InfiniteData<Fetched<CursorPage<Entry>>, unknown>,
  { from, skip }: ListPlace,
  idOf: (entry: Entry) => string,
): number | undefined {
  const page = pageParams.indexOf(from);
  if (page >= 0) return countRows(pages.slice(0, page)) + skip;
  const last = pages.flatMap(({ data }) => data.result).findIndex((entry) => idOf(entry) === from);
  return last < 0 ? undefined : last + 1;
}

const FOLLOW_MS = 300;

type Pages<Entry> = InfiniteData<Fetched<CursorPage<Entry>>, string> | undefined;

/**
 * Calls `onPlace` when scrolling settles, with a place that the list can start after, the number of loaded rows before it, and
 * the number of rows from there to the one that is read.
 */
export function useReadingPlace<Entry>(
  pages: Pages<Entry>,
  { idOf, before }: Pick<CursorList<Entry, never, never>, "idOf" | "before">,
  hasEarlier: boolean,
  onPlace: (from: string, rowsBefore: number, skip: number) => void,
) {
  const settle = useEffectEvent(() => {
    const row = readRow();
    if (!pages || isLeaving()) return;
    if (!row) {
      const [first] = pages.pageParams;
      if (!isAboveRows() || first === undefined) return;
      if (!isEarlierPage(first)) onPlace(first, 0, 0);
      else if (!hasEarlier) onPlace("", 0, 0);
      return;
    }
    const isRead = (entry: Entry) => idOf(entry) === row.dataset.id;
    const at = pages.pages.findIndex(({ data }) => data.result.some(isRead));
    const cursor = pages.pageParams[at];
    if (cursor === undefined) return;
    const above = countRows(pages.pages.slice(0, at));
    const onPage = pages.pages[at]!.data.result.findIndex(isRead);
    const last = pages.pages.flatMap(({ data }) => data.result)[above + onPage - 1];
    // A list that can be read backwards starts after any entry, the others after a page.
    if (before && last) onPlace(idOf(last), above + onPage, 0);
    else if (!isEarlierPage(cursor)) onPlace(cursor, above, onPage);
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function onScroll() {
      clearTimeout(timer);
      timer = setTimeout(settle, FOLLOW_MS);
    }
    window.addEventListener("scroll", onScroll, { passive: true });
    // The address bar is then that of another page, or of another place.
    const onReturn = () => clearTimeout(timer);
    window.addEventListener("popstate", onReturn);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("popstate", onReturn);
      window.removeEventListener("scroll", onScroll);
    };
  }, []);
}

const countRows = (pages: readonly Fetched<CursorPage<unknown>>[]) =>
  pages.reduce((sum, { data }) => sum + data.result.length, 0);

/** Number of rows before the loaded ones, according to the link; null if unknown. */
export function rowsBefore(pages: Pages<unknown>, hasEarlier: boolean, start: ListPlace): number | null {
  if (!hasEarlier && pages) return 0;
  if (start.row === 1) return start.from === "" ? 0 : null;
  const earlier = pages?.pages.filter((_, at) => isEarlierPage(pages.pageParams[at] ?? "")) ?? [];
  return Math.max(0, start.row - 1 - countRows(earlier));
}
