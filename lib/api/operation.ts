import type { z } from "zod";
import type { OperationDeclaration } from "#lib/contract/endpoints.ts";
import type { AccessToken, IndexTip } from "#lib/store/store.ts";
import { bearerToken, requireScope } from "./authenticate.ts";
import type { Core } from "./core.ts";
import type { Codec } from "./encode.ts";
import { type ApiRequest, type Reply, readableText, type StreamedReply } from "./reply.ts";
import { finish, type Lines, prefersLines, respond, respondLines } from "./respond.ts";

/** What an operation is made of. `Params`: its path parameters. `Values`: all parameters, parsed. */
interface Parts<Declaration extends OperationDeclaration, Params, Values, Page> {
  declaration: Declaration;
  /** Throws BAD_REQUEST with every violated parameter. */
  parse(params: Params, search: URLSearchParams): Promise<Values>;
  query(values: Values): Promise<Page>;
  /** Headers of its own. */
  headers?(page: Page, request: ApiRequest): Record<string, string>;
  /** The list from these values on to its end, one entry a line, in pieces of whole lines; if it can be had so. */
  lines?(values: Values): AsyncIterator<Lines>;
  codec: Codec<Page, z.output<Declaration["response"]>>;
}

/**
 * One operation of the API. `parse` and `query` read a page of data, and `response` is what clients see of it: server
 * components use these three. `answer` does all of it for a request under `/v0`.
 */
export interface Operation<Declaration extends OperationDeclaration, Params, Values, Page> {
  declaration: Declaration;
  /** Throws BAD_REQUEST with every violated parameter. */
  parse(params: Params, search: URLSearchParams): Promise<Values>;
  /** Throws FORBIDDEN if the caller lacks the scope. */
  query(caller: AccessToken, values: Values): Promise<Page>;
  /** The same value that the client's `parseExactJson` makes of the answer. */
  response(page: Page): z.output<Declaration["response"]>;
  answer(request: ApiRequest): Promise<Reply | StreamedReply>;
}

export function createOperation<
  Declaration extends OperationDeclaration,
  Params,
  Values,
  Page extends { tip: IndexTip | null },
>(
  { call, tip, answers, turns, streams }: Pick<Core, "call" | "tip" | "answers" | "turns" | "streams">,
  parts: Parts<Declaration, Params, Values, Page>,
): Operation<Declaration, Params, Values, Page> {
  const { declaration, parse, codec } = parts;
  const query = async (caller: AccessToken, values: Values) => {
    requireScope(caller, declaration.scope);
    const page = await parts.query(values);
    tip.remember(page.tip);
    return page;
  };

  /**
   * Reads the first lines in the request's own turn, so that a failure becomes an answer. After that the status is out:
   * each further piece waits for its turn once the client has taken the one before, and a failure cuts the connection.
   */
  async function answerLines(pieces: AsyncIterator<Lines>, caller: AccessToken, request: ApiRequest) {
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

  return {
    declaration,
    parse,
    query,
    response: codec.value,
    answer: (request) =>
      call(
        bearerToken(request.header),
        declaration.scope,
        async (caller, quota, version) => {
          const lines = parts.lines && prefersLines(request) ? parts.lines : undefined;
          const asked = `${declaration.path} ${JSON.stringify(request.params)} ${request.query}`;
          const kept = lines ? undefined : answers.get(version, asked);
          let reply: Reply | StreamedReply;
          if (kept) {
            tip.remember(kept.tip);
            reply = await respond(request, kept, () => answers.keep(version, asked, kept));
          } else {
            // The router took the parameters' names from the declaration.
            const values = await parse(request.params as Params, new URLSearchParams(request.query));
            if (lines) reply = await answerLines(lines(values), caller, request);
            else {
              const page = await query(caller, values);
              const answer = finish(codec.json(page), page.tip, parts.headers?.(page, request));
              answers.keep(version, asked, answer);
              reply = await respond(request, answer);
            }
          }
          Object.assign(reply.headers, quota);
          return reply;
        },
        request.onCaller,
      ),
  };
}
