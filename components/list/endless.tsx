"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { announceProgress } from "#components/announce.ts";
import { Cut } from "#components/Cut.tsx";
import { Failure, Pause, pauseOf } from "#components/Failure.tsx";
import { focusResults } from "#components/navigation.tsx";
import { DataTable } from "#components/table/DataTable.tsx";
import { type FoundRow, type Place, placeOfRead } from "#components/table/row-place.ts";
import { type DataTableState, useDataTable } from "#components/table/use-data-table.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { type SetOptions, useView } from "#components/url-state.ts";
import { countOf, cutHash, formatCount } from "#lib/client/format.ts";
import { ENDLESS_PAGE } from "#lib/client/list.ts";
import {
  asOfEach,
  type CursorList,
  type CursorPage,
  type EndlessView,
  endlessQuery,
  type FirstPage,
  isAtAnEnd,
  isEarlierPage,
  type ListPlace,
  mergePages,
} from "#lib/client/queries.ts";
import { hasCode } from "#lib/client/request.ts";
import type { Noun } from "#lib/contract/chain.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { rowsBefore, TOP, useReadingPlace, useStart } from "./endless-place.ts";
import { type Exportable, exportByCursor } from "./exportable.ts";
import { Selection } from "./Selection.tsx";
import { type ListViewProps, Toolbar } from "./Toolbar.tsx";

const noRows: never[] = [];

/** A running request is kept. Otherwise the page after the former end would cancel the request of a list that begins anew. */
const KEEP = { cancelRefetch: false };

/**
 * A list that grows by cursor, and its view, which the address bar keeps. `readAt` is the tip when the page was read:
 * older rows of an earlier visit are dropped. Back shows the earlier page, and keeps them.
 */
export function useEndlessList<Entry, View extends EndlessView, Of extends Record<string, string>>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  first: FirstPage<CursorPage<Entry>> | null,
  readAt: IndexTip | null = first?.response.tip ?? null,
) {
  const router = useRouter();
  const client = useQueryClient();
  const [url, setView] = useView(list.fields);
  const [start, startFromTop] = useStart(list, of, url);
  const view: View = { ...url, ...start };
  const top: View = { ...url, ...TOP };
  const showFrom = (place: ListPlace, values?: Partial<View>, options?: SetOptions) =>
    setView({ ...values, ...place } as Partial<View>, options);

  const pageSize = useRef(ENDLESS_PAGE);
  const options = endlessQuery(list, of, view, first, () => pageSize.current);
  const request = list.pathOf(of, view);
  const [opened, setOpened] = useState("");
  if (opened !== request) {
    setOpened(request);
    const earlier = client.getQueryData(options.queryKey)?.pages[0]?.tip;
    // With a place in the address bar, the reader returns to the rows that were read.
    const isOlder = readAt && earlier && earlier.height <= readAt.height && earlier.hash !== readAt.hash;
    if (start.from === "" && isOlder) {
      client.removeQueries({ queryKey: options.queryKey, exact: true });
    }
  }
  const query = useInfiniteQuery(options);
  const [failedEarlier, setFailedEarlier] = useState<Error | null>(null);
  if (query.isFetchPreviousPageError && query.error !== failedEarlier) setFailedEarlier(query.error);
  // The query keeps its error until a request succeeds, also while rows in the other direction load.
  const isOfEarlier = query.error !== null && query.error === failedEarlier;
  const error = isOfEarlier ? null : query.error;
  /** Some rows are loaded, and the last request for more did not fail. */
  const isRead = query.data !== undefined && error === null;
  const pages = query.data?.pages;
  const tips = useMemo(() => asOfEach(pages ?? []), [pages]);
  const rows = useMemo(() => (pages ? mergePages(pages, list.idOf) : noRows), [pages, list]);
  const isFromMiddle = start.from !== "" && (list.before === undefined || (isRead && rows.length === 0));
  const hasEarlier = query.hasPreviousPage || isFromMiddle;
  const before = rowsBefore(query.data, hasEarlier, start);
  useReadingPlace(query.data, list, hasEarlier, (from, rowsAbove, skip) => {
    if ((from === url.from && skip === url.skip) || url.sort) return;
    showFrom({ from, row: before === null ? 1 : before + rowsAbove + 1, skip });
  });

  // An empty index has no block that the list could be as of.
  const isLive = pages?.[0]?.tip !== null && (list.isLive?.(top) ?? false);
  const source: Exportable<Entry> = {
    ...exportByCursor(list, of, top, isLive),
    // Only the whole list's request returns rows from before the start.
    loaded: {
      rows,
      query: list.pathOf(of, query.data?.pageParams.some(isEarlierPage) ? top : view),
      tip: tips[0] ?? null,
      // Pages that were read as of several blocks may miss rows of each.
      complete: isRead && !query.hasNextPage && !hasEarlier && tips.length <= 1,
    },
  };
  return {
    fields: list.fields,
    idOf: list.idOf,
    request,
    view,
    setView,
    /** Shows another view from its top. With `history: "push"`, Back returns to the earlier view. */
    change: (values: Partial<Omit<View, keyof ListPlace>>, options?: SetOptions) =>
      showFrom(TOP, values as Partial<View>, options),
    query,
    /** Why the list does not go on; null if it does. Earlier rows that cannot be read do not stop it. */
    error,
    earlierError: isOfEarlier ? query.error : null,
    isRead,
    /** The blocks that the loaded pages are as of, lowest first. */
    tips,
    /** The lowest one. */
    tip: tips[0] ?? null,
    rows,
    before,
    /** The whole list has rows before the loaded ones. */
    hasEarlier,
    source,
    /** Whether the chain as it is now has the loaded rows, which it reads again, in one page. More rows count as changed. */
    async stands(signal: AbortSignal): Promise<boolean> {
      if (rows.length > list.exportSize || query.data?.pageParams.some(isEarlierPage)) return false;
      const { data } = await list.read(of, view, { pageSize: Math.max(rows.length, 1) }, signal);
      return (
        data.hasNext === query.hasNextPage && stringifyExactJson(data.result) === stringifyExactJson(rows)
      );
    },
    /** Switches between the largest pages and those for reading. */
    setFast(fast: boolean) {
      pageSize.current = fast ? list.exportSize : ENDLESS_PAGE;
    },
    startFromTop() {
      focusResults();
      startFromTop();
      showFrom(TOP);
    },
    reload() {
      focusResults();
      // The list gets shorter, and the browser would stop somewhere in it.
      window.scrollTo({ top: 0, behavior: "instant" });
      startFromTop();
      showFrom(TOP);
      const begun = endlessQuery(list, of, top, null, () => pageSize.current);
      const { queryKey } = begun;
      const isShown = start.from === "";
      if (!isShown) client.removeQueries({ queryKey, exact: true });
      const reading = isShown ? client.resetQueries({ queryKey }) : client.prefetchInfiniteQuery(begun);
      // A page that is refused would replace this one, so the list comes first. If its block is gone, the page says so.
      void reading.then(() => {
        const state = client.getQueryState(queryKey);
        if (state?.status === "success" || hasCode(state?.error, "NOT_FOUND")) router.refresh();
      });
    },
  };
}

type State<Entry, View extends EndlessView> = ReturnType<
  typeof useEndlessList<Entry, View, Record<string, string>>
>;

interface Props<Entry extends RowData, View extends EndlessView> extends ListViewProps<Entry, View> {
  list: State<Entry, View>;
  /** Number of rows in the whole list; null if it is not counted. */
  total: number | null;
  noun: string | Noun;
  whole?: boolean;
  /** Says at the end of the list which loaded rows are hidden. */
  hidden?: ReactNode;
}

/** A list that grows by cursor: its controls, the loaded rows, and buttons to load more. */
export function EndlessListView<Entry extends RowData, View extends EndlessView>(props: Props<Entry, View>) {
  const { list, noun, caption, controls, filters, empty } = props;
  const { view, query } = list;
  const table = useDataTable({ ...props, idOf: list.idOf });
  const [found, setFound] = useState<{ of: string; row: FoundRow | null }>();
  const [kept, setKept] = useState<Place | null>(null);
  async function loadEarlier() {
    const place = placeOfRead();
    const { isSuccess } = await query.fetchPreviousPage(KEEP);
    if (isSuccess) setKept(place);
  }
  const loading = useAutomaticLoading(list, props.whole ?? false);
  const loaded = list.rows.length;
  const total = totalOf(list, loaded, props.total);
  const hidden = loaded - props.rows.length;
  // The end of a short list already shows its length.
  const inParts = query.hasNextPage || list.hasEarlier || loaded > ENDLESS_PAGE;
  const counts = [
    inParts && `${formatCount(loaded)} ${total === null ? "" : `of ${formatCount(total)} `}loaded`,
    hidden > 0 && `${countOf(hidden, "flagged row")} hidden`,
  ].filter(Boolean);
  const hasMore = query.hasNextPage && !list.error;
  useEffect(() => {
    if (loaded > 0) announceProgress(`${countOf(loaded, noun)} loaded${hasMore ? ", more available" : ""}`);
  }, [loaded, noun, hasMore]);
  return (
    // The header of the table stays below the toolbar, whose lower padding it covers.
    <section
      aria-label={caption}
      data-loading-all={loading.loadingAll || undefined}
      className="lg:[--sticky-top:96px]"
    >
      <Toolbar
        className="lg:sticky lg:top-14 lg:z-20 lg:h-12 lg:flex-nowrap lg:**:scroll-mt-0"
        list={list}
        controls={controls}
        table={table}
        onFound={(row) => setFound({ of: list.request, row })}
        filters={filters}
        aside={loaded > 0 && counts.length > 0 && <span>{counts.join(", ")}</span>}
      />
      {view.from !== "" && (list.hasEarlier || query.isPending) && (
        <div className="mb-2 flex flex-wrap items-center gap-3 rounded-md bg-accent-bg px-3 py-2">
          Showing from the middle of the list.
          {query.hasPreviousPage && (
            // `disabled` would lose the focus.
            <Button
              aria-disabled={query.isFetchingPreviousPage}
              onClick={() => void (query.isFetchingPreviousPage || loadEarlier())}
            >
              {query.isFetchingPreviousPage ? "Loading…" : "Load earlier rows"}
            </Button>
          )}
          <Button onClick={list.startFromTop}>Start from the top</Button>
        </div>
      )}
      {list.earlierError && (
        <div className="mb-2">
          <Failure
            error={list.earlierError}
            subject="Earlier rows"
            retrying={query.isFetching}
            onRetry={() => void loadEarlier()}
          />
        </div>
      )}
      <div id="results" tabIndex={-1} className="outline-none">
        {list.isRead && loaded === 0 ? (
          <div className="p-4">
            {list.hasEarlier ? <Notice bare title="There are no more rows after this place" /> : empty}
          </div>
        ) : (
          <LoadedRows
            {...props}
            table={table}
            found={found?.of === list.request ? found.row : null}
            kept={kept}
          />
        )}
      </div>
      {hasMore && !loading.loadingAll && (
        <MoreRows loaded={loaded} total={total} noun={noun} query={query} loading={loading} />
      )}
      {loading.loadingAll && (
        // A bar, because the end of the list moves away while it loads. The pages are announced as they arrive.
        <NewsBar
          quiet
          action={
            <Button
              // The button that started it is gone, and had the focus.
              autoFocus={loading.isAsked}
              onClick={() => {
                focusResults();
                loading.loadAll(false);
              }}
            >
              Stop
            </Button>
          }
        >
          Loading all rows: {formatCount(loaded)} {total !== null && `of ${formatCount(total)}`}
        </NewsBar>
      )}
      <Selection table={table} csv={list.source.list.csv} worthOf={props.worthOf} />
    </section>
  );
}

interface MoreProps {
  loaded: number;
  total: number | null;
  noun: string | Noun;
  query: { isFetchingNextPage: boolean };
  loading: ReturnType<typeof useAutomaticLoading>;
}

/** Buttons to load more, at the end of the loaded rows. Coming near them loads more, too. */
function MoreRows({ loaded, total, noun, query, loading }: MoreProps) {
  // Another key makes another element of it, so that what a new page pushes out of sight is no layout shift. It must not lose the focus.
  const [{ key, focused }, setPlace] = useState({ key: loaded, focused: false });
  if (!focused && key !== loaded) setPlace({ key: loaded, focused });
  return (
    <fieldset
      key={key}
      ref={loading.setSentinel}
      aria-label="More rows"
      onFocus={() => setPlace({ key, focused: true })}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setPlace({ key, focused: false });
      }}
      className="flex flex-wrap justify-center gap-2 py-4 print:hidden"
    >
      <p className="w-full text-center text-text-2">
        {total === null ? countOf(loaded, noun) : `${formatCount(loaded)} of ${countOf(total, noun)}`}
      </p>
      {/* `disabled` would lose the focus. */}
      <Button aria-disabled={query.isFetchingNextPage} onClick={loading.loadNext}>
        {query.isFetchingNextPage ? "Loading…" : `Load next ${ENDLESS_PAGE}`}
      </Button>
      <Button onClick={() => loading.loadAll(true)}>Load all {total !== null && formatCount(total)}</Button>
    </fieldset>
  );
}

/** The counted total belongs to the block of the page, which the list may have left behind. Its rows are then right. */
function totalOf(
  { query, isRead, hasEarlier }: { query: { hasNextPage: boolean }; isRead: boolean; hasEarlier: boolean },
  loaded: number,
  counted: number | null,
): number | null {
  if (counted === null) return null;
  if (isRead && !query.hasNextPage && !hasEarlier) return loaded;
  return counted > loaded || (counted === loaded && !query.hasNextPage) ? counted : null;
}

function LoadedRows<Entry extends RowData, View extends EndlessView>(
  props: Props<Entry, View> & { table: DataTableState<Entry>; found: FoundRow | null; kept: Place | null },
) {
  const { list, rows, tableClass, ...table } = props;
  const { query, before, view } = list;
  // Loading all rows reads longer pages than opening a list. The row itself may be hidden.
  const opensAt =
    view.skip > 0
      ? list.rows.slice(Math.min(view.skip, list.rows.length - 1)).find((row) => rows.includes(row))
      : undefined;
  const ended = list.isRead && !query.hasNextPage;
  const paused = pauseOf(query);
  const isFirst = query.isPending && query.fetchStatus !== "idle";
  const goesOn = query.isFetching && !query.isFetchingPreviousPage;
  return (
    <DataTable
      {...table}
      opensAt={opensAt && list.idOf(opensAt)}
      className={tableClass}
      grows
      rowCount={ended ? (before ?? 0) + rows.length : -1}
      offset={before ?? 0}
      skeletonRows={isFirst && !paused ? 12 : goesOn ? 3 : 0}
      after={(paused || list.error || ended) && <ListEnd {...props} />}
    />
  );
}

/** Says why the list stops: a pause, a failure, or its end. */
function ListEnd<Entry extends RowData, View extends EndlessView>(props: Props<Entry, View>) {
  const { list, rows, noun, hidden } = props;
  const { query, error, tip, tips } = list;
  const router = useRouter();
  const count = list.rows.length;
  const paused = pauseOf(query);
  if (paused) {
    return (
      <p className="text-center text-text-2">
        <Pause error={paused} failures={query.failureCount} />
      </p>
    );
  }
  if (error) {
    const again = count === 0 ? query.refetch : query.fetchNextPage;
    return (
      <Failure
        error={error}
        subject={count === 0 ? "The list" : `Rows after ${formatCount(count)}`}
        retrying={query.isFetching}
        // If its block is gone, only the page knows what to say.
        onRetry={() => {
          if (hasCode(error, "NOT_FOUND")) router.refresh();
          void again(KEEP);
        }}
        actions={
          list.view.from === "" ? (
            isAtAnEnd(error) && <Button onClick={list.reload}>Reload</Button>
          ) : (
            <Button onClick={list.startFromTop}>Start from the top</Button>
          )
        }
      />
    );
  }
  return (
    <p className="text-center text-text-2">
      End of list: {countOf(rows.length, noun)}
      {list.hasEarlier && " from where you opened it"}
      {tip && (
        <>
          {" "}
          {tips.length <= 1 ? (
            <>
              as of block {formatCount(tip.height)} (<Cut parts={cutHash(tip.hash)} />)
            </>
          ) : (
            `read at ${countOf(tips.length, "block")} up to ${formatCount(tips.at(-1)!.height)}`
          )}
        </>
      )}
      {hidden}
    </p>
  );
}

/** Distance between the window and the end of the list at which the next page loads. Readers who do not scroll need only the first one. */
const AHEAD_PX = 2000;
/** That distance for readers who scroll. Fast scrolling takes seconds to cover it. */
const FAR_AHEAD_PX = 16_000;

/** Loads pages as the reader nears the end. `loadAll(true)` loads all pages until `loadAll(false)`. */
function useAutomaticLoading<Entry, View extends EndlessView>(
  { query, error, isRead, request, setFast }: State<Entry, View>,
  whole: boolean,
) {
  const [sentinel, setSentinel] = useState<HTMLFieldSetElement | null>(null);
  const pageCount = query.data?.pages.length ?? 0;
  /** The request of the list that is being loaded completely, and whether the reader asked for that. */
  const [wanted, setWanted] = useState({ of: "", isAsked: false });
  const loadingAll = wanted.of === request && query.hasNextPage && !error;
  const ready = query.hasNextPage && !query.isFetching && !error;
  const [scrolls, setScrolls] = useState(false);
  const goesOn = scrolls || pageCount > 1;
  const { fetchNextPage } = query;
  const ended = isRead && !query.hasNextPage;
  const hadEnded = useRef(ended);
  useEffect(() => {
    // The buttons disappear at the end, and one of them had the focus.
    if (ended && !hadEnded.current && pageCount > 1 && document.activeElement === document.body)
      focusResults();
    hadEnded.current = ended;
  }, [ended, pageCount]);
  useEffect(() => {
    const onScroll = () => setScrolls(true);
    window.addEventListener("scroll", onScroll, { once: true, passive: true });
    return () => window.removeEventListener("scroll", onScroll);
  }, []);
  function want(of: string, isAsked = false) {
    setFast(of !== "");
    setWanted({ of, isAsked });
  }
  const wantWhole = useEffectEvent(want);
  // Starts only once for each request, since the reader may stop it.
  useEffect(() => {
    if (!whole) return;
    wantWhole(request);
    return () => wantWhole("");
  }, [whole, request]);
  useEffect(() => {
    if (loadingAll && ready && pageCount > 0) void fetchNextPage(KEEP);
  }, [loadingAll, ready, pageCount, fetchNextPage]);
  useEffect(() => {
    if (!sentinel || !ready || loadingAll) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page gets several entries at once, and only the last one is current.
        if (entries.at(-1)?.isIntersecting) void fetchNextPage(KEEP);
      },
      { rootMargin: `${goesOn ? FAR_AHEAD_PX : AHEAD_PX}px 0px` },
    );
    observer.observe(sentinel);
    return () => observer.disconnect();
  }, [sentinel, ready, loadingAll, goesOn, fetchNextPage]);
  return {
    setSentinel,
    loadingAll,
    isAsked: wanted.isAsked,
    loadAll: (go: boolean) => want(go ? request : "", go),
    loadNext() {
      if (!query.isFetchingNextPage) void fetchNextPage(KEEP);
    },
  };
}
