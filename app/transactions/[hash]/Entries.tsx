"use client";

import { type ReactNode, useMemo } from "react";
import { AddressFact, AmountFact, Fact } from "#components/Fact.tsx";
import { EndlessListView, useEndlessList } from "#components/list/endless.tsx";
import { useFlags } from "#components/list/flagged.tsx";
import { ListActions } from "#components/list/Toolbar.tsx";
import { worthIn } from "#components/list/worth.ts";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { Notice } from "#components/ui/Notice.tsx";
import { type TabOf, Tabs } from "#components/ui/Tabs.tsx";
import { displayDecimals, type Surroundings } from "#lib/client/chain-text.ts";
import { formatUtc } from "#lib/client/format.ts";
import { outPointPath, transactionPath } from "#lib/client/paths.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { terms } from "#terms";
import { ENTRY_TABLE, type EntryFacts, entryColumns } from "./columns.tsx";
import { entryLists } from "./list.ts";

interface Props {
  hash: string;
  side: "inputs" | "outputs";
  total: number;
  /** The out point that the link names. */
  marked: string | undefined;
  surroundings: Surroundings;
  /** The tip when the page was read. */
  tip: IndexTip | null;
  tabs: readonly TabOf[];
}

const worthOf = ({ tokenInfo, kind, amount, valueUsd }: OutputEntry) =>
  worthIn(tokenInfo, kind, amount || "0", valueUsd);
const details = (entry: OutputEntry): ReactNode => <EntryDetails entry={entry} />;

const copyOf = ({ outPoint }: OutputEntry) => [terms.hashText(outPoint), "out point"] as const;

/** All inputs or outputs of a transaction, below the tabs. */
export function Entries({ hash, side, total, marked, surroundings, tip, tabs }: Props) {
  const list = useEndlessList(entryLists[side], { hash }, null, tip);
  const flagsOf = useFlags(surroundings);
  const columns = useMemo(() => entryColumns(side), [side]);
  // Outputs are counted from 0, as out points count them.
  const before = list.before !== null && side === "outputs" ? list.before - 1 : list.before;
  const facts = useMemo<EntryFacts>(() => ({ flagsOf, before }), [flagsOf, before]);
  return (
    <>
      <Tabs label="Parts of this transaction" tabs={tabs}>
        <ListActions source={{ ...list.source, total }} />
      </Tabs>
      <EndlessListView
        list={list}
        rows={list.rows}
        total={total}
        noun={side === "inputs" ? "input" : "output"}
        caption={side === "inputs" ? "Inputs" : "Outputs"}
        columns={columns}
        facts={facts}
        worthOf={worthOf}
        details={details}
        copyOf={copyOf}
        marked={marked}
        tableClass={ENTRY_TABLE}
        controls={{}}
        empty={
          <Notice bare title={`This transaction has no ${side}`}>
            {side === "inputs" && "A block's reward spends nothing."}
          </Notice>
        }
      />
    </>
  );
}

function EntryDetails({ entry }: { entry: OutputEntry }) {
  const { flagsOf } = useRowFacts<EntryFacts>();
  const { tokenInfo, outPoint, spent, capacity } = entry;
  return (
    <Details
      asset={tokenInfo}
      flags={entry.token === "" ? [] : flagsOf(tokenInfo)}
      receipt={{ lines: [], requests: [`/v0/outputs/${outPoint}?value=usd`], link: outPointPath(outPoint) }}
      json={entry}
    >
      <Fact name="Out point" value={terms.hashText(outPoint)} href={outPointPath(outPoint)} />
      {entry.address !== "" && <AddressFact address={entry.address} />}
      {entry.amount !== "" && (
        <AmountFact
          name="Amount"
          amount={entry.amount}
          decimals={displayDecimals(tokenInfo)}
          without={terms.outputKind(entry.kind ?? "")?.unique}
        />
      )}
      {terms.hasTokens && entry.token !== "" && (
        <Fact name="Token id" value={entry.token} href={`/assets/${entry.token}`} />
      )}
      {capacity !== "" && <Fact name={`Capacity, ${terms.smallestUnit.many}`} value={capacity} />}
      {spent && (
        <Fact
          name="Spent by"
          value={terms.hashText(spent.transaction)}
          note={formatUtc(Date.parse(spent.time))}
          href={transactionPath(spent.transaction)}
        />
      )}
    </Details>
  );
}
