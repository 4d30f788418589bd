import { blockAssetChanges } from "#lib/contract/endpoints.ts";
import { newestBlocks } from "../newest-blocks.ts";
import { answerPageData } from "../page-data.ts";

/** The newest blocks, for the home page: asked once for each new tip. */
export function GET(request: Request): Promise<Response> {
  return answerPageData(request, blockAssetChanges.scope, async () => ({ body: await newestBlocks() }));
}
