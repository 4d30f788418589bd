import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import type { Implementation } from "#lib/queries/operation.ts";
import { type OperationName, operations } from "#lib/queries/operations.ts";
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

/** Streams a list as NDJSON, in pieces of at most `atOnce` entries. */
export async function* streamed(
  service: Service,
  list: OperationName,
  params: Record<string, string>,
  search: ConstructorParameters<typeof URLSearchParams>[0],
  atOnce: number,
): AsyncGenerator<string> {
  // biome-ignore lint/suspicious/noExplicitAny: each list has values and places of its own
  const { parse, lines } = operations[list].implement(service) as Implementation<any, any, any>;
  const asked = await parse(params, new URLSearchParams(search));
  for await (const { text } of lines!(asked, atOnce)) yield text;
}
