import type { Service } from "#lib/api/service.ts";
import type { LatestBlock } from "#lib/client/status.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { latestBlocks } from "#lib/questions/block-overview.ts";
import { pageData } from "./page-data.ts";

const SHOWN = 20;

/** The newest blocks, for the home page and for `/latest-blocks`. */
export const newestBlocks = ({ store }: Service): Promise<LatestBlock[]> => store.ask(latestBlocks, SHOWN);

/** `GET /latest-blocks`: asked once for each new tip. */
export const answerLatestBlocks = pageData(
  () => blockAssetChanges.scope,
  async (service) => ({ body: await newestBlocks(service) }),
);
