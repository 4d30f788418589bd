"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { terms } from "#chain/terms.ts";
import { useChainStatus } from "#components/chain-tip.ts";
import { copyAndSay } from "#components/copy.ts";
import { CloseIcon } from "#components/icons.tsx";
import { EndlessListView, useEndlessList } from "#components/list/endless.tsx";
import { FlaggedToggle, type FlagsOf, useFlagged } from "#components/list/flagged.tsx";
import type { Controls } from "#components/list/Toolbar.tsx";
import { openPage } from "#components/navigation.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Select } from "#components/ui/Select.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, cutId, cutToText, formatAmount, formatCount, formatCoverage } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import type { ViewOf } from "#lib/client/list.ts";
import { type FirstAnswer, listChange } from "#lib/client/queries.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import type { UtxoEntry, UtxoList } from "#lib/questions/address-utxos/contract.ts";
import { OUTPUT_TABLE, type OutputFacts, outputColumns } from "./columns.tsx";
import { type AddressHoldings, useHolding } from "./holdings/Holdings.tsx";
import { utxoList } from "./list.ts";
import { UtxoDetails } from "./UtxoDetails.tsx";

interface Props {
  holdings: AddressHoldings;
  flagsOf: FlagsOf;
  outputCount: number;
  first: FirstAnswer<UtxoList> | null;
  onShowHoldings: () => void;
}

const assetOf = ({ tokenInfo }: UtxoEntry) => tokenInfo;
const details = (entry: UtxoEntry) => <UtxoDetails entry={entry} />;

function onRowKey(key: string, entry: UtxoEntry) {
  if (key === "o") openPage(`/blocks/${entry.blockHeight}`);
  if (key === "c") void copyAndSay(entry.outPoint, "out point");
}

export function Outputs({ holdings, flagsOf, outputCount, first, onShowHoldings }: Props) {
  const { address, native } = holdings;
  const list = useEndlessList(utxoList, { address }, first);
  const { view, setView, change, rows, before, tip } = list;
  const filtered = view.token !== "";
  // A chosen token is shown whatever it is called.
  const flagged = useFlagged(rows, assetOf, flagsOf, view.flagged === "show" || filtered);
  const holding = useHolding(holdings, view.token);
  const facts = useMemo<OutputFacts>(
    () => ({ address, native, flagsOf, before, filtered }),
    [address, native, flagsOf, before, filtered],
  );
  const clearToken = () => change({ token: "" });
  const asOf = tip ? ` as of block ${formatCount(tip.height)}` : "";
  const controls: Controls<ViewOf<typeof utxoList>> = {
    token: (
      <Button size="narrow" onClick={onShowHoldings}>
        {filtered ? "Another token" : `All tokens (${formatCount(holdings.first.data.total)})`}
      </Button>
    ),
    order: (
      <Select
        label="Order"
        value={view.order}
        choices={[
          ["asc", "Oldest first"],
          ["desc", "Newest first"],
        ]}
        onChoose={(order) => change({ order })}
      />
    ),
    flagged: !filtered && (
      <FlaggedToggle
        flagged={view.flagged}
        count={flagged.count}
        onChange={(flagged) => setView({ flagged })}
      />
    ),
    // Follows the reader down the list.
    from: null,
    row: null,
  };
  return (
    <>
      <EndlessListView
        list={list}
        rows={flagged.rows}
        total={holding?.outputCount ?? outputCount}
        noun={terms.output}
        caption="Unspent outputs"
        columns={outputColumns}
        facts={facts}
        details={details}
        onRowKey={onRowKey}
        tableClass={OUTPUT_TABLE}
        controls={controls}
        filters={filtered && <TokenChip id={view.token} holding={holding} onRemove={clearToken} />}
        empty={
          filtered ? (
            <Notice
              bare
              tone="neutral"
              title={`No live ${terms.output.one} holds this token`}
              actions={<Button onClick={clearToken}>Clear the filter</Button>}
            >
              {countOf(outputCount, terms.output)} without the filter{asOf}.
            </Notice>
          ) : (
            <Notice bare tone="neutral" title={`No live ${terms.output.many}`}>
              This address is valid but has no unspent outputs
              {tip?.coverage
                ? ` in the indexed blocks: ${formatCoverage(tip.coverage)}. It may have some in other blocks.`
                : `${asOf}.`}
            </Notice>
          )
        }
      />
      {tip && <ChangeBar address={address} outputs={outputCount} tip={tip} onReload={list.reload} />}
    </>
  );
}

/** The token that the list shows only, and a way to show all again. */
function TokenChip(props: { id: string; holding: Holding | undefined; onRemove: () => void }) {
  const { id, holding, onRemove } = props;
  const symbol = holding ? displaySymbol(holding) : "Token";
  const balance = holding && formatAmount(holding.amount, displayDecimals(holding));
  return (
    <div className="mb-2">
      <Chip size="large">
        <bdi className="shrink-0 font-medium text-text">{symbol}</bdi>
        <span className="mono shrink-0">{cutToText(cutId(id))}</span>
        {balance && (
          <span className="truncate" title={balance.exact}>
            {balance.text} in {countOf(holding.outputCount, terms.output)}
          </span>
        )}
        <IconButton aria-label={`Remove the filter ${symbol}`} onClick={onRemove}>
          <CloseIcon />
        </IconButton>
      </Chip>
    </div>
  );
}

interface ChangeBarProps {
  address: string;
  /** How many the address had when the list was read, at `tip`. */
  outputs: number;
  tip: AnswerTip;
  onReload: () => void;
}

/** New blocks move no rows: a bar at the foot of the window announces those that change the list. */
function ChangeBar({ address, outputs, tip, onReload }: ChangeBarProps) {
  const now = useChainStatus().data?.tip ?? null;
  const { data: change } = useQuery(listChange(address, tip, now));
  if (!now || !change || change.kind === "none") return null;
  return (
    <NewsBar action={<Button onClick={onReload}>Refresh</Button>}>
      {change.kind === "replaced"
        ? `The chain changed: block ${formatCount(change.height)}, which this list was read at, was replaced`
        : `${countOf(now.height - tip.height, "new block")} changed this list`}
    </NewsBar>
  );
}
