import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";

/** A storage engine under test: `open` gives a fresh, empty, migrated store. */
export interface Engine {
  name: string;
  open(): Promise<Store>;
}

export const engines: Engine[] = [{ name: "SQLite", open: () => openStore("sqlite::memory:") }];
