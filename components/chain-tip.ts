import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followTip } from "#lib/client/live-tip.ts";
import { chainStatus } from "#lib/client/queries.ts";
import type { ChainStatus } from "#lib/client/status.ts";

/** The index's status. Everything in a tab that depends on the tip uses it. */
export function useChainStatus(initial?: ChainStatus) {
  return useQuery({ ...chainStatus(), ...(initial && { initialData: initial }) });
}

/** The newest block that this tab knows; null until it does. */
export const useTip = (): ChainStatus["tip"] => useChainStatus().data?.tip ?? null;

/** The page loads before the event stream starts. */
const FOLLOW_AFTER_MS = 1_000;

/** Keeps the status of the whole tab up to date by events. Only the header calls it. */
export function useFollowedTip(follow: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!follow) return;
    let stop = () => {};
    const timer = setTimeout(() => {
      stop = followTip(client);
    }, FOLLOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client, follow]);
}
