import type { z } from "zod";
import type { Contract } from "#lib/contract/operation.ts";
import { type OperationName, operations } from "#lib/questions/list.ts";
import type { Answering, Given, Lines, Operation } from "#lib/questions/operation.ts";
import type { AccessToken, IndexTip } from "#lib/store/store.ts";
import { kept } from "./answers.ts";
import { bearerToken, requireScope } from "./authenticate.ts";
import type { Core } from "./core.ts";
import { type ApiRequest, type Reply, readableText, type StreamedReply } from "./reply.ts";
import { finish, LINES_TYPE, PAGE_TYPE, respond, respondLines, typeOf } from "./respond.ts";

/**
 * An operation that answers requests: `answer` does it for a request under `/v0`. Server components read a page of data
 * with `parse` and `query`, and `response` makes of it what clients see.
 */
export interface Served<C extends Contract, Asked, Page> extends Pick<Answering<C, Asked, Page>, "parse"> {
  contract: C;
  /** Throws FORBIDDEN if the caller lacks the scope. */
  query(caller: AccessToken, asked: Asked): Promise<Page>;
  /** The same value that the client's `parseExactJson` makes of the answer. */
  response(page: Page): z.output<C["response"]>;
  answer(request: ApiRequest): Promise<Reply | StreamedReply>;
}

export type Operations = {
  [Name in OperationName]: (typeof operations)[Name] extends Operation<infer C, infer Asked, infer Page>
    ? Served<C, Asked, Page>
    : never;
};

export const createOperations = (core: Core): Operations =>
  Object.fromEntries(
    // biome-ignore lint/suspicious/noExplicitAny: each keeps its own types, which `Operations` names
    Object.entries(operations).map(([name, operation]) => [name, serve(core, operation as any)]),
  ) as Operations;

function serve<C extends Contract, Asked, Page extends { tip: IndexTip | null }>(
  core: Core,
  operation: Operation<C, Asked, Page>,
): Served<C, Asked, Page> {
  const { contract } = operation;
  const { parse, query, lines, codec, headers } = operation.answer(core);

  const parseRequest = ({ params, query }: Given) => parse(params, new URLSearchParams(query));
  const answerFor = kept(core.answers, contract.path, async (request: Given) => {
    const page = await query(await parseRequest(request));
    return finish(codec.json(page), page.tip, headers?.(page, request), core.digestOf);
  });

  return {
    contract,
    parse,
    response: codec.value,

    async query(caller, asked) {
      requireScope(caller, contract.scope);
      return query(asked);
    },

    answer: (request) =>
      core.call(
        bearerToken(request.header),
        contract.scope,
        async (caller, quota, version) => {
          let reply: Reply | StreamedReply;
          const type = typeOf(request, PAGE_TYPE, lines ? [LINES_TYPE] : []);
          if (lines && type === LINES_TYPE) {
            reply = await streamLines(core, lines(await parseRequest(request)), caller, request);
          } else {
            const { answer, grown } = await answerFor(request, version);
            core.tip.last = answer.tip;
            reply = await respond(request, answer, grown);
          }
          Object.assign(reply.headers, quota);
          return reply;
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
  { turns, streams }: Pick<Core, "turns" | "streams">,
  pieces: AsyncIterator<Lines>,
  caller: AccessToken,
  request: ApiRequest,
): Promise<StreamedReply> {
  const first = (await pieces.next()).value as Lines;
  const further = (signal: AbortSignal): AsyncIterator<string> => ({
    async next() {
      const { done, value } = await turns.piece(async () => {
        signal.throwIfAborted();
        return pieces.next();
      });
      return done ? { done, value: undefined } : { value: value.text };
    },
  });
  const body = readableText(streams.open(caller.id, bearerToken(request.header) ?? "", further));
  body.push(first.text);
  return respondLines(request, first, body);
}
