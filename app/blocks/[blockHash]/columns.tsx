"use client";

import { Fragment } from "react";
import { AssetAmount } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { share } from "#components/charts/plot.ts";
import { RowShare } from "#components/charts/ShareBar.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { focusResults } from "#components/navigation.tsx";
import { columnsOf, type FieldColumns, noColumn } from "#components/table/columns.ts";
import { CopyMenu, ExpandButton } from "#components/table/RowControls.tsx";
import { useRowFacts, useRowTabIndex } from "#components/table/row-context.ts";
import { SortHeader } from "#components/table/SortHeader.tsx";
import { ChipButton } from "#components/ui/Chip.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { formatUsdText, type Shares } from "#lib/client/format.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { isUnpriced, orderNames } from "./list.ts";

export interface ChangeFacts {
  flagsOf: FlagsOf;
  /** Ids of the assets that the registry lists. */
  listed: ReadonlySet<string>;
  /** The text of the name filter. */
  name: string;
  /** Shares in the total volume. */
  shares: Shares;
  /** The longest bar of a share, in units of 10^-8 US dollars. */
  most: bigint;
  colourOf: (id: string) => string;
  /** The tags that the list is filtered by. */
  chosen: readonly string[];
  onTag: (tag: string) => void;
}

/** Below 900 px a row has two lines, with room for touch targets; on a phone a long amount has its own line. */
export const CHANGE_TABLE =
  "max-md:[--row-min:64px] sm:max-md:[&_tbody_tr[data-row]]:grid-rows-[minmax(63px,auto)] sm:max-md:[&_tbody_tr:has([data-column=tags]:not(:empty))]:grid-rows-[minmax(36px,auto)_minmax(27px,auto)] max-sm:[&_tbody_tr[data-row]]:grid-cols-[40px_minmax(0,1fr)_fit-content(55%)] max-sm:[&_tr:has([data-long])>:is([data-column=tags],[data-column=amountUsd])]:row-[3]";

const allColumns = {
  open: {
    required: true,
    header: <span className="sr-only">Details</span>,
    cell: ({ asset }) => <ExpandButton label={displaySymbol(asset)} />,
    tracks: { wide: "36px", medium: "48px" },
    className: "max-md:col-[1] max-md:row-[1/span_2]",
  },
  asset: {
    required: true,
    header: "Asset",
    cell: (change) => <Asset change={change} />,
    tracks: {
      wide: "minmax(280px, 2.2fr)",
      medium: "minmax(180px, 1.6fr)",
      narrow: "minmax(150px, 1.6fr)",
    },
    className: "max-sm:col-[2] max-sm:row-[1]",
  },
  // Below 900 px the tags stand below the asset.
  tags: {
    header: "Tags",
    cell: ({ tags }) =>
      tags.length > 0 && (
        <span
          className="line-clamp-2 focus-within:line-clamp-none max-sm:line-clamp-1"
          title={tags.join(", ")}
        >
          <Tags tags={tags} />
        </span>
      ),
    tracks: { wide: "minmax(110px, 1.3fr)", medium: "minmax(90px, 0.9fr)", narrow: null },
    headerClassName: "max-md:hidden",
    className:
      "text-text-2 max-md:col-[2/-2] max-md:row-[2] max-md:ps-10.5 max-md:empty:hidden max-sm:col-[2] max-sm:ps-8.5!",
  },
  amount: {
    required: true,
    header: "Amount moved",
    cell: ({ amount, asset, kind }) => <AssetAmount amount={amount} asset={asset} kind={kind} />,
    tracks: { wide: "minmax(190px, 1.5fr)", medium: "minmax(160px, 1.2fr)", narrow: "minmax(180px, 1.4fr)" },
    align: "end",
    className:
      "font-medium max-sm:col-[3] max-sm:row-[1] max-sm:has-data-long:col-[2/-1] max-sm:has-data-long:row-[2]",
  },
  amountUsd: {
    header: ({ column }) => (
      <SortHeader
        column={column}
        name="Volume"
        next={orderNames[column.getNextSortingOrder() || "chain"]}
        isMarked
        shortcut="s"
      />
    ),
    label: "Volume",
    sortable: true,
    cell: (change) => <Volume change={change} />,
    tracks: { wide: "minmax(140px, 0.9fr)", medium: "minmax(130px, 0.8fr)", narrow: "minmax(130px, 0.9fr)" },
    align: "end",
    className: "max-sm:col-[3] max-sm:row-[2] max-sm:text-text-2",
  },
  share: {
    header: "Share",
    cell: (change) => <Share change={change} />,
    tracks: { wide: "176px", medium: "88px", narrow: null },
    align: "end",
    headerClassName: "max-md:hidden",
    className: "max-md:hidden",
  },
  menu: {
    required: true,
    header: <span className="sr-only">Copy</span>,
    cell: (change) => <CopyMenu label="this asset change" items={() => copiesOf(change)} />,
    // Room for a touch target of 44 px.
    tracks: { wide: "36px", medium: "48px" },
    align: "end",
    className: "max-md:col-[-2] max-md:row-[1/span_2] max-sm:hidden",
  },
  ...noColumn("amountExact", "amountUsdExact", "kind"),
} satisfies FieldColumns<AssetChange>;

/** The columns of any list of asset changes, without those of tags and values where all rows would be empty. */
export const shownColumns = (tagged: boolean, priced: boolean) => ({
  ...allColumns,
  ...(!tagged && { tags: null }),
  ...(!priced && { amountUsd: null, share: null }),
});

export const changeColumns = (tagged: boolean, priced: boolean) => columnsOf(shownColumns(tagged, priced));

function copiesOf(change: AssetChange): (readonly [label: string, text: string])[] {
  return [
    ["Asset id", change.asset.id],
    ["Amount, smallest unit", change.amount.toString()],
    ...(isUnpriced(change) ? [] : [["Volume, US dollars", change.amountUsd] as const]),
    ["Row as JSON", stringifyExactJson(change, 2)],
  ];
}

/** Its share of the volume; undefined without a price. */
function shareText(change: AssetChange, shares: Shares): string | undefined {
  if (isUnpriced(change)) return undefined;
  return shares.of(change.asset.id, parseDecimal(change.amountUsd, USD_DECIMALS) ?? 0n);
}

function Asset({ change }: { change: AssetChange }) {
  const { asset } = change;
  const { flagsOf, listed, name, shares, colourOf } = useRowFacts<ChangeFacts>();
  return (
    <AssetLabel
      asset={{ ...asset, public: listed.has(asset.id) }}
      flags={flagsOf(asset)}
      colour={colourOf(asset.id)}
      highlight={name}
      share={shareText(change, shares)}
    />
  );
}

/** The tags of an asset, each of which filters the list. */
export function Tags({ tags, className = "" }: { tags: readonly string[]; className?: string }) {
  const { chosen, onTag } = useRowFacts<ChangeFacts>();
  const tabIndex = useRowTabIndex();
  return tags.map((tag) => (
    <Fragment key={tag}>
      <ChipButton
        tabIndex={tabIndex}
        aria-pressed={chosen.includes(tag)}
        onClick={() => {
          onTag(tag);
          // The list begins again, perhaps without this row.
          focusResults();
        }}
        className={`min-h-6 align-top -outline-offset-2 ${className}`}
      >
        <bdi className="truncate">{tag}</bdi>
      </ChipButton>{" "}
    </Fragment>
  ));
}

function Volume({ change }: { change: AssetChange }) {
  const value = isUnpriced(change) ? null : formatUsdText(change.amountUsd);
  if (value) return <span title={value.exact}>{value.text}</span>;
  return (
    <span className="text-text-3" title="This asset has no price at the block's time">
      — <span className="text-xs">no price</span>
    </span>
  );
}

function Share({ change }: { change: AssetChange }) {
  const { shares, most, colourOf } = useRowFacts<ChangeFacts>();
  const text = shareText(change, shares);
  if (text === undefined) return null;
  const units = parseDecimal(change.amountUsd, USD_DECIMALS) ?? 0n;
  return (
    <span className="flex items-center justify-end gap-2.5 text-text-2">
      <RowShare of={share(units, most)} colour={colourOf(change.asset.id)} />
      <span className="min-w-16">{text}</span>
    </span>
  );
}
