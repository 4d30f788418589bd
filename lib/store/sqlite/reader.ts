import { setImmediate as nextTurn } from "node:timers/promises";
import type { SqliteReader } from "#lib/store/question.ts";
import type { SqlValue, Statement } from "#lib/store/statement.ts";
import type { TokenRow } from "#lib/store/store.ts";
import type { Database } from "./database.ts";

const MAX_REMEMBERED = 10_000;

/** Where questions read. Most pages show the same few tokens again and again: they are remembered until something is written. */
export function createReader(db: Database): SqliteReader {
  let remembered = { version: "", tokens: new Map<number, TokenRow>() };
  return {
    engine: "sqlite",
    all: db.shared.all,
    tuples: <T extends unknown[]>(query: Statement, ...values: SqlValue[]) =>
      db.allTuples<T>(query.sqlite, ...values),
    get tokens() {
      const version = db.dataVersion;
      if (remembered.version !== version || remembered.tokens.size > MAX_REMEMBERED) {
        remembered = { version, tokens: new Map() };
      }
      return remembered.tokens;
    },
    inOneState() {},
    giveWay: () => nextTurn(),
  };
}
