"use client";

import type { RowData } from "@tanstack/react-table";
import { Fragment, type ReactNode, type Ref, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { formatCount } from "#lib/client/format.ts";
import { type RowsProps, rowAt } from "./DataRow.tsx";
import { useNearRows } from "./near-rows.ts";
import { ROLES } from "./roles.ts";

/** A hundred sheets, which render in about a second. The export has all rows. */
const PRINTED_ROWS = 2000;

/** Renders the rows near the window, the active row and the open row, with spacers for the others. */
export function Rows<Entry extends RowData>(props: RowsProps<Entry>) {
  const { rows, activeId, grows } = props;
  const top = useRef<HTMLTableRowElement>(null);
  const printing = usePrinting();
  const near = useNearRows(rows, { grows, printing }, top);
  const { starts, hydrated } = near;
  const { from, to } = printing ? { from: 0, to: PRINTED_ROWS } : near;
  const pinned = useMemo(
    () => rows.flatMap((row, at) => (row.id === activeId || row.getIsExpanded() ? [at] : [])),
    [rows, activeId],
  );
  const end = Math.min(to, rows.length);
  // The server does not know the window's width, so it cannot know the height of a row.
  const heightOf = (first: number, next: number) =>
    hydrated ? starts[next]! - starts[first]! : `calc(${next - first} * var(--row-min))`;
  const drawn = [
    ...pinned.filter((at) => at < from),
    ...Array.from({ length: Math.max(end - from, 0) }, (_, at) => from + at),
    ...pinned.filter((at) => at >= end),
  ];
  return (
    <>
      <Spacer ref={top} height={0} />
      {drawn.map((at, place) => {
        const next = (drawn[place - 1] ?? -1) + 1;
        return (
          <Fragment key={rows[at]!.id}>
            {next < at && <Spacer height={heightOf(next, at)} />}
            {rowAt(props, at)}
            {printing && at === PRINTED_ROWS - 1 && rows.length > PRINTED_ROWS && (
              <tr className="print-end not-print:hidden">
                <td className="col-span-full p-3">
                  This printout has the first {formatCount(PRINTED_ROWS)} of {formatCount(rows.length)} loaded
                  rows. An export has all of them.
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
      <Spacer height={heightOf((drawn.at(-1) ?? -1) + 1, rows.length)}>
        {!hydrated && end < rows.length && (
          <td {...ROLES.none} className="self-start p-4 text-text-2">
            <noscript>Without scripts, only the first rows are shown.</noscript>
          </td>
        )}
      </Spacer>
    </>
  );
}

/** Keeps the page's height while rows are not in the document. */
function Spacer(props: { height: number | string; ref?: Ref<HTMLTableRowElement>; children?: ReactNode }) {
  const { height, ref, children } = props;
  const style = { height, minHeight: 0, border: 0 };
  return (
    <tr ref={ref} {...ROLES.none} className="print:hidden" style={style}>
      {children}
    </tr>
  );
}

/** True while the page is printed. Rows render before the browser lays out the sheets. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    let scrollY = 0;
    function start() {
      scrollY = window.scrollY;
      flushSync(() => setPrinting(true));
    }
    function end() {
      flushSync(() => setPrinting(false));
      // The printed page may have been shorter than the scroll position.
      window.scrollTo(0, scrollY);
    }
    window.addEventListener("beforeprint", start, { signal });
    window.addEventListener("afterprint", end, { signal });
    return () => ended.abort();
  }, []);
  return printing;
}
