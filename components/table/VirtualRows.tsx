"use client";

import type { RowData } from "@tanstack/react-table";
import {
  defaultRangeExtractor,
  observeWindowOffset,
  useWindowVirtualizer,
  windowScroll,
} from "@tanstack/react-virtual";
import { Fragment, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { formatCount } from "#lib/client/format.ts";
import { GUESSED_ROW_PX, type RowsProps, rowAt, Spacer } from "./DataRow.tsx";

const OVERSCAN_ROWS = 20;
/** A hundred sheets, drawn in about a second, which the browser waits for; the export has the rest. */
const PRINTED_ROWS = 2000;
/** Whether the browser itself keeps what is read in place when something above it changes its height. */
const keepsPlace = () => CSS.supports("overflow-anchor", "auto");

/**
 * Height of the rows that these replace. If the page became shorter for a moment, the browser would move the window and
 * back again, and tell nobody.
 */
const heightNow = () =>
  document.querySelector("tr[data-row]:not([data-expanded])")?.getBoundingClientRect().height ??
  GUESSED_ROW_PX;

/** Draws the rows near the window, the active and the open one, and spacers for the others. */
export default function VirtualRows<Entry extends RowData>(props: RowsProps<Entry>) {
  const { rows, activeId } = props;
  const printing = usePrinting();
  const top = useRef<HTMLTableRowElement>(null);
  const [{ scrollMargin, rowHeight }, setLayout] = useState(() => ({
    scrollMargin: 0,
    rowHeight: heightNow(),
  }));
  // A row that opens becomes the active one.
  const kept = useMemo(
    () => rows.flatMap((row, at) => (row.id === activeId || row.getIsExpanded() ? [at] : [])),
    [rows, activeId],
  );
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    scrollMargin,
    // The window may have moved since these rows were begun: the rows follow it, and never scroll it back.
    observeElementOffset: (instance, onOffset) => {
      onOffset(window.scrollY, false);
      return observeWindowOffset(instance, onOffset);
    },
    scrollToFn: (offset, options, instance) => {
      if (options.adjustments) windowScroll(offset, options, instance);
    },
    getItemKey: (at) => (at < rows.length ? rows[at]!.id : at),
    rangeExtractor: (range) => {
      const printed = { ...range, startIndex: 0, endIndex: PRINTED_ROWS - 1, overscan: 0 };
      const drawn = defaultRangeExtractor(printing ? printed : range);
      return [...new Set([...kept, ...drawn])].sort((one, other) => one - other);
    },
  });
  // Its corrections would stop a scroll that is under way: a press of End would end in the middle.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = keepsPlace() ? () => false : undefined;
  const drawn = virtualizer.getVirtualItems();
  const isDrawn = drawn.length > 0;
  useLayoutEffect(() => {
    const measure = () => {
      const body = top.current?.parentElement;
      if (!body) return;
      const scrollMargin = body.getBoundingClientRect().top + window.scrollY;
      const row = isDrawn && body.querySelector("tr[data-row]:not([data-expanded])");
      setLayout((before) => {
        const rowHeight = row ? Math.round(row.getBoundingClientRect().height) : before.rowHeight;
        return before.scrollMargin === scrollMargin && before.rowHeight === rowHeight
          ? before
          : { scrollMargin, rowHeight };
      });
    };
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, [isDrawn]);
  let end = scrollMargin;
  return (
    <>
      <Spacer ref={top} height={0} />
      {drawn.map((item) => {
        if (item.index >= rows.length) return null;
        const gap = item.start - end;
        end = item.end;
        return (
          <Fragment key={item.key}>
            {gap > 0 && <Spacer height={gap} />}
            {rowAt(props, item.index, virtualizer.measureElement)}
            {printing && item.index === PRINTED_ROWS - 1 && rows.length > PRINTED_ROWS && (
              <tr className="print-end not-print:hidden">
                <td className="col-span-full p-3">
                  Printed are the first {formatCount(PRINTED_ROWS)} of {formatCount(rows.length)} loaded rows.
                  Export has them all.
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
      <Spacer height={virtualizer.getTotalSize() + scrollMargin - end} />
    </>
  );
}

/** True while the page is printed; rows are drawn before the browser lays the sheets out. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    let read = 0;
    function start() {
      read = window.scrollY;
      flushSync(() => setPrinting(true));
    }
    function end() {
      flushSync(() => setPrinting(false));
      // On paper the page may be shorter than where the window stands.
      window.scrollTo(0, read);
    }
    window.addEventListener("beforeprint", start);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", start);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}
