import type { NextRequest } from "next/server";
import { getService } from "#lib/api/service.ts";
import type { ListChange } from "#lib/client/status.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { addressUtxos } from "#lib/contract/endpoints.ts";
import type { Store } from "#lib/store/store.ts";
import { currentCaller } from "../caller.ts";

/**
 * What happened to an address's list since it was read, for the page that shows it: `address`, `since` (the
 * hash of the tip it was read at) and `cells` (how many it had).
 */
export async function GET(request: NextRequest): Promise<Response> {
  const caller = await currentCaller();
  if (!caller?.scopes.includes(addressUtxos.scope)) return new Response(null, { status: 401 });
  const { searchParams } = request.nextUrl;
  const since = searchParams.get("since") ?? "";
  if (!/^0x[0-9a-f]{64}$/.test(since)) return new Response(null, { status: 400 });
  const service = await getService();
  let key: string;
  try {
    ({ key } = await service.parseAddress(searchParams.get("address") ?? ""));
  } catch (error) {
    if (!isAddressError(error)) throw error;
    return new Response(null, { status: 400 });
  }
  const change = await changeSince(service.store, key, since, Number(searchParams.get("cells")));
  return Response.json(change, { headers: { "cache-control": "no-store" } });
}

async function changeSince(store: Store, key: string, since: string, cells: number): Promise<ListChange> {
  const replaced = await store.abandonedBlock(since);
  if (replaced) return { kind: "replaced", height: replaced.height };
  const [read, count, newest] = await Promise.all([
    store.blockHeader(since),
    store.outputCount(key),
    store.utxosOfAddress({ addressKey: key, order: "desc", limit: 1 }),
  ]);
  // A cell that came is the newest, or was spent since: then the number tells, as it does for one that went.
  const height = newest.rows[0]?.height ?? -1;
  const touched = read === null || height > read.height || count !== cells;
  return { kind: touched ? "touched" : "none" };
}
