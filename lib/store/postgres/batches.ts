/** Milliseconds: when a batch takes longer, the next one waits no more. */
const PATIENCE = 50;

/**
 * Makes one read of those that come while another is on its way: the next batch answers them all, by what it reads after they
 * came. For a server, a read of many keys is hardly more work than a read of one.
 */
export function inBatches<Key, Answer>(
  read: (keys: readonly Key[]) => Promise<Answer>,
): (key: Key) => Promise<Answer> {
  let before: Promise<unknown> = Promise.resolve();
  let next: { keys: Key[]; answer: Promise<Answer> } | null = null;
  const begin = async (keys: Key[]) => {
    await before;
    next = null;
    const { promise, resolve } = Promise.withResolvers<void>();
    before = promise;
    const timer = setTimeout(resolve, PATIENCE);
    try {
      return await read(keys);
    } finally {
      clearTimeout(timer);
      resolve();
    }
  };
  return (key) => {
    if (next === null) {
      const keys: Key[] = [];
      next = { keys, answer: begin(keys) };
    }
    next.keys.push(key);
    return next.answer;
  };
}
