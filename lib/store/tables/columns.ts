import { type Dialect, type EngineName, type Statement, statement } from "#lib/store/statement.ts";

/** Types of columns, each with what a row has for it. */
export interface ColumnValues {
  text: string | null;
  texts: string[];
  integer: number | null;
  bigint: number | null;
  boolean: boolean;
  /** `0x` hex. */
  bytes: string | null;
  /** SQLite: an integer while it fits. */
  amount: bigint | null;
  /** SQLite: always text. */
  decimal: bigint;
  /** An address, by its key. */
  owner: string;
  /** A stored asset, by its id. */
  token: string;
}
export type ColumnType = keyof ColumnValues;

export interface Column<Row> {
  type: ColumnType;
  of(row: Row): ColumnValues[ColumnType];
  /** Set if only this engine has the column. */
  only?: EngineName;
}

const column =
  <Type extends ColumnType>(type: Type) =>
  <Row>(of: (row: Row) => ColumnValues[Type]): Column<Row> => ({ type, of });
export const text = column("text");
export const texts = column("texts");
export const integer = column("integer");
export const bigint = column("bigint");
export const boolean = column("boolean");
export const bytes = column("bytes");
export const amount = column("amount");
export const decimal = column("decimal");
export const owner = column("owner");
export const token = column("token");

/**
 * A statement over any number of rows. SQLite runs it for each row, `?1` being the first column. PostgreSQL runs it once,
 * `$1` being an array of the first column.
 */
export interface RowStatement<Row> extends Statement {
  readonly columns: Record<EngineName, readonly Column<Row>[]>;
  /** The same for few rows on a Citus cluster: it visits only their own shards. */
  readonly few: Statement;
}

type Columns<Row> = Record<string, Column<Row>>;

/** What the text of a statement says of its rows. */
interface Rows {
  sql: Dialect;
  /** The columns' names, separated by commas. */
  names: string;
  /** What an INSERT takes. */
  values: string;
  /** A row's value in a column, by the column's name. */
  each: Record<string, string>;
  /** `word`, which is FROM, USING or a comma, and the rows as a table; nothing in SQLite. */
  from(word: string): string;
  /** The rows' own shards, by the column that distributes a table; nothing where that does not help. */
  andShards(table: string, column: string): string;
}

const POSTGRES_TYPES: Record<ColumnType, string> = {
  text: "text",
  texts: "text",
  integer: "integer",
  bigint: "bigint",
  boolean: "boolean",
  bytes: "bytea",
  amount: "numeric",
  decimal: "numeric",
  owner: "bytea",
  token: "integer",
};

/** A statement over rows with these columns. The one named `owner` is called as the engine calls it. */
export function forRows<Row>(
  name: string,
  columns: Columns<Row>,
  textOf: (rows: Rows) => string,
): RowStatement<Row> {
  const columnsOf = (engine: EngineName) =>
    Object.entries(columns).filter(([, { only = engine }]) => only === engine);
  const rowsIn = (sql: Dialect, isFew: boolean): Rows => {
    const given = columnsOf(sql.engine);
    const nameOf = (column: string) => (column === "owner" ? sql.owner.column : column);
    const names = given.map(([column]) => nameOf(column)).join(", ");
    const eachAs = (textFor: (column: string, type: ColumnType, place: number) => string) =>
      Object.fromEntries(given.map(([column, { type }], i) => [column, textFor(column, type, i + 1)]));
    if (sql.engine === "sqlite") {
      const each = eachAs((_column, _type, place) => `$${place}`);
      const values = `VALUES (${Object.values(each).join(", ")})`;
      return { sql, names, values, each, from: () => "", andShards: () => "" };
    }
    const arrays = eachAs((_column, type, place) => `$${place}::${POSTGRES_TYPES[type]}[]`);
    const source = `unnest(${Object.values(arrays).join(", ")})`;
    return {
      sql,
      names,
      values: `SELECT * FROM ${source}`,
      each: eachAs((column, type) => `each.${nameOf(column)}${type === "texts" ? "::text[]" : ""}`),
      from: (word) => `${word} ${source} AS each (${names})`,
      andShards: (table, column) => (isFew ? `AND ${table}.${nameOf(column)} = ANY (${arrays[column]})` : ""),
    };
  };
  const many = statement(name, (sql) => textOf(rowsIn(sql, false)));
  const few = statement(`${name}-few`, (sql) => textOf(rowsIn(sql, true)));
  const typed = (engine: EngineName) => columnsOf(engine).map(([, column]) => column);
  return { ...many, few, columns: { sqlite: typed("sqlite"), postgres: typed("postgres") } };
}

/** Adds the rows to a table. */
export const insertInto = <Row>(table: string, columns: Columns<Row>): RowStatement<Row> =>
  forRows(`insert-${table}`, columns, ({ names, values }) => `INSERT INTO ${table} (${names}) ${values}`);
