import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import type { OperationName } from "#lib/queries/operations.ts";
import type { Store } from "#lib/store/store.ts";
import { parseExactJson } from "#lib/util/json.ts";

export type Ask = (
  operation: OperationName,
  params: Record<string, string>,
  search: Record<string, string> | [string, string][],
  // biome-ignore lint/suspicious/noExplicitAny: the response schemas are tested with the API itself
) => Promise<any>;

/** Calls the API's operations on a store, as a program with a token would. Responses keep every digit. */
export async function asker(store: Store): Promise<Ask> {
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  const { token } = await issueToken(store, { name: "test", scopes: [], expiresAt: null, now: Date.now() });
  return async (operation, params, search) => {
    const reply = await service.operations[operation].handle({
      method: "GET",
      params,
      query: String(new URLSearchParams(search)),
      header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    });
    return parseExactJson(reply.body.toString());
  };
}
