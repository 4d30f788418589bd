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
import type { StatementLine } from "#lib/questions/address-statement/contract.ts";
import { terms } from "#terms";
import { TokenLink } from "../TokenLink.tsx";

export interface StatementFacts {
  address: string;
  flagsOf: FlagsOf;
}

/** The list asks for tokens. */
export const tokenOf = ({ token, tokenInfo }: StatementLine): TokenInfo =>
  tokenInfo ?? ({ id: token, name: "", symbol: "", decimals: 0 } as TokenInfo);

/** What one of the token counts as, if it has no decimals: `NFT`. */
export const uniqueOf = ({ standard = "" }: StatementLine) => terms.outputKind(standard)?.unique;

export const STATEMENT_TABLE =
  "max-sm:[--row-min:76px] max-sm:[&_tbody_tr[data-row]]:grid-cols-[44px_minmax(0,1fr)_minmax(0,1fr)]";

interface FigureProps {
  line: StatementLine;
  of: "in" | "out" | "closing";
}

function Figure({ line, of }: FigureProps) {
  const amount = line[of];
  if (amount === "0" && of !== "closing") return <span className="text-text-3">—</span>;
  return (
    <span className={of === "closing" ? "font-medium" : "text-text-2"}>
      {of === "out" && "−"}
      <Amount amount={amount} decimals={displayDecimals(tokenOf(line))} unique={uniqueOf(line)} />
    </span>
  );
}

/** On a phone there is no header. */
const BLOCK = "max-sm:col-[1/span_2] max-sm:[&_a]:before:content-['Block_']";

const columns: ListColumns<StatementLine> = {
  height: {
    header: "Block",
    cell: ({ height }) => (
      <span className="flex items-center gap-1">
        <ExpandButton label={`line of block ${formatCount(height)}`} />
        <RowLink href={`/blocks/${height}`}>{formatCount(height)}</RowLink>
      </span>
    ),
    tracks: { wide: "128px", medium: "112px" },
    className: `${BLOCK} max-sm:row-[2]`,
  },
  time: {
    header: "Time",
    cell: ({ time }) => <Time time={Date.parse(time)} short />,
    tracks: { wide: "112px", medium: "96px", narrow: null },
    className: "text-text-2 max-md:hidden",
    headerClassName: "max-md:hidden",
  },
  token: {
    header: "Token",
    cell: (line) => <Token line={line} />,
    tracks: { wide: "minmax(170px, 1.2fr)", medium: "minmax(130px, 1fr)" },
    className: "max-sm:col-[1/span_2] max-sm:row-[1]",
  },
  in: {
    header: "In",
    cell: (line) => <Figure line={line} of="in" />,
    tracks: { wide: "minmax(120px, 1fr)", medium: "minmax(100px, 1fr)", narrow: null },
    align: "end",
    className: "max-md:hidden",
    headerClassName: "max-md:hidden",
  },
  out: {
    header: "Out",
    cell: (line) => <Figure line={line} of="out" />,
    tracks: { wide: "minmax(120px, 1fr)", medium: "minmax(100px, 1fr)", narrow: null },
    align: "end",
    className: "max-md:hidden",
    headerClassName: "max-md:hidden",
  },
  closing: {
    header: "Balance",
    cell: (line) => <Figure line={line} of="closing" />,
    tracks: { wide: "minmax(130px, 1fr)", medium: "minmax(110px, 1fr)" },
    align: "end",
    className: "max-sm:col-[3] max-sm:row-[1]",
  },
  valueUsd: {
    header: "Value",
    cell: ({ valueUsd, closing }) => <Dollars text={valueUsd} of={closing} />,
    tracks: { wide: "132px", medium: "112px" },
    align: "end",
    className: "text-text-2 max-sm:col-[3] max-sm:row-[2]",
  },
  blockHash: null,
  tokenInfo: null,
  standard: null,
  opening: null,
  priceUsd: null,
};

/** In the room that the token's column leaves. */
const moved = { tracks: { wide: "minmax(100px, 1fr)" }, className: "max-sm:hidden", headerClassName: "" };

/** @param hasTokens whether lines differ in their assets */
export const statementColumns = (hasTokens: boolean) =>
  columnsOf<StatementLine>(
    hasTokens
      ? columns
      : {
          ...columns,
          height: { ...columns.height!, className: BLOCK },
          token: null,
          in: { ...columns.in!, ...moved },
          out: { ...columns.out!, ...moved },
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
