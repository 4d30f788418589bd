import { sessionToken } from "#lib/api/authenticate.ts";
import { headerOf } from "#lib/api/origin.ts";
import { respondError } from "#lib/api/respond.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService, type Service } from "#lib/api/service.ts";
import type { Scope } from "#lib/contract/endpoints.ts";
import { ApiError } from "#lib/contract/errors.ts";

/** What a page asks for after it is open: a JSON value, and headers of its own. */
interface PageData {
  body: unknown;
  headers?: Record<string, string>;
}

/**
 * Answers a request of a page for data that are not part of the API: with the session of its reader, who needs the scope,
 * and against the reader's quota. Errors have the API's body.
 */
export async function answerPageData(
  request: Request,
  scope: Scope,
  read: (service: Service, search: URLSearchParams) => Promise<PageData>,
): Promise<Response> {
  const service = await getService();
  const token = sessionToken(headerOf(request));
  const { searchParams } = new URL(request.url);
  try {
    return await service.call(token, scope, async (_caller, quota) => {
      const { body, headers } = await read(service, searchParams);
      return Response.json(body, { headers: { ...headers, ...quota, "cache-control": "no-store" } });
    });
  } catch (error) {
    return toResponse(respondError(service.failureOf(error, { url: request.url }), service.tip.last));
  }
}

/** The hash of a block, as pages write it. @throws ApiError 400 */
export function requireHash(text: string | null): string {
  if (text === null || !/^0x[0-9a-f]{64}$/.test(text)) throw new ApiError("BAD_REQUEST");
  return text;
}
