import type { RowStatement } from "#lib/store/row-statement.ts";
import type { Connection } from "#lib/store/statement.ts";
import type { OutputPlace, OutputRow, PlacedOutput } from "./rows.ts";
import type { Steps } from "./steps.ts";

/** The tables within one write transaction, with the operations that the engines implement differently. */
export interface Writer {
  readonly db: Connection;
  /** Runs a statement for the rows, if there are any. Returns how many rows changed. */
  save<Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<number>;
  /** Runs a statement that returns rows. */
  allOf<Found extends object, Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<Found[]>;
  /** The numbers of the stored assets among these, by asset id. */
  tokenIds(assetIds: string[]): Steps<Map<string, number>>;
  /** Adds addresses, by key, that are not stored yet. Lowers the first height of the others if it is higher. */
  addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): Steps<unknown>;
  /** The stored outputs among these, in any order. */
  outputs(places: OutputPlace[]): Steps<OutputRow[]>;
  /** Stores new outputs. Those of one transaction must follow each other. */
  addOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Stores the spending of live outputs. */
  spendOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Must be called after outputs, addresses or tokens were removed. */
  clearCache(): void;
}
