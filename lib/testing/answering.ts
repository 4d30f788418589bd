import type { Store } from "#lib/store/engine.ts";
import type { Question } from "#lib/store/question.ts";

/** How one question is answered. */
type Answers = [question: Question<never, unknown>, answer: (input: never) => Promise<unknown>];

/** A store that answers the given questions as told, for tests of what only asks. */
export const answering = (...answers: Answers[]): Pick<Store, "ask"> => ({
  ask: async (asked: Question<never, unknown>, input?: unknown) => {
    const found = answers.find(([question]) => question === asked);
    if (!found) throw new Error("The test answers another question");
    return found[1](input as never) as never;
  },
});
