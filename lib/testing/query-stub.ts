import type { Query } from "#lib/store/query.ts";
import type { Store } from "#lib/store/store.ts";

/** A query, and the function that runs in its place. */
type Stub = [query: Query<never, unknown>, run: (input: never) => Promise<unknown>];

/** A store that runs the given functions as queries, for tests of code that only queries a store. */
export const queryStub = (...stubs: Stub[]): Pick<Store, "query"> => ({
  query: async (asked: Query<never, unknown>, input?: unknown) => {
    const found = stubs.find(([query]) => query === asked);
    if (!found) throw new Error("The test does not implement this query");
    return found[1](input as never) as never;
  },
});
