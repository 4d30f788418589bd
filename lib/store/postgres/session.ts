import type pg from "pg";
import { type Statement, valuesOf } from "#lib/store/statement.ts";
import { explain, isOfStatement } from "./failures.ts";
import { type Settings, set } from "./settings.ts";

/** SQLSTATE of a statement that ran out of time. */
const CANCELLED = "57014";

export interface Lending {
  client: pg.ClientBase;
  /** Host and port, for messages. */
  place: string;
  /** Milliseconds that each statement may take before this side gives up the connection; 0: no limit. */
  deadline: number;
  /** What each transaction must set for itself, because a pooler gives each one another connection. */
  settings?: Settings | undefined;
  /** Throws instead of waiting too long for a node of a cluster. */
  bound?: (<T>(answer: Promise<T>) => Promise<T>) | undefined;
}

const configOf = (query: Statement): pg.QueryConfig => {
  return { name: query.name, text: query.postgres, values: valuesOf(query, "postgres") };
};

/** One connection, lent for a while. Statements are answered in the order they were asked for. */
export class Session {
  readonly #lending: Lending;
  #ended = false;
  #fault: unknown = null;

  constructor(lending: Lending) {
    this.#lending = lending;
  }

  get broken(): boolean {
    return this.#fault !== null;
  }

  /** A statement outside a transaction would run without the settings that it needs. */
  get needsTransaction(): boolean {
    return this.#lending.settings !== undefined;
  }

  async all<T extends object>(query: Statement): Promise<T[]> {
    return (await this.#query<T>(configOf(query))).rows;
  }

  async get<T extends object>(query: Statement): Promise<T | undefined> {
    return (await this.all<T>(query))[0];
  }

  /** Returns how many rows changed. */
  async run(query: Statement): Promise<number> {
    const { fields, rows, rowCount } = await this.#query(configOf(query));
    // Citus also counts rows that an INSERT skips, but does not return them.
    return fields.length > 0 ? rows.length : (rowCount ?? 0);
  }

  /** Statements without values, in one go. Resolves to the rows of the last one. */
  async exec(sql: string): Promise<object[]> {
    const results = await this.#query({ text: sql });
    return Array.isArray(results) ? results.at(-1).rows : results.rows;
  }

  /**
   * A transaction with settings of its own. `begin`: BEGIN in some form. `first`: statements of every such transaction; a failed
   * one, such as a write on a read-only server, also leaves it open. `work` gets the rows of the last one.
   */
  async transaction<T>(
    begin: string,
    settings: Settings,
    work: (opened: object[]) => Promise<T>,
    first = "",
  ): Promise<T> {
    let result: T;
    try {
      const all = set({ ...this.#lending.settings, ...settings }, "transaction");
      result = await work(await this.exec(`${begin}; ${all} ${first}`));
    } catch (error) {
      // If the connection is gone, the server has already rolled back, and the first error says more.
      await this.exec("ROLLBACK").catch(() => {});
      throw error;
    }
    await this.exec("COMMIT");
    return result;
  }

  /** A call after the session's work is over gets an error instead of another caller's connection. */
  end(): void {
    this.#ended = true;
  }

  async #query<T extends object>(query: pg.QueryConfig): Promise<pg.QueryResult<T>> {
    if (this.#ended) throw new Error("The transaction that this call belongs to is over");
    // A server that did not answer one statement would not answer the ROLLBACK after it either.
    if (this.#fault !== null) throw this.#fault;
    const { client, place, deadline, bound } = this.#lending;
    const limited = { ...query, query_timeout: deadline };
    // A prepared statement belongs to one connection of the pooler, and the next transaction may get another.
    if (this.needsTransaction) delete limited.name;
    try {
      const answer = client.query<T>(limited);
      return await (bound?.(answer) ?? answer);
    } catch (error) {
      const explained = explain(error, place);
      // A coordinator that cancels what it asked of a node waits for that node's consent.
      if (!isOfStatement(error) || (bound && error.code === CANCELLED)) this.#fault = explained;
      throw explained;
    }
  }
}
