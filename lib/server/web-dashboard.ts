import { getService } from "#lib/api/service.ts";
import { readAtMost } from "#lib/contract/http.ts";
import { answerDashboard, dashboardRoute } from "./dashboard.ts";
import { headerOf } from "./origin.ts";
import { pathBelow } from "./router.ts";
import { MAX_BODY_BYTES } from "./session.ts";
import { toResponse } from "./web.ts";

/** The dashboard's routes as a web handler, for servers of the framework alone: ours answers them itself. */
export async function handleDashboard(request: Request): Promise<Response> {
  const service = await getService();
  const { pathname, search } = new URL(request.url);
  const route = dashboardRoute(pathBelow(service.config.BASE_PATH, pathname) ?? pathname);
  if (!route) return new Response(null, { status: 404 });
  const asked = {
    method: request.method,
    params: {},
    query: search.slice(1),
    header: headerOf(request),
    body: request.method === "POST" ? await readAtMost(request, MAX_BODY_BYTES) : null,
  };
  return toResponse(await answerDashboard(service, route, asked, { path: pathname }));
}
