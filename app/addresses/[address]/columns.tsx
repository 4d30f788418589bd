"use client";

import { AddressLink } from "#components/Address.tsx";
import { AssetAmount, Dollars } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { useNow } from "#components/Time.tsx";
import { columnsOf, type FieldColumns, noColumn, type SortedColumn } from "#components/table/columns.ts";
import { CopyMenu, RowLink, RowPlace } from "#components/table/RowControls.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { PLACE_ORDERS, placeHeader, SortHeader } from "#components/table/SortHeader.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { cutTransactionHash, formatAge, formatCount, formatUtc } from "#lib/client/format.ts";
import { outPointPath, splitOutPoint } from "#lib/client/paths.ts";
import { type NativeAsset, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import type { AddressedUtxo } from "#lib/queries/utxos/contract.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { terms } from "#terms";
import { TokenLink } from "./TokenLink.tsx";

export type ShownNative = Pick<NativeAsset, "id" | "symbol" | "decimals">;

export interface OutputFacts {
  address: string;
  native: ShownNative;
  flagsOf: FlagsOf;
  /** Rows of the whole list before the loaded ones; null if unknown. */
  before: number | null;
  /** All rows hold one token. */
  filtered: boolean;
  /** The block that the list was read at; null until it is. */
  asOf: { height: number; hash: string } | null;
  /** The share of the address's value that it holds in a token; undefined if it is unknown. */
  shareOf: (token: string) => string | undefined;
  /** A link to the list as of that block, beginning with the row. */
  cite: (entry: UtxoEntry) => string;
}

// Below 900 px the value is below the amount, and the out point below its block. Below 640 px the block is below the
// token, and only the opened row has the out point and the copy buttons.
const TWO_LINES = "max-md:row-[1/span_2]";
const BELOW_AMOUNT = "max-md:col-start-3 max-md:row-start-2 max-md:pt-0";
const BLOCK = "max-md:col-start-4 sm:max-md:row-start-1 max-md:text-start";
// Below 1,200 px the age is below the block, and beside it where the out point is below.
const ABOVE_AGE = "md:max-lg:has-[+[data-column=blockTime]]:self-start md:max-lg:not-print:leading-6";
const BELOW_BLOCK =
  "sm:max-md:col-start-4 sm:max-md:row-start-1 sm:max-lg:justify-self-end sm:max-lg:not-print:text-xs/6 md:max-lg:self-end";
const OUT_POINT = "max-md:col-start-4 max-md:row-start-2 max-md:pt-0 max-md:text-start";

const ON_A_PHONE = {
  token: "max-sm:col-[2/4] max-sm:row-[1] max-sm:self-start max-sm:pt-1.5! max-sm:[&>span]:items-start",
  amount: "max-sm:col-[4] max-sm:row-[1] max-sm:self-start max-sm:pt-2!",
  // A touch target of 44 px that does not make the row higher.
  block:
    "max-sm:col-[2] max-sm:row-[2] max-sm:self-end max-sm:[&>a]:flex max-sm:[&>a]:min-h-11 max-sm:[&>a]:w-fit max-sm:[&>a]:min-w-11 max-sm:[&>a]:items-end max-sm:[&>a]:gap-1 max-sm:[&>a]:pb-1.75 max-sm:[&>a]:before:content-['Block_']",
  age: "max-sm:-ms-1 max-sm:col-[3] max-sm:row-[2] max-sm:self-end max-sm:pb-1.75! max-sm:text-start max-sm:has-[time:not(:empty)]:before:content-['·_']",
  value: "max-sm:col-[4] max-sm:row-[2] max-sm:self-end max-sm:pb-1.75!",
};

/** On a phone a row is at most 64 px high. */
export const OUTPUT_TABLE =
  "max-md:[&_tbody_[data-row]]:grid-rows-[repeat(2,minmax(24px,auto))] max-sm:[--row-min:64px] max-sm:[&_tbody_tr[data-row]]:grid-cols-[40px_auto_minmax(0,1fr)_fit-content(62%)] max-sm:[&_tbody_tr[data-row]]:grid-rows-[minmax(32px,auto)_31px] max-sm:[&_tbody_tr[data-row]]:py-0";

/** @param other the order without one by value */
const valueHeader = (other: string) => ({
  header: ({ column }: { column: SortedColumn }) => (
    <SortHeader column={column} name="Value" next={column.getIsSorted() ? other : "Most valuable first"} />
  ),
  label: "Value",
  sortable: true,
});

const columns = {
  place: {
    required: true,
    header: <PlaceHeader />,
    cell: (_, at) => <RowPlace at={at} noun="row" />,
    tracks: { wide: "88px", medium: "44px", narrow: "40px" },
    headerClassName: `text-end max-lg:ps-1.5 max-lg:pe-0 ${TWO_LINES}`,
    className: `max-lg:ps-1.5 max-lg:pe-0 ${TWO_LINES} max-sm:p-0`,
  },
  tokenInfo: {
    required: true,
    header: <TokenHeader />,
    cell: (entry) => (terms.hasTokens ? <Token entry={entry} /> : <KindBadge kind={entry.kind} />),
    tracks: {
      wide: "minmax(200px, 2.2fr)",
      medium: "minmax(130px, 1.2fr)",
      narrow: "minmax(150px, 1.2fr)",
    },
    headerClassName: TWO_LINES,
    // At 1024 px an id and its badge just fit beside each other. A warning starts under the icon, where most fit on one
    // line.
    className: `${TWO_LINES} ${ON_A_PHONE.token} sm:max-lg:pe-0 sm:max-lg:[&>span]:items-start sm:max-lg:[&_[data-flag]]:-ms-7 sm:max-lg:[&_[data-flag]]:max-w-[calc(100%+28px)]`,
  },
  amount: {
    required: true,
    header: "Amount",
    cell: ({ amount, tokenInfo, kind }) => <AssetAmount amount={amount} asset={tokenInfo} kind={kind} />,
    tracks: {
      wide: "minmax(236px, 1fr)",
      medium: "minmax(162px, 1.3fr)",
      narrow: "minmax(150px, 1.3fr)",
    },
    align: "end",
    headerClassName: "max-md:pb-0",
    className: `max-md:pb-0 ${ON_A_PHONE.amount}`,
  },
  valueUsd: {
    ...valueHeader(PLACE_ORDERS.desc),
    cell: ({ valueUsd, amount }) => <Dollars text={valueUsd} of={amount} />,
    tracks: { wide: "minmax(112px, 0.8fr)", medium: "minmax(110px, 1fr)", narrow: null },
    align: "end",
    headerClassName: BELOW_AMOUNT,
    className: `text-text-2 ${BELOW_AMOUNT} ${ON_A_PHONE.value}`,
  },
  blockHeight: {
    required: true,
    ...placeHeader("Block"),
    cell: ({ blockHeight, blockHash }) => (
      <RowLink href={`/blocks/${blockHash}`}>{formatCount(blockHeight)}</RowLink>
    ),
    tracks: { wide: "96px", narrow: "168px" },
    align: "end",
    headerClassName: BLOCK,
    className: `${BLOCK} ${ABOVE_AGE} ${ON_A_PHONE.block}`,
  },
  blockTime: {
    header: <span className="max-lg:not-print:sr-only">Age</span>,
    label: "Age",
    cell: ({ blockTime }) => <Age of={blockTime} />,
    // Without a width of its own, it has that of the block above it.
    tracks: { wide: "80px", medium: "0px", narrow: null },
    align: "end",
    headerClassName: "max-lg:p-0 max-md:col-start-4 max-md:row-start-1",
    className: `whitespace-nowrap text-text-2 ${BELOW_BLOCK} ${ON_A_PHONE.age}`,
  },
  outPoint: {
    header: "Out point",
    cell: ({ outPoint }) => <OutPoint outPoint={outPoint} />,
    tracks: { wide: "232px", medium: "228px", small: "168px", narrow: null },
    headerClassName: OUT_POINT,
    // The copy button is no higher than its line, so that it does not cover the block above.
    className: `${OUT_POINT} max-md:[&_button]:-my-3 max-sm:hidden`,
  },
  menu: {
    required: true,
    header: <span className="sr-only">Copy</span>,
    cell: (entry) => <CopyMenu label={`this ${terms.output.one}`} items={() => copiesOf(entry)} />,
    // Room for a touch target of 44 px.
    tracks: { wide: "56px" },
    align: "end",
    headerClassName: `pe-3 ${TWO_LINES} max-md:-col-start-2`,
    className: `ps-0! pe-3 ${TWO_LINES} max-md:-col-start-2 max-sm:hidden`,
  },
  ...noColumn("blockHash", "capacity", "compensation", "kind", "priceUsd", "token", "until"),
} satisfies FieldColumns<UtxoEntry>;

export const outputColumns = columnsOf<UtxoEntry>(columns);

/** A wallet's list is in the order of its addresses first. */
export const WALLET_ORDERS = { desc: "By address, newest first", asc: "By address, oldest first" };

const walletBlock = placeHeader("Block", WALLET_ORDERS);

/** States the order where `aria-sort` cannot. */
function OrderName({ of }: { of: SortedColumn }) {
  const order = of.getIsSorted();
  return order && <span className="sr-only">, {WALLET_ORDERS[order]}</span>;
}

/** The outputs of a wallet have their address in place of the out point; on a phone beside the block, in place of the age. */
export const walletColumns = columnsOf<UtxoEntry>({
  ...columns,
  valueUsd: { ...columns.valueUsd, ...valueHeader(WALLET_ORDERS.desc) },
  blockHeight: {
    ...columns.blockHeight,
    ...walletBlock,
    header: ({ column }) => (
      <>
        {walletBlock.header({ column })}
        <OrderName of={column} />
      </>
    ),
    sortsWithin: true,
    cell: (entry) => (
      <>
        {columns.blockHeight.cell(entry)}
        <span className="min-w-0 sm:hidden [&>a]:flex [&>a]:min-h-11 [&>a]:items-end [&>a]:pb-1.75">
          <Owner entry={entry} />
        </span>
      </>
    ),
    // Long amounts leave less room, but none beside a shorter value.
    className: `${columns.blockHeight.className} max-sm:col-[2/4]! max-sm:flex max-sm:items-end max-sm:gap-2 max-sm:[&>:first-child]:flex-none`,
  },
  blockTime: {
    ...columns.blockTime,
    cell: (entry) => <RowLink href={outPointPath(entry.outPoint)}>{columns.blockTime.cell(entry)}</RowLink>,
    className: `${columns.blockTime.className} max-sm:hidden`,
  },
  outPoint: {
    ...columns.outPoint,
    required: true,
    header: "Address",
    cell: (entry) => <Owner entry={entry} />,
  },
});

const Owner = ({ entry }: { entry: UtxoEntry }) => (
  <AddressLink address={(entry as AddressedUtxo).address} brief narrows className="max-w-full" />
);

function copiesOf(entry: UtxoEntry): [label: string, text: string][] {
  const [hash, index] = splitOutPoint(entry.outPoint);
  return [
    ["Out point as hash:index", terms.hashText(entry.outPoint)],
    ["Out point as JSON", JSON.stringify(terms.outPointJson(hash, Number(index)))],
    ["Token id", entry.token],
    ["Amount, smallest unit", entry.amount],
    [`Capacity, ${terms.smallestUnit.many}`, entry.capacity],
    ["Row as JSON", stringifyExactJson(entry, 2)],
  ];
}

function PlaceHeader() {
  const { before } = useRowFacts<OutputFacts>();
  return <span className={before !== null ? "max-lg:sr-only" : "sr-only"}>#</span>;
}

function Token({ entry: { token, tokenInfo, kind } }: { entry: UtxoEntry }) {
  const { native, flagsOf, filtered, shareOf } = useRowFacts<OutputFacts>();
  return (
    <AssetLabel
      asset={tokenInfo}
      flags={flagsOf(tokenInfo)}
      share={shareOf(token)}
      // Plain outputs and tokens need no badge beside their name.
      badge={token === native.id && kind !== PLAIN_OUTPUT && <KindBadge kind={kind} />}
      {...(!filtered && { wrapSymbol: (symbol) => <TokenLink id={token}>{symbol}</TokenLink> })}
    />
  );
}

/** Characters of a kind that always fit beside an id. */
const SHORT = 8;

/** The kind of an output; nothing if it is unknown. */
function KindBadge({ kind = "" }: { kind: string | undefined }) {
  const shown = terms.outputKind(kind);
  return (
    shown && (
      <Chip data-kind={kind} title={shown.about} className="min-w-0 max-lg:px-1">
        {shown.label.length <= SHORT ? shown.label : <span className="truncate">{shown.label}</span>}
      </Chip>
    )
  );
}

function OutPoint({ outPoint }: { outPoint: string }) {
  const [hash, index] = splitOutPoint(outPoint);
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <RowLink href={outPointPath(outPoint)}>
        <Cut parts={cutTransactionHash(hash)} title={terms.hashText(outPoint)} narrows />
        <span className="mono text-text-2">#{index}</span>
      </RowLink>
      <CopyButton text={terms.hashText(outPoint)} label="out point" />
    </span>
  );
}

/** An output's age, without a word for what it is: the header or the block beside it says that. */
function Age({ of = "" }: { of: string | undefined }) {
  const now = useNow();
  const time = Date.parse(of);
  if (Number.isNaN(time)) return null;
  return (
    <time dateTime={of} title={formatUtc(time)}>
      {now !== null && formatAge(time, now).replace(/ ago$/, "")}
    </time>
  );
}

function TokenHeader() {
  return terms.hasTokens ? "Token" : "Kind";
}
