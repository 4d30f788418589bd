import { useQuery } from "@tanstack/react-query";
import { chainStatus } from "#lib/client/queries.ts";
import type { ChainStatus } from "#lib/client/status.ts";

/** Where the index stands: the one source in a tab of the news that the tip has changed. */
export function useChainStatus(initial?: ChainStatus) {
  return useQuery({ ...chainStatus(), ...(initial && { initialData: initial }) });
}
