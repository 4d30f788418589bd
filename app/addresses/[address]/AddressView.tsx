"use client";

import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { FilterLink } from "#components/FilterLink.tsx";
import { useFlags } from "#components/list/flagged.tsx";
import { useNow } from "#components/Time.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import { useView } from "#components/url-state.ts";
import { formatAge, formatCount } from "#lib/client/format.ts";
import type { FirstAnswer } from "#lib/client/queries.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import { choiceField, textField } from "#lib/client/url-state.ts";
import { recordVisit, type Visit } from "#lib/client/visits.ts";
import type { UtxoList } from "#lib/questions/address-utxos/contract.ts";
import { ChangesPanel } from "./ChangesPanel.tsx";
import { type AddressHoldings, Holdings } from "./holdings/Holdings.tsx";
import { LargestHoldings } from "./LargestHoldings.tsx";
import { utxoList } from "./list.ts";
import { Outputs } from "./Outputs.tsx";
import type { AddressChanges, NoChanges } from "./read-changes.ts";
import { ChooseToken } from "./TokenLink.tsx";

const PANELS = ["holdings", "lock", "capacity", "age", "changes"] as const;

const panelFields = {
  panel: choiceField(["", ...PANELS]),
  /** How earlier links opened the lock script. */
  lock: choiceField(["", "1"]),
  /** A block's number or hash: opens the changes since then. */
  since: textField,
};

export interface Tab {
  name: (typeof PANELS)[number];
  /** Names the panel, and its tab unless that has a longer label. */
  title: string;
  label?: string;
  content: ReactNode;
}

interface Props {
  holdings: AddressHoldings;
  /** Of all holdings, in units of 10^-8 US dollars. */
  valueUsd: string;
  outputCount: number;
  /** What came and left since the block that the link names; null if it names none. */
  changes: AddressChanges | NoChanges | null;
  /** Tabs between the holdings and the changes. */
  tabs: readonly Tab[];
  first: FirstAnswer<UtxoList> | null;
}

const PANEL_ID = "about-address";

/** After a token was chosen, so much of the list must be in the window. */
const ROW_PX = 200;

/** The tabs below an address's figures, all closed at first, and its outputs. */
export function AddressView({ holdings, valueUsd, outputCount, changes, tabs, first }: Props) {
  const [{ panel, lock, since }, setPanel] = useView(panelFields);
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
  const { address } = holdings;
  const { data, tip } = holdings.first;
  const all = useMemo<Tab[]>(
    () => [
      {
        name: "holdings",
        title: "Holdings",
        label: `Holdings (${formatCount(data.total)})`,
        content: <Holdings holdings={holdings} valueUsd={valueUsd} flagsOf={flagsOf} onShown={onHoldings} />,
      },
      ...tabs,
      {
        name: "changes",
        title: "Changes",
        content: <ChangesPanel address={address} since={since} changes={changes} flagsOf={flagsOf} />,
      },
    ],
    [holdings, address, valueUsd, data, tabs, onHoldings, since, changes, flagsOf],
  );
  const openName = panel || (lock === "1" ? "lock" : since === "" ? "" : "changes");
  const open = all.find(({ name }) => name === openName);
  return (
    <ChooseToken value={choose}>
      <div className="print:hidden">
        <div className="flex min-w-0 gap-x-4 gap-y-1 max-lg:flex-col lg:items-center">
          <div className="flex min-w-0 gap-1.5 overflow-x-auto [scrollbar-width:none] lg:flex-none">
            {all.map((tab) => (
              <Button
                key={tab.name}
                size="narrow"
                className="flex-none aria-expanded:border-accent aria-expanded:bg-accent-bg aria-expanded:text-accent"
                aria-expanded={open === tab}
                aria-controls={open === tab ? PANEL_ID : undefined}
                onClick={() =>
                  setPanel(
                    open === tab ? { panel: "", lock: null, since: null } : { panel: tab.name, lock: null },
                  )
                }
              >
                {tab.label ?? tab.title}
              </Button>
            ))}
            {tip && <LastVisit address={address} tip={tip} />}
          </div>
          <LargestHoldings holdings={data.result} flagsOf={flagsOf} />
        </div>
        {open && (
          <Panel
            as="section"
            id={PANEL_ID}
            ref={element}
            tabIndex={-1}
            aria-label={open.title}
            className="mt-2 scroll-mt-14 overflow-clip"
          >
            {open.content}
          </Panel>
        )}
      </div>
      <Outputs
        holdings={holdings}
        flagsOf={flagsOf}
        outputCount={outputCount}
        first={first}
        onShowHoldings={() => {
          if (openName === "holdings") return show();
          wanted.current = true;
          setPanel({ panel: "holdings", lock: null });
        }}
      />
    </ChooseToken>
  );
}

/** Offers what changed since this browser last read the address; nothing on the first visit. */
function LastVisit({ address, tip: { height, hash } }: { address: string; tip: AnswerTip }) {
  const [before, setBefore] = useState<Visit["before"]>();
  const now = useNow();
  useEffect(() => {
    setBefore(recordVisit({ address, height, hash, time: Date.now() }));
  }, [address, height, hash]);
  if (!before || before.hash === hash) return null;
  const age = now === null ? "" : `, ${formatAge(before.time, now)}`;
  return (
    <span
      className="flex flex-none items-center px-1 whitespace-nowrap"
      title={`At block ${formatCount(before.height)}${age}`}
    >
      <FilterLink filter={{ since: before.hash, panel: "", lock: "" }}>Since your last visit</FilterLink>
    </span>
  );
}
