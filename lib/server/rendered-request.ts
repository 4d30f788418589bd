import { AsyncLocalStorage } from "node:async_hooks";
import type { Service } from "#lib/api/service.ts";

/** The header by which a page gets to know the id of its request. */
export const REQUEST_ID_HEADER = "x-request-id";

const rendered = new AsyncLocalStorage<string>();

/** Does what renders the page of a request. */
export const renderFor = <Result>(requestId: string, render: () => Result): Result =>
  rendered.run(requestId, render);

/**
 * Gives errors of the store the id of the request whose page they fail. The framework shows the page of an error its
 * `digest` alone, logs it with the error, and makes one up if there is none.
 */
export function nameFailures(store: Pick<Service["store"], "query">): void {
  const query = store.query.bind(store) as (...given: unknown[]) => Promise<unknown>;
  store.query = (async (...given: unknown[]) => {
    try {
      return await query(...given);
    } catch (error) {
      const digest = rendered.getStore();
      throw digest === undefined ? error : Object.assign(error as Error, { digest });
    }
  }) as Service["store"]["query"];
}
