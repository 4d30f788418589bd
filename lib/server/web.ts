import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { type ApiRequest, isStreamed, type Reply, type StreamedReply } from "#lib/api/reply.ts";
import { respondError } from "#lib/api/respond.ts";
import { getService, type Service } from "#lib/api/service.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { preflight } from "./cors.ts";
import { route } from "./router.ts";
import { pathBelow } from "./target.ts";
import { handle } from "./v0.ts";

/**
 * The API as a web handler: the framework's route `app/v0`. Our own server answers `/v0` before the framework sees it, at a
 * fraction of the cost.
 */
export async function handleApi(request: Request): Promise<Response> {
  let service: Service;
  try {
    service = await getService();
  } catch (error) {
    // Nothing is open yet, not even the log.
    console.error(error);
    const reply = respondError(new ApiError("INTERNAL_SERVER_ERROR"), null);
    return toResponse({ ...reply, headers: { ...reply.headers, "X-Request-Id": randomUUID() } });
  }
  const { pathname, search } = new URL(request.url);
  const matched = route(pathBelow(service.config.BASE_PATH, pathname) ?? pathname);
  const asked: ApiRequest = {
    method: request.method,
    params: matched?.params ?? {},
    query: search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
  };
  return toResponse(
    preflight(asked, service.config) ?? (await handle(service, matched?.name ?? null, asked)),
  );
}

function toResponse(reply: Reply | StreamedReply): Response {
  const body = isStreamed(reply) ? Readable.toWeb(reply.body) : reply.body;
  return new Response(body === "" ? null : (body as BodyInit), reply);
}
