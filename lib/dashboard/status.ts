import type { ApiRequest, Reply } from "#lib/api/reply.ts";
import type { Service } from "#lib/api/service.ts";
import type { ChainStatus } from "#lib/client/status.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { blockHeader, chainTip } from "#lib/questions/chain.ts";
import { json, sessionCaller } from "./page-data.ts";

/** Where the index stands, for the header of every page and for `/status`. */
export async function chainStatus({ store, identity }: Service): Promise<ChainStatus> {
  const [chain, tip] = await Promise.all([identity(), store.ask(chainTip)]);
  const block = tip && (await store.ask(blockHeader, tip.hash));
  return {
    network: chain?.network ?? null,
    demo: chain?.demo ?? false,
    tip: tip && { height: tip.height, hash: tip.hash, time: block?.timestamp ?? null },
  };
}

/** `GET /status`, polled by the pages of a signed-in reader. Not counted against the quota. */
export async function answerStatus(service: Service, request: ApiRequest): Promise<Reply> {
  if (!(await sessionCaller(service, request))) throw new ApiError("UNAUTHORIZED");
  return json(await chainStatus(service));
}
