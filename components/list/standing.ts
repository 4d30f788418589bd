import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useTip } from "#components/chain-tip.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";

/** Rows that the page shows; see `useEndlessList`. */
export interface Standing {
  request: string;
  rows: readonly unknown[];
  tip: IndexTip | null;
  stands: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Whether a reorganisation that replaced the block of a page changed what it shows. It may have left the rows of a list as they
 * are. If that cannot be read, or the page has no list, it counts as changed.
 */
export function useChanged(list: Standing | undefined, isReplaced: boolean): boolean {
  const now = useTip();
  const { data, isError } = useQuery({
    queryKey: ["standing", list?.request, list?.tip?.hash, list?.rows.length, now?.hash],
    queryFn: list && isReplaced && now ? ({ signal }) => list.stands(signal) : skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return isReplaced && (!list || isError || data === false);
}
