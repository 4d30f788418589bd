import type { Awaitable } from "./rules/steps.ts";

/** A statement, with `$1` for its first value. PostgreSQL's connections prepare it once, under its name. */
export interface Statement {
  name: string;
  text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

export type SqlValue = string | number | null | Uint8Array;

/** Where statements run. Of SQLite and PostgreSQL alike, but for bytes: they come as bytes or as `0x` hex. */
export interface Connection {
  all<T extends object>(query: Statement, ...values: SqlValue[]): Awaitable<T[]>;
  /** Returns how many rows changed. */
  run(query: Statement, ...values: SqlValue[]): Awaitable<number>;
}
