import { headerOf } from "#lib/api/origin.ts";
import { publicFile } from "#lib/api/public-files.ts";
import { toResponse } from "#lib/api/route.ts";

/** The API in short for language models, for servers of the framework alone: ours answers this itself. */
export const GET = async (request: Request) =>
  toResponse(await publicFile("/llms.txt", { method: request.method, header: headerOf(request) }));
