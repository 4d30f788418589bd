"use client";

import { AddressLink } from "#components/Address.tsx";
import { Amount, SMALL_IF_VERY_LONG } from "#components/Amount.tsx";
import { assetColour } from "#components/asset-colour.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { share } from "#components/charts/plot.ts";
import { RowShare } from "#components/charts/ShareBar.tsx";
import { columnsOf, type FieldColumns, noColumn } from "#components/table/columns.ts";
import { RowLink, RowPlace } from "#components/table/RowControls.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { capitalised, formatCount, formatUsd, type Shares } from "#lib/client/format.ts";
import { addressPage } from "#lib/client/wallet.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { type PageAsset, scaleAndUnit } from "./amounts.ts";

export interface HolderFacts {
  asset: PageAsset;
  /** The total supply in the smallest unit. */
  supply: string;
  /** Shares in the supply, by address. */
  shares: Shares;
  /** US dollars for one whole unit, scaled by 10^18; null without one. */
  price: string | null;
  /** The largest loaded amount, whose bar is full. */
  most: bigint;
  /** The past block that the list is as of; `""` for the present. */
  at: string;
  /** Rows of the whole list before the loaded ones; null if unknown. */
  before: number | null;
}

const columns = {
  place: {
    required: true,
    header: <span className="sr-only">#</span>,
    cell: (_, at) => <RowPlace at={at} noun="holder" />,
    tracks: { wide: "72px", medium: "44px", narrow: "40px" },
    className: "max-sm:row-[1/span_2]",
  },
  address: {
    required: true,
    header: "Address",
    cell: ({ address }) => (
      <span className="inline-flex max-w-full items-center gap-1">
        <AddressLink address={address} narrows className="min-w-0" />
        <CopyButton className="max-sm:-my-3" text={address} label="address" />
      </span>
    ),
    tracks: { wide: "minmax(200px, 1.4fr)", medium: "minmax(150px, 1.2fr)" },
    className: "min-w-0 max-sm:col-[2] max-sm:row-[1]",
  },
  amount: {
    required: true,
    header: "Amount",
    cell: (holder) => <HeldAmount holder={holder} />,
    tracks: { wide: "minmax(190px, 1.2fr)", medium: "minmax(150px, 1.3fr)" },
    align: "end",
    // On phones it has a line of its own, in smaller type if it is long: broken figures are easily misread.
    className: `max-sm:col-[2/-1] max-sm:row-[2] max-sm:[&>a]:inline-flex max-sm:[&>a]:min-h-6 max-sm:[&>a]:items-center max-sm:has-data-long:text-xs ${SMALL_IF_VERY_LONG}`,
  },
  share: {
    header: "Share",
    cell: (holder) => <Share holder={holder} />,
    tracks: { wide: "minmax(150px, 1fr)", medium: "84px" },
    align: "end",
    className: "max-sm:col-[3] max-sm:row-[1] max-sm:text-text-2",
  },
  value: {
    header: "Value",
    cell: ({ amount }) => <Value amount={amount} />,
    tracks: { wide: "minmax(130px, 0.8fr)", medium: "128px", narrow: null },
    align: "end",
    headerClassName: "max-md:hidden",
    className: "text-text-2 max-md:hidden",
  },
  outputCount: {
    header: <OutputsHeader />,
    cell: ({ outputCount }) => formatCount(outputCount),
    tracks: { wide: "84px", medium: "72px", narrow: null },
    align: "end",
    headerClassName: "max-md:hidden",
    className: "text-text-2 max-md:hidden",
  },
  ...noColumn("capacity"),
} satisfies FieldColumns<Holder>;

export const holderColumns = columnsOf(columns);
/** The columns for an asset without a price. */
export const unpricedHolderColumns = columnsOf({ ...columns, value: null });
/** The columns as of a past block, whose supply is not known. */
export const pastHolderColumns = columnsOf({ ...columns, share: null, value: null });

/** The amount, with a link to the outputs that hold it. */
function HeldAmount({ holder: { address, amount } }: { holder: Holder }) {
  const { asset, at } = useRowFacts<HolderFacts>();
  return (
    <RowLink href={addressPage(address, { token: asset.id, ...(at !== "" && { at }) })}>
      <Amount amount={amount} {...scaleAndUnit(asset)} />
    </RowLink>
  );
}

function Share({ holder: { address, amount } }: { holder: Holder }) {
  const { asset, shares, most } = useRowFacts<HolderFacts>();
  const text = shares.of(address, BigInt(amount));
  if (text === undefined) return "—";
  return (
    <span className="inline-flex items-center justify-end gap-3">
      <RowShare of={share(BigInt(amount), most)} colour={assetColour(asset.id)} />
      <span className="min-w-15">{text}</span>
    </span>
  );
}

function Value({ amount }: { amount: string }) {
  const { asset, price } = useRowFacts<HolderFacts>();
  if (price === null) return "—";
  const value = formatUsd(valueInUsd(BigInt(amount), asset.decimals, BigInt(price)), amount);
  return <span title={value.exact}>{value.text}</span>;
}

function OutputsHeader() {
  return capitalised(terms.output.many);
}
