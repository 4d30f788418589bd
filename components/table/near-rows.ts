import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useHydrated } from "#components/use-hydrated.ts";

/** Longer lists that grow draw only the rows near the window. */
export const WHOLE_ROWS = 40;
/** Rows that the server renders: a laptop shows no more below the head of a page. */
const SERVED_ROWS = 12;
/** Rows that are drawn above and below the window. Fast scrolling passes some before a frame is drawn. */
const BEYOND_ROWS = 20;
/** Steps in which the drawn part moves, so that not every scroll renders. */
const STEP_ROWS = 5;
/** After each render, the rows are measured and drawn again, at most this often: at a limit, two places could alternate for ever. */
const MAX_FOLLOWED = 10;
/** Assumed height of a row before one is drawn. */
const GUESSED_ROW_PX = 44;

interface Identified {
  id: string;
}

/** Heights of rows in CSS pixels: of those that were drawn by id, and of the others. */
interface Heights {
  known: Map<string, number>;
  /** Rows that were open when they were measured. */
  open: Set<string>;
  usual: number;
  /** Changes with the others. */
  version: number;
  /** The row at the top of the window, and where it begins. */
  read: string | undefined;
  readStart: number;
}

/** Whether the browser keeps the reading position when the height of content above it changes. */
const anchorsScroll = () => CSS.supports("overflow-anchor", "auto");

/** Returns where each row begins below the first one and, last, where the list ends. */
export function startsOf(
  rows: readonly Identified[],
  { known, usual }: Pick<Heights, "known" | "usual">,
): Float64Array {
  const starts = new Float64Array(rows.length + 1);
  rows.forEach(({ id }, at) => {
    starts[at + 1] = starts[at]! + (known.get(id) ?? usual);
  });
  return starts;
}

/**
 * Returns the rows from `from` up to before `to` that are within the window or near it, and the `first` one within it. The window
 * begins `top` below the first row of the list.
 */
export function nearWindow(starts: Float64Array, top: number, height: number) {
  const count = starts.length - 1;
  const first = rowAtHeight(starts, top);
  if (count <= WHOLE_ROWS) return { from: 0, to: count, first };
  const from = first - BEYOND_ROWS;
  const to = rowAtHeight(starts, top + height) + BEYOND_ROWS;
  return {
    first,
    from: Math.max(0, Math.floor(from / STEP_ROWS) * STEP_ROWS),
    to: Math.min(count, Math.ceil(to / STEP_ROWS) * STEP_ROWS),
  };
}

/** Returns the index of the row at a height, by bisection: the first or the last one if it is outside the list. */
function rowAtHeight(starts: Float64Array, height: number): number {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Whether two heights of a row differ. Browsers return them with an error that depends on the row's place: to correct that error
 * would move the row, and change it again.
 */
const differ = (one: number, other: number): boolean => Math.abs(one - other) >= 0.05;

/** Reads the heights of the drawn rows of a list of `count`. Returns whether one changed. */
function measure(body: Element, heights: Heights, count: number): boolean {
  const { known, open } = heights;
  // Most are those of an earlier view.
  if (known.size > 2 * count + WHOLE_ROWS) known.clear();
  const drawn = [...body.querySelectorAll<HTMLElement>("tr[data-id]")].map((row) => ({
    id: row.dataset.id!,
    height: row.getBoundingClientRect().height,
    isOpen: row.dataset.expanded !== undefined,
  }));
  const closed = drawn.filter(({ isOpen }) => !isOpen);
  const seen = closed.filter(({ id }) => known.has(id) && !open.has(id));
  // The window has another width, or the rows another density: those out of sight changed, too.
  const areOther = seen.length > 1 && seen.every(({ id, height }) => differ(known.get(id)!, height));
  if (closed.length > 0 && (known.size === 0 || areOther)) {
    known.clear();
    // The median, since most rows of most lists have it: rows that turn out to have another height move those below.
    const sorted = closed.map(({ height }) => height).toSorted((one, other) => one - other);
    heights.usual = sorted[sorted.length >> 1] || GUESSED_ROW_PX;
  }
  let changed = false;
  for (const { id, height, isOpen } of drawn) {
    const before = known.get(id) ?? heights.usual;
    const isOther = differ(before, height);
    changed ||= isOther;
    known.set(id, isOther ? height : before);
    if (isOpen) open.add(id);
    else open.delete(id);
  }
  // An open row is always drawn, so this one was closed out of sight.
  for (const id of open) {
    if (drawn.some((row) => row.id === id)) continue;
    open.delete(id);
    known.delete(id);
    changed = true;
  }
  return changed;
}

/**
 * Follows the window: returns the rows near it, from `from` up to before `to`, and where each row begins; all rows unless the list
 * `grows`. `top` is an element of the table's body. Pages from the server begin with the first rows.
 */
export function useNearRows(
  rows: readonly Identified[],
  { grows, printing }: { grows: boolean; printing: boolean },
  top: RefObject<Element | null>,
) {
  const hydrated = useHydrated();
  const [heights] = useState<Heights>(() => ({
    known: new Map(),
    open: new Set(),
    usual: GUESSED_ROW_PX,
    version: 0,
    read: undefined,
    readStart: 0,
  }));
  const [near, setNear] = useState({ rows, from: 0, to: SERVED_ROWS, version: 0, isMoved: false });
  const { version } = near;
  if (near.rows !== rows) {
    // Rows may have come in above the reader. While those in the window stay drawn, the browser keeps them in their place.
    const placeIn = (all: readonly Identified[]) => all.findIndex(({ id }) => id === heights.read);
    const isLonger = grows && rows.length > near.rows.length;
    const [was, is] = isLonger ? [placeIn(near.rows), placeIn(rows)] : [0, 0];
    const by = was > 0 && is >= 0 ? is - was : 0;
    setNear({ ...near, rows, from: Math.max(0, near.from + by), to: near.to + by, isMoved: by !== 0 });
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights change with their version
  const starts = useMemo(() => startsOf(rows, heights), [rows, heights, version]);
  const follow = useEffectEvent((measured: boolean) => {
    const body = top.current?.parentElement;
    // Printed rows have other heights.
    if (!body || printing) return;
    const changed = measured && measure(body, heights, rows.length);
    if (changed) heights.version += 1;
    const now = changed ? startsOf(rows, heights) : starts;
    const { first, ...drawn } = nearWindow(now, -body.getBoundingClientRect().top, window.innerHeight);
    heights.read = rows[first]?.id;
    heights.readStart = now[first] ?? 0;
    const { from, to } = grows ? drawn : { from: 0, to: rows.length };
    setNear((before) =>
      before.from === from && before.to === to && before.version === heights.version
        ? before
        : { rows, from, to, version: heights.version, isMoved: false },
    );
  });
  const scrollToRead = useEffectEvent(() => {
    const at = rows.findIndex(({ id }) => id === heights.read);
    if (at > 0) window.scrollBy({ top: starts[at]! - heights.readStart, behavior: "instant" });
  });
  const followed = useRef(0);
  useLayoutEffect(() => {
    if (!anchorsScroll()) scrollToRead();
    if (!near.isMoved) {
      followed.current += 1;
      if (followed.current <= MAX_FOLLOWED) follow(true);
      return;
    }
    // By the next frame, the browser has scrolled.
    const frame = requestAnimationFrame(() => follow(true));
    return () => cancelAnimationFrame(frame);
  }, [near]);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    function begin(measured: boolean) {
      followed.current = 0;
      follow(measured);
    }
    // A scroll shows what is drawn in the same frame.
    window.addEventListener("scroll", () => flushSync(() => begin(false)), { signal, passive: true });
    window.addEventListener("resize", () => begin(true), { signal });
    // The content above the table may grow, and so may a row.
    const page = new ResizeObserver(() => begin(true));
    page.observe(document.body);
    return () => {
      ended.abort();
      page.disconnect();
    };
  }, []);
  return { from: near.from, to: near.to, starts, hydrated };
}
