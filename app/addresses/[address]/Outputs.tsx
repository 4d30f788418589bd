"use client";

import { useMemo } from "react";
import { ButtonLink } from "#components/Link.tsx";
import { EndlessListView, useEndlessList } from "#components/list/endless.tsx";
import { FlaggedToggle, useFlagged } from "#components/list/flagged.tsx";
import { type Controls, ListActions } from "#components/list/Toolbar.tsx";
import { worthIn } from "#components/list/worth.ts";
import { focusResults } from "#components/navigation.tsx";
import { PLACE_ORDERS } from "#components/table/SortHeader.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Select } from "#components/ui/Select.tsx";
import { usePath } from "#components/url-state.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { ViewOf } from "#lib/client/list.ts";
import type { FirstPage } from "#lib/client/queries.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import { isWallet } from "#lib/client/wallet.ts";
import type { BlockHeader, IndexTip } from "#lib/contract/ledger.ts";
import type { UtxoEntry, UtxoList } from "#lib/queries/address-utxos/contract.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { ChangeBar } from "./ChangeBar.tsx";
import { OUTPUT_TABLE, type OutputFacts, outputColumns, WALLET_ORDERS, walletColumns } from "./columns.tsx";
import { type ListTabProps, useHolding } from "./holdings/Holdings.tsx";
import { utxoList, walletUtxoList } from "./list.ts";
import { NothingHeld } from "./Nothing.tsx";
import { TokenChip } from "./TokenChip.tsx";
import { UtxoDetails } from "./UtxoDetails.tsx";
import { OTHER_TAB } from "./view.ts";

interface Props extends ListTabProps {
  outputCount: number;
  first: FirstPage<UtxoList> | null;
  /** The past block that the list is as of; null for the tip. */
  pinned: BlockHeader | null;
}

const assetOf = ({ tokenInfo }: UtxoEntry) => tokenInfo;
const worthOf = ({ tokenInfo, kind, amount, valueUsd }: UtxoEntry) =>
  worthIn(tokenInfo, kind, amount, valueUsd);
const details = (entry: UtxoEntry) => <UtxoDetails entry={entry} />;

const copyOf = ({ outPoint }: UtxoEntry) => [terms.hashText(outPoint), "out point"] as const;
const blockOf = ({ blockHash }: UtxoEntry) => `/blocks/${blockHash}`;

export function Outputs({ holdings, flagsOf, shareOf, outputCount, first, pinned, strip }: Props) {
  const { address } = holdings;
  const isOne = !isWallet(address);
  const read = useEndlessList(isOne ? utxoList : walletUtxoList, { address }, first);
  const asOfTip: IndexTip | null = read.tip ?? pinned;
  const list = { ...read, tip: asOfTip };
  // It has every loaded row that is not spent.
  const citedTip = read.tips.at(-1) ?? pinned;
  const { view, setView, change, rows, before, tip } = list;
  const filtered = view.token !== "";
  const byValue = view.sort === "value";
  const orders = isOne ? PLACE_ORDERS : WALLET_ORDERS;
  // A chosen token is shown even if it is flagged.
  const flagged = useFlagged(rows, assetOf, flagsOf, view.flagged === "show" || filtered);
  const shown = useMemo(() => (byValue ? mostValuable(flagged.rows) : flagged.rows), [byValue, flagged.rows]);
  const holding = useHolding(holdings, view.token);
  const path = usePath();
  const facts = useMemo<OutputFacts>(() => {
    const places = new Map(rows.map(({ outPoint }, at) => [outPoint, at]));
    const cite = ({ outPoint }: UtxoEntry) => {
      const at = places.get(outPoint) ?? 0;
      const above = isOne ? (rows[at - 1]?.outPoint ?? view.from) : "";
      const row = before === null || above === "" ? "" : String(before + at + 1);
      return changeParameters(path, { ...OTHER_TAB, tab: "", at: citedTip?.hash ?? "", from: above, row });
    };
    const shownBefore = byValue ? null : before;
    return { ...holdings, flagsOf, before: shownBefore, filtered, cite, asOf: citedTip, shareOf };
  }, [flagsOf, before, byValue, filtered, rows, path, view.from, citedTip, isOne, holdings, shareOf]);
  const total = filtered ? (holding?.outputCount ?? null) : outputCount;
  const showAll = () => change({ token: "" }, { history: "push" });
  function clearToken() {
    showAll();
    focusResults();
  }
  function showFlagged() {
    setView({ flagged: "show" });
    focusResults();
  }
  const controls: Controls<ViewOf<typeof utxoList>> = {
    token: terms.hasTokens && (
      <ButtonLink size="narrow" href={{ ...OTHER_TAB, tab: "holdings" }}>
        {filtered ? "Choose another token" : "Choose a token"}
      </ButtonLink>
    ),
    order: (
      <Select
        label="Order"
        value={byValue ? "value" : view.order}
        choices={[
          ["desc", orders.desc],
          ["asc", orders.asc],
          [
            "value",
            byValue && read.query.hasNextPage
              ? `Most valuable of the ${formatCount(rows.length)} loaded`
              : "Most valuable first",
          ],
        ]}
        onChoose={(order) => change(order === "value" ? { sort: order } : { order, sort: "" })}
      />
    ),
    flagged: !filtered && (
      <FlaggedToggle
        flagged={view.flagged}
        count={flagged.count}
        onChange={(flagged) => setView({ flagged })}
      />
    ),
  };
  return (
    <>
      {strip(<ListActions source={{ ...list.source, total, arrange: byValue ? mostValuable : undefined }} />)}
      <EndlessListView
        list={list}
        rows={shown}
        total={total}
        whole={byValue && total !== null && total <= MAX_ORDERED}
        noun={terms.output}
        caption="Unspent outputs"
        columns={isOne ? outputColumns : walletColumns}
        sorting={[
          byValue ? { id: "valueUsd", desc: true } : { id: "blockHeight", desc: view.order === "desc" },
        ]}
        onSort={([by]) =>
          change(
            by?.id === "valueUsd" && by.desc
              ? { sort: "value" }
              : { sort: "", order: by?.id === "blockHeight" && !by.desc ? "asc" : "desc" },
          )
        }
        facts={facts}
        hidden={
          shown.length < rows.length && (
            <>
              {" · "}
              <Button size="narrow" onClick={showFlagged}>
                {formatCount(rows.length - shown.length)} flagged, show
              </Button>
            </>
          )
        }
        worthOf={worthOf}
        details={details}
        copyOf={copyOf}
        blockOf={blockOf}
        tableClass={OUTPUT_TABLE}
        controls={controls}
        filters={filtered && <TokenChip id={view.token} holding={holding} onRemove={showAll} />}
        empty={
          filtered ? (
            <Notice
              bare
              title={`No live ${terms.output.one} holds this token`}
              actions={<Button onClick={clearToken}>Clear the filter</Button>}
            >
              {countOf(outputCount, terms.output)} without the filter
              {tip && ` as of block ${formatCount(tip.height)}`}.
            </Notice>
          ) : (
            <NothingHeld asOf={tip} />
          )
        }
      />
      {read.tip && !pinned && (
        <ChangeBar
          of="outputs"
          key={view.token}
          list={read}
          address={address}
          token={view.token}
          read={read.tips}
          onReload={list.reload}
        />
      )}
    </>
  );
}

/** Longer lists are not loaded completely to sort them by value. */
const MAX_ORDERED = 50_000;

/** Sorts by value, rows without one last. */
function mostValuable(rows: readonly UtxoEntry[]): UtxoEntry[] {
  return rows
    .map((row) => [parseDecimal(row.valueUsd ?? "", USD_DECIMALS) ?? -1n, row] as const)
    .sort(([one], [other]) => Number(other - one))
    .map(([, row]) => row);
}
