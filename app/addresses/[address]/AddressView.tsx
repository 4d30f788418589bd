"use client";

import { useCallback, useMemo, useRef } from "react";
import { useFlags } from "#components/list/flagged.tsx";
import { useView } from "#components/url-state.ts";
import { formatCount } from "#lib/client/format.ts";
import type { FirstAnswer } from "#lib/client/queries.ts";
import type { UtxoList } from "#lib/questions/address-utxos/contract.ts";
import { AddressTabs, type Tab } from "./AddressTabs.tsx";
import { ChangesPanel } from "./ChangesPanel.tsx";
import { type AddressHoldings, Holdings } from "./holdings/Holdings.tsx";
import { LargestHoldings } from "./LargestHoldings.tsx";
import { LastVisit } from "./LastVisit.tsx";
import { utxoList } from "./list.ts";
import { Outputs } from "./Outputs.tsx";
import { panelFields } from "./panels.ts";
import type { AddressChanges, NoChanges } from "./read-changes.ts";
import { ChooseToken } from "./TokenLink.tsx";

interface Props {
  holdings: AddressHoldings;
  /** Of all holdings, in units of 10^-8 US dollars. */
  valueUsd: string;
  outputCount: number;
  /** What came and left since the block that the link names; null if it names none. */
  changes: AddressChanges | NoChanges | null;
  /** The other tabs. */
  tabs: readonly Tab[];
  /** The answer that came with the page. */
  first: FirstAnswer<UtxoList> | null;
}

/** A row of the list that must be in the window after a token was chosen. */
const ROW_PX = 200;

/** Everything below an address's figures: what it holds and how it is locked in tabs, then its outputs. */
export function AddressView({ holdings, valueUsd, outputCount, changes, tabs, first }: Props) {
  const [{ panel, lock, since }, setPanel] = useView(panelFields);
  const open = panel || (lock === "1" ? "lock" : since === "" ? "" : "changes");
  const [, setView] = useView(utxoList.fields);
  const element = useRef<HTMLDivElement>(null);
  const wanted = useRef(false);

  const show = useCallback(() => {
    wanted.current = false;
    element.current?.scrollIntoView({ block: "start" });
    // The search, unless that would open a keyboard over the list.
    const hasKeys = window.matchMedia("(pointer: fine)").matches;
    const focused = hasKeys ? element.current?.querySelector("input") : element.current;
    focused?.focus({ preventScroll: true });
  }, []);
  const onHoldings = useCallback(() => {
    if (wanted.current) show();
  }, [show]);

  const choose = useCallback(
    (token: string) => {
      setView({ token, from: null, row: null });
      const list = document.getElementById("results")?.parentElement;
      const top = list?.getBoundingClientRect().top ?? 0;
      if (top < 0 || top > window.innerHeight - ROW_PX) list?.scrollIntoView({ block: "start" });
    },
    [setView],
  );
  const flagsOf = useFlags({ native: holdings.native, ...holdings.namesakes });
  const { tip } = holdings.first;
  const { total } = holdings.first.data;
  const all = useMemo<Tab[]>(
    () => [
      {
        name: "holdings",
        title: "Holdings",
        label: `Holdings (${formatCount(total)})`,
        content: <Holdings holdings={holdings} valueUsd={valueUsd} flagsOf={flagsOf} onShown={onHoldings} />,
      },
      ...tabs,
      {
        name: "changes",
        title: "Changes",
        content: <ChangesPanel address={holdings.address} {...{ since, changes, flagsOf }} />,
      },
    ],
    [holdings, valueUsd, total, tabs, onHoldings, since, changes, flagsOf],
  );
  return (
    <ChooseToken value={choose}>
      <AddressTabs
        tabs={all}
        open={open}
        onOpen={(next) => setPanel({ panel: next, lock: null, ...(next === "" && { since: null }) })}
        panel={element}
        last={tip && <LastVisit address={holdings.address} tip={tip} />}
      >
        <LargestHoldings holdings={holdings.first.data.result} flagsOf={flagsOf} />
      </AddressTabs>
      <Outputs
        holdings={holdings}
        flagsOf={flagsOf}
        outputCount={outputCount}
        first={first}
        onShowHoldings={() => {
          if (open === "holdings") return show();
          wanted.current = true;
          setPanel({ panel: "holdings", lock: null });
        }}
      />
    </ChooseToken>
  );
}
