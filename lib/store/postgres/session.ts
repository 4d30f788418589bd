import type pg from "pg";
import { type Statement, valuesOf } from "#lib/store/statement.ts";
import { explain, isOfStatement } from "./failures.ts";
import { type Settings, set } from "./settings.ts";

/** SQLSTATE of a statement that exceeded its time limit. */
const CANCELLED = "57014";

export interface Lending {
  client: pg.ClientBase;
  /** Host and port, for messages. */
  place: string;
  /** Milliseconds that each statement may take before this side gives up the connection; 0: no limit. */
  deadline: number;
  /** Settings that each transaction must make, because a pooler gives each one another connection. */
  settings?: Settings | undefined;
  /** Rejects instead of waiting too long for a node of a cluster. */
  bound?: (<T>(result: Promise<T>) => Promise<T>) | undefined;
}

const configOf = (query: Statement): pg.QueryConfig => {
  return { name: query.name, text: query.postgres, values: valuesOf(query, "postgres") };
};

/** One lent connection. Statements run in the order of their calls. */
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

  /** Whether a statement outside a transaction would run without the settings that it needs. */
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
    // Citus also counts rows that an INSERT skips, so count the returned ones.
    return fields.length > 0 ? rows.length : (rowCount ?? 0);
  }

  /** Runs statements without values in one round trip. Resolves to the rows of the last one. */
  async exec(sql: string): Promise<object[]> {
    const results = await this.#query({ text: sql });
    return Array.isArray(results) ? results.at(-1).rows : results.rows;
  }

  /**
   * Runs a transaction. `begin`: a form of BEGIN. `first`: statements that are sent with it; if one of them fails, the transaction
   * is rolled back, too. `work` gets the rows of the last one.
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
      // On a lost connection this fails, but the server has rolled back already, and the first error says more.
      await this.exec("ROLLBACK").catch(() => {});
      throw error;
    }
    const { command } = await this.#query({ text: "COMMIT" });
    // If `work` went on after a failed statement, the server has rolled back.
    if (command !== "COMMIT") {
      throw new Error("PostgreSQL rolled back the transaction, because a statement in it failed");
    }
    return result;
  }

  /** Makes later calls fail: the connection may belong to another caller by then. */
  end(): void {
    this.#ended = true;
  }

  async #query<T extends object>(query: pg.QueryConfig): Promise<pg.QueryResult<T>> {
    if (this.#ended) throw new Error("The transaction that this call belongs to is over");
    // After a timeout, a ROLLBACK would wait in vain, too.
    if (this.#fault !== null) throw this.#fault;
    const { place, deadline, bound } = this.#lending;
    const client = this.#lending.client as pg.Client;
    // A prepared statement belongs to one connection, and a pooler may give the next transaction another.
    const sent = this.needsTransaction ? { ...query, name: undefined } : query;
    const { stream } = client.connection;
    try {
      // All statements of a tick are sent at once, because each packet wakes the server.
      stream.cork();
      process.nextTick(() => stream.uncork());
      // The driver's own promise and timeout would keep each result until a full garbage collection.
      const result = new Promise<pg.QueryResult<T>>((resolve, reject) => {
        const giveUp = () => {
          reject(new Error("Query read timeout"));
          stream.destroy();
        };
        const timer = deadline === 0 ? undefined : setTimeout(giveUp, deadline);
        client.query<T>(sent, (error, rows) => {
          clearTimeout(timer);
          if (error) reject(error);
          else resolve(rows);
        });
      });
      return await (bound?.(result) ?? result);
    } catch (error) {
      const explained = explain(error, place);
      // A coordinator that cancels a statement waits until its nodes confirm, and one of them may hang.
      if (!isOfStatement(error) || (bound && error.code === CANCELLED)) this.#fault = explained;
      throw explained;
    }
  }
}
