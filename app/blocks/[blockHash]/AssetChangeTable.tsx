"use client";

import { useEffect, useRef } from "react";
import { announce } from "#components/announce.ts";
import { Pause } from "#components/Failure.tsx";
import { FlaggedToggle } from "#components/table/flagged.tsx";
import { TextFilter } from "#components/table/TextFilter.tsx";
import { ChoiceSelect, type Controls, Toolbar } from "#components/table/Toolbar.tsx";
import { LoadingBar } from "#components/ui/LoadingBar.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import { countChosen } from "#lib/client/url-state.ts";
import { EmptyPage } from "./EmptyPage.tsx";
import { assetChangeList, type Order, orderNames, PAGE_SIZES } from "./list.ts";
import { PageFailure } from "./PageFailure.tsx";
import { PageOfChanges } from "./PageOfChanges.tsx";
import { TagFilter } from "./TagFilter.tsx";
import { type ChangeListProps, type ChangeListState, useChangeList } from "./use-change-list.ts";

export function AssetChangeTable(props: ChangeListProps) {
  const { tags, assetCount } = props;
  const list = useChangeList(props);
  const { view, setUrl, change, query, answer, changes, total, pageCount, slow, paused } = list;
  const { results, openPage } = useTurning(list);
  return (
    <section aria-label="Asset changes">
      <ListToolbar list={list} />
      <TagFilter
        tags={tags}
        chosen={view.tags}
        onToggle={list.toggleTag}
        onClear={() => change({ tags: [] })}
      />
      <Panel id="results" ref={results} tabIndex={-1} className="relative outline-none">
        <p className="sr-only" role="status">
          {slow ? `Loading page ${view.page}` : ""}
        </p>
        {list.busy && <LoadingBar of="part" />}
        {query.error && !answer ? (
          <div className="p-4">
            <PageFailure query={query} error={query.error} subject="The list" />
          </div>
        ) : query.isSuccess && changes.length === 0 ? (
          <div className="p-4">
            <EmptyPage
              page={view.page}
              pageCount={pageCount}
              total={total}
              filtered={view.name !== "" || view.tags.length > 0}
              name={view.name}
              assetCount={assetCount}
              onClear={() => change({ name: "", tags: [] })}
              onPage={(page) => setUrl({ page }, "push")}
            />
          </div>
        ) : (
          <PageOfChanges list={list} assetCount={assetCount} onPage={openPage} onNear={list.prefetch} />
        )}
        {(slow || paused) && (
          <p
            aria-hidden="true"
            className="fixed top-14 right-4 z-20 rounded-md bg-accent-bg px-3 py-1 print:hidden"
          >
            {paused ? <Pause error={paused} failures={query.failureCount} /> : `Loading page ${view.page}`}
          </p>
        )}
      </Panel>
    </section>
  );
}

/** Opens another page of the list, and brings the reader to its start once it is there. */
function useTurning({ view, setUrl, query, pageCount }: ChangeListState) {
  const results = useRef<HTMLDivElement>(null);
  const turned = useRef(false);
  useEffect(() => {
    if (!turned.current || !query.isSuccess) return;
    turned.current = false;
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView({ block: "nearest" });
    announce(`Page ${view.page} of ${pageCount}`);
  }, [query.isSuccess, view.page, pageCount]);
  function openPage(page: number) {
    turned.current = true;
    setUrl({ page }, "push");
  }
  return { results, openPage };
}

const ORDERS = ["desc", "asc", "chain"] as const satisfies Order[];

function ListToolbar({ list }: { list: ChangeListState }) {
  const { view, setUrl, change } = list;
  const controls: Controls<typeof assetChangeList.fields> = {
    name: (
      <TextFilter
        value={view.name}
        onValue={(name) => change({ name })}
        label="Name, symbol or id"
        clearLabel="Clear the name filter"
        shortcut="f"
      />
    ),
    // Without any price, every order is that of the block.
    order: (list.priced || view.order !== "desc") && (
      <ChoiceSelect
        label="Order"
        value={view.order}
        choices={ORDERS.map((order) => [order, orderNames[order]] as const)}
        onChoose={(order) => change({ order })}
      />
    ),
    size: (
      <ChoiceSelect
        label="Rows per page"
        value={view.size}
        choices={PAGE_SIZES.map((size) => [size, `${size} per page`] as const)}
        onChoose={(size) => change({ size })}
      />
    ),
    flagged: (
      <FlaggedToggle
        flagged={view.flagged}
        count={list.flagged.count}
        note=" here"
        onChange={(flagged) => setUrl({ flagged })}
      />
    ),
    // Below the toolbar.
    tags: null,
    // The pager's.
    page: null,
  };
  return (
    <Toolbar
      controls={controls}
      active={countChosen(assetChangeList.fields, view, ["name", "order", "flagged"])}
      source={list.source}
    />
  );
}
