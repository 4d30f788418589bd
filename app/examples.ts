import { getService } from "#lib/api/service.ts";
import { addressUtxos, blockAssetChanges } from "#lib/contract/endpoints.ts";
import type { AccessToken, Overviews } from "#lib/store/store.ts";

type Examples = Awaited<ReturnType<Overviews["examples"]>>;

/** Addresses and blocks worth opening, as far as the caller's scopes allow to open them. */
export async function examplesFor(caller: AccessToken | null, limit: number): Promise<Examples> {
  const scopes = caller?.scopes ?? [];
  if (scopes.length === 0) return { addresses: [], blocks: [] };
  const { store } = await getService();
  const { addresses, blocks } = await store.examples(limit);
  return {
    addresses: scopes.includes(addressUtxos.scope) ? addresses : [],
    blocks: scopes.includes(blockAssetChanges.scope) ? blocks : [],
  };
}
