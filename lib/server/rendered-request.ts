import { AsyncLocalStorage } from "node:async_hooks";
import type { Service } from "#lib/api/service.ts";

export const REQUEST_ID_HEADER = "x-request-id";

const rendered = new AsyncLocalStorage<string>();

export const renderFor = <Result>(requestId: string, render: () => Result): Result =>
  rendered.run(requestId, render);

/** Puts the request's id into the store's errors as `digest`, which the framework logs and passes to the error page. */
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
