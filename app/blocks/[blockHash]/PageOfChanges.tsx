"use client";

import { functionalUpdate, type SortingState, type Updater, useTable } from "@tanstack/react-table";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { copyAndSay } from "#components/copy.ts";
import { features } from "#components/table/columns.ts";
import { DataTable } from "#components/table/DataTable.tsx";
import { Skeleton } from "#components/ui/Skeleton.tsx";
import { countOf } from "#lib/client/format.ts";
import type { AssetChange } from "#lib/contract/endpoints.ts";
import { changeColumns } from "./columns.tsx";
import { assetChangeList } from "./list.ts";
import { PageFailure } from "./PageFailure.tsx";
import { Pager } from "./Pager.tsx";
import { ChangeRows } from "./row-facts.ts";
import type { ChangeListState } from "./use-change-list.ts";

const ChangeDetails = lazy(() => import("./ChangeDetails.tsx"));

/** From this many rows on there is a pager below them too. */
const SECOND_PAGER_FROM = 10;

interface Props {
  list: ChangeListState;
  /** Assets in the block. */
  assetCount: number;
  onPage: (page: number) => void;
  onNear: (page: number) => void;
}

/** The rows between their pagers. */
export function PageOfChanges({ list, assetCount, onPage, onNear }: Props) {
  const { view, setUrl, query, answer, changes, total, before, rowFacts, flagged } = list;
  const blockHash = list.source.subject;
  const table = useChangeTable(list);
  const details = useCallback(
    (change: AssetChange) => (
      <Suspense fallback={<Skeleton className="w-1/2" />}>
        <ChangeDetails blockHash={blockHash} change={change} flags={rowFacts.flagsOf(change)} />
      </Suspense>
    ),
    [blockHash, rowFacts.flagsOf],
  );
  const pager = (label: string) => (
    <Pager
      label={label}
      page={view.page}
      pageCount={list.pageCount}
      first={before + 1}
      last={Math.min(before + changes.length, total)}
      total={total}
      onPage={onPage}
      onNear={onNear}
    />
  );
  return (
    <>
      {answer && <div className="border-border border-b px-3 py-2">{pager("Pages")}</div>}
      {query.error && (
        <div className="border-border border-b p-3">
          <PageFailure query={query} error={query.error} subject={`Page ${view.page}`} />
        </div>
      )}
      <ChangeRows value={rowFacts}>
        <DataTable
          table={table}
          caption="Asset changes"
          className={TABLE_CLASS}
          rowCount={answer ? total : -1}
          offset={before}
          outdated={list.outdated}
          busy={list.busy}
          details={details}
          onRowKey={onRowKey}
          skeletonRows={list.isFirst ? Math.min(view.size, Math.max(assetCount, 1)) : 0}
          after={
            flagged.count > 0 &&
            view.flagged === "hide" && (
              <FlaggedNote count={flagged.count} onShow={() => setUrl({ flagged: "show" })} />
            )
          }
        />
      </ChangeRows>
      {answer && flagged.rows.length >= SECOND_PAGER_FROM && (
        <div className="px-3 py-2">{pager("Pages, below the list")}</div>
      )}
    </>
  );
}

/** Rows that load on a narrow window are as high as most rows will be. */
const TABLE_CLASS =
  "max-sm:[&_[data-row]:not([data-id])]:[--row-min:110px] max-sm:pointer-coarse:[&_[data-row]:not([data-id])]:[--row-min:129px]";

function onRowKey(key: string, change: AssetChange) {
  if (key === "c") void copyAndSay(change.asset.id, "asset id");
}

/** The table, whose sorting is the view's order: without one, the order is that of the block. */
function useChangeTable({ view, change, flagged, tagged, priced }: ChangeListState) {
  const { order } = view;
  const columns = useMemo(() => changeColumns(tagged, priced), [tagged, priced]);
  const sorting = useMemo<SortingState>(
    () => (order === "chain" || !priced ? [] : [{ id: "amountUsd", desc: order === "desc" }]),
    [order, priced],
  );
  return useTable({
    features,
    columns,
    data: flagged.rows,
    getRowId: assetChangeList.idOf,
    manualSorting: true,
    sortDescFirst: true,
    enableMultiSort: false,
    state: { sorting },
    onSortingChange: (updater: Updater<SortingState>) => {
      const [sort] = functionalUpdate(updater, sorting);
      change({ order: sort ? (sort.desc ? "desc" : "asc") : "chain" });
    },
  });
}

function FlaggedNote({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <p className="text-text-2">
      {countOf(count, "flagged asset")} of this page hidden.{" "}
      <button type="button" className="text-accent hover:underline" onClick={onShow}>
        Show
      </button>
    </p>
  );
}
