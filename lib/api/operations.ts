import type { z } from "zod";
import type { Contract } from "#lib/contract/operation.ts";
import { type OperationName, operations } from "#lib/queries/list.ts";
import type { Given, Implementation, Lines, Operation } from "#lib/queries/operation.ts";
import type { AccessToken, IndexTip } from "#lib/store/rows.ts";
import type { ApiContext } from "./api-context.ts";
import { bearerToken, requireScope } from "./authenticate.ts";
import { type ApiRequest, type ApiResponse, readableText, type StreamedResponse } from "./http-messages.ts";
import { cached } from "./response-cache.ts";
import { cacheable, LINES_TYPE, linesResponse, PAGE_TYPE, pageResponse, typeOf } from "./responses.ts";

/**
 * An operation that answers requests: `answer` does it for a request under `/v0`. Server components read a page of data
 * with `parse` and `query`, and `response` makes of it what clients see.
 */
export interface Served<C extends Contract, Input, Page>
  extends Pick<Implementation<C, Input, Page>, "parse"> {
  contract: C;
  /** Throws FORBIDDEN if the caller lacks the scope. */
  query(caller: AccessToken, asked: Input): Promise<Page>;
  /** The same value that the client's `parseExactJson` makes of the answer. */
  response(page: Page): z.output<C["response"]>;
  handle(request: ApiRequest): Promise<ApiResponse | StreamedResponse>;
}

export type Operations = {
  [Name in OperationName]: (typeof operations)[Name] extends Operation<infer C, infer Input, infer Page>
    ? Served<C, Input, Page>
    : never;
};

export const createOperations = (core: ApiContext): Operations =>
  Object.fromEntries(
    // biome-ignore lint/suspicious/noExplicitAny: each keeps its own types, which `Operations` names
    Object.entries(operations).map(([name, operation]) => [name, serve(core, operation as any)]),
  ) as Operations;

function serve<C extends Contract, Input, Page extends { tip: IndexTip | null }>(
  core: ApiContext,
  operation: Operation<C, Input, Page>,
): Served<C, Input, Page> {
  const { contract } = operation;
  const { parse, query, lines, codec, headers } = operation.implement(core);

  const parseRequest = ({ params, query }: Given) => parse(params, new URLSearchParams(query));
  const responseFor = cached(core.responseCache, contract.path, async (request: Given) => {
    const page = await query(await parseRequest(request));
    return cacheable(codec.json(page), page.tip, headers?.(page, request), core.digestOf);
  });

  return {
    contract,
    parse,
    response: codec.value,

    async query(caller, asked) {
      requireScope(caller, contract.scope);
      return query(asked);
    },

    handle: (request) =>
      core.call(
        bearerToken(request.header),
        contract.scope,
        async (caller, quota, version) => {
          let response: ApiResponse | StreamedResponse;
          const type = typeOf(request, PAGE_TYPE, lines ? [LINES_TYPE] : []);
          if (lines && type === LINES_TYPE) {
            response = await streamLines(core, lines(await parseRequest(request)), caller, request);
          } else {
            const { answer, grown } = await responseFor(request, version);
            core.tip.last = answer.tip;
            response = await pageResponse(request, answer, grown);
          }
          Object.assign(response.headers, quota);
          return response;
        },
        request.onCaller,
      ),
  };
}

/**
 * Reads the first lines in the request's own turn, so that a failure becomes an answer. After that the status is out: each
 * further piece waits for its turn once the client has taken the one before, and a failure cuts the connection.
 */
async function streamLines(
  { workQueue, streams }: Pick<ApiContext, "workQueue" | "streams">,
  pieces: AsyncIterator<Lines>,
  caller: AccessToken,
  request: ApiRequest,
): Promise<StreamedResponse> {
  const first = (await pieces.next()).value as Lines;
  const further = (signal: AbortSignal): AsyncIterator<string> => ({
    async next() {
      const { done, value } = await workQueue.runPiece(async () => {
        signal.throwIfAborted();
        return pieces.next();
      });
      return done ? { done, value: undefined } : { value: value.text };
    },
  });
  const body = readableText(streams.open(caller.id, bearerToken(request.header) ?? "", further));
  body.push(first.text);
  return linesResponse(request, first, body);
}
