"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useFailurePause } from "#components/Failure.tsx";
import type { Exportable } from "#components/table/export-source.ts";
import { type FlagsOf, useFlagged } from "#components/table/flagged.tsx";
import { useUrlState } from "#components/url-state.ts";
import { createFlagger, type Namesakes } from "#lib/client/chain-text.ts";
import type { FirstAnswer } from "#lib/client/queries.ts";
import type { AssetChange, AssetChangeList } from "#lib/contract/endpoints.ts";
import {
  type AssetChangeView,
  assetChangeList,
  assetChangesPath,
  assetChangesQuery,
  walkAssetChanges,
} from "./list.ts";
import type { ChangeRowFacts } from "./row-facts.ts";
import type { TagCount } from "./TagFilter.tsx";

export interface ChangeListProps {
  blockHash: string;
  native: { id: string; symbol: string } | null;
  /** Among all the block's assets, whatever the list shows of them. */
  namesakes: Namesakes;
  /** Of all the block's assets, most frequent first. */
  tags: TagCount[];
  assetCount: number;
  /** Some of the block's assets have a price. */
  priced: boolean;
  /** Of all the block's priced assets, in units of 10^-8 US dollars. */
  volumeUsd: string;
  /** The answer that came with the page. */
  first: FirstAnswer<AssetChangeList> | null;
}

const SLOW_MS = 400;
const noRows: AssetChange[] = [];

/** The page of the list that the address bar names; until it is there, the one before it. */
export function useChangeList(props: ChangeListProps) {
  const { blockHash, tags: blockTags, priced, volumeUsd, first } = props;
  const [view, setUrl] = useUrlState(assetChangeList.fields);
  const query = useQuery(assetChangesQuery(blockHash, view, first));
  const client = useQueryClient();
  const shown = useLastAnswer(blockHash, view, query.data);
  const answer = shown?.answer.data;
  const changes = answer?.result ?? noRows;
  const total = answer?.total ?? 0;
  const outdated = shown !== null && !query.data;
  const busy = outdated && query.isFetching;

  // Any change but that of the page itself starts at page 1, in the same step.
  const change = useCallback(
    (values: Partial<Omit<AssetChangeView, "page">>) => setUrl({ ...values, page: null }),
    [setUrl],
  );
  const { tags } = view;
  const toggleTag = useCallback(
    (tag: string) =>
      change({ tags: tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag] }),
    [tags, change],
  );
  const flagsOf = useFlags(props, changes);
  const rowFacts = useMemo<ChangeRowFacts>(
    () => ({ flagsOf, name: view.name, tags, toggleTag, volumeUsd }),
    [flagsOf, view.name, tags, toggleTag, volumeUsd],
  );
  const source: Exportable<AssetChange> = {
    list: assetChangeList,
    subject: blockHash,
    query: assetChangesPath(blockHash, view),
    loaded: {
      rows: changes,
      query: assetChangesPath(blockHash, shown?.view ?? view),
      tip: shown?.answer.tip ?? null,
      outdated,
    },
    total: outdated ? null : total,
    walk: (options) => walkAssetChanges(blockHash, view, options),
  };
  return {
    view,
    setUrl,
    change,
    toggleTag,
    query,
    answer,
    changes,
    total,
    outdated,
    busy,
    rowFacts,
    source,
    pageCount: Math.max(1, Math.ceil(total / view.size)),
    /** Rows of the pages before the one shown. */
    before: shown ? (shown.view.page - 1) * shown.view.size : 0,
    /** Asks for a page that the reader will probably open. If that fails, opening it asks again. */
    prefetch: (page: number) => void client.prefetchQuery(assetChangesQuery(blockHash, { ...view, page })),
    slow: useSlow(busy),
    paused: useFailurePause(query),
    flagged: useFlagged(changes, flagsOf, view.flagged === "show"),
    tagged: blockTags.length > 0,
    priced,
    isFirst: query.isPending && !shown,
  };
}

export type ChangeListState = ReturnType<typeof useChangeList>;

type Shown = { blockHash: string; view: AssetChangeView; answer: FirstAnswer<AssetChangeList>["answer"] };

/** The answer to this view; until it is there, the one before it, of the same block. */
function useLastAnswer(blockHash: string, view: AssetChangeView, answer: Shown["answer"] | undefined) {
  const [last, setLast] = useState<Shown | null>(null);
  const current = answer ? { blockHash, view, answer } : last;
  if (answer && answer !== last?.answer) setLast(current);
  return current?.blockHash === blockHash ? current : null;
}

/** Flags are computed once for each asset of the page. */
function useFlags({ native, namesakes }: ChangeListProps, changes: AssetChange[]): FlagsOf<AssetChange> {
  return useMemo(() => {
    const flagger = createFlagger({ native, ...namesakes });
    const known = new Map(changes.map(({ asset }) => [asset.id, flagger(asset)]));
    return ({ asset }) => known.get(asset.id) ?? [];
  }, [native, namesakes, changes]);
}

/** True once `active` has lasted long enough to be worth a word. */
function useSlow(active: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!active) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [active]);
  return slow;
}
