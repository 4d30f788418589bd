import type { ApiRequest, Reply } from "#lib/api/reply.ts";
import type { Service } from "#lib/api/service.ts";
import type { BlockChange, ListChange } from "#lib/client/status.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { contract as addressUtxos } from "#lib/questions/address-utxos/contract.ts";
import { utxosOfAddress } from "#lib/questions/address-utxos/read.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { abandonedBlock, blockHashAt, blockHeader } from "#lib/questions/chain.ts";
import { outputCount } from "#lib/questions/output-ages.ts";
import type { Store } from "#lib/store/engine.ts";
import { addressKeyOf, answerPageData, requireHash } from "./page-data.ts";

/**
 * `GET /changes`: what happened to what a page shows. With `block`, a hash: whether that block is still on the chain. Otherwise: whether
 * an address's list has changed since it was read, by `address`, `since` (the hash of the tip at which it was read) and
 * `outputs` (how many it had).
 */
export function answerChanges(service: Service, request: ApiRequest): Promise<Reply> {
  const search = new URLSearchParams(request.query);
  const block = search.get("block");
  return block === null
    ? answerPageData(service, request, addressUtxos.scope, async () => ({
        body: await listChange(service, search),
      }))
    : answerPageData(service, request, blockAssetChanges.scope, async () => ({
        body: await blockChange(service.store, requireHash(block)),
      }));
}

async function blockChange(store: Store, hash: string): Promise<BlockChange> {
  const block = await store.ask(blockHeader, hash);
  if (block) return { kind: "canonical", next: await store.ask(blockHashAt, block.height + 1) };
  const replaced = await store.ask(abandonedBlock, hash);
  if (!replaced) throw new ApiError("NOT_FOUND");
  return { kind: "replaced", by: replaced.replacedBy };
}

async function listChange(service: Service, parameters: URLSearchParams): Promise<ListChange> {
  const since = requireHash(parameters.get("since"));
  const key = await addressKeyOf(service, parameters);
  return changeSince(service.store, key, since, Number(parameters.get("outputs")));
}

async function changeSince(store: Store, key: string, since: string, outputs: number): Promise<ListChange> {
  const replaced = await store.ask(abandonedBlock, since);
  if (replaced) return { kind: "replaced", height: replaced.height };
  const [read, count, newest] = await Promise.all([
    store.ask(blockHeader, since),
    store.ask(outputCount, key),
    store.ask(utxosOfAddress, { addressKey: key, order: "desc", limit: 1 }),
  ]);
  // A new output is the newest one, or was spent since: then the number tells, as it does for one that is gone.
  const height = newest.rows[0]?.height ?? -1;
  const touched = read === null || height > read.height || count !== outputs;
  return { kind: touched ? "touched" : "none" };
}
