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
/** A hundred sheets, which render in about a second. The export has all rows. */
const PRINTED_ROWS = 2000;
/** Whether the browser keeps the reading position when the height of content above it changes. */
const anchorsScroll = () => CSS.supports("overflow-anchor", "auto");

const heightOfRow = (parent: ParentNode) =>
  parent.querySelector("tr[data-row]:not([data-expanded])")?.getBoundingClientRect().height;

/** Renders the rows near the window, the active row and the open row, with spacers for the others. */
export default function VirtualRows<Entry extends RowData>(props: RowsProps<Entry>) {
  const { rows, activeId } = props;
  const printing = usePrinting();
  const top = useRef<HTMLTableRowElement>(null);
  const [{ scrollMargin, rowHeight }, setLayout] = useState(() => ({
    scrollMargin: 0,
    // A page that became shorter for a moment would move the window, without an event.
    rowHeight: heightOfRow(document) ?? GUESSED_ROW_PX,
  }));
  const pinned = useMemo(
    () => rows.flatMap((row, at) => (row.id === activeId || row.getIsExpanded() ? [at] : [])),
    [rows, activeId],
  );
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    scrollMargin,
    // The window may have moved since the first render. The rows follow it and never scroll it back.
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
      return [...new Set([...pinned, ...drawn])].sort((one, other) => one - other);
    },
  });
  // Corrections would interrupt a scroll: the End key would stop in the middle.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = anchorsScroll() ? () => false : undefined;
  const drawn = virtualizer.getVirtualItems();
  const isDrawn = drawn.length > 0;
  useLayoutEffect(() => {
    const measure = (withRows: boolean) => {
      const body = top.current?.parentElement;
      if (!body) return;
      const height = withRows && isDrawn ? heightOfRow(body) : undefined;
      const scrollMargin = body.getBoundingClientRect().top + window.scrollY;
      setLayout((before) => {
        const rowHeight = height === undefined ? before.rowHeight : Math.round(height);
        return before.scrollMargin === scrollMargin && before.rowHeight === rowHeight
          ? before
          : { scrollMargin, rowHeight };
      });
    };
    const onResize = () => measure(true);
    onResize();
    window.addEventListener("resize", onResize);
    // The content above the table may grow: the reader may open a drawing.
    const page = new ResizeObserver(() => measure(false));
    page.observe(document.body);
    return () => {
      window.removeEventListener("resize", onResize);
      page.disconnect();
    };
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
                  This printout has the first {formatCount(PRINTED_ROWS)} of {formatCount(rows.length)} loaded
                  rows. An export has all of them.
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
