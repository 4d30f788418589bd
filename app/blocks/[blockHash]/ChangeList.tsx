"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useMemo } from "react";
import { coloursFor } from "#components/asset-colour.ts";
import { largest as largestOf } from "#components/charts/plot.ts";
import { AmountFact, Fact } from "#components/Fact.tsx";
import { FilterChip } from "#components/FilterChip.tsx";
import { FlaggedToggle, useFlagged, useFlags } from "#components/list/flagged.tsx";
import { NumberedListView, useNumberedList } from "#components/list/numbered.tsx";
import { TextFilter } from "#components/list/TextFilter.tsx";
import type { Controls } from "#components/list/Toolbar.tsx";
import type { Worth } from "#components/list/worth.ts";
import { focusResults } from "#components/navigation.tsx";
import type { Column } from "#components/table/columns.ts";
import { Button } from "#components/ui/Button.tsx";
import { FactRow } from "#components/ui/FactList.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Select } from "#components/ui/Select.tsx";
import { cleanText, displayDecimals, displaySymbol, type Namesakes } from "#lib/client/chain-text.ts";
import type { Subject } from "#lib/client/export.ts";
import { countOf, formatUsd, type Shares, shareOf } from "#lib/client/format.ts";
import {
  blockRefused,
  chainStatus,
  type FirstPage,
  type NumberedList,
  type NumberedPage,
  volumeQuery,
} from "#lib/client/queries.ts";
import { hasCode } from "#lib/client/request.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { CHANGE_TABLE, type ChangeFacts, Tags } from "./columns.tsx";
import {
  type AssetChangeView,
  type AssetVolume,
  changeQuery,
  isUnpriced,
  ORDERS,
  orderNames,
  PAGE_SIZES,
  sharesOfVolume,
} from "./list.ts";
import { type TagCount, TagFilter } from "./TagFilter.tsx";

/** Facts about all assets that moved, without filters. */
export interface MovedAssets {
  native: { id: string; symbol: string } | null;
  namesakes: Namesakes;
  /** Most frequent first. */
  tags: TagCount[];
  assetCount: number;
  /** The assets with the most volume, in order. */
  largest: AssetVolume[];
  /** Units of 10^-8 US dollars. */
  volumeUsd: string;
}

interface Props<Entry extends AssetChange, Of extends Record<string, string>> {
  list: NumberedList<Entry, AssetChangeView, Of>;
  of: Of;
  moved: MovedAssets;
  first: FirstPage<NumberedPage<Entry>> | null;
  /** The columns, by whether there are tags and prices. A stable function. */
  columnsOf: (tagged: boolean, priced: boolean) => Column<Entry>[];
  details: (entry: Entry) => ReactNode;
  /** Parameters that name the blocks, in the request for the value of the filtered assets. */
  volumeOf: string[][];
  /** `block` or `range`, for texts. */
  whole: string;
  tabs: (actions: ReactNode) => ReactNode;
  /** The block or the range, for exported files. */
  subject: Subject;
  /** Another list may replace this one: its rows must begin where these do. */
  steady?: boolean;
}

const volumeOfRow = ({ amountUsd }: AssetChange) => parseDecimal(amountUsd, USD_DECIMALS) ?? 0n;
const worthOf = (change: AssetChange): Worth => ({
  asset: change.asset,
  kind: change.kind,
  amount: change.amount,
  usd: isUnpriced(change) ? null : volumeOfRow(change),
});
const assetOf = ({ asset }: AssetChange) => asset;

const copyOf = ({ asset }: AssetChange) => [asset.id, "asset id"] as const;

export function ChangeList<Entry extends AssetChange, Of extends Record<string, string>>(
  props: Props<Entry, Of>,
) {
  const { of, moved, first, columnsOf, details, volumeOf, whole, tabs, subject, steady = false } = props;
  const { native, namesakes, tags: allTags, assetCount, largest, volumeUsd } = moved;
  const priced = volumeUsd !== "0";
  const list = useNumberedList(props.list, of, first, subject);
  const { view, setView, change, shown, rows } = list;
  const { asset, name, tags, order } = view;
  const flagsOf = useFlags({ native, ...namesakes });
  const flagged = useFlagged(rows, assetOf, flagsOf, view.flagged === "show");
  const toggleTag = useCallback(
    (tag: string) => {
      const chosen = tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag];
      change({ tags: chosen }, { history: "push" });
    },
    [tags, change],
  );
  const tagged = allTags.length > 0;
  const columns = useMemo(() => columnsOf(tagged, priced), [columnsOf, tagged, priced]);
  const shares = useMemo(() => sharesOfVolume(largest, volumeUsd), [largest, volumeUsd]);
  const facts = useMemo<ChangeFacts>(() => {
    const listed = new Set(namesakes.listed.map(({ id }) => id));
    const colourOf = coloursFor(largest.map(({ id }) => id));
    // The largest of a filtered list may be on another page.
    const most = isFiltered(shown) ? largestOf(rows.map(volumeOfRow)) : BigInt(largest[0]?.volumeUsd ?? 0);
    return { flagsOf, listed, name, shares, most, colourOf, chosen: tags, onTag: toggleTag };
  }, [flagsOf, namesakes, name, shares, largest, shown, rows, tags, toggleTag]);
  const client = useQueryClient();
  const isGone = hasCode(list.query.error, "NOT_FOUND");
  const { blockHash = "" } = of;
  // Tells the rest of the page at once that its blocks were replaced.
  useEffect(() => {
    client.setQueryData(blockRefused(blockHash).queryKey, isGone);
    if (isGone) void client.invalidateQueries(chainStatus());
  }, [isGone, blockHash, client]);
  const chosen = rows.find((row) => row.asset.id === asset)?.asset;
  const controls: Controls<AssetChangeView> = {
    asset: asset !== "" && (
      <FilterChip
        id={asset}
        symbol={chosen ? displaySymbol(chosen) : "Asset"}
        onRemove={() => change({ asset: "" }, { history: "push" })}
      />
    ),
    name: (
      <TextFilter
        value={name}
        onValue={(text) => change({ name: text, asset: "" })}
        label="Name, symbol or id"
        clearLabel="Clear the name filter"
        shortcut="f"
      />
    ),
    // Without prices, every order is that of the chain.
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
        choices={PAGE_SIZES.toSorted((one, other) => one - other).map(
          (size) => [size, `${size} per page`] as const,
        )}
        onChoose={(size) => change({ size })}
      />
    ),
    flagged: (
      <FlaggedToggle
        flagged={view.flagged}
        count={flagged.count}
        note=" here"
        onChange={(flagged) => setView({ flagged })}
      />
    ),
  };
  return (
    <NumberedListView
      list={list}
      rows={flagged.rows}
      caption="Asset changes"
      columns={columns}
      facts={facts}
      sorting={order === "chain" ? [] : [{ id: "amountUsd", desc: order === "desc" }]}
      onSort={([by]) => change({ order: by ? (by.desc ? "desc" : "asc") : "chain" })}
      worthOf={worthOf}
      details={details}
      copyOf={copyOf}
      tableClass={CHANGE_TABLE}
      tabs={tabs}
      controls={controls}
      filters={
        <TagFilter
          tags={allTags}
          chosen={tags}
          steady={steady}
          onToggle={toggleTag}
          onClear={() => change({ tags: [] })}
        />
      }
      aside={list.isThere && <Subtotal {...{ list, volumeOf, moved, shares, whole }} />}
      empty={
        isFiltered(view) ? (
          <Notice
            bare
            title={name === "" ? "No asset matches" : `No asset matches “${inSentence(name)}”`}
            actions={
              <Button
                onClick={() => {
                  change({ asset: "", name: "", tags: [] });
                  focusResults();
                }}
              >
                Clear the filters
              </Button>
            }
          >
            {countOf(assetCount, "asset")} without the filters.
          </Notice>
        ) : (
          <Notice bare title={`No assets moved in this ${whole}`}>
            It is indexed and on the canonical chain.
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
              onClick={() => {
                setView({ flagged: "show" });
                focusResults();
              }}
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

interface SubtotalProps {
  list: { total: number; shown: AssetChangeView; rows: readonly AssetChange[] };
  volumeOf: string[][];
  moved: MovedAssets;
  shares: Shares;
  whole: string;
}

/** Links may have longer texts than the fields. */
const inSentence = (text: string) => cleanText(text, 64).text;

const isFiltered = ({ asset, name, tags }: AssetChangeView) => asset !== "" || name !== "" || tags.length > 0;

/** The number and the value of the matching assets: `28 assets tagged rwa · $18,204,110.00 · 34.98 % of the block`. */
function Subtotal({ list, volumeOf, moved, shares, whole }: SubtotalProps) {
  const { total, shown, rows } = list;
  const { name, tags, order } = shown;
  const selected = new URLSearchParams([
    ...volumeOf,
    ["search", changeQuery.search(shown)],
    ...tags.map((tag) => ["tags", tag]),
  ]);
  const path = isFiltered(shown) ? `/volume?${selected}` : null;
  const { data } = useQuery(volumeQuery(path));
  const priced = moved.volumeUsd !== "0";
  const all = BigInt(moved.volumeUsd);
  const sum = path === null ? moved.volumeUsd : data?.volumeUsd;
  const worth = sum === undefined ? null : BigInt(sum);
  const [only] = total === 1 ? rows : [];
  const shareText = (part: bigint) => (only ? shares.of(only.asset.id, part) : shareOf(part, all));
  return (
    <p role="status" className="min-w-0 text-text-2 wrap-anywhere">
      {total === 0 ? "No asset" : countOf(total, "asset")}
      {tags.length > 0 && (
        <>
          {" "}
          tagged <bdi>{tags.map(inSentence).join(" or ")}</bdi>
        </>
      )}
      {name !== "" && (
        <>
          {" "}
          matching “<bdi>{inSentence(name)}</bdi>”
        </>
      )}
      {priced && total > 0 && worth !== null && (
        <>
          {" · "}
          <span title={formatUsd(worth).exact}>{formatUsd(worth).text}</span>
          {path !== null && all > 0n && ` · ${shareText(worth)} of the ${whole}`}
        </>
      )}
      {order === "asc" && priced && rows.some(isUnpriced) && " · those without a price first"}
    </p>
  );
}

interface MovedFactsProps {
  change: AssetChange;
  /** Notes on the volume of an asset without a price, and with one. */
  unpriced: string;
  priced: string;
}

export function MovedFacts({ change, unpriced, priced }: MovedFactsProps) {
  const { asset, amount, amountUsd, tags } = change;
  return (
    <>
      <Fact name="Asset id" value={asset.id} />
      <AmountFact
        name="Amount moved"
        amount={amount}
        decimals={displayDecimals(asset)}
        without={terms.outputKind(change.kind ?? "")?.unique}
      />
      {isUnpriced(change) ? (
        <Fact name="Volume, US dollars" value="" note={unpriced} />
      ) : (
        <Fact name="Volume, US dollars" value={amountUsd} note={priced} />
      )}
      {tags.length > 0 && (
        <FactRow name="Tags">
          <Tags tags={tags} className="max-sm:min-h-11!" />
        </FactRow>
      )}
    </>
  );
}
