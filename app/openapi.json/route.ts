import { headerOf } from "#lib/api/origin.ts";
import { publicFile } from "#lib/api/public-files.ts";
import { toResponse } from "#lib/api/route.ts";

/** The API's OpenAPI document, for servers of the framework alone: ours answers this itself. */
export const GET = async (request: Request) =>
  toResponse(await publicFile("/openapi.json", { method: request.method, header: headerOf(request) }));
