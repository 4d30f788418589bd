import type { OutPoint } from "#lib/contract/ledger.ts";
import {
  ADDRESSES,
  INSERT_OUTPUTS,
  OUTPUTS_AT,
  type OutputWithNames,
  SPEND_OUTPUTS,
  tokenIds,
  toOutputRow,
  toOutputs,
  transactionIds,
} from "#lib/store/outputs.ts";
import { type ColumnType, insertInto, type RowStatement, update } from "#lib/store/row-statement.ts";
import type { StoredOutput } from "#lib/store/rows.ts";
import { DELETE_LIVE } from "#lib/store/rules/live.ts";
import type { OutputPlace, OutputRow, PlacedOutput } from "#lib/store/rules/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import type { Writer } from "#lib/store/rules/writer.ts";
import { all, type Statement, statementWith } from "#lib/store/statement.ts";
import { byteaArray, numberArray } from "./encoding.ts";
import type { Session } from "./session.ts";

/** Maximum number of rows for which a statement lists its keys, so that Citus visits only their shards: the list slows down each row. */
const FEW_ROWS = 32;

const FIRST_HEIGHTS = statementWith(["keys"])(
  (sql) => `SELECT key, first_height FROM addresses WHERE ${sql.isIn("key", "$keys", "bytea")}`,
);
const INSERT_ADDRESSES = insertInto(ADDRESSES);
const LOWER_FIRST_HEIGHTS = update(ADDRESSES, "firstHeight");

/** The tables within one transaction. The number of round trips is independent of the number of rows. */
export class PostgresWriter implements Writer {
  readonly db: Session;
  readonly #distributed: boolean;
  /** A cache for the transaction, by asset id. */
  readonly #tokenIds = new Map<string, number>();
  /** Number of live outputs that were removed. */
  removed = 0;

  /** `distributed`: the tables may be spread over a Citus cluster. */
  constructor(session: Session, distributed: boolean) {
    this.db = session;
    this.#distributed = distributed;
  }

  *save<Row>(query: RowStatement<Row>, given: Iterable<Row>): Steps<number> {
    const rows = [...given];
    if (rows.length === 0) return 0;
    if (query.name === DELETE_LIVE.name) this.removed += rows.length;
    const arrays = yield* this.#arrays(query, rows);
    return yield* done(this.db.run(this.#fitting(query, rows, arrays)));
  }

  *allOf<Found extends object, Row>(query: RowStatement<Row>, given: Iterable<Row>): Steps<Found[]> {
    const rows = [...given];
    if (rows.length === 0) return [];
    const arrays = yield* this.#arrays(query, rows);
    return yield* done(this.db.all<Found>(this.#fitting(query, rows, arrays)));
  }

  #fitting(query: RowStatement<never>, { length }: unknown[], values: Statement["values"]): Statement {
    return { ...(this.#distributed && length <= FEW_ROWS ? query.few : query), values };
  }

  *#arrays<Row>({ columns }: RowStatement<Row>, rows: Row[]): Steps<Statement["values"]> {
    const arrays: Record<string, unknown> = {};
    for (const { field, type } of columns.postgres) {
      const values = rows.map((row) => row[field]);
      arrays[field] = arrayOf(type, type === "token" ? yield* this.#numbersOf(values as string[]) : values);
    }
    return arrays;
  }

  /** The table's ids of the assets, which must be stored. */
  *#numbersOf(assetIds: string[]): Steps<number[]> {
    const missing = new Set(assetIds.filter((id) => !this.#tokenIds.has(id)));
    if (missing.size > 0) yield* this.tokenIds([...missing]);
    return assetIds.map((assetId) => {
      const id = this.#tokenIds.get(assetId);
      if (id === undefined) throw new Error(`The asset ${assetId} is not stored`);
      return id;
    });
  }

  *tokenIds(assetIds: string[]) {
    const ids = yield* tokenIds(this.db, assetIds);
    for (const [assetId, id] of ids) this.#tokenIds.set(assetId, id);
    return ids;
  }

  *outputsAt(outPoints: OutPoint[]): Steps<(StoredOutput | undefined)[]> {
    const ids = yield* transactionIds(this.db, [...new Set(outPoints.map((point) => point.transactionHash))]);
    const places = outPoints.flatMap((outPoint) => {
      const transactionId = ids.get(outPoint.transactionHash);
      return transactionId === undefined ? [] : [{ ...outPoint, transactionId }];
    });
    const rows = yield* this.allOf<OutputWithNames, (typeof places)[number]>(OUTPUTS_AT, places);
    const outputs = yield* toOutputs(this.db, rows);
    const byPlace = new Map(
      rows.map((row, i) => [
        `${row.transaction_id}:${row.output_index}`,
        { transactionId: row.transaction_id, ...outputs[i]! },
      ]),
    );
    return outPoints.map(({ transactionHash, outputIndex }) =>
      byPlace.get(`${ids.get(transactionHash)}:${outputIndex}`),
    );
  }

  *outputs(places: OutputPlace[]): Steps<OutputRow[]> {
    return (yield* this.allOf<OutputWithNames, OutputPlace>(OUTPUTS_AT, places)).map(toOutputRow);
  }

  *addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): Steps<void> {
    const rows = yield* all<{ key: string; first_height: number }>(
      this.db,
      FIRST_HEIGHTS({ keys: JSON.stringify([...addresses.keys()]) }),
    );
    const stored = new Map(rows.map((row) => [row.key, row.first_height]));
    const seen = Array.from(addresses, ([key, address]) => ({ key, ...address }));
    const unknown = seen.filter(({ key }) => !stored.has(key));
    yield* this.save(INSERT_ADDRESSES, unknown);
    const earlier = seen.filter(({ key, firstHeight }) => firstHeight < (stored.get(key) ?? 0));
    yield* this.save(LOWER_FIRST_HEIGHTS, earlier);
  }

  addOutputs(outputs: Iterable<PlacedOutput>): Steps<number> {
    return this.save(INSERT_OUTPUTS, outputs);
  }

  spendOutputs(outputs: Iterable<PlacedOutput>): Steps<number> {
    return this.save(SPEND_OUTPUTS, outputs);
  }

  clearCache(): void {
    this.#tokenIds.clear();
  }
}

/** A column's values as the driver takes them. */
function arrayOf(type: ColumnType, values: unknown[]): unknown {
  switch (type) {
    case "text":
    case "boolean":
      return values;
    case "texts":
      return (values as string[][]).map((texts) => JSON.stringify(texts));
    case "bytes":
    case "owner":
      return byteaArray(values as (string | null)[]);
    default:
      return numberArray(values as (number | bigint | null)[]);
  }
}
