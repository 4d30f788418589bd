"use client";

import { terms } from "#chain/terms.ts";
import { Amount, Usd } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { columnsOf, type ListColumns } from "#components/table/columns.ts";
import { CopyMenu, ExpandButton } from "#components/table/RowControls.tsx";
import { useRowFacts, useRowTabIndex } from "#components/table/row-context.ts";
import { ChipButton } from "#components/ui/Chip.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { formatUsdText } from "#lib/client/format.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/contract/amounts.ts";
import { stringifyExactJson } from "#lib/contract/json.ts";
import type { AssetChange } from "#lib/questions/block-asset-changes/contract.ts";
import { type Order, orderNames } from "./list.ts";

export interface ChangeFacts {
  blockHash: string;
  flagsOf: FlagsOf;
  name: string;
  tags: readonly string[];
  toggleTag: (tag: string) => void;
  /** The block's, in units of 10^-8 US dollars. */
  volumeUsd: string;
  order: Order;
  onOrder: (order: Order) => void;
}

/** Rows that load on a narrow window are as high as most rows will be. */
export const CHANGE_TABLE =
  "max-sm:[&_[data-row]:not([data-id])]:[--row-min:110px] max-sm:pointer-coarse:[&_[data-row]:not([data-id])]:[--row-min:129px]";

const columns: ListColumns<AssetChange, "menu"> = {
  asset: {
    header: "Asset",
    cell: (change) => <Asset change={change} />,
    tracks: {
      wide: "minmax(280px, 2.2fr)",
      medium: "minmax(180px, 1.6fr)",
      narrow: "minmax(150px, 1.3fr)",
    },
    className: "max-sm:col-[1/span_2] max-sm:row-[1]",
  },
  // Below 900 px the tags stand below the other columns.
  tags: {
    header: "Tags",
    cell: ({ tags }) => tags.length > 0 && <Tags tags={tags} />,
    tracks: {
      wide: "minmax(120px, 1.1fr)",
      medium: "minmax(90px, 0.9fr)",
      narrow: null,
    },
    headerClassName: "max-md:hidden",
    className:
      "max-md:col-[1/span_3] max-md:row-[2] max-md:pt-0 max-md:pr-3 max-md:pb-1.5 max-md:pl-10 max-md:empty:hidden max-sm:col-[1/-1] max-sm:row-[4] max-sm:pt-1 max-sm:pr-2 max-sm:pb-0.5 max-sm:pl-0",
  },
  amount: {
    header: "Amount moved",
    cell: ({ amount, asset, kind = "" }) => (
      <Amount amount={amount} decimals={displayDecimals(asset)} unique={terms.outputKind(kind)?.unique} />
    ),
    tracks: {
      wide: "minmax(240px, 1.6fr)",
      medium: "minmax(190px, 1.4fr)",
      narrow: "minmax(180px, 1.4fr)",
    },
    align: "end",
    className: "max-sm:col-[1/span_2] max-sm:row-[2]",
  },
  amountUsd: {
    header: <VolumeHeader />,
    cell: (change) => <Volume change={change} />,
    tracks: {
      wide: "minmax(140px, 0.9fr)",
      medium: "minmax(136px, 0.8fr)",
    },
    align: "end",
    className: "relative grid items-center self-stretch max-sm:col-[1/span_2] max-sm:row-[3] max-sm:pb-1",
  },
  menu: {
    header: <span className="sr-only">Copy</span>,
    cell: (change) => (
      <span className="inline-flex max-sm:flex-col-reverse">
        <CopyMenu label="this asset change" items={() => copiesOf(change)} />
        <ExpandButton label={displaySymbol(change.asset)} />
      </span>
    ),
    // Two buttons of 44 px for a finger.
    tracks: { wide: "104px" },
    align: "end",
    headerClassName: "pe-3",
    className: "sm:ps-1! sm:pe-3 max-sm:col-[3] max-sm:row-[1/span_3]",
  },
  amountExact: null,
  amountUsdExact: null,
  kind: null,
};

/** Leaves out the columns of tags and values where every row would be empty. */
export const changeColumns = (tagged: boolean, priced: boolean) =>
  columnsOf({
    ...columns,
    ...(!tagged && { tags: null }),
    ...(!priced && { amountUsd: null }),
  });

function copiesOf(change: AssetChange): [label: string, text: string][] {
  return [
    ["Asset id", change.asset.id],
    ["Amount, smallest unit", change.amount.toString()],
    ["Volume, US dollars", change.amountUsd],
    ["Row as JSON", stringifyExactJson(change, 2)],
  ];
}

function Asset({ change: { asset } }: { change: AssetChange }) {
  const { flagsOf, name } = useRowFacts<ChangeFacts>();
  return <AssetLabel asset={asset} flags={flagsOf(asset)} highlight={name} />;
}

function Tags({ tags }: { tags: readonly string[] }) {
  const { tags: chosen, toggleTag } = useRowFacts<ChangeFacts>();
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

// `aria-sort` says the order, so the arrow has no text alternative.
const ARROWS: Record<Order, string> = {
  asc: "after:content-['↑'/'']",
  desc: "after:content-['↓'/'']",
  chain: "after:content-['↕'/'']",
};

const NEXT_ORDER: Record<Order, Order> = { desc: "asc", asc: "chain", chain: "desc" };

function VolumeHeader() {
  const { order, onOrder } = useRowFacts<ChangeFacts>();
  const next = NEXT_ORDER[order];
  return (
    <button
      type="button"
      className={`inline-flex items-center gap-1 font-medium text-text ${ARROWS[order]}`}
      data-shortcut="s"
      title={`Next: ${orderNames[next]}`}
      onClick={() => onOrder(next)}
    >
      Volume, USD
    </button>
  );
}

function Volume({ change }: { change: AssetChange }) {
  const { volumeUsd } = useRowFacts<ChangeFacts>();
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
