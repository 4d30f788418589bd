import type { Service } from "#lib/api/service.ts";
import { type BlockChange, type ListChange, MAX_BLOCKS_READ } from "#lib/client/status.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { scopes } from "#lib/contract/operation.ts";
import { addressNews } from "#lib/queries/address-flows.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { abandonedBlock, blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import { removedFrom } from "#lib/queries/chain-progress.ts";
import type { Tip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { addressKeysOf, pageData, requireHash } from "./page-data.ts";

/**
 * `GET /changes`: changes to the data that a page shows. With `block`, a hash: whether that block is still on the chain.
 * Otherwise the changes to the list of `address`, or of several, whose rows were read at the blocks with the hashes `since`.
 */
export const handleChanges = pageData(
  (search) => (search.has("block") ? scopes : addressUtxos.scope),
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

/** The most blocks removed and added by a reorganisation that are read to see whether it affects a list. */
const MAX_STEPS = 100;

async function listChange(service: Service, search: URLSearchParams): Promise<ListChange> {
  const { store } = service;
  const hashes = search.getAll("since").map(requireHash);
  if (hashes.length === 0 || hashes.length > MAX_BLOCKS_READ) throw new ApiError("BAD_REQUEST");
  const addressKey = await addressKeysOf(service, search);
  let since = Number.POSITIVE_INFINITY;
  for (const hash of hashes) {
    const replaced = await store.query(abandonedBlock, hash);
    const read = replaced ?? (await store.query(blockHeader, hash));
    if (!read) throw new ApiError("NOT_FOUND");
    const unaffected = replaced ? await unaffectedSince(store, replaced, addressKey) : read.height;
    if (unaffected === null) return { kind: "replaced", height: read.height };
    since = Math.min(since, unaffected);
  }
  const news = await store.query(addressNews, { addressKey, since, token: search.get("token") ?? undefined });
  const isNone = news.came + news.left + news.passed === 0 && !news.more;
  return isNone ? { kind: "none" } : { kind: "touched", ...news };
}

/**
 * The height of the fork below a replaced block, at which a list was the same as at that block. Null if the removed blocks
 * touched one of its addresses, or if that is not known.
 */
async function unaffectedSince(store: Store, block: Tip, keys: string[]): Promise<number | null> {
  const removed = await store.query(removedFrom, { block, limit: MAX_STEPS, withAddresses: true });
  if (!removed) return null;
  const isTouched = removed.some(({ touched }) => touched.some(({ key }) => keys.includes(key)));
  return isTouched ? null : block.height - removed.length;
}
