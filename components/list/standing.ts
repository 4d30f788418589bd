import { keepPreviousData, useQuery } from "@tanstack/react-query";
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
 * Whether a reorganisation changed the rows of a list. It may have replaced the block that they were read at and left them as
 * they are. If that cannot be read, it counts as changed.
 */
export function useChanged({ request, rows, tip, stands }: Standing, isReplaced: boolean): boolean {
  const now = useTip();
  const { data, isError } = useQuery({
    queryKey: ["standing", request, tip?.hash, rows.length, now?.hash],
    queryFn: ({ signal }) => stands(signal),
    enabled: isReplaced && now !== null,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return isReplaced && (isError || data === false);
}
