import type { Service } from "#lib/api/service.ts";
import type { BlockChange, ListChange } from "#lib/client/status.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { addressNews } from "#lib/queries/address-flows.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { abandonedBlock, blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import type { Store } from "#lib/store/store.ts";
import { addressKeysOf, pageData, requireHash } from "./page-data.ts";

/**
 * `GET /changes`: changes to the data that a page shows. With `block`, a hash: whether that block is still on the chain.
 * Otherwise the changes to the list of `address`, or of several, since the block with the hash `since`.
 */
export const handleChanges = pageData(
  (search) => (search.has("block") ? blockAssetChanges : addressUtxos).scope,
  async (service, search) => ({
    body: search.has("block")
      ? await blockChange(service.store, requireHash(search.get("block")))
      : await listChange(service, search),
  }),
);

async function blockChange(store: Store, hash: string): Promise<BlockChange> {
  const block = await store.query(blockHeader, hash);
  if (block) return { kind: "canonical", next: await store.query(blockHashAt, block.height + 1) };
  const replaced = await store.query(abandonedBlock, hash);
  if (!replaced) throw new ApiError("NOT_FOUND");
  return { kind: "replaced", by: replaced.replacedBy };
}

async function listChange(service: Service, search: URLSearchParams): Promise<ListChange> {
  const { store } = service;
  const since = requireHash(search.get("since"));
  const addressKey = await addressKeysOf(service, search);
  const replaced = await store.query(abandonedBlock, since);
  if (replaced) return { kind: "replaced", height: replaced.height };
  const read = await store.query(blockHeader, since);
  if (!read) throw new ApiError("NOT_FOUND");
  const news = await store.query(addressNews, { addressKey, since: read.height });
  return news.came + news.left === 0 ? { kind: "none" } : { kind: "touched", ...news };
}
