import { type Dialect, type EngineName, type Statement, statementWith } from "./statement.ts";

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
  /** An address by its key. The column is the one by which the engine names an address. */
  owner: string;
  /** A stored asset by its id. The column is `token_id`. */
  token: string;
}
export type ColumnType = keyof ColumnValues;

type TypeOf<Value> = { [Type in ColumnType]: Value extends ColumnValues[Type] ? Type : never }[ColumnType];

/** A row's fields with the types of their columns, and a column's name if it is not the field's in snake case. */
export type Columns<Row> = {
  [Field in keyof Row]?: TypeOf<Row[Field]> | [TypeOf<Row[Field]>, column: string];
};

interface Column<Row> {
  field: keyof Row;
  type: ColumnType;
}

/** A statement over rows. SQLite runs it for each row, PostgreSQL once, with an array for each column. */
export interface RowStatement<Row> extends Statement {
  /** The columns that the text of each engine names, in the order of their numbers. */
  readonly columns: Readonly<Record<EngineName, readonly Column<Row>[]>>;
  /** The same for few rows on a Citus cluster: it visits only their own shards. */
  readonly few: Statement;
}

/** What the text of a statement says of its rows. */
export interface Rows<Field extends string> {
  sql: Dialect;
  /** The columns' names, separated by commas, and by field. */
  names: string;
  column: Record<Field, string>;
  /** What an INSERT takes. */
  values: string;
  /** A row's values, by field. */
  each: Record<Field, string>;
  /** `word`, which is FROM, USING or a comma, and the rows as a table; nothing in SQLite. */
  from(word: string): string;
  /** The rows' own shards, by the field that distributes a table; nothing where that does not help. */
  andShards(table: string, field: Field): string;
}

const POSTGRES_TYPES: Partial<Record<ColumnType, string>> = {
  texts: "text",
  bytes: "bytea",
  amount: "numeric",
  decimal: "numeric",
  owner: "bytea",
  token: "integer",
};

const snakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A statement over rows with these columns, in SQLite also with those of `sqliteOnly`. */
export function forRows<Row>(
  columns: Columns<Row>,
  textOf: (rows: Rows<keyof Row & string>) => string,
  sqliteOnly: Columns<Row> = {},
): RowStatement<Row> {
  const listed = (columns: Columns<Row>) =>
    Object.entries<ColumnType | [ColumnType, string]>(columns as never).map(([field, spec]) => {
      const [type, column] = typeof spec === "string" ? [spec] : spec;
      return { field: field as keyof Row & string, type, column };
    });
  const shared = listed(columns);
  const sqliteColumns = [...shared, ...listed(sqliteOnly)];
  const rowsIn = (sql: Dialect, isFew: boolean): Rows<keyof Row & string> => {
    const given = sql.engine === "sqlite" ? sqliteColumns : shared;
    const byField = (of: (column: (typeof shared)[number]) => string) =>
      Object.fromEntries(given.map((each) => [each.field, of(each)])) as Record<keyof Row, string>;
    const column = byField(({ field, type, column }) => {
      if (type === "owner") return sql.owner.column;
      return column ?? (type === "token" ? "token_id" : snakeCase(field));
    });
    const names = Object.values(column).join(", ");
    if (sql.engine === "sqlite") {
      const each = byField(({ field }) => `$${field}`);
      const values = `VALUES (${Object.values(each).join(", ")})`;
      return { sql, names, column, values, each, from: () => "", andShards: () => "" };
    }
    const arrays = byField(({ field, type }) => `$${field}::${POSTGRES_TYPES[type] ?? type}[]`);
    const source = `unnest(${Object.values(arrays).join(", ")})`;
    return {
      sql,
      names,
      column,
      values: `SELECT * FROM ${source}`,
      each: byField(({ field, type }) => {
        const value = `each.${column[field]}`;
        // Citus takes no cast of a column to an array, which it counts as not immutable.
        return type === "texts" ? `ARRAY(SELECT json_array_elements_text(${value}::json))` : value;
      }),
      from: (word) => `${word} ${source} AS each (${names})`,
      andShards: (table, field) => (isFew ? `AND ${table}.${column[field]} = ANY (${arrays[field]})` : ""),
    };
  };
  // A text may leave out a column that only the other engine's table has.
  const made = statementWith(sqliteColumns.map(({ field }) => `${field}?`));
  const many = made((sql) => textOf(rowsIn(sql, false)))({});
  const few = made((sql) => textOf(rowsIn(sql, true)))({});
  const used = (engine: EngineName) =>
    many.names[engine].map((name) => sqliteColumns.find(({ field }) => field === name)!);
  return { ...many, few, columns: { sqlite: used("sqlite"), postgres: used("postgres") } };
}

export const insertInto = <Row>(table: string, columns: Columns<Row>): RowStatement<Row> =>
  forRows(columns, ({ names, values }) => `INSERT INTO ${table} (${names}) ${values}`);
