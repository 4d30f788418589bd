/** Milliseconds after which the next batch stops waiting for a slow one. */
const TIMEOUT = 50;

/** Collects the calls during a read, and serves them all with the next one, which is hardly more work than for one key. */
export function inBatches<Key, Result>(
  read: (keys: readonly Key[]) => Promise<Result>,
): (key: Key) => Promise<Result> {
  let before: Promise<unknown> = Promise.resolve();
  let next: { keys: Key[]; result: Promise<Result> } | null = null;
  const begin = async (keys: Key[]) => {
    await before;
    next = null;
    const { promise, resolve } = Promise.withResolvers<void>();
    before = promise;
    using _timer = setTimeout(resolve, TIMEOUT);
    try {
      return await read(keys);
    } finally {
      resolve();
    }
  };
  return (key) => {
    if (next === null) {
      const keys: Key[] = [];
      next = { keys, result: begin(keys) };
    }
    next.keys.push(key);
    return next.result;
  };
}
