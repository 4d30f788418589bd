import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service } from "#lib/api/service.ts";

export const REQUEST_ID_HEADER = "x-request-id";

interface Rendering {
  request: IncomingMessage;
  response: ServerResponse;
}

/** On `globalThis`, because the framework's bundle has its own copy of this file. */
const shared = globalThis as { aqsRendering?: AsyncLocalStorage<Rendering> };
shared.aqsRendering ??= new AsyncLocalStorage();
const rendering = shared.aqsRendering;

/** Renders a page: `render` is the framework, which runs the page's code. */
export const renderFor = <Result>(
  request: IncomingMessage,
  response: ServerResponse,
  render: () => Result,
): Result => rendering.run({ request, response }, render);

/**
 * Gives the page that is being rendered the status 404, with its own content. The framework's `notFound` would show nothing
 * without scripts. For requests of the router the status stays 200, since it leaves any other page to the browser.
 */
export function markNotFound(): void {
  const { request, response } = rendering.getStore() ?? {};
  if (response && request?.headers.rsc === undefined) response.statusCode = 404;
}

/** Puts the request's id into the store's errors as `digest`, which the framework logs and passes to the error page. */
export function nameFailures(store: Pick<Service["store"], "query">): void {
  const query = store.query.bind(store) as (...given: unknown[]) => Promise<unknown>;
  store.query = (async (...given: unknown[]) => {
    try {
      return await query(...given);
    } catch (error) {
      const digest = rendering.getStore()?.request.headers[REQUEST_ID_HEADER];
      throw digest === undefined ? error : Object.assign(error as Error, { digest });
    }
  }) as Service["store"]["query"];
}
