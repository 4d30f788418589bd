/**
 * Code written once for a synchronous engine (SQLite) and an asynchronous one (PostgreSQL): a generator that yields each pending
 * result. With an async function, other calls could run in between on SQLite's one connection, and join its transaction.
 */
export type Steps<T> = Generator<unknown, T, unknown>;

export type Awaitable<T> = T | Promise<T>;

/** `yield* done(result)` in steps is what `await result` is in an async function. */
export function* done<T>(result: Awaitable<T>): Steps<T> {
  return (yield result) as T;
}

/** Runs the steps up to the first promise. */
export function runUntilWait<T>(steps: Steps<T>): IteratorResult<unknown, T> {
  let step = steps.next();
  while (!step.done && !(step.value instanceof Promise)) step = steps.next(step.value);
  return step;
}

/** Runs the steps synchronously. Throws if one of them waits for a promise. */
export function runAtOnce<T>(steps: Steps<T>): T {
  const step = runUntilWait(steps);
  if (!step.done) throw new TypeError("A step would have to wait");
  return step.value;
}

/** Runs the steps, from `step` on, and awaits each result. */
export async function runInTurn<T>(steps: Steps<T>, step = steps.next()): Promise<T> {
  // A rejected promise ends the steps, because no steps catch errors.
  let at = step;
  while (!at.done) at = steps.next(await at.value);
  return at.value;
}
