"use client";

import type { Column } from "@tanstack/react-table";
import { lazy, useContext } from "react";
import { terms } from "#chain/terms.ts";
import { Amount, Usd } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { columnsOf, type Features, type ListColumns } from "#components/table/columns.ts";
import { CopyMenu, ExpandButton } from "#components/table/RowControls.tsx";
import { useRowTabIndex } from "#components/table/row-context.ts";
import { ChipButton } from "#components/ui/Chip.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { formatUsdText } from "#lib/client/format.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { AssetChange } from "#lib/contract/endpoints.ts";
import { orderNames } from "./list.ts";
import { ChangeRows } from "./row-facts.ts";

const ChangeCopies = lazy(() => import("./ChangeCopies.tsx"));

const columns: ListColumns<AssetChange, "menu"> = {
  asset: {
    header: "Asset",
    cell: ({ row }) => <Asset change={row.original} />,
    meta: {
      tracks: {
        wide: "minmax(280px, 2.2fr)",
        medium: "minmax(180px, 1.6fr)",
        narrow: "minmax(150px, 1.3fr)",
      },
      className: "max-sm:col-[1/span_2] max-sm:row-[1]",
    },
  },
  // Below 900 px the tags stand below the other columns.
  tags: {
    header: "Tags",
    cell: ({ row: { original } }) => original.tags.length > 0 && <Tags tags={original.tags} />,
    meta: {
      tracks: {
        wide: "minmax(120px, 1.1fr)",
        longAmount: "minmax(90px, 0.55fr)",
        medium: "minmax(90px, 0.9fr)",
        narrow: null,
      },
      headerClassName: "max-md:hidden",
      className:
        "max-md:col-[1/span_3] max-md:row-[2] max-md:pt-0 max-md:pr-3 max-md:pb-1.5 max-md:pl-10 max-md:empty:hidden max-sm:col-[1/-1] max-sm:row-[4] max-sm:pt-1 max-sm:pr-2 max-sm:pb-0.5 max-sm:pl-0",
    },
  },
  amount: {
    header: "Amount moved",
    cell: ({ row: { original } }) => (
      <Amount
        amount={original.amount}
        decimals={displayDecimals(original.asset)}
        unique={terms.outputKind(original.kind ?? "")?.unique}
      />
    ),
    meta: {
      tracks: {
        wide: "minmax(240px, 1.6fr)",
        longAmount: "minmax(240px, 2.15fr)",
        medium: "minmax(190px, 1.4fr)",
        narrow: "minmax(180px, 1.4fr)",
      },
      align: "end",
      className: "max-sm:col-[1/span_2] max-sm:row-[2]",
    },
  },
  amountUsd: {
    header: ({ column }) => <VolumeHeader column={column} />,
    accessorFn: ({ amountUsd }) => amountUsd,
    cell: ({ row }) => <Volume change={row.original} />,
    meta: {
      tracks: {
        wide: "minmax(140px, 0.9fr)",
        medium: "minmax(136px, 0.8fr)",
      },
      align: "end",
      className: "relative grid items-center self-stretch max-sm:col-[1/span_2] max-sm:row-[3] max-sm:pb-1",
    },
  },
  menu: {
    header: () => <span className="sr-only">Copy</span>,
    cell: ({ row: { original } }) => (
      <span className="inline-flex max-sm:flex-col-reverse">
        <CopyMenu label="this asset change" menu={(props) => <ChangeCopies {...props} change={original} />} />
        <ExpandButton label={displaySymbol(original.asset)} />
      </span>
    ),
    meta: {
      // Two buttons of 44 px, where a finger presses them.
      tracks: { wide: "104px" },
      align: "end",
      className: "sm:ps-1! max-sm:col-[3] max-sm:row-[1/span_3]",
    },
  },
  amountExact: null,
  amountUsdExact: null,
  kind: null,
};

/** Without the columns that would be empty in every row: the tags and values of a block that has none. */
export const changeColumns = (tagged: boolean, priced: boolean) =>
  columnsOf({
    ...columns,
    ...(!tagged && { tags: null }),
    ...(!priced && { amountUsd: null }),
  });

function Asset({ change }: { change: AssetChange }) {
  const { flagsOf, name } = useContext(ChangeRows);
  return <AssetLabel asset={change.asset} flags={flagsOf(change)} highlight={name} named />;
}

function Tags({ tags }: { tags: readonly string[] }) {
  const { tags: chosen, toggleTag } = useContext(ChangeRows);
  const tabIndex = useRowTabIndex();
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <ChipButton
          key={tag}
          className="min-h-6"
          tabIndex={tabIndex}
          aria-pressed={chosen.includes(tag)}
          onClick={() => toggleTag(tag)}
        >
          <bdi className="truncate">{tag}</bdi>
        </ChipButton>
      ))}
    </span>
  );
}

// The column header's `aria-sort` says the order, so the arrow has no text alternative.
const ARROWS = {
  asc: "after:content-['↑'/'']",
  desc: "after:content-['↓'/'']",
  none: "after:content-['↕'/'']",
};

function VolumeHeader({ column }: { column: Column<Features, AssetChange> }) {
  return (
    <button
      type="button"
      className={`inline-flex items-center gap-1 font-medium text-text ${ARROWS[column.getIsSorted() || "none"]}`}
      data-shortcut="s"
      title={`Next: ${orderNames[column.getNextSortingOrder() || "chain"]}`}
      onClick={column.getToggleSortingHandler()}
    >
      Volume, USD
    </button>
  );
}

function Volume({ change }: { change: AssetChange }) {
  const { volumeUsd } = useContext(ChangeRows);
  const units = parseDecimal(change.amountUsd, USD_DECIMALS) ?? 0n;
  // The API says 0 for no price; nothing that moved is worth exactly nothing.
  if (units === 0n && change.amount > 0n) return <Usd value={null} />;
  const whole = BigInt(volumeUsd);
  const perMille = whole === 0n ? 0 : Number((units * 1000n) / whole);
  return (
    <>
      <Usd value={formatUsdText(change.amountUsd)} />
      {/* The asset's share of the block's volume: from the right, on the row's lower edge. */}
      <span
        aria-hidden="true"
        className="absolute inset-x-2 bottom-0 flex h-0.5 justify-end bg-border max-sm:inset-x-0"
      >
        <span className="bg-accent" style={{ width: `${Math.min(perMille / 10, 100)}%` }} />
      </span>
    </>
  );
}
