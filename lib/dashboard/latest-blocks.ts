import type { ApiRequest, Reply } from "#lib/api/reply.ts";
import type { Service } from "#lib/api/service.ts";
import type { LatestBlock } from "#lib/client/status.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { latestBlocks } from "#lib/questions/block-overview.ts";
import { answerPageData } from "./page-data.ts";

const SHOWN = 20;

/** The newest blocks, for the home page and for `/latest-blocks`. */
export function newestBlocks({ store }: Service): Promise<LatestBlock[]> {
  return store.ask(latestBlocks, SHOWN);
}

/** `GET /latest-blocks`: asked once for each new tip. */
export function answerLatestBlocks(service: Service, request: ApiRequest): Promise<Reply> {
  return answerPageData(service, request, blockAssetChanges.scope, async () => ({
    body: await newestBlocks(service),
  }));
}
