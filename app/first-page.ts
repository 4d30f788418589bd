import type { z } from "zod";
import type { Served } from "#lib/api/serve-operations.ts";
import { getService } from "#lib/api/service.ts";
import type { FirstPage } from "#lib/client/queries.ts";
import type { Contract } from "#lib/contract/operation.ts";
import type { AccessToken, IndexTip, Tip } from "#lib/store/rows.ts";

/**
 * Responds to a list's first request, so that its rows come with the page. `path` is the request as the browser would
 * send it. Null if the operation fails: the browser then sends the request, and shows the failure.
 */
export async function firstPage<
  C extends Contract,
  Asked,
  Page extends { tip: IndexTip | null; asOf?: Tip | undefined },
>(
  operation: Served<C, Asked, Page>,
  caller: AccessToken,
  params: Record<string, string>,
  path: string,
): Promise<FirstPage<z.output<C["response"]>> | null> {
  try {
    const { page, data } = await readPage(operation, caller, params, path.split("?")[1]);
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
