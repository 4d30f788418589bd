import { sessionToken } from "#lib/api/authenticate.ts";
import { headerOf } from "#lib/api/origin.ts";
import { respondError } from "#lib/api/respond.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService, type Service } from "#lib/api/service.ts";
import type { ListChange } from "#lib/client/status.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { addressUtxos } from "#lib/contract/endpoints.ts";
import { ApiError } from "#lib/contract/errors.ts";
import type { Store } from "#lib/store/store.ts";

/**
 * Whether an address's list has changed since it was read, for the page that shows it: `address`, `since` (the hash of
 * the tip at which it was read) and `outputs` (how many it had).
 */
export async function GET(request: Request): Promise<Response> {
  const service = await getService();
  const token = sessionToken(headerOf(request));
  const { searchParams } = new URL(request.url);
  try {
    return await service.call(token, addressUtxos.scope, async (_caller, quota) => {
      const since = searchParams.get("since") ?? "";
      if (!/^0x[0-9a-f]{64}$/.test(since)) throw new ApiError("BAD_REQUEST");
      const key = await keyOf(service, searchParams.get("address") ?? "");
      const change = await changeSince(service.store, key, since, Number(searchParams.get("outputs")));
      return Response.json(change, { headers: { ...quota, "cache-control": "no-store" } });
    });
  } catch (error) {
    return toResponse(respondError(service.failureOf(error, { url: request.url }), service.tip.last));
  }
}

async function keyOf(service: Service, address: string): Promise<string> {
  try {
    return (await service.parseAddress(address)).key;
  } catch (error) {
    if (!isAddressError(error)) throw error;
    const { code, message } = error;
    throw new ApiError("BAD_REQUEST", [{ path: ["query", "address"], code, message }]);
  }
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
