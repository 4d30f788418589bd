"use client";

import { AssetAmount, Dash, Dollars } from "#components/Amount.tsx";
import { AssetIcon, AssetLabel } from "#components/AssetLabel.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { columnsOf, type ListColumns } from "#components/table/columns.ts";
import { ExpandButton } from "#components/table/RowControls.tsx";
import { useRowFacts, useRowTabIndex } from "#components/table/row-context.ts";
import { ChipButton } from "#components/ui/Chip.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import {
  capitalised,
  formatAmount,
  formatCount,
  formatPrice,
  formatUtc,
  type Shares,
} from "#lib/client/format.ts";
import { type Holding, UNNAMED_NFTS, usdOf } from "#lib/client/holdings.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { PRICE_DECIMALS, parseDecimal } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import type { ShownNative } from "../columns.tsx";
import { TokenLink } from "../TokenLink.tsx";

export interface HoldingFacts {
  address: string;
  native: ShownNative;
  flagsOf: FlagsOf;
  /** Shares in the value of all holdings. */
  shares: Shares;
  tip: IndexTip | null;
  /** Searches the holdings. */
  onSearch: (text: string) => void;
}

export const HOLDING_TABLE =
  "max-sm:[--row-min:61px] max-sm:[&_tbody_tr[data-row]]:grid-cols-[minmax(0,1fr)_fit-content(62%)]";

const columns = {
  id: {
    required: true,
    header: "Token",
    cell: (holding) => <Token holding={holding} />,
    tracks: {
      wide: "minmax(190px, 2.2fr)",
      medium: "minmax(130px, 1.2fr)",
      narrow: "minmax(140px, 1.1fr)",
    },
    className: "max-sm:col-[1] max-sm:row-[1]",
  },
  amount: {
    required: true,
    header: "Amount",
    cell: (holding) => <AssetAmount amount={holding.amount} asset={holding} kind={holding.standard} />,
    tracks: {
      wide: "minmax(200px, 1fr)",
      medium: "minmax(150px, 1.3fr)",
      narrow: "minmax(130px, 1.1fr)",
    },
    align: "end",
    className: "max-sm:col-[2] max-sm:row-[1]",
  },
  outputCount: {
    header: <OutputsHeader />,
    // For NFTs, the amount is their number.
    cell: ({ outputCount, amount, standard }) =>
      terms.outputKind(standard)?.unique === undefined || amount !== String(outputCount) ? (
        <>
          {formatCount(outputCount)}
          <span className="sm:hidden"> {outputCount === 1 ? terms.output.one : terms.output.many}</span>
        </>
      ) : null,
    tracks: { wide: "72px", medium: "60px" },
    align: "end",
    className:
      "max-sm:col-[1] max-sm:row-[2] max-sm:ps-12! max-sm:pointer-fine:ps-8! max-sm:text-start max-sm:text-text-2",
  },
  price: {
    header: "Price",
    cell: (holding) => <Price holding={holding} />,
    tracks: { wide: "160px", medium: "130px", narrow: null },
    align: "end",
    className: "max-md:hidden",
    headerClassName: "max-md:hidden",
  },
  valueUsd: {
    header: "Value",
    cell: ({ valueUsd, amount }) => <Dollars text={valueUsd} of={amount} />,
    tracks: { wide: "132px", medium: "112px" },
    align: "end",
    className: "text-text-2 max-sm:col-[2] max-sm:row-[2]",
  },
  share: {
    header: "Share",
    cell: (holding) => <Share holding={holding} />,
    tracks: { wide: "84px", narrow: null },
    align: "end",
    className: "whitespace-nowrap max-md:hidden",
    headerClassName: "max-md:hidden",
  },
} satisfies ListColumns<Holding>;

export const holdingColumns = columnsOf(columns);
/** The columns for an address without any priced asset. */
export const unpricedColumns = columnsOf({ ...columns, price: null, valueUsd: null, share: null });

function Token({ holding }: { holding: Holding }) {
  const { flagsOf, onSearch } = useRowFacts<HoldingFacts>();
  const tabIndex = useRowTabIndex();
  const share = useShare(holding);
  const { id, collection, members } = holding;
  const together = (label: string, search: string) => (
    <ChipButton tabIndex={tabIndex} onClick={() => onSearch(search)}>
      {label}
    </ChipButton>
  );
  const unnamed = `${formatCount(members)} ${UNNAMED_NFTS}`;
  const isUnnamed = members > 1 && collection === "";
  return (
    <span className="flex min-w-0 items-center gap-1 max-sm:[&>button]:-my-2">
      <ExpandButton
        label={isUnnamed ? unnamed : `${members > 1 ? "collection " : ""}${displaySymbol(holding)}`}
      />
      {isUnnamed ? (
        <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 font-semibold">
          <AssetIcon asset={{ id, icon: "" }} flags={[]} />
          {unnamed}
          {together("Show them", UNNAMED_NFTS)}
        </span>
      ) : (
        <AssetLabel
          asset={{ ...holding, id: members > 1 ? collection : id }}
          flags={flagsOf(holding)}
          share={share}
          {...(members > 1
            ? { badge: together(`Show its ${formatCount(members)}`, collection), opens: false }
            : { wrapSymbol: (symbol) => <TokenLink id={id}>{symbol}</TokenLink> })}
        />
      )}
    </span>
  );
}

/** The longest price that fits into the column. */
const WIDEST_PRICE = "$0.0000000001";

function Price({ holding: { price, priceTime } }: { holding: Holding }) {
  const units = price === null ? null : parseDecimal(price, PRICE_DECIMALS);
  if (units === null || priceTime === null) return <Dash />;
  const { text, exact } = formatPrice(units);
  const fits = text.length <= WIDEST_PRICE.length;
  return (
    <span title={`${exact}, in force from ${formatUtc(priceTime)}`}>
      {fits ? text : `$${formatAmount(units, PRICE_DECIMALS).text}`}
    </span>
  );
}

const Share = ({ holding }: { holding: Holding }) => useShare(holding) ?? <Dash />;

const useShare = (holding: Holding) => shareOfHolding(holding, useRowFacts<HoldingFacts>().shares);

/** The share of the address's value; undefined without a price. */
function shareOfHolding(holding: Holding, shares: Shares): string | undefined {
  const part = usdOf(holding);
  return part === null ? undefined : shares.of(holding.id, part, holding.amount);
}

/** Returns a function for the share of a token in the value of the address; undefined if it is unknown. */
export const shareOfToken = (holdings: readonly Holding[], shares: Shares) => (token: string) => {
  const held = holdings.find(({ id }) => id === token);
  return held && shareOfHolding(held, shares);
};

function OutputsHeader() {
  return capitalised(terms.output.many);
}
