"use client";

import { AddressLink } from "#components/Address.tsx";
import { AssetAmount, Dash, Dollars } from "#components/Amount.tsx";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { Cut } from "#components/Cut.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { columnsOf } from "#components/table/columns.ts";
import { RowLink, RowPlace } from "#components/table/RowControls.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { cutTransactionHash, formatCount, unspentText } from "#lib/client/format.ts";
import { outPointPath, splitOutPoint, transactionPath } from "#lib/client/paths.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { terms } from "#terms";

export interface EntryFacts {
  flagsOf: FlagsOf;
  before: number | null;
}

// Below 900 px the value is below the amount, and the last column below the address. On phones the token has a line of its own
// above them, with the amount.
const BELOW_AMOUNT = "max-md:-col-start-2 max-md:row-start-2 max-md:pt-0";
const BELOW_ADDRESS = "max-md:col-start-2 max-md:row-start-2 max-md:pt-0";
const BELOW_TOKEN = terms.hasTokens ? "max-sm:col-[2/-2] max-sm:row-start-2" : "";
const LAST = terms.hasTokens ? "max-sm:col-[2/-1] max-sm:row-start-3" : "";

const TWO_LINES = "max-md:[&_tbody_tr[data-row]]:grid-rows-[repeat(2,minmax(24px,auto))]";
const ON_A_PHONE = terms.hasTokens
  ? "max-sm:[--row-min:88px] max-sm:[&_tbody_tr[data-row]]:grid-rows-[repeat(3,minmax(24px,auto))]"
  : "max-sm:[--row-min:64px]";
/** Links are high enough to hit. */
const LINKS = "[&_td>a]:inline-block [&_td>a]:leading-6";
export const ENTRY_TABLE = `${TWO_LINES} ${ON_A_PHONE} ${LINKS}`;

/** Columns of a transaction's inputs or outputs. An input that is not indexed has only its out point. */
export const entryColumns = (side: "inputs" | "outputs") =>
  columnsOf<OutputEntry>({
    place: {
      required: true,
      header: <span className="sr-only">#</span>,
      cell: (_, at) => <RowPlace at={at} noun={side === "inputs" ? "input" : "output"} />,
      tracks: { wide: "88px", medium: "44px", narrow: "40px" },
      className: "max-md:row-[1/span_2] max-sm:col-[1]",
      headerClassName: "max-md:row-[1/span_2]",
    },
    address: {
      required: true,
      header: "Address",
      cell: ({ address }) =>
        address === "" ? <span className="text-text-3">not indexed</span> : <AddressLink address={address} />,
      tracks: { wide: "minmax(180px, 1.2fr)", medium: "minmax(150px, 1fr)" },
      className: `max-md:pb-0 ${BELOW_TOKEN}`,
      headerClassName: "max-md:pb-0",
    },
    tokenInfo: terms.hasTokens
      ? {
          required: true,
          header: "Token",
          cell: (entry) => <Asset entry={entry} />,
          tracks: {
            wide: "minmax(180px, 1.4fr)",
            medium: "minmax(130px, 1fr)",
            narrow: "minmax(110px, 1fr)",
          },
          className: "max-md:row-[1/span_2] max-sm:col-[2] max-sm:row-[1]",
          headerClassName: "max-md:row-[1/span_2]",
        }
      : null,
    amount: {
      required: true,
      header: "Amount",
      cell: ({ amount, tokenInfo, kind }) =>
        amount === "" ? <Dash /> : <AssetAmount amount={amount} asset={tokenInfo} kind={kind} />,
      tracks: { wide: "minmax(180px, 1fr)", medium: "minmax(120px, 1fr)", narrow: "minmax(110px, 1fr)" },
      align: "end",
      className: "max-md:pb-0 max-sm:col-[3] max-sm:row-[1]",
      headerClassName: "max-md:pb-0",
    },
    valueUsd: {
      header: "Value",
      cell: ({ valueUsd, amount }) => <Dollars text={valueUsd} of={amount} />,
      tracks: { wide: "minmax(112px, 0.8fr)", narrow: null },
      align: "end",
      className: `text-text-2 ${BELOW_AMOUNT}`,
      headerClassName: BELOW_AMOUNT,
    },
    end: {
      label: side === "inputs" ? "Out point" : "Spent",
      header: side === "inputs" ? "Out point" : "Spent",
      cell: (entry) => (side === "inputs" ? <Source outPoint={entry.outPoint} /> : <Spender entry={entry} />),
      tracks: { wide: "minmax(200px, 1fr)", medium: "minmax(150px, 1fr)", narrow: null },
      className: `${BELOW_ADDRESS} ${LAST}`,
      headerClassName: BELOW_ADDRESS,
    },
  });

function Asset({ entry: { tokenInfo, token } }: { entry: OutputEntry }) {
  const { flagsOf } = useRowFacts<EntryFacts>();
  return token === "" ? <Dash /> : <AssetLabel asset={tokenInfo} flags={flagsOf(tokenInfo)} />;
}

function Source({ outPoint }: { outPoint: string }) {
  const [hash, index] = splitOutPoint(outPoint);
  return (
    <RowLink href={outPointPath(outPoint)}>
      <Cut parts={cutTransactionHash(hash)} /> <span className="text-text-2">#{index}</span>
    </RowLink>
  );
}

function Spender({ entry: { spent, until } }: { entry: OutputEntry }) {
  if (!spent) return <span className="text-text-3">{unspentText(until !== "never")}</span>;
  return <RowLink href={transactionPath(spent.transaction)}>in block {formatCount(spent.height)}</RowLink>;
}
