import type { Query } from "#lib/store/query.ts";
import type { Store } from "#lib/store/store.ts";

/** A query and its implementation. */
type Answers = [query: Query<never, unknown>, answer: (input: never) => Promise<unknown>];

/** A store that runs the given functions as queries, for tests of code that only queries a store. */
export const answering = (...answers: Answers[]): Pick<Store, "query"> => ({
  query: async (asked: Query<never, unknown>, input?: unknown) => {
    const found = answers.find(([query]) => query === asked);
    if (!found) throw new Error("The test does not implement this query");
    return found[1](input as never) as never;
  },
});
