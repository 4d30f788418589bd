import type { z } from "zod";
import type { Operation } from "#lib/api/operation.ts";
import { getService } from "#lib/api/service.ts";
import type { Answer } from "#lib/client/request.ts";
import type { OperationDeclaration } from "#lib/contract/endpoints.ts";
import type { AccessToken, IndexTip } from "#lib/store/store.ts";

/**
 * The answer to a list's first request, so that its rows come with the page. `path` is what the browser would request.
 * Null if the operation fails: the browser then requests it, and shows why.
 */
export async function firstPage<
  Declaration extends OperationDeclaration,
  Params,
  Values,
  Page extends { tip: IndexTip | null },
>(
  operation: Operation<Declaration, Params, Values, Page>,
  caller: AccessToken,
  params: Params,
  path: string,
): Promise<Answer<z.output<Declaration["response"]>> | null> {
  try {
    const values = await operation.parse(params, new URLSearchParams(path.split("?")[1] ?? ""));
    const page = await operation.query(caller, values);
    return { data: operation.response(page), tip: page.tip, requestId: "" };
  } catch (error) {
    const service = await getService();
    service.failureOf(error, { path });
    return null;
  }
}
