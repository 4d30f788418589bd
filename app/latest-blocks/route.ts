import { sessionToken } from "#lib/api/authenticate.ts";
import { headerOf } from "#lib/api/origin.ts";
import { respondError } from "#lib/api/respond.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService } from "#lib/api/service.ts";
import { blockAssetChanges } from "#lib/contract/endpoints.ts";
import { newestBlocks } from "../newest-blocks.ts";

/** The newest blocks, for the home page: asked once for each new tip. */
export async function GET(request: Request): Promise<Response> {
  const service = await getService();
  const token = sessionToken(headerOf(request));
  try {
    return await service.call(token, blockAssetChanges.scope, async (_caller, quota) =>
      Response.json(await newestBlocks(), { headers: { ...quota, "cache-control": "no-store" } }),
    );
  } catch (error) {
    return toResponse(respondError(service.failureOf(error, { url: request.url }), service.tip.last));
  }
}
