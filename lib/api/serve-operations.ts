import type { z } from "zod";
import type { Contract } from "#lib/contract/operation.ts";
import type { Given, Implementation, Lines, Operation } from "#lib/queries/operation.ts";
import { type OperationName, operations } from "#lib/queries/operations.ts";
import type { AccessToken, IndexTip } from "#lib/store/rows.ts";
import type { ApiContext } from "./api-context.ts";
import { bearerToken, requireScope } from "./authenticate.ts";
import { type ApiRequest, type ApiResponse, readableText, type StreamedResponse } from "./http-messages.ts";
import { cacheable, LINES_TYPE, linesResponse, PAGE_TYPE, pageResponse, typeOf } from "./responses.ts";

/** An operation of the API. Server components use `parse`, `query` and `response` instead of `handle`. */
export interface Served<C extends Contract, Input, Page>
  extends Pick<Implementation<C, Input, Page>, "parse"> {
  contract: C;
  /** Throws FORBIDDEN if the caller lacks the scope. */
  query(caller: AccessToken, input: Input): Promise<Page>;
  /** The page as the client's `parseExactJson` reads it from the response. */
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
  const readPage = async (request: Given) => {
    const page = await query(await parseRequest(request));
    return cacheable(codec.json(page), page.tip, headers?.(page, request));
  };
  const respond = async (request: ApiRequest, version: string | null): Promise<ApiResponse> => {
    const { responseCache } = core;
    const key = `${contract.path} ${JSON.stringify(request.params)} ${request.query}`;
    const cached = responseCache.get(version, key);
    const page = cached ?? (await readPage(request));
    if (!cached) responseCache.set(version, key, page);
    core.tip.last = page.tip;
    return pageResponse(request, page, cached && (() => responseCache.set(version, key, page)));
  };

  return {
    contract,
    parse,
    response: codec.value,

    async query(caller, input) {
      requireScope(caller, contract.scope);
      return query(input);
    },

    handle: (request) =>
      core.call(
        bearerToken(request.header),
        contract.scope,
        async (caller, rateLimit, version) => {
          const type = typeOf(request, PAGE_TYPE, lines ? [LINES_TYPE] : []);
          const response =
            lines && type === LINES_TYPE
              ? await streamLines(core, lines(await parseRequest(request)), caller, request)
              : await respond(request, version);
          Object.assign(response.headers, rateLimit);
          return response;
        },
        request.onCaller,
      ),
  };
}

/**
 * Reads the first lines before it responds, so that a failure becomes an error response. Each further piece enters the
 * queue once the client has read the one before, and a failure cuts the connection.
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
    async return() {
      await pieces.return?.();
      return { done: true, value: undefined };
    },
  });
  try {
    const body = readableText(streams.open(caller.id, bearerToken(request.header) ?? "", further));
    body.push(first.text);
    return linesResponse(request, first, body);
  } catch (error) {
    // A refused stream must not keep what it has read ahead.
    await pieces.return?.();
    throw error;
  }
}
