import type { Query } from "#lib/store/query.ts";
import type { Store } from "#lib/store/store.ts";

/** How one question is answered. */
type Answers = [question: Query<never, unknown>, answer: (input: never) => Promise<unknown>];

/** A store that answers the given questions as told, for tests of what only asks. */
export const answering = (...answers: Answers[]): Pick<Store, "query"> => ({
  query: async (asked: Query<never, unknown>, input?: unknown) => {
    const found = answers.find(([query]) => query === asked);
    if (!found) throw new Error("The test answers another question");
    return found[1](input as never) as never;
  },
});
