import { getService } from "#lib/api/service.ts";
import type { ChainStatus } from "#lib/client/status.ts";

/** Where the index stands, for the header of every page and for `/status`. */
export async function chainStatus(): Promise<ChainStatus> {
  const { store, identity } = await getService();
  const [chain, tip] = await Promise.all([identity(), store.tip()]);
  const block = tip && (await store.blockHeader(tip.hash));
  return {
    network: chain?.network ?? null,
    demo: chain?.demo ?? false,
    tip: tip && { height: tip.height, hash: tip.hash, time: block?.timestamp ?? null },
  };
}
