"use client";

import { useCallback, useMemo } from "react";
import { copyAndSay } from "#components/copy.ts";
import { FlaggedToggle, useFlagged, useFlags } from "#components/list/flagged.tsx";
import { NumberedListView, useNumberedList } from "#components/list/numbered.tsx";
import { TextFilter } from "#components/list/TextFilter.tsx";
import type { Controls } from "#components/list/Toolbar.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Select } from "#components/ui/Select.tsx";
import type { Namesakes } from "#lib/client/chain-text.ts";
import { countOf } from "#lib/client/format.ts";
import type { FirstAnswer } from "#lib/client/queries.ts";
import type { AssetChange, AssetChangeList } from "#lib/questions/block-asset-changes/contract.ts";
import { ChangeDetails } from "./ChangeDetails.tsx";
import { CHANGE_TABLE, type ChangeFacts, changeColumns } from "./columns.tsx";
import { type AssetChangeView, assetChangeList, ORDERS, orderNames, PAGE_SIZES } from "./list.ts";
import { type TagCount, TagFilter } from "./TagFilter.tsx";

interface Props {
  blockHash: string;
  native: { id: string; symbol: string } | null;
  /** Among all the block's assets. */
  namesakes: Namesakes;
  /** Most frequent first. */
  tags: TagCount[];
  assetCount: number;
  priced: boolean;
  /** Of the block, in units of 10^-8 US dollars. */
  volumeUsd: string;
  first: FirstAnswer<AssetChangeList> | null;
}

const SORTED = { asc: "ascending", desc: "descending", chain: "none" } as const;

const assetOf = ({ asset }: AssetChange) => asset;
const details = (change: AssetChange) => <ChangeDetails change={change} />;

function onRowKey(key: string, { asset }: AssetChange) {
  if (key === "c") void copyAndSay(asset.id, "asset id");
}

export function AssetChangeTable(props: Props) {
  const { blockHash, native, namesakes, tags: blockTags, assetCount, priced, volumeUsd, first } = props;
  const list = useNumberedList(assetChangeList, { blockHash }, first);
  const { view, setView, change } = list;
  const { name, tags, order } = view;
  const flagsOf = useFlags({ native, ...namesakes });
  const flagged = useFlagged(list.rows, assetOf, flagsOf, view.flagged === "show");
  const toggleTag = useCallback(
    (tag: string) =>
      change({ tags: tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag] }),
    [tags, change],
  );
  const tagged = blockTags.length > 0;
  const columns = useMemo(() => changeColumns(tagged, priced), [tagged, priced]);
  const facts = useMemo<ChangeFacts>(
    () => ({
      blockHash,
      flagsOf,
      name,
      tags,
      toggleTag,
      volumeUsd,
      order,
      onOrder: (to) => change({ order: to }),
    }),
    [blockHash, flagsOf, name, tags, toggleTag, volumeUsd, order, change],
  );
  const controls: Controls<AssetChangeView> = {
    name: (
      <TextFilter
        value={name}
        onValue={(text) => change({ name: text })}
        label="Name, symbol or id"
        clearLabel="Clear the name filter"
        shortcut="f"
      />
    ),
    // Without any price, every order is that of the block.
    order: (priced || order !== "desc") && (
      <Select
        label="Order"
        value={order}
        choices={ORDERS.map((one) => [one, orderNames[one]] as const)}
        onChoose={(one) => change({ order: one })}
      />
    ),
    size: (
      <Select
        label="Rows per page"
        value={view.size}
        choices={PAGE_SIZES.map((size) => [size, `${size} per page`] as const)}
        onChoose={(size) => change({ size })}
      />
    ),
    flagged: (
      <FlaggedToggle
        flagged={view.flagged}
        count={flagged.count}
        note=" here"
        onChange={(shown) => setView({ flagged: shown })}
      />
    ),
    // Below the toolbar.
    tags: null,
    // The pager's.
    page: null,
  };
  return (
    <NumberedListView
      list={list}
      rows={flagged.rows}
      caption="Asset changes"
      columns={columns}
      facts={facts}
      sorted={{ column: "amountUsd", order: SORTED[order] }}
      details={details}
      onRowKey={onRowKey}
      tableClass={CHANGE_TABLE}
      controls={controls}
      filters={
        <TagFilter tags={blockTags} chosen={tags} onToggle={toggleTag} onClear={() => change({ tags: [] })} />
      }
      empty={
        name !== "" || tags.length > 0 ? (
          <Notice
            bare
            tone="neutral"
            title={name === "" ? "No asset matches" : `No asset matches “${name}”`}
            actions={<Button onClick={() => change({ name: "", tags: [] })}>Clear the filters</Button>}
          >
            {countOf(assetCount, "asset")} without the filters.
          </Notice>
        ) : (
          <Notice bare tone="neutral" title="No assets moved in this block">
            The block is indexed and on the canonical chain.
          </Notice>
        )
      }
      note={
        flagged.count > 0 &&
        view.flagged === "hide" && (
          <p className="text-text-2">
            {countOf(flagged.count, "flagged asset")} of this page hidden.{" "}
            <button
              type="button"
              className="text-accent hover:underline"
              onClick={() => setView({ flagged: "show" })}
            >
              Show
            </button>
          </p>
        )
      }
      expected={assetCount}
    />
  );
}
