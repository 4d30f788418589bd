"use client";

import "./asset-change-table.css";
import { useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Amount, Usd } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { announce } from "#components/announce.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { copyAndSay } from "#components/copy.ts";
import { DataTable } from "#components/DataTable.tsx";
import { ExportButton } from "#components/ExportButton.tsx";
import type { Exportable } from "#components/ExportDialog.tsx";
import { Failure, Pause, useFailuresAtHand } from "#components/Failure.tsx";
import { CloseIcon } from "#components/icons.tsx";
import { Notice } from "#components/Notice.tsx";
import { CopyMenu, ExpandButton } from "#components/RowControls.tsx";
import { useRowTabIndex } from "#components/row-context.ts";
import { Toolbar } from "#components/Toolbar.tsx";
import { type Features, useTable } from "#components/table.ts";
import { type SetUrlState, useUrlState } from "#components/url-state.ts";
import { createFlagger, displayDecimals, displaySymbol, type Flag } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsdText } from "#lib/client/format.ts";
import {
  type AssetChangeFilter,
  assetChangesPath,
  blockAssetChanges,
  type FirstAnswer,
} from "#lib/client/queries.ts";
import { curlOf } from "#lib/client/request.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { AssetChange, AssetChangeList } from "#lib/contract/endpoints.ts";
import { Pager } from "./Pager.tsx";
import { type Order, PAGE_SIZES, urlState } from "./url-state.ts";

interface Props {
  blockHash: string;
  native: { id: string; symbol: string } | null;
  /** Of all the block's assets, most frequent first. */
  tags: { tag: string; count: number }[];
  assetCount: number;
  /** Of all the block's priced assets, in units of 10^-8 US dollars. */
  volumeUsd: string;
  /** The answer that came with the page, and the filter that it answers. */
  initial: FirstAnswer<AssetChangeFilter, AssetChangeList> | null;
}

const TYPING_MS = 250;
const SLOW_MS = 400;
/** Tag buttons shown before the rest is asked for. */
const FIRST_TAGS = 12;

const ChangeDetails = lazy(() => import("./ChangeDetails.tsx"));
const ChangeCopies = lazy(() => import("./ChangeCopies.tsx"));

const noRows: AssetChange[] = [];
const assetIdOf = (change: AssetChange) => change.asset.id;
const nextOrder: Record<Order, Order> = { desc: "asc", asc: "chain", chain: "desc" };
const ariaSort = { desc: "descending", asc: "ascending", chain: "none" } as const;

export function AssetChangeTable({ blockHash, native, tags, assetCount, volumeUsd, initial }: Props) {
  const [url, setUrl] = useUrlState(urlState);
  const { name, order, page, size, flagged } = url;
  const filter: AssetChangeFilter = {
    blockHash,
    assetName: name,
    tags: url.tags,
    volumeOrder: order === "chain" ? null : order,
    page,
    pageSize: size,
  };
  const query = useQuery(blockAssetChanges(filter, initial));
  const shown = useLastAnswer(filter, query.data);
  const answer = shown?.answer.data;
  const changes = answer?.result ?? noRows;
  const total = answer?.total ?? 0;
  const pageCount = Math.max(1, Math.ceil(total / size));
  const outdated = shown !== null && !query.data;
  const busy = outdated && query.isFetching;
  const slow = useSlow(busy);
  useFailuresAtHand(query.isFetching);
  const waiting = query.isFetching ? query.failureReason : null;

  const flagsOf = useFlags(native, changes);
  const hiddenCount = changes.filter((change) => isStronglyFlagged(flagsOf(change))).length;
  const rows = useMemo(
    () => (flagged === "show" ? changes : changes.filter((change) => !isStronglyFlagged(flagsOf(change)))),
    [changes, flagged, flagsOf],
  );

  // Any change but that of the page itself starts at page 1, in the same step.
  const change = (values: Partial<Omit<typeof url, "page">>) => setUrl({ ...values, page: null });
  const toggleTag = (tag: string) =>
    change({ tags: url.tags.includes(tag) ? url.tags.filter((one) => one !== tag) : [...url.tags, tag] });

  const columns = useMemo(
    () => columnsOf({ order, tags: url.tags, name, volumeUsd, flagsOf, setUrl }),
    [order, url.tags, name, volumeUsd, flagsOf, setUrl],
  );
  const table = useTable({ columns, data: rows, getRowId: assetIdOf });

  const details = useCallback(
    (one: AssetChange) => (
      <Suspense fallback={<span className="skeleton w-1/2" />}>
        <ChangeDetails change={one} flags={flagsOf(one)} />
      </Suspense>
    ),
    [flagsOf],
  );

  const path = assetChangesPath(filter);
  const before = ((shown?.filter.page ?? 1) - 1) * (shown?.filter.pageSize ?? size);
  const source: Exportable<AssetChange> = {
    list: "asset-changes",
    subject: blockHash,
    query: path,
    loaded: {
      rows: changes,
      query: assetChangesPath(shown?.filter ?? filter),
      tip: shown?.answer.tip ?? null,
      outdated,
    },
    total: outdated ? null : total,
    walk: async (walk) => (await import("#lib/client/export.ts")).walkAssetChanges(filter, walk),
  };

  const results = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    if (!moved.current || !query.isSuccess) return;
    moved.current = false;
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView({ block: "nearest" });
    announce(`Page ${page} of ${pageCount}`);
  }, [query.isSuccess, page, pageCount]);

  const pager = (label: string) => (
    <Pager
      label={label}
      page={page}
      pageCount={pageCount}
      first={before + 1}
      last={Math.min(before + changes.length, total)}
      total={total}
      onPage={(next) => {
        moved.current = true;
        setUrl({ page: next }, "push");
      }}
    />
  );
  const failure = (error: Error, subject: string) => (
    <Failure
      bare
      error={error}
      subject={subject}
      retrying={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
  const filtered = name !== "" || url.tags.length > 0;

  return (
    <section aria-label="Asset changes">
      <Toolbar active={(name ? 1 : 0) + (order === "desc" ? 0 : 1) + (flagged === "show" ? 1 : 0)}>
        <NameFilter name={name} onName={(next) => change({ name: next })} />
        <select
          aria-label="Order"
          className="button px-2"
          value={order}
          onChange={(event) => change({ order: event.target.value as Order })}
        >
          {Object.entries(orderNames).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <select
          aria-label="Rows a page"
          className="button px-2"
          value={size}
          onChange={(event) => change({ size: Number(event.target.value) as (typeof PAGE_SIZES)[number] })}
        >
          {PAGE_SIZES.map((one) => (
            <option key={one} value={one}>
              {one} a page
            </option>
          ))}
        </select>
        {(hiddenCount > 0 || flagged === "show") && (
          <button
            type="button"
            className="button"
            aria-pressed={flagged === "hide"}
            onClick={() => setUrl({ flagged: flagged === "hide" ? "show" : null })}
          >
            Hide flagged ({formatCount(hiddenCount)} here)
          </button>
        )}
        <ExportButton source={source} />
        <CopyButton text={() => curlOf(window.location.origin, path)} label="this view as cURL" shortcut="y">
          API
        </CopyButton>
      </Toolbar>
      <TagFilter tags={tags} chosen={url.tags} onToggle={toggleTag} onClear={() => change({ tags: [] })} />

      <div id="results" ref={results} tabIndex={-1} className="panel relative outline-none">
        <p className="sr-only" role="status">
          {slow ? `Loading page ${page}` : ""}
        </p>
        {busy && <div aria-hidden="true" className="loading-bar" />}
        {query.error && !answer ? (
          <div className="p-4">{failure(query.error, "The list")}</div>
        ) : query.isSuccess && changes.length === 0 ? (
          <div className="p-4">
            <Nothing
              page={page}
              pageCount={pageCount}
              total={total}
              filtered={filtered}
              name={name}
              assetCount={assetCount}
              onClear={() => change({ name: "", tags: [] })}
              onPage={(next) => setUrl({ page: next }, "push")}
            />
          </div>
        ) : (
          <>
            {answer && <div className="border-border border-b px-3 py-2">{pager("Pages")}</div>}
            {query.error && (
              <div className="border-border border-b p-3">{failure(query.error, `Page ${page}`)}</div>
            )}
            <DataTable
              table={table}
              caption="Asset changes"
              className="change-table"
              rowCount={answer ? total : -1}
              offset={before}
              outdated={outdated}
              busy={busy}
              details={details}
              onRowKey={(key, one) => {
                if (key === "c") void copyAndSay(one.asset.id, "asset id");
              }}
              skeletonRows={query.isPending && !shown ? Math.min(size, Math.max(assetCount, 1)) : 0}
              after={
                hiddenCount > 0 && flagged === "hide" ? (
                  <p className="text-text-2">
                    {countOf(hiddenCount, "flagged asset")} of this page hidden.{" "}
                    <button type="button" className="link" onClick={() => setUrl({ flagged: "show" })}>
                      Show
                    </button>
                  </p>
                ) : undefined
              }
            />
            {answer && rows.length >= 10 && <div className="px-3 py-2">{pager("Pages, below the list")}</div>}
          </>
        )}
        {(slow || waiting) && (
          <p aria-hidden="true" className="absolute top-14 right-4 rounded-md bg-accent-bg px-3 py-1">
            {waiting ? <Pause error={waiting} failures={query.failureCount} /> : `Loading page ${page}`}
          </p>
        )}
      </div>
    </section>
  );
}

type LastAnswer = FirstAnswer<AssetChangeFilter, AssetChangeList>;

/** The answer to this filter; while there is none, the one before it, of the same block. */
function useLastAnswer(filter: AssetChangeFilter, answer: LastAnswer["answer"] | undefined) {
  const [last, setLast] = useState<LastAnswer | null>(null);
  const current = answer ? { filter, answer } : last;
  if (answer && answer !== last?.answer) setLast(current);
  return current?.filter.blockHash === filter.blockHash ? current : null;
}

type FlagsOf = (change: AssetChange) => readonly Flag[];

function useFlags(native: Props["native"], changes: AssetChange[]): FlagsOf {
  return useMemo(() => {
    // Only the operator's registry gives tags, so an asset that has one is listed there.
    const peers = changes.map(({ asset, tags }) => ({ ...asset, public: tags.length > 0 }));
    const flagger = createFlagger({ native, peers });
    const known = new Map(peers.map((asset) => [asset.id, flagger(asset)]));
    return ({ asset }) => known.get(asset.id) ?? [];
  }, [native, changes]);
}

function isStronglyFlagged(flags: readonly Flag[]): boolean {
  return flags.some((flag) => flag.strong);
}

interface ColumnInputs {
  order: Order;
  tags: string[];
  name: string;
  volumeUsd: string;
  flagsOf: FlagsOf;
  setUrl: SetUrlState<typeof urlState>;
}

function columnsOf(inputs: ColumnInputs): ColumnDef<Features, AssetChange>[] {
  const { order, tags, name, volumeUsd, flagsOf, setUrl } = inputs;
  return [
    {
      id: "asset",
      header: "Asset",
      cell: ({ row: { original } }) => (
        <AssetLabel asset={original.asset} flags={flagsOf(original)} highlight={name} named />
      ),
    },
    {
      id: "tags",
      header: "Tags",
      cell: ({ row: { original } }) =>
        original.tags.length > 0 && (
          <span className="flex flex-wrap gap-1">
            {original.tags.map((tag) => (
              <RowTag
                key={tag}
                tag={tag}
                chosen={tags.includes(tag)}
                onToggle={() =>
                  setUrl({
                    tags: tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag],
                    page: null,
                  })
                }
              />
            ))}
          </span>
        ),
    },
    {
      id: "amount",
      header: "Amount moved",
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <Amount amount={original.amount} decimals={displayDecimals(original.asset)} />
      ),
    },
    {
      id: "volume",
      meta: { align: "end", sort: ariaSort[order] },
      header: () => (
        <button
          type="button"
          className="sort"
          data-shortcut="s"
          title={`Next: ${orderNames[nextOrder[order]]}`}
          onClick={() => setUrl({ order: nextOrder[order], page: null })}
        >
          Volume, USD
        </button>
      ),
      cell: ({ row: { original } }) => <Volume change={original} total={volumeUsd} />,
    },
    {
      id: "menu",
      header: () => <span className="sr-only">Copy</span>,
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <span className="inline-flex">
          <CopyMenu
            label="this asset change"
            menu={(props) => <ChangeCopies {...props} change={original} />}
          />
          <ExpandButton label={displaySymbol(original.asset)} />
        </span>
      ),
    },
  ];
}

const orderNames: Record<Order, string> = {
  desc: "Volume, high to low",
  asc: "Volume, low to high",
  chain: "Order in the block",
};

function Volume({ change, total }: { change: AssetChange; total: string }) {
  const units = parseDecimal(change.amountUsd, USD_DECIMALS) ?? 0n;
  // The API says 0 for no price; nothing that moved is worth exactly nothing.
  if (units === 0n && change.amount > 0n) return <Usd value={null} />;
  const whole = BigInt(total);
  const perMille = whole === 0n ? 0 : Number((units * 1000n) / whole);
  return (
    <>
      <Usd value={formatUsdText(change.amountUsd)} />
      <span aria-hidden="true" className="share">
        <span style={{ width: `${Math.min(perMille / 10, 100)}%` }} />
      </span>
    </>
  );
}

/** Filters a moment after the last key, at once on Enter or on leaving the field; Escape clears. */
function NameFilter({ name, onName }: { name: string; onName: (name: string) => void }) {
  const [text, setText] = useState(name);
  const applied = useRef(name);
  useEffect(() => {
    // Changed from outside: by the Back button, or by clearing all filters.
    if (name !== applied.current) {
      applied.current = name;
      setText(name);
    }
  }, [name]);
  function commit(next: string) {
    if (next === applied.current) return;
    applied.current = next;
    onName(next);
  }
  const commitNow = useRef(commit);
  commitNow.current = commit;
  useEffect(() => {
    const timer = setTimeout(() => commitNow.current(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const clear = () => {
    setText("");
    commit("");
  };
  return (
    <div className="relative flex items-center max-sm:w-full">
      <input
        type="text"
        aria-label="Asset name contains"
        value={text}
        data-shortcut="f"
        placeholder="Asset name contains"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        className="field w-full pr-9 sm:w-60"
        onChange={(event) => setText(event.target.value)}
        // A link that is followed next would be called off by the address bar changing after it.
        onBlur={() => commit(text)}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit(text);
          if (event.key === "Escape") clear();
        }}
      />
      {text !== "" && (
        <button
          type="button"
          className="copy absolute right-1"
          aria-label="Clear the name filter"
          onClick={clear}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

function RowTag({ tag, chosen, onToggle }: { tag: string; chosen: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      className="chip"
      tabIndex={useRowTabIndex()}
      aria-pressed={chosen}
      onClick={onToggle}
    >
      <bdi className="clip">{tag}</bdi>
    </button>
  );
}

interface TagFilterProps {
  tags: Props["tags"];
  chosen: string[];
  onToggle: (tag: string) => void;
  onClear: () => void;
}

function TagFilter({ tags, chosen, onToggle, onClear }: TagFilterProps) {
  const [all, setAll] = useState(false);
  // A tag of the address bar that this block does not have is shown too: it is what the list is filtered by.
  const foreign = chosen
    .filter((tag) => tags.every((one) => one.tag !== tag))
    .map((tag) => ({ tag, count: 0 }));
  // What is chosen always shows, however rare: it is what the list is filtered by.
  const own = all ? tags : tags.filter(({ tag }, at) => at < FIRST_TAGS || chosen.includes(tag));
  const shown = [...own, ...foreign];
  if (shown.length === 0) return null;
  return (
    <fieldset className="no-print mb-2 flex min-w-0 flex-wrap items-center gap-2">
      <legend className="sr-only">Filter by tag</legend>
      <span className="tag-row">
        {shown.map(({ tag, count }) => (
          <button
            key={tag}
            type="button"
            className="chip min-h-7 px-2 max-sm:min-h-11"
            aria-pressed={chosen.includes(tag)}
            onClick={() => onToggle(tag)}
          >
            <bdi className="clip">{tag}</bdi> <span className="text-text-2">{formatCount(count)}</span>
          </button>
        ))}
        {own.length < tags.length && (
          <button type="button" className="chip min-h-7 px-2 max-sm:min-h-11" onClick={() => setAll(true)}>
            +{tags.length - own.length} more
          </button>
        )}
      </span>
      {chosen.length > 0 && (
        <button type="button" className="link" onClick={onClear}>
          Clear tags
        </button>
      )}
      {chosen.length > 1 && <span className="text-text-2 text-xs">Assets with any of these tags</span>}
    </fieldset>
  );
}

interface NothingProps {
  page: number;
  pageCount: number;
  total: number;
  filtered: boolean;
  name: string;
  assetCount: number;
  onClear: () => void;
  onPage: (page: number) => void;
}

/** Three ways of having no rows: past the end, filtered away, or a block that moved nothing. */
function Nothing({ page, pageCount, total, filtered, name, assetCount, onClear, onPage }: NothingProps) {
  if (total > 0) {
    return (
      <Notice
        bare
        tone="neutral"
        title={`Page ${formatCount(page)} no longer exists, there ${pageCount === 1 ? "is 1" : `are ${formatCount(pageCount)}`}`}
        actions={
          <>
            <button type="button" className="button" onClick={() => onPage(1)}>
              First page
            </button>
            {pageCount > 1 && (
              <button type="button" className="button" onClick={() => onPage(pageCount)}>
                Last page
              </button>
            )}
          </>
        }
      />
    );
  }
  if (filtered) {
    return (
      <Notice
        bare
        tone="neutral"
        title={name === "" ? "No asset matches" : `No asset matches “${name}”`}
        actions={
          <button type="button" className="button" onClick={onClear}>
            Clear the filters
          </button>
        }
      >
        {countOf(assetCount, "asset")} without the filters.
      </Notice>
    );
  }
  return (
    <Notice bare tone="neutral" title="This block moved nothing">
      It is indexed and on the main chain.
    </Notice>
  );
}

/** True once `active` has lasted long enough to be worth a word. */
function useSlow(active: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!active) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [active]);
  return slow;
}
