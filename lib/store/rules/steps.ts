/**
 * Work written once for tables that answer at once (SQLite) or later (PostgreSQL): a generator that stops for each answer. In
 * an async function, other calls would come between on SQLite's one connection, and join its transaction.
 */
export type Steps<T> = Generator<unknown, T, unknown>;

export type Awaitable<T> = T | Promise<T>;

/** `yield* done(answer)` in steps is what `await answer` is in an async function. */
export function* done<T>(answer: Awaitable<T>): Steps<T> {
  return (yield answer) as T;
}

/** Runs the steps up to the first answer that is not there yet. */
export function runUntilWait<T>(steps: Steps<T>): IteratorResult<unknown, T> {
  let step = steps.next();
  while (!step.done && !(step.value instanceof Promise)) step = steps.next(step.value);
  return step;
}

/** Runs the steps without giving way: every answer must be there at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  const step = runUntilWait(steps);
  if (!step.done) throw new TypeError("An answer is not there yet");
  return step.value;
}

/** Runs the steps, from the one that `step` came to, waiting for each answer. */
export async function runInTurn<T>(steps: Steps<T>, step = steps.next()): Promise<T> {
  // A failed answer ends the steps: none of them has a reason to catch one.
  let at = step;
  while (!at.done) at = steps.next(await at.value);
  return at.value;
}
