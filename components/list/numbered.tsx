"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { useRouter } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { announce } from "#components/announce.ts";
import { Failure, Pause, pauseOf } from "#components/Failure.tsx";
import { DataTable } from "#components/table/DataTable.tsx";
import { type DataTableState, useDataTable } from "#components/table/use-data-table.ts";
import { Button } from "#components/ui/Button.tsx";
import { LoadingBar } from "#components/ui/LoadingBar.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { type SetOptions, useView } from "#components/url-state.ts";
import { useLate } from "#components/use-late.ts";
import type { Subject } from "#lib/client/export.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import { type FirstPage, type NumberedList, type NumberedPage, pageQuery } from "#lib/client/queries.ts";
import { type Fetched, hasCode } from "#lib/client/request.ts";
import { walkPages } from "#lib/client/walks.ts";
import type { Exportable } from "./exportable.ts";
import { Pager } from "./Pager.tsx";
import { Selection } from "./Selection.tsx";
import { ListActions, type ListViewProps, Toolbar } from "./Toolbar.tsx";

interface NumberedView {
  page: number;
  size: number;
}

/** A list of numbered pages: the page that the address bar names or, until that arrives, the previous one. */
export function useNumberedList<Entry, View extends NumberedView, Of extends Record<string, string>>(
  list: NumberedList<Entry, View, Of>,
  of: Of,
  first: FirstPage<NumberedPage<Entry>> | null,
  subject: Subject = of,
) {
  const [view, setView] = useView(list.fields);
  const query = useQuery(pageQuery(list, of, view, first));
  const client = useQueryClient();
  const shown = useLastResponse(Object.values(of).join("-"), view, query.data);
  const rows = shown?.response.data.result ?? noRows;
  const total = shown?.response.data.total ?? 0;
  const outdated = shown !== null && !query.data;
  const shownView = shown?.view ?? view;
  const source: Exportable<Entry> = {
    list,
    subject,
    query: list.pathOf(of, view),
    loaded: {
      rows,
      query: list.pathOf(of, shownView),
      tip: shown?.response.tip ?? null,
      outdated,
      complete: rows.length === total,
    },
    total: outdated ? null : total,
    walk: (options) =>
      walkPages({
        ...options,
        read: (page) =>
          list.read(of, view, { ...list.exportQuery, page, pageSize: list.exportSize }, options.signal),
      }),
  };
  return {
    fields: list.fields,
    idOf: list.idOf,
    view,
    setView,
    /** Changes the view and returns to page 1. With `history: "push"`, Back returns to the earlier view. */
    change: useCallback(
      (values: Partial<Omit<View, "page">>, options?: SetOptions) =>
        setView({ ...values, page: 1 } as Partial<View>, options),
      [setView],
    ),
    query,
    isThere: shown !== null,
    rows,
    total,
    outdated,
    source,
    /** The view that the rows belong to. */
    shown: shownView,
    pageCount: Math.max(1, Math.ceil(total / shownView.size)),
    before: (shownView.page - 1) * shownView.size,
    /** Loads a page that the reader will probably open. */
    prefetch: (page: number) => void client.prefetchQuery(pageQuery(list, of, { ...view, page })),
  };
}

const noRows: never[] = [];
const SLOW_MS = 400;

/** The view's response or, until it arrives, the previous one of the same subject. */
function useLastResponse<View, Page>(subject: string, view: View, response: Fetched<Page> | undefined) {
  const [last, setLast] = useState<{ subject: string; view: View; response: Fetched<Page> } | null>(null);
  const current = response ? { subject, view, response } : last;
  if (response && response !== last?.response) setLast(current);
  return current?.subject === subject ? current : null;
}

type State<Entry, View extends NumberedView> = ReturnType<
  typeof useNumberedList<Entry, View, Record<string, string>>
>;

interface Props<Entry extends RowData, View extends NumberedView> extends ListViewProps<Entry, View> {
  list: State<Entry, View>;
  note?: ReactNode;
  /** Renders the tabs around the actions on the whole list. */
  tabs: (actions: ReactNode) => ReactNode;
  aside?: ReactNode;
  expected: number;
}

/** A list of numbered pages: its controls, and one page with pagers. */
export function NumberedListView<Entry extends RowData, View extends NumberedView>(
  props: Props<Entry, View>,
) {
  const { list, caption, tabs, controls, filters, aside } = props;
  const { view, query } = list;
  const table = useDataTable({ ...props, idOf: list.idOf });
  const openPage = usePageTurning(list);
  const busy = list.outdated && query.isFetching;
  const slow = useLate(busy, SLOW_MS);
  const paused = pauseOf(query);
  return (
    <section aria-label={caption}>
      {tabs(<ListActions source={list.source} />)}
      {filters}
      <Toolbar className="mt-2" list={list} controls={controls} table={table} aside={aside} />
      <div id="results" tabIndex={-1} className="relative outline-none">
        <p className="sr-only" role="status">
          {slow ? `Loading page ${view.page}` : ""}
        </p>
        {busy && <LoadingBar of="part" />}
        <PageOrReason {...props} table={table} busy={busy} onPage={openPage} />
        {(slow || paused) && (
          // The negative margin equals its height, so that nothing moves.
          <p
            aria-hidden="true"
            className="sticky bottom-4 z-20 mx-auto -mt-7 w-fit rounded-full bg-text px-4 py-1 text-bg shadow-popover print:hidden"
          >
            {paused ? <Pause error={paused} failures={query.failureCount} /> : `Loading page ${view.page}`}
          </p>
        )}
      </div>
      <Selection table={table} csv={list.source.list.csv} worthOf={props.worthOf} />
    </section>
  );
}

/** Longer pages have a pager above them, too. */
const UPPER_PAGER_ABOVE = 25;

interface PageProps<Entry extends RowData, View extends NumberedView> extends Props<Entry, View> {
  table: DataTableState<Entry>;
  busy: boolean;
  onPage: (page: number) => void;
}

/** The rows, or the reason why there are none: a failure, a page past the end, or an empty list. */
function PageOrReason<Entry extends RowData, View extends NumberedView>(props: PageProps<Entry, View>) {
  const { list, rows, empty, note, expected, tableClass, onPage, ...table } = props;
  const shown = `${formatCount(rows.length)} of ${countOf(list.total, "row")}`;
  const { view, query, isThere, pageCount } = list;
  const router = useRouter();
  if (query.isSuccess && list.rows.length === 0) {
    if (list.total === 0) return <div className="py-4">{empty}</div>;
    return (
      <div className="py-4">
        <Notice
          bare
          title={`Page ${formatCount(view.page)} does not exist: this list has ${countOf(pageCount, "page")}`}
          actions={
            <>
              <Button onClick={() => onPage(1)}>First page</Button>
              {pageCount > 1 && <Button onClick={() => onPage(pageCount)}>Last page</Button>}
            </>
          }
        />
      </div>
    );
  }
  const failure = query.error && (
    <Failure
      error={query.error}
      subject={isThere ? `Page ${view.page}` : "The list"}
      retrying={query.isFetching}
      // After a reorganisation, only a new page names the block of the list.
      onRetry={() => {
        if (hasCode(query.error, "NOT_FOUND")) router.refresh();
        void query.refetch();
      }}
      actions={view.page > 1 && <Button onClick={() => onPage(1)}>First page</Button>}
    />
  );
  if (failure && !isThere) return <div className="py-4">{failure}</div>;
  return (
    <>
      {isThere && rows.length > UPPER_PAGER_ABOVE && (
        <div className="py-2">
          <Pager list={list} label="Pages, above the list" onPage={onPage} />
        </div>
      )}
      {failure && <div className="py-3">{failure}</div>}
      <DataTable
        {...table}
        className={tableClass}
        rowCount={isThere ? list.total : -1}
        offset={list.before}
        outdated={list.outdated}
        skeletonRows={isThere ? 0 : Math.min(view.size, Math.max(expected - list.before, 1))}
        after={note}
      />
      {/* Printed pages have no pager. */}
      <p className="hidden py-2 text-text-2 print:block">{shown}</p>
      {isThere && (
        <div className="py-3">
          <Pager list={list} label="Pages" onPage={onPage} />
        </div>
      )}
    </>
  );
}

/** Opens another page of the list. When it arrives, scrolls to its start and moves the focus there. */
function usePageTurning<Entry, View extends NumberedView>(list: State<Entry, View>) {
  const { view, setView, query, pageCount } = list;
  const turned = useRef(false);
  useEffect(() => {
    if (!turned.current || !query.isSuccess) return;
    turned.current = false;
    const results = document.getElementById("results");
    results?.focus({ preventScroll: true });
    results?.scrollIntoView({ block: "nearest" });
    announce(`Page ${view.page} of ${pageCount}`);
  }, [query.isSuccess, view.page, pageCount]);
  return (page: number) => {
    if (page === view.page) return;
    turned.current = true;
    setView({ page } as Partial<View>, { history: "push" });
  };
}
