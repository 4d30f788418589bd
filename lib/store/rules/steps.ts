/**
 * Work that is written once for tables that answer at once (SQLite) and tables that answer later (PostgreSQL): a
 * generator that stops for each answer. An async function would not do: SQLite has one connection, and while a write
 * waited, other calls of the same process would read what is not committed yet and write into its transaction.
 */
export type Steps<T> = Generator<unknown, T, unknown>;

export type Awaitable<T> = T | Promise<T>;

/** `yield* done(tables.tip())` in steps is what `await tables.tip()` is in an async function. */
export function* done<T>(answer: Awaitable<T>): Steps<T> {
  return (yield answer) as T;
}

/** Runs the steps without giving way: every answer must be there at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) {
    if (step.value instanceof Promise) throw new TypeError("An answer is not there yet");
    step = steps.next(step.value);
  }
  return step.value;
}

/** Runs the steps, waiting for each answer. */
export async function runInTurn<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  // A failed answer ends the steps: none of them has a reason to catch one.
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}
