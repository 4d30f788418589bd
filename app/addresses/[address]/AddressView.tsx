"use client";

import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useAtTip, useTip } from "#components/chain-tip.ts";
import { HistoryIcon } from "#components/icons.tsx";
import { Link } from "#components/Link.tsx";
import { TOP } from "#components/list/endless-place.ts";
import { useFlags } from "#components/list/flagged.tsx";
import { focusResults, openPage, refreshPage } from "#components/navigation.tsx";
import { ReplacedNews } from "#components/ReplacedNews.tsx";
import { Time } from "#components/Time.tsx";
import { Tabs } from "#components/ui/Tabs.tsx";
import { useView } from "#components/url-state.ts";
import { serverNow } from "#lib/client/clock.ts";
import { formatCount } from "#lib/client/format.ts";
import { sharesOfValue } from "#lib/client/holdings.ts";
import { changedText } from "#lib/client/home.ts";
import { type FirstPage, sinceVisits } from "#lib/client/queries.ts";
import { NO_PLACE } from "#lib/client/url-state.ts";
import { recordVisit, type Visit } from "#lib/client/visits.ts";
import { isWallet } from "#lib/client/wallet.ts";
import type { BlockHeader } from "#lib/contract/ledger.ts";
import type { UtxoList } from "#lib/queries/address-utxos/contract.ts";
import { terms } from "#terms";
import { ChangeBar } from "./ChangeBar.tsx";
import { Changes } from "./Changes.tsx";
import { shareOfToken } from "./holdings/columns.tsx";
import { type AddressHoldings, Holdings } from "./holdings/Holdings.tsx";
import { utxoList } from "./list.ts";
import { Outputs } from "./Outputs.tsx";
import type { Preset } from "./presets.ts";
import type { AddressChanges, NoChanges } from "./read-changes.ts";
import { Statement, type StatementProps } from "./statement/Statement.tsx";
import { ChooseToken } from "./TokenLink.tsx";
import { OTHER_TAB, opening, TABS, type Tab, tabTitle } from "./view.ts";

interface Props {
  tab: Tab;
  /** Whether the page is about one lock. */
  hasLock: boolean;
  holdings: AddressHoldings;
  outputCount: number;
  /** The past block that the page is as of; null for the tip. */
  pinned: BlockHeader | null;
  /** Hash of the tip at which the page was read. */
  readAt: string;
  since: string;
  to: string | undefined;
  /** Changes since that block; on the tab of the statement, why it cannot be shown, or null. */
  changes: AddressChanges | NoChanges | null;
  presets: readonly Preset[];
  lock: ReactNode;
  /** The first rows of the outputs, and those of the statement; null on other tabs. */
  first: FirstPage<UtxoList> | null;
  firstLines: StatementProps["first"];
}

/** After a token is chosen, at least this much of the list must be visible. */
const VISIBLE_PX = 200;

export function AddressView(props: Props) {
  const { tab, hasLock, holdings, outputCount, pinned, presets } = props;
  const [, setView] = useView(utxoList.fields);
  const choice = useMemo(() => {
    const changes = (token: string) => ({
      ...(tab === "statement" ? NO_PLACE : { ...OTHER_TAB, tab: "" }),
      token,
    });
    return {
      changes,
      choose(token: string) {
        if (tab !== "outputs" && tab !== "statement") return openPage(changes(token));
        setView({ token, ...TOP }, { history: "push" });
        focusResults();
        const list = document.getElementById("results")?.parentElement;
        const top = list?.getBoundingClientRect().top ?? 0;
        if (top < 0 || top > window.innerHeight - VISIBLE_PX) list?.scrollIntoView({ block: "start" });
      },
    };
  }, [tab, setView]);
  const flagsOf = useFlags({ native: holdings.native, ...holdings.namesakes });
  const { address, first, valueUsd } = holdings;
  const { tip, data } = first;
  const shares = useMemo(() => sharesOfValue(data.result, valueUsd), [data, valueUsd]);
  const shareOf = useMemo(() => shareOfToken(data.result, shares), [data, shares]);
  const lastVisit = useLastVisit(holdings, !isWallet(address) && pinned === null);
  const news = useNews(address, lastVisit);
  const counts: { [Name in Tab]?: string | undefined } = {
    outputs: formatCount(outputCount),
    holdings: formatCount(holdings.tokenCount),
    changes: news,
  };
  const strip = (tools?: ReactNode) => (
    <Tabs
      label="Parts of this address"
      className={tab === "outputs" ? "mt-2" : ""}
      tabs={TABS.filter(
        (name) => (terms.hasTokens || name !== "holdings") && (hasLock || name !== "lock"),
      ).map((name) => ({
        title: tabTitle(name),
        count: counts[name],
        href: opening(name, tab),
        current: name === tab,
      }))}
    >
      {tools}
    </Tabs>
  );
  // The tab of the changes also explains why there is no statement.
  const shown = tab === "statement" && props.changes ? "changes" : tab;
  // The lists of outputs and of lines have bars of their own.
  const ofChanges = shown === "changes" && props.to === "" && "history";
  const changing = tab === "holdings" || tab === "lock" ? "outputs" : ofChanges;
  const shared = { strip, holdings, flagsOf };
  const range = { presets, lastVisit };
  return (
    <ChooseToken value={choice}>
      <section
        // The lists of two tabs bring their own label, and every list its `#results`.
        aria-label={shown === "statement" || tab === "holdings" ? undefined : tabTitle(tab)}
        {...((shown === "changes" || tab === "lock") && { id: "results", tabIndex: -1 })}
      >
        {tab === "outputs" && (
          <Outputs {...shared} {...{ shareOf, outputCount, pinned }} first={props.first} />
        )}
        {tab === "holdings" && <Holdings {...shared} shares={shares} />}
        {shown === "statement" && (
          <Statement {...shared} {...range} shareOf={shareOf} first={props.firstLines} />
        )}
        {tab === "lock" && strip()}
        {shown === "changes" && (
          <Changes
            address={address}
            since={props.since}
            to={props.to}
            changes={props.changes}
            flagsOf={flagsOf}
            shareOf={shareOf}
            strip={strip}
            {...range}
          />
        )}
        {props.lock}
      </section>
      {pinned && <ReplacedNews block={pinned} readAt={props.readAt} />}
      {pinned === null && tip && changing && (
        <ChangeBar of={changing} address={address} token="" read={[tip]} onReload={refreshPage} />
      )}
    </ChooseToken>
  );
}

/** The block of this browser's last visit; undefined if there was none, or none at another block. */
function useLastVisit({ address, first: { tip } }: AddressHoldings, isNow: boolean): Visit["before"] {
  const [before, setBefore] = useState<Visit["before"]>();
  const { height, hash } = tip ?? {};
  useEffect(() => {
    if (!isNow || height === undefined || hash === undefined) return;
    setBefore(recordVisit({ address, height, hash, time: serverNow() }));
  }, [address, isNow, height, hash]);
  return !isNow || before?.hash === hash ? undefined : before;
}

/** Outputs created and spent since the last visit, such as `+12 −3`; undefined if there are none, or not yet known. */
function useNews(address: string, lastVisit: Visit["before"]): string | undefined {
  const { data } = useAtTip(sinceVisits(lastVisit ? [{ address, ...lastVisit }] : [], useTip()));
  const { created = 0, spent = 0, isMore = false, transactions = 0 } = data?.[0] ?? {};
  return isMore && transactions > 0 ? "many" : changedText(created, spent) || undefined;
}

/** Says that the page shows the state as of a past block, and links to the present one. */
export function PastBar({ block }: { block: BlockHeader }) {
  return (
    <div
      role="status"
      className="-mt-3 mb-5 flex items-start gap-x-3 rounded-md bg-warn-bg px-4 py-1.5 text-warn sm:-mt-4"
    >
      <HistoryIcon className="mt-0.5" />
      <span className="min-w-0 flex-1">
        As of block{" "}
        <Link href={`/blocks/${block.hash}`} className="underline">
          {formatCount(block.height)}
        </Link>
        , <Time time={block.timestamp} />. All figures are from that block.
      </span>
      <Link href={{ ...OTHER_TAB, at: "" }} scroll className="font-medium whitespace-nowrap">
        Back to now
      </Link>
    </div>
  );
}
