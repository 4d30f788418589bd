import { sessionToken } from "#lib/api/authenticate.ts";
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { RateLimitHeaders } from "#lib/api/rate-limits.ts";
import type { Service } from "#lib/api/service.ts";
import { ApiError, type Issue } from "#lib/contract/errors.ts";
import type { Access } from "#lib/contract/operation.ts";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { listOf, readWallet } from "#lib/queries/parse.ts";
import type { AccessToken } from "#lib/store/rows.ts";

export function json(body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return {
    status: 200,
    headers: { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" },
    body: JSON.stringify(body),
  };
}

/** The signed-in caller or the guest; null without a session, or if its token is no longer valid. */
export async function sessionCaller(service: Service, { header }: ApiRequest): Promise<AccessToken | null> {
  const token = sessionToken(header);
  const check = token === null ? null : await service.checkToken(token);
  return check?.ok ? check.caller : null;
}

/**
 * Handles requests of pages for data outside the API. The session's reader needs the scope, or one of several, and each
 * request counts against the reader's rate limit. `read` gets the version of the data, and returns a JSON value and headers.
 */
export function pageData(
  scopeOf: (search: URLSearchParams) => Access,
  read: (
    service: Service,
    search: URLSearchParams,
    version: string | null,
    caller: AccessToken,
  ) => Promise<{ body: unknown; headers?: Record<string, string> }>,
) {
  return (service: Service, { header, query, onCaller }: ApiRequest): Promise<ApiResponse> => {
    const search = new URLSearchParams(query);
    const work = async (caller: AccessToken, rateLimit: RateLimitHeaders, version: string | null) => {
      const { body, headers } = await read(service, search, version, caller);
      return json(body, { ...headers, ...rateLimit });
    };
    return service.call(sessionToken(header), scopeOf(search), work, onCaller);
  };
}

/** Throws BAD_REQUEST if the text is not a block hash. */
export function requireHash(text: string | null): string {
  if (text === null || !/^0x[0-9a-f]{64}$/.test(text)) throw new ApiError("BAD_REQUEST");
  return text;
}

/** Throws BAD_REQUEST if the text is not a height. */
export function requireHeight(text: string | null): number {
  if (text === null || !/^\d{1,15}$/.test(text)) throw new ApiError("BAD_REQUEST");
  return Number(text);
}

/** The keys of the addresses in a page's request. Throws BAD_REQUEST if one is not an address of this chain, or if there is none. */
export async function addressKeysOf(service: Service, search: URLSearchParams): Promise<string[]> {
  const issues: Issue[] = [];
  const { all } = await readWallet(service, listOf(search, "address"), issues, "query");
  if (issues.length > 0 || all.length === 0 || all.length > MAX_ADDRESSES)
    throw new ApiError("BAD_REQUEST", issues);
  return all.map(({ key }) => key);
}
