"use client";

import { useTable } from "@tanstack/react-table";
import { lazy, Suspense, useCallback } from "react";
import { copyAndSay } from "#components/copy.ts";
import { openPage } from "#components/navigation.tsx";
import { usePreferences } from "#components/Preferences.tsx";
import { features } from "#components/table/columns.ts";
import { DataTable } from "#components/table/DataTable.tsx";
import { FlaggedToggle } from "#components/table/flagged.tsx";
import { ChoiceSelect, type Controls, Toolbar } from "#components/table/Toolbar.tsx";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import { Skeleton } from "#components/ui/Skeleton.tsx";
import { formatCount } from "#lib/client/format.ts";
import { countChosen } from "#lib/client/url-state.ts";
import type { UtxoEntry } from "#lib/contract/endpoints.ts";
import { ChangeBar } from "./ChangeBar.tsx";
import { utxoColumns } from "./columns.tsx";
import { LIST_ID, useAutomaticLoading } from "./endless-list.ts";
import { PAGE_SIZE, utxoList, utxosPath } from "./list.ts";
import { EmptyList, ListEnd } from "./list-notes.tsx";
import { UtxoRows } from "./row-facts.ts";
import { type UtxoListProps, useUtxoList } from "./use-utxo-list.ts";

const PartWayNote = lazy(() => import("./PartWayNote.tsx"));
const TokenChip = lazy(() => import("./TokenChip.tsx"));
const UtxoDetails = lazy(() => import("./UtxoDetails.tsx"));

type ListState = ReturnType<typeof useUtxoList>;

interface Props extends UtxoListProps {
  onShowHoldings: () => void;
}

export function UtxoTable(props: Props) {
  const { outputCount } = props;
  const { address } = props.holdings;
  const list = useUtxoList(props);
  const { view, setUrl, query, tip, loaded } = list;
  const { preferences } = usePreferences();
  const automatic = useAutomaticLoading(query, preferences.autoload === "on", utxosPath(address, view));
  const clearToken = () => setUrl({ token: null, from: null, row: null });
  return (
    <section aria-label="Unspent outputs">
      <ListToolbar {...props} list={list} />
      {view.token !== "" && (
        <div className="mb-2">
          <Suspense fallback={<Skeleton className="h-11 w-1/2" />}>
            <TokenChip id={view.token} holding={list.holding} onRemove={clearToken} />
          </Suspense>
        </div>
      )}
      {view.from !== "" && (query.hasPreviousPage || !query.data) && (
        <Suspense fallback={<Skeleton className="mb-2 h-11 w-full" />}>
          <PartWayNote
            loading={query.isFetchingPreviousPage}
            onEarlier={() => void query.fetchPreviousPage()}
            onRestart={list.startFromTop}
          />
        </Suspense>
      )}
      <Panel id={LIST_ID} tabIndex={-1}>
        {query.isSuccess && loaded.length === 0 ? (
          <div className="p-4">
            <EmptyList
              filtered={view.token !== ""}
              outputCount={outputCount}
              tip={tip}
              onClear={clearToken}
            />
          </div>
        ) : (
          <Rows list={list} />
        )}
      </Panel>
      {query.hasNextPage && !query.error && (
        <div ref={automatic.sentinel} className="flex justify-center gap-2 py-4 print:hidden">
          <Button disabled={query.isFetchingNextPage} onClick={automatic.loadNext}>
            {query.isFetchingNextPage ? "Loading…" : `Load next ${PAGE_SIZE}`}
          </Button>
          <Button disabled={automatic.loadingAll} onClick={() => automatic.loadAll(true)}>
            Load all {formatCount(list.total)}
          </Button>
        </div>
      )}
      {automatic.loadingAll && (
        // The end of the list moves away while it loads.
        <NewsBar action={<Button onClick={() => automatic.loadAll(false)}>Stop</Button>}>
          Loading all rows: {formatCount(loaded.length)} of {formatCount(list.total)}
        </NewsBar>
      )}
      <ChangeBar address={address} outputs={outputCount} tip={tip} onReload={list.reload} />
    </section>
  );
}

function ListToolbar({ holdings, onShowHoldings, list }: Props & { list: ListState }) {
  const { view, setUrl, flagged, loaded, total } = list;
  const { preferences, choose } = usePreferences();
  const controls: Controls<typeof utxoList.fields> = {
    token: (
      <Button size="narrow" onClick={onShowHoldings}>
        {view.token === "" ? `All tokens (${formatCount(holdings.first.data.total)})` : "Another token"}
      </Button>
    ),
    order: (
      <ChoiceSelect
        label="Order"
        value={view.order}
        choices={[
          ["asc", "Oldest first"],
          ["desc", "Newest first"],
        ]}
        onChoose={(order) => setUrl({ order, from: null, row: null })}
      />
    ),
    flagged: view.token === "" && (
      <FlaggedToggle
        flagged={view.flagged}
        count={flagged.count}
        onChange={(flagged) => setUrl({ flagged })}
      />
    ),
    // Follows the reader down the list.
    from: null,
    row: null,
  };
  return (
    <Toolbar
      className="lg:sticky lg:top-12 lg:z-20 lg:h-12 lg:flex-nowrap"
      controls={controls}
      active={countChosen(utxoList.fields, view, ["token", "order", "flagged"])}
      source={list.source}
      aside={loaded.length > 0 && `${formatCount(loaded.length)} of ${formatCount(total)} loaded`}
    >
      <label className="flex items-center gap-1.5 whitespace-nowrap max-sm:min-h-11">
        <input
          type="checkbox"
          autoComplete="off"
          checked={preferences.autoload === "on"}
          onChange={({ target }) => choose("autoload", target.checked ? "on" : "off")}
        />
        Auto-load
      </label>
    </Toolbar>
  );
}

function onRowKey(key: string, entry: UtxoEntry) {
  if (key === "o") openPage(`/blocks/${entry.blockHeight}`);
  if (key === "c") void copyAndSay(entry.outPoint, "out point");
}

function Rows({ list }: { list: ListState }) {
  const { query, paused, loaded, flagged, rowFacts, tip } = list;
  const address = list.source.subject;
  const table = useTable({ features, columns: utxoColumns, data: flagged.rows, getRowId: utxoList.idOf });
  const details = useCallback(
    (entry: UtxoEntry) => (
      <Suspense fallback={<Skeleton className="w-1/2" />}>
        <UtxoDetails
          address={address}
          entry={entry}
          flags={rowFacts.flagsOf(entry)}
          native={rowFacts.native}
        />
      </Suspense>
    ),
    [address, rowFacts],
  );
  const hidden = loaded.length - flagged.rows.length;
  const ended = query.isSuccess && !query.hasNextPage;
  const loadingFirst = query.isPending && query.fetchStatus !== "idle";
  return (
    <UtxoRows value={rowFacts}>
      <DataTable
        table={table}
        caption="Unspent outputs"
        className={TABLE_CLASS}
        rowCount={ended ? (list.before ?? 0) + flagged.rows.length : -1}
        offset={list.before ?? 0}
        details={details}
        onRowKey={onRowKey}
        skeletonRows={
          loadingFirst && !paused ? 12 : query.isFetching && !query.isFetchingPreviousPage ? 3 : 0
        }
        after={
          (paused || query.error || ended) && (
            <ListEnd query={query} paused={paused} count={loaded.length} hidden={hidden} tip={tip} />
          )
        }
      />
    </UtxoRows>
  );
}

/** The header stays below the toolbar; below 900 px a row has two lines, at most 64 px high on a phone. */
const TABLE_CLASS =
  "lg:[--sticky-top:96px] max-md:[&_tbody_[data-row]]:grid-rows-[repeat(2,minmax(24px,auto))] max-sm:[--row-min:64px] max-sm:[&_tbody_tr[data-row]]:grid-cols-[minmax(0,1fr)_fit-content(62%)_44px] max-sm:[&_tbody_tr[data-row]]:grid-rows-[minmax(24px,auto)_39px] max-sm:[&_tbody_tr[data-row]]:py-0";
