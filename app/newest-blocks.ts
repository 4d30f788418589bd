import { getService } from "#lib/api/service.ts";
import type { LatestBlock } from "#lib/client/status.ts";

const SHOWN = 20;

/** The newest blocks, for the home page and for `/latest-blocks`. */
export async function newestBlocks(): Promise<LatestBlock[]> {
  const { store } = await getService();
  return store.latestBlocks(SHOWN);
}
