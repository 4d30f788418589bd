"use client";

import { Amount, Dollars } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { Time } from "#components/Time.tsx";
import { columnsOf, type ListColumns } from "#components/table/columns.ts";
import { ExpandButton, RowLink } from "#components/table/RowControls.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { formatCount } from "#lib/client/format.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import { terms } from "#terms";
import { TokenLink } from "../TokenLink.tsx";

export interface StatementFacts {
  address: string;
  flagsOf: FlagsOf;
}

/** The names of the token, which the list requests with each line. */
export const tokenOf = ({ token, tokenInfo }: StatementLine): TokenInfo =>
  tokenInfo ?? ({ id: token, name: "", symbol: "", decimals: 0 } as TokenInfo);

/** The word for one of a unique token, such as `NFT`. */
export const uniqueOf = ({ standard = "" }: StatementLine) => terms.outputKind(standard)?.unique;

// Below 900 px the time is below the block, Out below In and the value below the balance. Below 640 px the first line has
// the token, In and Out.
const ABOVE = "max-md:row-start-1 max-md:pb-0";
const BELOW = "max-md:row-start-2 max-md:pt-0";
const MOVED = "max-md:-col-start-3";
const HELD = "max-md:-col-start-2 max-md:pe-0 max-sm:col-[3/span_2]";

export const STATEMENT_TABLE =
  "max-md:[&_tbody_tr[data-row]]:grid-rows-[repeat(2,minmax(24px,auto))] max-sm:[--row-min:81px] max-sm:[&_tbody_tr[data-row]]:grid-cols-[44px_fit-content(48%)_1fr_auto] max-sm:[&_tbody_tr[data-row]]:grid-rows-[24px_minmax(24px,auto)_minmax(20px,auto)] max-sm:[&_tbody_tr[data-row]]:gap-x-0";

function Figure({ line, of }: { line: StatementLine; of: "in" | "out" | "closing" }) {
  const amount = line[of];
  // A phone shows no header, and leaves out zeros.
  if (amount === "0" && of !== "closing") return <span className="text-text-3 max-sm:hidden">—</span>;
  return (
    <span className={of === "closing" ? "font-medium" : "text-text-2 max-sm:ps-3"}>
      {of === "in" && <span className="sm:hidden">+</span>}
      {of === "out" && "−"}
      <Amount amount={amount} decimals={displayDecimals(tokenOf(line))} unique={uniqueOf(line)} />
    </span>
  );
}

const BLOCK =
  "max-sm:col-[1/span_2] max-sm:[&_a]:py-0.5 max-sm:[&_a]:before:content-['Block_'] max-md:[&_button]:-my-3 max-sm:[&_button]:w-11";
const TIME =
  "whitespace-nowrap text-text-2 max-md:col-start-1 max-md:ps-8 max-md:pointer-coarse:ps-12 max-sm:col-[2] max-sm:ps-1!";

const columns = {
  height: {
    required: true,
    header: "Block",
    cell: ({ height }) => (
      <span className="flex items-center gap-1">
        <ExpandButton label={`line of block ${formatCount(height)}`} />
        <RowLink href={`/blocks/${height}`}>{formatCount(height)}</RowLink>
      </span>
    ),
    tracks: { wide: "128px", medium: "112px", narrow: "132px" },
    className: `${ABOVE} ${BLOCK} max-sm:row-start-2`,
    headerClassName: ABOVE,
  },
  time: {
    header: "Time",
    cell: ({ time }) => <Time time={Date.parse(time)} short />,
    tracks: { wide: "112px", medium: "96px", narrow: null },
    className: `${BELOW} ${TIME} max-sm:row-start-3`,
    headerClassName: `${BELOW} max-md:col-start-1 max-md:ps-0`,
  },
  token: {
    required: true,
    header: "Token",
    cell: (line) => <Token line={line} />,
    tracks: { wide: "minmax(170px, 1.2fr)", medium: "minmax(130px, 1fr)" },
    className: "max-md:col-start-2 max-md:row-[1/span_2] max-sm:col-[2] max-sm:row-[1] max-sm:ps-1!",
    headerClassName: "max-md:col-start-2 max-md:row-[1/span_2]",
  },
  in: {
    required: true,
    header: "In",
    cell: (line) => <Figure line={line} of="in" />,
    tracks: { wide: "minmax(120px, 1fr)", medium: "minmax(100px, 1fr)" },
    align: "end",
    className: `${ABOVE} ${MOVED} max-sm:col-[3]`,
    headerClassName: `${ABOVE} ${MOVED}`,
  },
  out: {
    required: true,
    header: "Out",
    cell: (line) => <Figure line={line} of="out" />,
    tracks: { wide: "minmax(120px, 1fr)", medium: "minmax(100px, 1fr)", narrow: null },
    align: "end",
    className: `${BELOW} ${MOVED} max-sm:col-[4] max-sm:row-start-1`,
    headerClassName: `${BELOW} ${MOVED}`,
  },
  closing: {
    required: true,
    header: "Balance",
    cell: (line) => <Figure line={line} of="closing" />,
    tracks: { wide: "minmax(130px, 1fr)", medium: "minmax(110px, 1fr)" },
    align: "end",
    className: `${ABOVE} ${HELD} max-sm:row-start-2 max-sm:before:text-text-3 max-sm:before:content-['Balance_']`,
    headerClassName: `${ABOVE} ${HELD}`,
  },
  valueUsd: {
    header: "Value",
    cell: ({ valueUsd, closing }) => <Dollars text={valueUsd} of={closing} />,
    tracks: { wide: "132px", medium: "112px", narrow: null },
    align: "end",
    className: `text-text-2 ${BELOW} ${HELD} max-sm:row-start-3`,
    headerClassName: `${BELOW} ${HELD}`,
  },
} satisfies ListColumns<StatementLine>;

/** @param hasTokens whether lines have different assets */
export const statementColumns = (hasTokens: boolean) =>
  columnsOf<StatementLine>(
    hasTokens
      ? columns
      : {
          ...columns,
          height: { ...columns.height, className: `${ABOVE} ${BLOCK} max-sm:row-start-1` },
          time: { ...columns.time, className: `${BELOW} ${TIME}` },
          token: null,
        },
  );

function Token({ line }: { line: StatementLine }) {
  const { flagsOf } = useRowFacts<StatementFacts>();
  const asset = tokenOf(line);
  return (
    <AssetLabel
      asset={asset}
      flags={flagsOf(asset)}
      wrapSymbol={(symbol) => <TokenLink id={line.token}>{symbol}</TokenLink>}
    />
  );
}
