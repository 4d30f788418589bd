import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { isStreamed, type Reply, type StreamedReply } from "#lib/api/reply.ts";
import { respondError } from "#lib/api/respond.ts";
import { getService, type Service } from "#lib/api/service.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { preflight } from "./cors.ts";
import { headerOf } from "./origin.ts";
import { pathBelow, route } from "./router.ts";
import { handle } from "./v0.ts";

/** The API as a web handler, mounted by the framework's route `app/v0` for every method. */
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
  const url = new URL(request.url);
  const matched = route(pathBelow(service.config.BASE_PATH, url.pathname) ?? url.pathname);
  const asked = {
    method: request.method,
    params: matched?.params ?? {},
    query: url.search.slice(1),
    header: headerOf(request),
  };
  return toResponse(
    preflight(asked, service.config) ?? (await handle(service, matched?.name ?? null, asked)),
  );
}

export function toResponse({ cookies = [], ...reply }: Reply | StreamedReply): Response {
  const headers = new Headers(reply.headers);
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  const body = isStreamed(reply) ? Readable.toWeb(reply.body) : reply.body;
  return new Response(body === "" ? null : (body as BodyInit), { status: reply.status, headers });
}
