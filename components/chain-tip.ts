import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followTip } from "#lib/client/live-tip.ts";
import { type AtTip, chainStatus } from "#lib/client/queries.ts";
import type { ChainStatus } from "#lib/client/status.ts";

/** The index's status. Everything in a tab that depends on the tip uses it. */
export function useChainStatus(initial?: ChainStatus) {
  return useQuery({ ...chainStatus(), ...(initial && { initialData: initial }) });
}

/** The newest block that this tab knows; null until it does. */
export const useTip = (): ChainStatus["tip"] => useChainStatus().data?.tip ?? null;

/**
 * Data that follows the tip, and stays until that of the next tip arrives, even if a request fails. Undefined at the tip that
 * the page was read at. `error`: why there is no data yet.
 */
export function useAtTip<Data>(options: AtTip<Data>): { data: Data | undefined; error: Error | null } {
  const { data, failureReason } = useQuery(options);
  const [about, readAt] = options.queryKey;
  const none = { about, readAt, data: undefined };
  const [kept, setKept] = useState<{ about: string; readAt: string; data: Data | undefined }>(none);
  const isSame = options.enabled && kept.about === about && kept.readAt === readAt;
  const last = data !== undefined && options.enabled ? { about, readAt, data } : isSame ? kept : none;
  if (last.data !== kept.data) setKept(last);
  return { data: last.data, error: last.data === undefined ? failureReason : null };
}

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
