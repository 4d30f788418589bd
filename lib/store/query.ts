import type { TokenRow } from "./rows.ts";
import type { Awaitable, Steps } from "./rules/steps.ts";
import type { Reading, StateCache, Statement } from "./statement.ts";

/**
 * How much work a question is to a server. `look-up`: one statement, by keys. `scan`: one statement. `snapshot`: statements on
 * one committed state. `long`, `endless`: the same on the primary, with the time limit of writes or none.
 */
export type Effort = "look-up" | "scan" | "snapshot" | "long" | "endless";

/** Something that can be asked of the data. All that `read` reads is of one committed state, unless it gives way. */
export interface Query<Input, Result> {
  effort: Effort | ((input: Input) => Effort);
  /** A look-up or scan that a replica must not answer. */
  from?: "primary";
  /** May run twice, so it must change nothing outside. */
  read(db: Reader, input: Input): Steps<Result>;
}

interface CommonReader extends Reading {
  /** Tokens by id that were read in this state. An engine that notices writes remembers them from question to question. */
  readonly tokens: Map<number, TokenRow>;
  /** A look-up that turns out to need several statements calls this, and begins again if these would see different states. */
  inOneState(): void;
  /** Lets others run, where the next statement would keep them waiting. Then each statement sees a state of its own. */
  giveWay(): Awaitable<void>;
}

export interface SqliteReader extends CommonReader {
  readonly engine: "sqlite";
  readonly cache: StateCache & { tokens: Map<number, TokenRow> };
  /** As `all`, with each row as an array: making objects is half of the work. */
  tuples<T extends unknown[]>(query: Statement): T[];
}

export interface PostgresReader extends CommonReader {
  readonly engine: "postgres";
  /** Whether the tables are spread over a Citus cluster, which joins few of them at no cost. */
  readonly distributed: boolean;
  /** Whether all statements see one state already: then `inOneState` does nothing. */
  readonly isOneState: boolean;
  /**
   * Tokens as the last write of an earlier page left them, see `LAST_WRITE`; null if none is known. A statement need not read
   * them again if that is still the last write.
   */
  readonly tokenCache: { write: string | null; tokens: ReadonlyMap<number, TokenRow> };
}

/** Where a question reads. The engines differ in what makes their hot pages fast. */
export type Reader = SqliteReader | PostgresReader;
