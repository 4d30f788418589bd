"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useMemo } from "react";
import { terms } from "#chain/terms.ts";
import { announce } from "#components/announce.ts";
import { useFailurePause } from "#components/Failure.tsx";
import type { Exportable } from "#components/table/export-source.ts";
import { type FlagsOf, useFlagged } from "#components/table/flagged.tsx";
import { useUrlState } from "#components/url-state.ts";
import type { Flag } from "#lib/client/chain-text.ts";
import { countOf } from "#lib/client/format.ts";
import { type FirstAnswer, isEarlierPage, mergePages } from "#lib/client/queries.ts";
import type { UtxoEntry, UtxoList } from "#lib/contract/endpoints.ts";
import { rowsBefore, useReadingPlace, useStart, useUtxos } from "./endless-list.ts";
import { type AddressHoldings, useHolding } from "./holdings.ts";
import { type UtxoView, utxoList, utxosPath, utxosQuery, walkUtxos } from "./list.ts";
import type { ShownNative, UtxoRowFacts } from "./row-facts.ts";

export interface UtxoListProps {
  holdings: AddressHoldings;
  flagsOfToken: (token: UtxoEntry["tokenInfo"]) => readonly Flag[];
  outputCount: number;
  /** The answer that came with the page. */
  first: FirstAnswer<UtxoList> | null;
}

const noRows: UtxoEntry[] = [];

/** The list as far as it is loaded, and the view of it that the address bar keeps. */
export function useUtxoList({ holdings, flagsOfToken, outputCount, first }: UtxoListProps) {
  const { address, native } = holdings;
  const router = useRouter();
  const client = useQueryClient();
  const [url, setUrl] = useUrlState(utxoList.fields);
  const [start, startFromTop] = useStart(address, url);
  const view: UtxoView = { ...url, ...start };

  const query = useUtxos(address, view, first);
  const pages = query.data?.pages;
  const tip = pages?.at(-1)?.tip ?? null;
  const loaded = useMemo(() => (pages ? mergePages(pages, utxoList.idOf) : noRows), [pages]);
  const before = rowsBefore(query, start);
  const rowFacts = useRowFacts(native, flagsOfToken, view, before);
  // A chosen token is shown whatever it is called.
  const flagged = useFlagged(loaded, rowFacts.flagsOf, view.flagged === "show" || view.token !== "");
  const holding = useHolding(holdings, view.token);
  const total = holding?.outputCount ?? outputCount;

  useReadingPlace(query.data, (cursor, rows) => {
    if (cursor === url.from) return;
    setUrl({ from: cursor || null, row: before === null ? null : before + rows + 1 });
  });
  useEffect(() => {
    if (loaded.length === 0) return;
    announce(`${countOf(loaded.length, terms.output)} loaded${query.hasNextPage ? ", more available" : ""}`);
  }, [loaded.length, query.hasNextPage]);

  const source: Exportable<UtxoEntry> = {
    list: utxoList,
    subject: address,
    query: utxosPath(address, { ...view, from: "" }),
    // With earlier rows, the whole list is the request that they are all of.
    loaded: {
      rows: loaded,
      query: utxosPath(address, query.data?.pageParams.some(isEarlierPage) ? { ...view, from: "" } : view),
      tip,
    },
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
    /** Rows of the whole list before the loaded ones; null if unknown. */
    before,
    source,
    startFromTop() {
      startFromTop();
      setUrl({ from: null, row: null });
    },
    reload() {
      void client.resetQueries({ queryKey: utxosQuery(address, view).queryKey });
      router.refresh();
    },
  };
}

/** What the columns show besides their entry. */
function useRowFacts(
  native: ShownNative | null,
  flagsOfToken: UtxoListProps["flagsOfToken"],
  { token }: UtxoView,
  before: number | null,
): UtxoRowFacts {
  const flagsOf = useCallback<FlagsOf<UtxoEntry>>(({ tokenInfo }) => flagsOfToken(tokenInfo), [flagsOfToken]);
  const filtered = token !== "";
  return useMemo(() => ({ native, flagsOf, before, filtered }), [native, flagsOf, before, filtered]);
}
