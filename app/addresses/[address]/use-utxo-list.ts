"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useMemo } from "react";
import { terms } from "#chain/terms.ts";
import { announce } from "#components/announce.ts";
import { useFailurePause } from "#components/Failure.tsx";
import type { Exportable } from "#components/table/export-source.ts";
import { type FlagsOf, useFlagged } from "#components/table/flagged.tsx";
import { useUrlState } from "#components/url-state.ts";
import { createFlagger, type Flag, namesakesOf } from "#lib/client/chain-text.ts";
import { countOf } from "#lib/client/format.ts";
import { type FirstAnswer, mergePages } from "#lib/client/queries.ts";
import type { UtxoEntry, UtxoList } from "#lib/contract/endpoints.ts";
import { useReadingPlace, useStart, useUtxos } from "./endless-list.ts";
import { type UtxoView, utxoList, utxosPath, utxosQuery, walkUtxos } from "./list.ts";
import type { ShownNative, UtxoRowFacts } from "./row-facts.ts";
import type { Holding } from "./TokenFilter.tsx";

export interface UtxoListProps {
  address: string;
  native: ShownNative | null;
  /** Those with most outputs; there can be more of them: `tokenCount` says how many. */
  holdings: Holding[];
  outputCount: number;
  tokenCount: number;
  /** The answer that came with the page. */
  first: FirstAnswer<UtxoList> | null;
}

const noRows: UtxoEntry[] = [];

/** The list as far as it is loaded, and the view of it that the address bar keeps. */
export function useUtxoList({ address, native, holdings, outputCount, first }: UtxoListProps) {
  const router = useRouter();
  const client = useQueryClient();
  const [url, setUrl] = useUrlState(utxoList.fields);
  const [from, startAt] = useStart(address, url);
  const view: UtxoView = { ...url, from };

  const query = useUtxos(address, view, first);
  const pages = query.data?.pages;
  const tip = pages?.at(-1)?.tip ?? null;
  const loaded = useMemo(() => (pages ? mergePages(pages, utxoList.idOf) : noRows), [pages]);
  const rowFacts = useRowFacts(native, holdings, from === "");
  // A chosen token is shown whatever it is called.
  const flagged = useFlagged(loaded, rowFacts.flagsOf, view.flagged === "show" || view.token !== "");
  const holding = holdings.find(({ id }) => id === view.token);
  const total = holding?.outputCount ?? outputCount;

  useReadingPlace(query.data, (cursor) => {
    if (cursor !== url.from) setUrl({ from: cursor || null });
  });
  useEffect(() => {
    if (loaded.length === 0) return;
    announce(`${countOf(loaded.length, terms.output)} loaded${query.hasNextPage ? ", more available" : ""}`);
  }, [loaded.length, query.hasNextPage]);

  const source: Exportable<UtxoEntry> = {
    list: utxoList,
    subject: address,
    query: utxosPath(address, { ...view, from: "" }),
    loaded: { rows: loaded, query: utxosPath(address, view), tip },
    total,
    walk: (options) => walkUtxos(address, view, options),
  };
  return {
    view,
    setUrl,
    query,
    paused: useFailurePause(query),
    tip,
    loaded,
    flagged,
    rowFacts,
    holding,
    total,
    source,
    startFromTop() {
      startAt("");
      setUrl({ from: null });
    },
    reload() {
      void client.resetQueries({ queryKey: utxosQuery(address, view).queryKey });
      router.refresh();
    },
  };
}

/** What the columns show besides their entry. Flags are computed once for each token. */
function useRowFacts(native: ShownNative | null, holdings: Holding[], numbered: boolean): UtxoRowFacts {
  const flagsOf = useMemo<FlagsOf<UtxoEntry>>(() => {
    const flagger = createFlagger({ native, ...namesakesOf(holdings) });
    const known = new Map<string, readonly Flag[]>();
    return ({ tokenInfo }) => {
      const flags = known.get(tokenInfo.id) ?? flagger(tokenInfo);
      known.set(tokenInfo.id, flags);
      return flags;
    };
  }, [native, holdings]);
  return useMemo(() => ({ native, flagsOf, numbered }), [native, flagsOf, numbered]);
}
