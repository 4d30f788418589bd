"use client";

import "./utxo-table.css";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { useRouter } from "next/navigation";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Amount } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { announce } from "#components/announce.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { copyAndSay } from "#components/copy.ts";
import { DataTable } from "#components/DataTable.tsx";
import { ExportButton } from "#components/ExportButton.tsx";
import type { Exportable } from "#components/ExportDialog.tsx";
import { Failure, Pause, useFailuresAtHand } from "#components/Failure.tsx";
import { CloseIcon } from "#components/icons.tsx";
import { Notice } from "#components/Notice.tsx";
import { isLeaving, openPage } from "#components/navigation.tsx";
import { usePreferences } from "#components/Preferences.tsx";
import { CopyMenu, ExpandButton, RowLink } from "#components/RowControls.tsx";
import { Toolbar } from "#components/Toolbar.tsx";
import { type Features, useTable } from "#components/table.ts";
import { useUrlState } from "#components/url-state.ts";
import { createFlagger, displayDecimals, displaySymbol, type Flag } from "#lib/client/chain-text.ts";
import { countOf, cutHash, cutId, cutToText, formatAmount, formatCount } from "#lib/client/format.ts";
import {
  addressUtxos,
  chainStatus,
  type FirstAnswer,
  listChange,
  mergeUtxos,
  UTXO_PAGE_SIZE,
  type UtxoFilter,
  type UtxoPages,
  utxosPath,
} from "#lib/client/queries.ts";
import { type AnswerTip, curlOf } from "#lib/client/request.ts";
import type { ListChange } from "#lib/client/status.ts";
import type { UtxoEntry, UtxoList } from "#lib/contract/endpoints.ts";
import { urlState } from "./url-state.ts";

/** What the address holds of one asset, by the server's own sum. */
export interface Holding {
  id: string;
  name: string;
  symbol: string;
  decimals: number;
  public: boolean;
  amount: string;
  outputCount: number;
}

interface Props {
  address: string;
  native: { id: string; symbol: string; decimals: number } | null;
  /** Those with most outputs; there can be more of them: `tokenCount` says how many. */
  holdings: Holding[];
  outputCount: number;
  tokenCount: number;
  /** The answer that came with the page, and the list that it begins. */
  initial: FirstAnswer<UtxoFilter, UtxoList> | null;
}

/** Pages that load by themselves before the reader is asked, so that the page's end can be reached. */
const AUTO_PAGES = 5;
/** The next page is asked for this many pixels before the end comes into view. */
const AHEAD_PX = 1000;

const UtxoDetails = lazy(() => import("./UtxoDetails.tsx"));
const CellCopies = lazy(() => import("./CellCopies.tsx"));

const noRows: UtxoEntry[] = [];
const outPointOf = (entry: UtxoEntry) => entry.outPoint;

export function UtxoTable({ address, native, holdings, outputCount, tokenCount, initial }: Props) {
  const router = useRouter();
  const client = useQueryClient();
  const { preferences, choose } = usePreferences();
  const [url, setUrl] = useUrlState(urlState);
  const { order, flagged } = url;
  const token = url.token || undefined;

  const list = { address, token, order };
  const [from, startAt] = useStart(list, url.from);
  const options = addressUtxos({ ...list, from }, initial);
  const query = useInfiniteQuery(options);
  const pages = query.data?.pages;
  const loaded = useMemo(() => (pages ? mergeUtxos(pages) : noRows), [pages]);

  const flagsOf = useFlags(native, holdings);
  const hidden = useMemo(
    () => loaded.filter((entry) => flagsOf(entry.tokenInfo).some((flag) => flag.strong)).length,
    [loaded, flagsOf],
  );
  const rows = useMemo(() => {
    // A chosen token is shown whatever it is called.
    if (flagged === "show" || token !== undefined || hidden === 0) return loaded;
    return loaded.filter((entry) => !flagsOf(entry.tokenInfo).some((flag) => flag.strong));
  }, [loaded, hidden, flagged, token, flagsOf]);

  const columns = useMemo(() => columnsOf(native, flagsOf), [native, flagsOf]);
  const table = useTable({ columns, data: rows, getRowId: outPointOf });

  useReadingPlace(query.data, (cursor) => {
    if (cursor !== url.from) setUrl({ from: cursor || null });
  });

  const details = useCallback(
    (entry: UtxoEntry) => (
      <Suspense fallback={<span className="skeleton w-1/2" />}>
        <UtxoDetails entry={entry} flags={flagsOf(entry.tokenInfo)} native={native} />
      </Suspense>
    ),
    [flagsOf, native],
  );
  function onRowKey(key: string, entry: UtxoEntry) {
    if (key === "o") openPage(`/blocks/${entry.blockHeight}`);
    if (key === "c") void copyAndSay(entry.outPoint, "out point");
  }

  const automatic = useAutomaticLoading(query, preferences.autoload === "on", `${token} ${order} ${from}`);
  useEffect(() => {
    if (loaded.length === 0) return;
    announce(`${countOf(loaded.length, "cell")} loaded${query.hasNextPage ? ", more available" : ""}`);
  }, [loaded.length, query.hasNextPage]);

  const path = utxosPath(list, "");
  const source: Exportable<UtxoEntry> = {
    list: "utxos",
    subject: address,
    query: path,
    loaded: { rows: loaded, query: utxosPath(list, from), tip: pages?.at(-1)?.tip ?? null },
    total: holdings.find((holding) => holding.id === token)?.outputCount ?? outputCount,
    walk: async (walk) => (await import("#lib/client/export.ts")).walkUtxos(list, walk),
  };

  const tip = pages?.at(-1)?.tip ?? null;
  const chosen = holdings.find((holding) => holding.id === token);
  const loadingFirst = query.isPending && query.fetchStatus !== "idle";
  useFailuresAtHand(query.isFetching);
  const waiting = query.isFetching ? query.failureReason : null;

  function reload() {
    void client.resetQueries({ queryKey: options.queryKey });
    router.refresh();
  }

  return (
    <section aria-label="Unspent outputs" className="utxo-list">
      <Toolbar
        active={(token ? 1 : 0) + (order === "desc" ? 1 : 0) + (flagged === "show" ? 1 : 0)}
        aside={
          loaded.length > 0 &&
          `${formatCount(loaded.length)} of ${formatCount(chosen?.outputCount ?? outputCount)} loaded`
        }
      >
        <select
          aria-label="Token"
          className="button max-w-56 px-2"
          value={token ?? ""}
          onChange={(event) => setUrl({ token: event.target.value || null, from: null })}
        >
          <option value="">All tokens ({formatCount(tokenCount)})</option>
          {holdings.map((holding) => (
            <option key={holding.id} value={holding.id}>
              {displaySymbol(holding)} {cutToText(cutId(holding.id))} ({formatCount(holding.outputCount)})
            </option>
          ))}
          {tokenCount > holdings.length && (
            <option disabled>
              and {formatCount(tokenCount - holdings.length)} more: open a link with their id
            </option>
          )}
          {token !== undefined && !chosen && <option value={token}>{cutToText(cutId(token))}</option>}
        </select>
        <select
          aria-label="Order"
          className="button px-2"
          value={order}
          onChange={(event) => setUrl({ order: event.target.value === "desc" ? "desc" : null, from: null })}
        >
          <option value="asc">Oldest first</option>
          <option value="desc">Newest first</option>
        </select>
        {(hidden > 0 || flagged === "show") && token === undefined && (
          <button
            type="button"
            className="button"
            aria-pressed={flagged === "hide"}
            onClick={() => setUrl({ flagged: flagged === "hide" ? "show" : null })}
          >
            Hide flagged ({formatCount(hidden)})
          </button>
        )}
        <button
          type="button"
          className="button"
          aria-pressed={preferences.autoload === "on"}
          onClick={() => choose("autoload", preferences.autoload === "on" ? "off" : "on")}
        >
          Auto-load
        </button>
        <ExportButton source={source} />
        <CopyButton text={() => curlOf(window.location.origin, path)} label="this view as cURL" shortcut="y">
          API
        </CopyButton>
      </Toolbar>
      {token !== undefined && (
        <div className="mb-2">
          <TokenChip id={token} holding={chosen} onRemove={() => setUrl({ token: null, from: null })} />
        </div>
      )}

      {from !== "" && (
        <div className="mb-2 flex flex-wrap items-center gap-3 rounded-md bg-accent-bg px-3 py-2">
          This list was opened part-way.
          <button
            type="button"
            className="button"
            onClick={() => {
              startAt("");
              setUrl({ from: null });
            }}
          >
            Start from the top
          </button>
        </div>
      )}

      <div id={LIST_ID} tabIndex={-1} className="panel utxo-panel">
        {query.isSuccess && loaded.length === 0 ? (
          <div className="p-4">
            <EmptyList
              filtered={token !== undefined}
              outputCount={outputCount}
              tip={tip}
              onClear={() => setUrl({ token: null, from: null })}
            />
          </div>
        ) : (
          <DataTable
            table={table}
            caption="Unspent outputs"
            className={from === "" ? "utxo-table" : "utxo-table part-way"}
            rowCount={query.hasNextPage || !query.isSuccess ? -1 : rows.length}
            details={details}
            onRowKey={onRowKey}
            skeletonRows={loadingFirst && !waiting ? 12 : query.isFetching ? 3 : 0}
            after={
              waiting ? (
                <p className="text-center text-text-2">
                  <Pause error={waiting} failures={query.failureCount} />
                </p>
              ) : query.error ? (
                <Failure
                  bare
                  error={query.error}
                  subject={loaded.length === 0 ? "The list" : `Rows after ${formatCount(loaded.length)}`}
                  retrying={query.isFetching}
                  onRetry={() => void (loaded.length === 0 ? query.refetch() : query.fetchNextPage())}
                />
              ) : query.isSuccess && !query.hasNextPage ? (
                <EndOfList count={loaded.length} from={from} hidden={loaded.length - rows.length} tip={tip} />
              ) : undefined
            }
          />
        )}
      </div>
      {query.hasNextPage && !query.error && (
        <div ref={automatic.sentinel} className="no-print flex justify-center py-4">
          <button
            type="button"
            className="button"
            disabled={query.isFetchingNextPage}
            onClick={automatic.loadNext}
          >
            {query.isFetchingNextPage ? "Loading…" : `Load next ${UTXO_PAGE_SIZE}`}
          </button>
        </div>
      )}
      <ChangeBar address={address} cells={outputCount} tip={tip} onReload={reload} />
    </section>
  );
}

const LIST_ID = "results";

/** Where this tab began each list, so that coming back to one shows the rows that it had. */
const begun = new Map<string, string>();

/**
 * The cursor that the list is read from. The address bar follows the reader down the list, so what it
 * says is a start only when the list is opened anew.
 */
function useStart(list: Omit<UtxoFilter, "from">, from: string): [string, (cursor: string) => void] {
  const client = useQueryClient();
  const key = JSON.stringify(list);
  function open(): { key: string; cursor: string } {
    const earlier = begun.get(key);
    if (earlier === undefined || from === "") return { key, cursor: from };
    const cached = client.getQueryData<UtxoPages>(addressUtxos({ ...list, from: earlier }).queryKey);
    return { key, cursor: cached?.pageParams.includes(from) ? earlier : from };
  }
  const [start, setStart] = useState(open);
  const current = start.key === key ? start : open();
  if (current !== start) setStart(current);
  useEffect(() => {
    // Opened by a link into the middle: the browser's idea of where to scroll is from another length of list.
    if (current.cursor !== "" && !begun.has(current.key)) {
      requestAnimationFrame(() => document.getElementById(LIST_ID)?.parentElement?.scrollIntoView());
    }
    begun.set(current.key, current.cursor);
  }, [current]);
  return [current.cursor, (cursor) => setStart({ key, cursor })];
}

const FOLLOW_MS = 300;
/** Below the bars that stick to the top. */
const READING_LINE_PX = 160;

/** Calls back with the cursor of the page that is being read, a moment after the reader stopped. */
function useReadingPlace(pages: UtxoPages | undefined, onPlace: (cursor: string) => void) {
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
        data.result.some((one) => one.outPoint === row.dataset.id),
      );
      const cursor = pages.pageParams[at];
      if (cursor !== undefined) onPlace(cursor);
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

type FlagsOf = (asset: UtxoEntry["tokenInfo"]) => readonly Flag[];

/** Flags by token, each computed once. */
function useFlags(native: Props["native"], holdings: Holding[]): FlagsOf {
  return useMemo(() => {
    const flagger = createFlagger({ native, peers: holdings });
    const known = new Map<string, readonly Flag[]>();
    return (asset) => {
      const flags = known.get(asset.id) ?? flagger(asset);
      known.set(asset.id, flags);
      return flags;
    };
  }, [native, holdings]);
}

function columnsOf(native: Props["native"], flagsOf: FlagsOf): ColumnDef<Features, UtxoEntry>[] {
  return [
    {
      id: "place",
      header: "#",
      cell: ({ row }) => (
        <span className="flex items-center justify-between text-text-3">
          <ExpandButton label={`row ${formatCount(row.index + 1)}`} />
          <span className="row-number">{formatCount(row.index + 1)}</span>
        </span>
      ),
    },
    {
      id: "token",
      header: "Token",
      cell: ({ row: { original } }) => (
        <AssetLabel asset={original.tokenInfo} flags={flagsOf(original.tokenInfo)} />
      ),
    },
    {
      id: "amount",
      header: "Amount",
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <Amount amount={original.amount} decimals={displayDecimals(original.tokenInfo)} />
      ),
    },
    {
      id: "capacity",
      header: `Capacity, ${native?.symbol ?? "CKB"}`,
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <span className={original.token === native?.id ? "text-text-3" : "text-text-2"}>
          <Amount amount={original.capacity} decimals={native?.decimals ?? 8} />
        </span>
      ),
    },
    {
      id: "block",
      header: "Block",
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <RowLink href={`/blocks/${original.blockHeight}`}>{formatCount(original.blockHeight)}</RowLink>
      ),
    },
    {
      id: "out-point",
      header: "Out point",
      cell: ({ row: { original } }) => <OutPoint outPoint={original.outPoint} />,
    },
    {
      id: "menu",
      header: () => <span className="sr-only">Copy</span>,
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <CopyMenu label="this cell" menu={(props) => <CellCopies {...props} entry={original} />} />
      ),
    },
  ];
}

function OutPoint({ outPoint }: { outPoint: string }) {
  const [hash = "", index = ""] = outPoint.split(":");
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <Cut parts={cutHash(hash)} title={outPoint} narrows />
      <span className="mono text-text-2">#{index}</span>
      <span className="max-sm:hidden">
        <CopyButton text={outPoint} label="out point" />
      </span>
    </span>
  );
}

function TokenChip({
  id,
  holding,
  onRemove,
}: {
  id: string;
  holding: Holding | undefined;
  onRemove: () => void;
}) {
  const symbol = holding ? displaySymbol(holding) : "Token";
  const balance = holding && formatAmount(holding.amount, displayDecimals(holding));
  return (
    <span className="chip min-h-8 text-sm">
      <bdi className="shrink-0 font-medium text-text">{symbol}</bdi>
      <span className="mono shrink-0">{cutToText(cutId(id))}</span>
      {holding && balance && (
        <span className="clip" title={balance.exact}>
          {balance.whole}
          {balance.fraction} in {countOf(holding.outputCount, "cell")}
        </span>
      )}
      <button type="button" className="copy" aria-label={`Remove the filter ${symbol}`} onClick={onRemove}>
        <CloseIcon />
      </button>
    </span>
  );
}

function EmptyList(props: {
  filtered: boolean;
  outputCount: number;
  tip: AnswerTip | null;
  onClear: () => void;
}) {
  const { filtered, outputCount, tip, onClear } = props;
  const asOf = tip ? ` as of block ${formatCount(tip.height)}` : "";
  if (filtered) {
    return (
      <Notice
        bare
        tone="neutral"
        title="No live cell holds this token"
        actions={
          <button type="button" className="button" onClick={onClear}>
            Clear the filter
          </button>
        }
      >
        {countOf(outputCount, "cell")} without the filter{asOf}.
      </Notice>
    );
  }
  return (
    <Notice bare tone="neutral" title="No live cells">
      This address is valid; nothing is unspent here{asOf}.
    </Notice>
  );
}

function EndOfList(props: { count: number; from: string; hidden: number; tip: AnswerTip | null }) {
  const { count, from, hidden, tip } = props;
  return (
    <p className="text-center text-text-2">
      End of list: {countOf(count, "cell")}
      {from !== "" && " from where it was opened"}
      {hidden > 0 && `, ${formatCount(hidden)} flagged ${hidden === 1 ? "one" : "ones"} hidden`}
      {tip && (
        <>
          {" "}
          as of block {formatCount(tip.height)} (<Cut parts={cutId(tip.hash)} />)
        </>
      )}
    </p>
  );
}

interface Loading {
  hasNextPage: boolean;
  isFetching: boolean;
  error: Error | null;
  data: { pages: unknown[] } | undefined;
  fetchNextPage: () => Promise<unknown>;
}

/** Loads the next page as its place nears the window, a few pages in a row; then waits for the button. */
function useAutomaticLoading(query: Loading, enabled: boolean, list: string) {
  const sentinel = useRef<HTMLDivElement>(null);
  const pageCount = query.data?.pages.length ?? 0;
  const [allowed, setAllowed] = useState({ list, upTo: AUTO_PAGES });
  const upTo = allowed.list === list ? allowed.upTo : AUTO_PAGES;
  const ready = query.hasNextPage && !query.isFetching && !query.error;
  const { fetchNextPage } = query;
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
    loadNext() {
      setAllowed({ list, upTo: pageCount + AUTO_PAGES });
      void fetchNextPage();
    },
  };
}

interface ChangeBarProps {
  address: string;
  /** How many the address had when the list was read. */
  cells: number;
  tip: AnswerTip | null;
  onReload: () => void;
}

/** New blocks move no rows: a bar at the foot of the window tells of those that concern the list. */
function ChangeBar({ address, cells, tip, onReload }: ChangeBarProps) {
  const { data: status } = useQuery(chainStatus());
  const { data: change } = useQuery(listChange(address, cells, tip, status?.tip ?? null));
  if (!tip || !status?.tip || !change || change.kind === "none") return null;
  return (
    <div
      role="status"
      className="no-print sticky bottom-4 z-20 mx-auto my-2 flex w-fit items-center gap-3 rounded-md border border-accent bg-accent-bg px-3 py-2"
    >
      <span>{textOf(change, status.tip.height - tip.height)}</span>
      <button type="button" className="button" onClick={onReload}>
        Refresh
      </button>
    </div>
  );
}

function textOf(change: ListChange, blocks: number): string {
  if (change.kind === "replaced")
    return `The chain changed: block ${formatCount(change.height)}, which this list was read at, was replaced`;
  return `${countOf(blocks, "new block")} changed this list`;
}
