import type { z } from "zod";
import type { Served } from "#lib/api/serve-operations.ts";
import { getService } from "#lib/api/service.ts";
import type { List } from "#lib/client/list.ts";
import type { FirstPage } from "#lib/client/queries.ts";
import { readView } from "#lib/client/url-state.ts";
import type { Contract } from "#lib/contract/operation.ts";
import type { AccessToken, IndexTip, Tip } from "#lib/store/rows.ts";

/**
 * Responds to the first request of a page's list, so that its rows come with the page. `query` is that of the page. Null if
 * the operation fails: the browser then sends the request, and shows the failure.
 */
export async function firstPage<
  C extends Contract,
  Asked,
  Page extends { tip: IndexTip | null; asOf?: Tip | undefined },
  View,
  Of extends Record<string, string>,
>(
  operation: Served<C, Asked, Page>,
  caller: AccessToken,
  list: Pick<List<never, View, never, Of>, "fields" | "pathOf">,
  of: Of,
  query: URLSearchParams,
): Promise<FirstPage<z.output<C["response"]>> | null> {
  const path = list.pathOf(of, readView(list.fields, query));
  try {
    const { page, data } = await readPage(operation, caller, of, path.split("?")[1]);
    return { path, response: { data, tip: page.tip, asOf: page.asOf, requestId: "" } };
  } catch (error) {
    const service = await getService();
    service.failureOf(error, { path });
    return null;
  }
}

/** Runs an operation for a page. Returns the page of its query, and the response's body. Throws as the operation does. */
export async function readPage<C extends Contract, Asked, Page>(
  operation: Served<C, Asked, Page>,
  caller: AccessToken,
  params: Record<string, string>,
  query = "",
): Promise<{ page: Page; data: z.output<C["response"]> }> {
  const page = await operation.query(caller, await operation.parse(params, new URLSearchParams(query)));
  return { page, data: operation.response(page) };
}
