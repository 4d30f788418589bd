import type { RowStatement } from "#lib/store/row-statement.ts";
import type { Connection } from "#lib/store/statement.ts";
import type { OutputPlace, OutputRow, PlacedOutput } from "./rows.ts";
import type { Steps } from "./steps.ts";

/** The tables within one write transaction, with what each engine does in its own way. */
export interface Writer {
  readonly db: Connection;
  /** Runs a statement for the rows, of which there may be none; returns how many rows changed. */
  save<Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<number>;
  /** The same, for a statement that returns rows. */
  allOf<Found extends object, Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<Found[]>;
  /** By asset; those that are not stored are missing. */
  tokenIds(assetIds: string[]): Steps<Map<string, number>>;
  /** By key. Adds those that are not stored yet, and lowers the first height of the others if it is higher. */
  addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): Steps<unknown>;
  /** The stored outputs among these, in any order. */
  outputs(places: OutputPlace[]): Steps<OutputRow[]>;
  /** The outputs of one transaction follow each other. */
  addOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Notes by what the outputs, which were live, are spent. */
  spendOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Outputs, addresses and tokens were removed. */
  forget(): void;
}
