import type { LRUCache } from "lru-cache";
import type { TaggedAsset, TokenRow } from "./rows.ts";
import type { Awaitable, Steps } from "./rules/steps.ts";
import { all, type Reading, type StateCache, type Statement } from "./statement.ts";

/**
 * The work that a query causes. `look-up`: one statement, by keys. `scan`: one statement. `snapshot`: several statements on one
 * committed state. `long`, `endless`: a snapshot on the primary, with the time limit of writes or none.
 */
export type Effort = "look-up" | "scan" | "snapshot" | "long" | "endless";

/**
 * A read of the data. Everything that `read` sees is of one committed state. Only on SQLite may blocks be stored while it
 * yields. If blocks are reverted meanwhile, it runs again; after three attempts, the query throws SERVICE_UNAVAILABLE.
 */
export interface Query<Input, Result> {
  effort: Effort | ((input: Input) => Effort);
  /** Set for a look-up or scan that must not run on a replica. */
  from?: "primary";
  /** May run several times, so it must not have side effects. */
  read(db: Reader, input: Input): Steps<Result>;
}

interface CommonReader extends Reading {
  /** Tokens of this state by id. SQLite caches them from one query to the next. */
  readonly tokens: Map<number, TokenRow>;
  /** Restarts a look-up in a snapshot, unless it is in one, because it needs several statements. */
  inOneState(): void;
  /** Yields to other requests on SQLite, where statements block. Later statements may then see another state. */
  pause(): Awaitable<void>;
}

export interface SqliteReader extends CommonReader {
  readonly engine: "sqlite";
  readonly cache: StateCache & {
    tokens: Map<number, TokenRow>;
    assets: Map<number, TaggedAsset>;
    /** Ordered lists, so that their further pages need not sort again. */
    lists: LRUCache<string, readonly object[]>;
  };
  /** Like `all`, with each row as an array: creating objects is half of the work. */
  tuples<T extends unknown[]>(query: Statement): T[];
}

/** Rows by number as of a write (see `LAST_WRITE`). They need not be read again while that is the last write. */
export interface WriteCache<Row> {
  write: string | null;
  rows: Map<number, Row>;
}

/** Some rows of an ordered list, as lines, as of a write. Without a write, it only says that the list was read before. */
export interface ListWindow {
  write: string | null;
  lines: readonly string[];
  /** Rows of the whole list. */
  total: number;
}

export interface PostgresReader extends CommonReader {
  readonly engine: "postgres";
  /** Whether the tables are spread over a Citus cluster, where most joins are expensive. */
  readonly distributed: boolean;
  /** Whether this is a snapshot already: then `inOneState` does nothing. */
  readonly isOneState: boolean;
  readonly tokenCache: WriteCache<TokenRow>;
  readonly assetCache: WriteCache<TaggedAsset>;
  /** Null if nothing may be cached. */
  readonly lists: LRUCache<string, ListWindow> | null;
}

/** Runs the statements of a query. The engines differ in what makes frequent pages fast. */
export type Reader = SqliteReader | PostgresReader;

/** Reads rows as arrays, which takes half as long as objects. */
export function* tuples<T extends unknown[]>(db: Reader, query: Statement): Steps<T[]> {
  if (db.engine === "sqlite") return db.tuples<T>(query);
  return (yield* all<object>(db, query)).map((row) => Object.values(row) as T);
}
