/** PostgreSQL: caches what pages show of their tokens, until the next write. */
import { LAST_WRITE_SQL } from "#lib/store/common-queries.ts";
import type { PostgresReader, WriteCache } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Dialect, type StatementWith, statementWith } from "#lib/store/statement.ts";
import { fillCache } from "./tokens.ts";

/** The most rows of a cache, which then starts again: more than a block of 10,000 assets needs. */
const MAX_CACHED = 20_000;

/** The value for `uncachedTokens`, as `readThrough` returns it. */
export const CACHE_VALUES = ["write?"] as const;

/** Selects the last write, and `columns` of the tokens `t` of a subquery `page`, unless `$write` is the last one. */
export const uncachedTokens = (columns: string): string => `${LAST_WRITE_SQL} AS write,
  (SELECT json_agg(token) FROM (
     SELECT ${columns} FROM tokens t WHERE t.id = ANY (page.token_ids) AND ${LAST_WRITE_SQL} IS DISTINCT FROM $write
   ) token) AS tokens`;

export interface UncachedTokens<Columns> {
  write: string | null;
  tokens: Columns[] | null;
}

/** A statement that selects no rows unless `$write` is the last write. */
export const asOfWrite = (text: (sql: Dialect) => string) =>
  statementWith(["ids", "write"])((sql) => `${text(sql)} AND ${LAST_WRITE_SQL} = $write`);

/** Returns a value for the statement of a page, and the function that completes its result. `statement` reads tokens by id. */
export function readThrough<Columns extends object, Row>(
  db: PostgresReader,
  cache: WriteCache<Row>,
  statement: StatementWith<"ids" | "write">,
  toEntry: (columns: Columns) => readonly [number: number, row: Row],
) {
  // Other pages may replace these while this one waits.
  const { write, rows } = cache;
  return {
    values: { write: write ?? "" },
    /** Returns the rows of these tokens, and others, by their numbers. */
    *complete(
      { write: now, tokens }: UncachedTokens<Columns>,
      numbers: readonly number[],
    ): Steps<ReadonlyMap<number, Row>> {
      if (now === null) return new Map(tokens?.map(toEntry));
      const known = now === write ? rows : new Map(tokens?.map(toEntry));
      if (now !== write) Object.assign(cache, { write: now, rows: known });
      yield* fillCache(db, known, numbers, ({ ids }) => statement({ ids, write: now }), toEntry);
      // There was another write between the two statements.
      if (!numbers.every((number) => known.has(number))) db.inOneState();
      if (known.size > MAX_CACHED) Object.assign(cache, { write: null, rows: new Map() });
      return known;
    },
  };
}
