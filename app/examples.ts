import { getService } from "#lib/api/service.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { dataExamples, type Examples } from "#lib/queries/examples.ts";
import type { AccessToken } from "#lib/store/rows.ts";

/** Example addresses, blocks and assets that the caller may open. */
export async function examplesFor(caller: AccessToken | null, limit: number): Promise<Examples> {
  const scopes = caller?.scopes ?? [];
  if (scopes.length === 0) return { addresses: [], blocks: [], assets: [], transactions: [] };
  const { store } = await getService();
  const { addresses, blocks, assets, transactions } = await store.query(dataExamples, limit);
  return {
    addresses: scopes.includes(addressUtxos.scope) ? addresses : [],
    transactions: scopes.includes(addressUtxos.scope) ? transactions : [],
    blocks: scopes.includes(blockAssetChanges.scope) ? blocks : [],
    assets,
  };
}
