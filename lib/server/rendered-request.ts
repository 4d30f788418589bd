import { AsyncLocalStorage } from "node:async_hooks";
import type { Service } from "#lib/api/service.ts";

/** The header that passes a request's id to its page. */
export const REQUEST_ID_HEADER = "x-request-id";

const rendered = new AsyncLocalStorage<string>();

/** Runs `render` for the request with this id. */
export const renderFor = <Result>(requestId: string, render: () => Result): Result =>
  rendered.run(requestId, render);

/**
 * Makes the store's errors carry the id of the failing page's request as `digest`. The framework passes only that to the
 * error page, logs it with the error, and invents one if there is none.
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
