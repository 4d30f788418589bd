import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { Service } from "#lib/api/service.ts";
import type { ChainStatus } from "#lib/client/status.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { blockHeader, chainTip } from "#lib/queries/chain.ts";
import { json, sessionCaller } from "./page-data.ts";

/** The state of the index, for the header of every page and for `/status`. */
export async function chainStatus({ store, identity }: Service): Promise<ChainStatus> {
  const [chain, tip] = await Promise.all([identity(), store.query(chainTip)]);
  const block = tip && (await store.query(blockHeader, tip.hash));
  return {
    network: chain?.network ?? null,
    demo: chain?.demo ?? false,
    tip: tip && { height: tip.height, hash: tip.hash, time: block?.timestamp ?? null },
  };
}

/** `GET /status`, which pages of signed-in readers poll. It does not count against the rate limit. */
export async function handleStatus(service: Service, request: ApiRequest): Promise<ApiResponse> {
  if (!(await sessionCaller(service, request))) throw new ApiError("UNAUTHORIZED");
  return json(await chainStatus(service));
}
