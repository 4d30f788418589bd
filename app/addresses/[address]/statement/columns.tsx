"use client";

import { AssetAmount, Dollars } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { Cut } from "#components/Cut.tsx";
import { changeColour } from "#components/change.ts";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { Time } from "#components/Time.tsx";
import { columnsOf, type ListColumns } from "#components/table/columns.ts";
import { ExpandButton, RowLink } from "#components/table/RowControls.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { placeHeader } from "#components/table/SortHeader.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { cutTransactionHash, formatCount } from "#lib/client/format.ts";
import { transactionPath } from "#lib/client/paths.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import { terms } from "#terms";
import { TokenLink } from "../TokenLink.tsx";

export interface StatementFacts {
  address: string;
  flagsOf: FlagsOf;
  lines: readonly StatementLine[];
  /** The share of a token in the value of the address now; undefined if it is unknown. */
  shareOf: (token: string) => string | undefined;
}

/** The names of the token, which the list requests with each line. */
export const tokenOf = ({ token, tokenInfo }: StatementLine): TokenInfo =>
  tokenInfo ?? ({ id: token, name: "", symbol: "", decimals: 0 } as TokenInfo);

/** Returns the amount that came in, less the amount that went out. */
export const changeIn = (line: StatementLine): bigint => BigInt(line.in) - BigInt(line.out);

// The heading of a transaction is above its first line, and its header takes the place of the token's. A chain with one asset
// has a line for each transaction: there, wide windows show the heading beside it. On phones the balance and the value are below
// the token.
const ABOVE = "col-span-full row-start-1 py-0! print:min-w-64";
const HEADED = "[&_tbody_tr[data-row]]:grid-rows-[auto_minmax(calc(var(--row-min)-1px),auto)]";
const ON_A_PHONE =
  "max-sm:[--row-min:77px] max-sm:[&_tbody_tr[data-row]]:grid-cols-[minmax(0,1fr)_minmax(0,auto)] max-sm:[&_tbody_tr[data-row]]:grid-rows-[auto_minmax(44px,auto)_minmax(20px,auto)]";

export const statementTable = () => `${ON_A_PHONE} ${terms.hasTokens ? HEADED : ""}`;

const columns = {
  transaction: {
    required: true,
    ...placeHeader("Transaction"),
    cell: (line, at) => <Heading line={line} at={at} />,
    tracks: { wide: "" },
    className: ABOVE,
    headerClassName: "col-[1]",
  },
  token: {
    required: true,
    header: "Token",
    cell: (line) => <Token line={line} />,
    tracks: { wide: "minmax(230px, 2fr)", medium: "minmax(190px, 1.5fr)" },
    className: "ps-0! max-sm:col-[1]",
    headerClassName: "sr-only print:not-sr-only",
  },
  change: {
    required: true,
    header: "In or out",
    cell: (line) => <Change line={line} />,
    tracks: { wide: "minmax(150px, 1fr)", medium: "minmax(120px, 1fr)" },
    align: "end",
    className: "font-medium max-sm:col-[2] print:min-w-32",
  },
  closing: {
    required: true,
    header: "Balance",
    cell: (line) => <AssetAmount amount={line.closing} asset={tokenOf(line)} kind={line.standard} />,
    tracks: { wide: "minmax(150px, 1fr)", medium: "minmax(120px, 1fr)" },
    align: "end",
    className:
      "max-sm:col-[1] max-sm:ps-12! max-sm:text-start max-sm:text-text-2 max-sm:text-xs max-sm:before:content-['Balance_'] print:min-w-32",
  },
  valueUsd: {
    header: "Balance in US$",
    cell: ({ valueUsd, closing }) => <Dollars text={valueUsd} of={closing} />,
    tracks: { wide: "132px", medium: "112px" },
    align: "end",
    className: "text-text-2 max-sm:col-[2] max-sm:text-xs",
  },
} satisfies ListColumns<StatementLine>;

export const statementColumns = () =>
  columnsOf<StatementLine>(
    terms.hasTokens
      ? columns
      : {
          ...columns,
          transaction: {
            ...columns.transaction,
            tracks: { wide: "minmax(400px, 3fr)", narrow: "minmax(190px, 1.5fr)" },
            className: "max-sm:col-span-full",
            headerClassName: "",
          },
          token: null,
        },
  );

/** The block, its time and the transaction, without what the line above already says. */
function Heading({ line, at }: { line: StatementLine; at: number }) {
  const { lines } = useRowFacts<StatementFacts>();
  const { height, blockHash, time, transaction = "" } = line;
  const above = lines[at - 1];
  if (above?.transaction === transaction) return <span className="sr-only">Same transaction</span>;
  return (
    <span
      data-heading=""
      className="flex min-h-10 flex-wrap items-center gap-x-4 text-text-2 max-sm:[&_a]:inline-flex max-sm:[&_a]:min-h-11 max-sm:[&_a]:items-center max-sm:[&_a]:gap-2"
    >
      {!terms.hasTokens && <ExpandLine line={line} />}
      {above?.blockHash !== blockHash && (
        <>
          <RowLink href={`/blocks/${blockHash}`}>
            <span className="font-semibold">Block {formatCount(height)}</span>
          </RowLink>
          <span className="max-sm:order-1 max-sm:w-full max-sm:text-xs">
            <Time time={Date.parse(time)} />
          </span>
        </>
      )}
      <RowLink href={transactionPath(transaction)}>
        {/* Phones have room for it beside a block's number only without the word. */}
        <span className="max-sm:sr-only">Transaction </span>
        <Cut parts={cutTransactionHash(transaction)} />
      </RowLink>
    </span>
  );
}

const ExpandLine = ({ line }: { line: StatementLine }) => (
  <ExpandButton label={`${displaySymbol(tokenOf(line))} in block ${formatCount(line.height)}`} />
);

function Token({ line }: { line: StatementLine }) {
  const { flagsOf, shareOf } = useRowFacts<StatementFacts>();
  const asset = tokenOf(line);
  return (
    <span className="flex min-w-0 items-center gap-1">
      <ExpandLine line={line} />
      <AssetLabel
        asset={asset}
        flags={flagsOf(asset)}
        share={shareOf(line.token)}
        wrapSymbol={(symbol) => <TokenLink id={line.token}>{symbol}</TokenLink>}
      />
    </span>
  );
}

/** Shows a plus and green for an amount that came in, a minus and red for one that went out. */
function Change({ line }: { line: StatementLine }) {
  const change = changeIn(line);
  return (
    <span className={changeColour(change)}>
      {change > 0n ? "+" : change < 0n ? "−" : ""}
      <AssetAmount amount={change < 0n ? -change : change} asset={tokenOf(line)} kind={line.standard} />
    </span>
  );
}
