import { SqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";

/**
 * Opens the store that a `DATABASE_URL` names, migrated: `sqlite:<file>`, `sqlite::memory:`.
 * The only place that knows which engines there are.
 */
export async function openStore(url: string): Promise<Store> {
  const store = engineFor(url);
  try {
    await store.migrate();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** The store behind a `DATABASE_URL`, not yet migrated. */
export function engineFor(url: string): Store {
  const match = /^sqlite:(.+)$/.exec(url);
  if (match) return new SqliteStore(match[1]!);
  throw new Error(`DATABASE_URL must be sqlite:<file>, not ${JSON.stringify(url)}`);
}
