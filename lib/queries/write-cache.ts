/** PostgreSQL: caches what pages show of their tokens, until the next write. */
import { LAST_WRITE_SQL } from "#lib/store/common-queries.ts";
import type { WriteCache } from "#lib/store/query.ts";

/** Values for `uncachedTokens`, as `readThrough` returns them. */
export const CACHE_VALUES = ["known?", "write?"] as const;

/** Selects the last write, and `columns` of the tokens `t` of a subquery `page` that are not cached as of that write. */
export const uncachedTokens = (columns: string): string => `${LAST_WRITE_SQL} AS write,
  (SELECT json_agg(token) FROM (
     SELECT ${columns} FROM tokens t WHERE t.id = ANY (page.token_ids)
       AND NOT (t.id = ANY ($known::integer[]) AND ${LAST_WRITE_SQL} IS NOT DISTINCT FROM $write)
   ) token) AS tokens`;

export interface UncachedTokens<Columns> {
  write: string | null;
  tokens: Columns[] | null;
}

/** Names what is cached to a statement, whose result then completes it. The cache holds at most `most` rows. */
export function readThrough<Columns, Row>(
  cache: WriteCache<Row>,
  most: number,
  toEntry: (columns: Columns) => readonly [number: number, row: Row],
) {
  // Other pages may replace these while this one waits.
  const { write, rows } = cache;
  return {
    values: { known: `{${[...rows.keys()].join()}}`, write },
    /** Returns rows by the numbers of their tokens: those of the page, and others. */
    complete({ write: now, tokens }: UncachedTokens<Columns>): ReadonlyMap<number, Row> {
      const all = new Map(now === write ? rows : []);
      for (const columns of tokens ?? []) all.set(...toEntry(columns));
      if (now !== null && all.size <= most) Object.assign(cache, { write: now, rows: all });
      return all;
    },
  };
}
