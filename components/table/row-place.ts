import { useEffect, useEffectEvent, useRef } from "react";
import { isLeaving } from "#components/navigation.tsx";
import { addressBarIsWritten, keepInEntry, placeInEntry } from "#components/url-state.ts";

/** A row, and its distance from the top of the window. Each entry of the browser's history keeps one. */
export interface Place {
  /** Empty if the reader is above or below the rows. */
  id: string;
  top: number;
}

/** Longer than the address bar takes to follow the reader. */
const SETTLED_MS = 400;
/** A second: that long, the content above may still change. */
const HELD_FRAMES = 60;
/** By these events a reader moves on. */
const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];
/** Just below the bars that stick to the top. */
const READING_LINE_PX = 160;
/** Where the row stands that was read when a link was copied: across the line. */
const OPENED_PX = READING_LINE_PX - 20;
/** Where a marked row of a new page stands, and one that a search found. */
const MARKED_PX = 240;

/** The row below the bars that stick to the top. */
export const readRow = (): HTMLElement | null | undefined =>
  document.elementFromPoint(window.innerWidth / 2, READING_LINE_PX)?.closest<HTMLElement>("tr[data-id]");

/** The place to which the reader returns, by Back, Forward or a reload; null on a new page. */
export const placeInHistory = () => placeInEntry() as Place | null;

const edgeOfRows = (edge: "top" | "bottom"): number =>
  document.querySelector("#results tbody")?.getBoundingClientRect()[edge] ?? 0;

/** True if the reader is above the rows. */
export const isAboveRows = (): boolean => edgeOfRows("top") > READING_LINE_PX;

/** True if the reader is among the rows. Those in the window may not be drawn yet. */
const isAmongRows = (): boolean => !isAboveRows() && edgeOfRows("bottom") > READING_LINE_PX;

/** Keeps the place of a row that the reader leaves, or of none. */
export function keepPlace(row: HTMLElement | null | undefined): void {
  const place: Place = { id: row?.dataset.id ?? "", top: row?.getBoundingClientRect().top ?? 0 };
  keepInEntry(place);
}

let wentBack = false;
if (typeof window !== "undefined") {
  window.addEventListener("popstate", () => {
    wentBack = true;
  });
  // The router may draw the page before `popstate`. Older browsers have no such event.
  window.navigation?.addEventListener("navigate", ({ navigationType }) => {
    if (navigationType !== "replace") wentBack = navigationType === "traverse";
  });
}

/** The row that a search in the list found. Another object with the same id shows it again. */
export interface FoundRow {
  id: string;
}

/** The rows that the page scrolls to. The first two are ids, and only count on a new page. */
export interface ShownRows {
  marked: string | undefined;
  opensAt: string | undefined;
  found: FoundRow | null;
  /** Where a row stood before others were put above it. */
  kept: Place | null;
}

/** The place of the row that is read, or of the first one that is drawn; null without rows. */
export function placeOfRead(): Place | null {
  const row = readRow() ?? document.querySelector<HTMLElement>("tr[data-id]");
  return row && { id: row.dataset.id!, top: row.getBoundingClientRect().top };
}

/** Remembers which row is read, or was left by a click, and returns to it. `activate` makes the table draw a row. */
export function useRowPlace(
  rows: readonly { id: string }[],
  activate: (id: string) => void,
  { marked, opensAt, found, kept }: ShownRows,
) {
  const table = useRef<HTMLTableElement>(null);
  const sought = useRef<Place | null>(undefined);
  useEffect(() => {
    if (sought.current === undefined) {
      const left = placeInHistory();
      // The rows may not have come with the page.
      if (!left && rows.length === 0) return;
      sought.current = left ?? placeOnNewPage(marked, opensAt);
    }
    const place = sought.current;
    if (!place || rows.length === 0) return;
    if (!rows.some(({ id }) => id === place.id)) return;
    // The row is sought only once.
    sought.current = null;
    activate(place.id);
    hold(table, place, wentBack);
    wentBack = false;
  }, [rows, activate, marked, opensAt]);
  useEffect(() => {
    if (!found) return;
    activate(found.id);
    if (!isInView(rowOf(table.current, found.id))) hold(table, { id: found.id, top: MARKED_PX }, false);
  }, [found, activate]);
  useEffect(() => {
    if (!kept) return;
    activate(kept.id);
    hold(table, kept, false);
  }, [kept, activate]);
  // Rows get other heights, and some browsers go to the top when a phone is turned.
  const keepOverWidths = useEffectEvent(() => {
    const place = placeInHistory();
    if (!place || !rows.some(({ id }) => id === place.id)) return;
    activate(place.id);
    hold(table, { ...place, top: Math.min(place.top, window.innerHeight / 2) }, false);
  });
  useEffect(() => {
    const ended = new AbortController();
    const options = { signal: ended.signal, capture: true, passive: true };
    let width = window.innerWidth;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (row = readRow()) => {
      if (!ended.signal.aborted && !isLeaving() && (row || !isAmongRows())) keepPlace(row);
    };
    function onScroll() {
      clearTimeout(timer);
      timer = setTimeout(() => void addressBarIsWritten().then(() => keep()), SETTLED_MS);
    }
    function onClick({ target }: Event) {
      clearTimeout(timer);
      keep((target instanceof Element ? target.closest<HTMLElement>("tr[data-id]") : null) ?? readRow());
    }
    function onResize() {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      keepOverWidths();
    }
    window.addEventListener("scroll", onScroll, options);
    window.addEventListener("resize", onResize, options);
    window.addEventListener("click", onClick, options);
    window.addEventListener("pagehide", () => keep(), options);
    // The entry to which the reader returns has a place of its own. Its rows may be another view of the same list.
    function onReturn() {
      clearTimeout(timer);
      sought.current = placeInHistory();
    }
    window.addEventListener("popstate", onReturn, options);
    // Whoever moves on does not wait for that row.
    const moveOn = () => {
      sought.current &&= null;
    };
    for (const event of MOVES) window.addEventListener(event, moveOn, options);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, []);
  return table;
}

function placeOnNewPage(marked: string | undefined, opensAt: string | undefined): Place | null {
  if (marked !== undefined) return { id: marked, top: MARKED_PX };
  return opensAt === undefined ? null : { id: opensAt, top: OPENED_PX };
}

export const rowOf = (table: HTMLTableElement | null, id: string) =>
  table?.querySelector<HTMLTableRowElement>(`tr[data-id="${CSS.escape(id)}"]`);

/** Below the bars at the top of the window, and above those at its end. */
function isInView(row: HTMLElement | null | undefined): boolean {
  if (!row) return false;
  const { top, bottom } = row.getBoundingClientRect();
  return top > READING_LINE_PX && bottom < window.innerHeight - READING_LINE_PX;
}

/** Keeps a row at its place while the page around it settles, until the reader does something. */
function hold(table: { current: HTMLTableElement | null }, { id, top }: Place, focus: boolean): void {
  const ended = new AbortController();
  const { signal } = ended;
  for (const event of MOVES) {
    window.addEventListener(event, () => ended.abort(), { signal, passive: true });
  }
  let frames = 0;
  function step() {
    if (signal.aborted || !table.current) return ended.abort();
    const row = rowOf(table.current, id);
    const moved = row ? row.getBoundingClientRect().top - top : 0;
    if (Math.abs(moved) >= 1) window.scrollBy({ top: moved, behavior: "instant" });
    if (focus && document.activeElement === document.body) row?.focus({ preventScroll: true });
    frames += 1;
    if (frames < HELD_FRAMES || document.readyState !== "complete") requestAnimationFrame(step);
    else ended.abort();
  }
  requestAnimationFrame(step);
}
