import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followTip } from "#lib/client/live-tip.ts";
import { chainStatus, setFollowed } from "#lib/client/queries.ts";
import type { ChainStatus } from "#lib/client/status.ts";

/** Where the index stands: the one source in a tab of the news that the tip has changed. */
export function useChainStatus(initial?: ChainStatus) {
  return useQuery({ ...chainStatus(), ...(initial && { initialData: initial }) });
}

/** The page is read first. */
const FOLLOW_AFTER_MS = 1_000;

/** Keeps the status up to date by events, for the whole tab: the header has the only one. Without events it is polled. */
export function useFollowedTip(follow: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!follow) return;
    const status = chainStatus();
    const ask = () => void client.invalidateQueries(status);
    let stop = () => {};
    const start = () => {
      stop = followTip({
        onBlock: ({ height, hash, time }) =>
          client.setQueryData(
            status.queryKey,
            (known) => known && { ...known, tip: { height, hash, time: Date.parse(time) } },
          ),
        onDoubt: ask,
        onStream(isOpen) {
          setFollowed(isOpen);
          if (!isOpen) ask();
        },
      });
    };
    const timer = setTimeout(start, FOLLOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop();
      setFollowed(false);
    };
  }, [client, follow]);
}
