import type { Migration } from "./migrations.ts";
import type { Steps } from "./rules/steps.ts";
import { type Connection, first, run, statement } from "./statement.ts";
import { firstId } from "./transaction-id.ts";

/** Blocks whose rows one transaction adds. */
const BLOCKS_AT_ONCE = 2_000;

const PROGRESS = statement("SELECT value FROM state WHERE key = 'migrating'");
const NOTE_PROGRESS = statement(
  `INSERT INTO state (key, value) VALUES ('migrating', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
);
const END = statement("DELETE FROM state WHERE key = 'migrating'");
const BLOCK_FROM = statement(
  "SELECT min(height) AS next, (SELECT max(height) FROM blocks) AS tip FROM blocks WHERE height >= $1",
);

/** Whether the migration's tables are there, and still being filled. */
export function* isFilling(db: Connection, { name, fill }: Migration): Steps<boolean> {
  // The first migration makes the table that this is read from.
  if (fill.length === 0) return false;
  const stored = yield* first<{ value: string }>(db, PROGRESS);
  return stored?.value.split(" ")[0] === name;
}

/** Notes that the migration's tables are there, to be filled. */
export function* beginFill(db: Connection, { name }: Migration): Steps<void> {
  yield* run(db, NOTE_PROGRESS, `${name} -1`);
}

/** Fills the tables from the next blocks. Says in a line how far they are; null if there are no further blocks. */
export function* fillSome(db: Connection, { name, fill }: Migration): Steps<string | null> {
  const after = Number((yield* first<{ value: string }>(db, PROGRESS))!.value.split(" ")[1]);
  const { next, tip } = (yield* first<{ next: number | null; tip: number | null }>(
    db,
    BLOCK_FROM,
    after + 1,
  ))!;
  if (next === null) {
    yield* run(db, END);
    return null;
  }
  const last = next + BLOCKS_AT_ONCE - 1;
  for (const query of fill) yield* run(db, query, firstId(next), firstId(last + 1));
  yield* run(db, NOTE_PROGRESS, `${name} ${last}`);
  return `Migration ${name}: block ${Math.min(last, tip!)} of ${tip}`;
}
