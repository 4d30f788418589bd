import { sessionToken } from "#lib/api/authenticate.ts";
import { headerOf } from "#lib/api/origin.ts";
import { respondError } from "#lib/api/respond.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService, type Service } from "#lib/api/service.ts";
import type { BlockChange, ListChange } from "#lib/client/status.ts";
import { addressUtxos, blockAssetChanges } from "#lib/contract/endpoints.ts";
import { ApiError } from "#lib/contract/errors.ts";
import type { Store } from "#lib/store/store.ts";
import { addressKeyOf } from "../address-key.ts";

/**
 * What happened to what a page shows. With `block`, a hash: whether that block is still on the chain. Otherwise: whether
 * an address's list has changed since it was read, by `address`, `since` (the hash of the tip at which it was read) and
 * `outputs` (how many it had).
 */
export async function GET(request: Request): Promise<Response> {
  const service = await getService();
  const token = sessionToken(headerOf(request));
  const { searchParams } = new URL(request.url);
  const block = searchParams.get("block");
  const { scope } = block === null ? addressUtxos : blockAssetChanges;
  try {
    return await service.call(token, scope, async (_caller, quota) => {
      const change =
        block === null
          ? await listChange(service, searchParams)
          : await blockChange(service.store, requireHash(block));
      return Response.json(change, { headers: { ...quota, "cache-control": "no-store" } });
    });
  } catch (error) {
    return toResponse(respondError(service.failureOf(error, { url: request.url }), service.tip.last));
  }
}

function requireHash(text: string | null): string {
  if (text === null || !/^0x[0-9a-f]{64}$/.test(text)) throw new ApiError("BAD_REQUEST");
  return text;
}

async function blockChange(store: Store, hash: string): Promise<BlockChange> {
  const block = await store.blockHeader(hash);
  if (block) return { kind: "canonical", next: await store.blockHashAt(block.height + 1) };
  const replaced = await store.abandonedBlock(hash);
  if (!replaced) throw new ApiError("NOT_FOUND");
  return { kind: "replaced", by: replaced.replacedBy };
}

async function listChange(service: Service, parameters: URLSearchParams): Promise<ListChange> {
  const since = requireHash(parameters.get("since"));
  const key = await addressKeyOf(service, parameters);
  return changeSince(service.store, key, since, Number(parameters.get("outputs")));
}

async function changeSince(store: Store, key: string, since: string, outputs: number): Promise<ListChange> {
  const replaced = await store.abandonedBlock(since);
  if (replaced) return { kind: "replaced", height: replaced.height };
  const [read, count, newest] = await Promise.all([
    store.blockHeader(since),
    store.outputCount(key),
    store.utxosOfAddress({ addressKey: key, order: "desc", limit: 1 }),
  ]);
  // A new output is the newest one, or was spent since: then the number tells, as it does for one that is gone.
  const height = newest.rows[0]?.height ?? -1;
  const touched = read === null || height > read.height || count !== outputs;
  return { kind: touched ? "touched" : "none" };
}
