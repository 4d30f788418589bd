import { type Dialect, type EngineName, type Statement, statementWith } from "./statement.ts";

/** Types of columns, each with the type of a row's field. */
export interface ColumnValues {
  text: string | null;
  texts: readonly string[];
  integer: number | null;
  bigint: number | null;
  boolean: boolean;
  /** `0x` hex. */
  bytes: string | null;
  /** SQLite stores an integer if it fits into 64 bits, else text. */
  amount: bigint | null;
  /** SQLite stores text. */
  decimal: bigint;
  /** An address by its key. The engine chooses the column: see `Dialect.owner`. */
  owner: string;
  /** A stored asset by its id. The column is `token_id`. */
  token: string;
}
export type ColumnType = keyof ColumnValues;

/** A column's type; its name, if that is not the field's in snake case; and its engine, if only one has the column. */
type Column = ColumnType | readonly [ColumnType, name: string, only?: EngineName];

/** Columns by the fields of a row. */
export type Columns = Readonly<Record<string, Column>>;

type TypeOf<C extends Column> = C extends ColumnType ? C : C[0];

/** The fields that a row must have for its columns. */
export type RowOf<C extends Columns> = { readonly [Field in keyof C]: ColumnValues[TypeOf<C[Field]>] };

/** A table, or the part of one that is written together. Citus distributes it by the first column of its key. */
export interface Table<Key extends Columns, Others extends Columns> {
  readonly name: string;
  readonly key: Key;
  readonly others: Others;
}

export const table = <const Key extends Columns, const Others extends Columns>(
  name: string,
  key: Key,
  others: Others,
): Table<Key, Others> => ({ name, key, others });

interface Field<Row> {
  field: keyof Row & string;
  type: ColumnType;
}

/** A statement over rows. SQLite runs it for each row, PostgreSQL once, with an array for each column. */
export interface RowStatement<Row> extends Statement {
  /** The columns that the text of each engine names, in the order of their numbers. */
  readonly columns: Readonly<Record<EngineName, readonly Field<Row>[]>>;
  /** The statement for few rows on a Citus cluster: it visits only their own shards. */
  readonly few: Statement;
  /** Never set: with it, the compiler checks that rows have the fields. */
  readonly takes?: (row: Row) => void;
}

/** The parts of which a statement over rows is made. */
export interface Rows<Field extends string> {
  sql: Dialect;
  /** The columns' names, separated by commas, and by field. */
  names: string;
  column: Record<Field, string>;
  /** The source of an INSERT. */
  values: string;
  /** A row's values, by field. */
  each: Record<Field, string>;
  /** `word`, which is FROM, USING or a comma, and the rows as a table; nothing in SQLite. */
  from(word: string): string;
  /** Condition: a row of `table` equals one of the given rows in these fields. Citus distributes the table by the first one. */
  matches(table: string, ...fields: Field[]): string;
}

const POSTGRES_TYPES: Partial<Record<ColumnType, string>> = {
  texts: "text",
  bytes: "bytea",
  amount: "numeric",
  decimal: "numeric",
  owner: "bytea",
  token: "integer",
};

export const snakeCase = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A statement over rows with these columns. */
export function forRows<const C extends Columns>(
  columns: C,
  textOf: (rows: Rows<keyof C & string>) => string,
): RowStatement<RowOf<C>> {
  type Name = keyof C & string;
  const listed = Object.entries(columns).map(([field, given]) => {
    const [type, name, only] = typeof given === "string" ? [given] : given;
    return { field: field as Name, type, name, only };
  });
  const rowsIn = (sql: Dialect, isFew: boolean): Rows<Name> => {
    const own = listed.filter(({ only }) => only === undefined || only === sql.engine);
    const byField = (of: (column: (typeof own)[number]) => string) =>
      Object.fromEntries(own.map((each) => [each.field, of(each)])) as Record<Name, string>;
    const column = byField(({ field, type, name }) => {
      if (type === "owner") return sql.owner.column;
      return name ?? (type === "token" ? "token_id" : snakeCase(field));
    });
    const names = Object.values(column).join(", ");
    const isSqlite = sql.engine === "sqlite";
    const given = byField(({ field, type }) =>
      isSqlite ? `$${field}` : `$${field}::${POSTGRES_TYPES[type] ?? type}[]`,
    );
    const source = `unnest(${Object.values(given).join(", ")})`;
    const each = byField(({ field, type }) => {
      if (isSqlite) return given[field];
      const value = `each.${column[field]}`;
      // Citus refuses a cast of a column to an array, because it does not count as immutable.
      return type === "texts" ? `ARRAY(SELECT json_array_elements_text(${value}::json))` : value;
    });
    return {
      sql,
      names,
      column,
      values: isSqlite ? `VALUES (${Object.values(given).join(", ")})` : `SELECT * FROM ${source}`,
      each,
      from: (word) => (isSqlite ? "" : `${word} ${source} AS each (${names})`),
      matches(table, ...fields) {
        const conditions = fields.map((field) => `${table}.${column[field]} = ${each[field]}`);
        const [first] = fields;
        if (isFew && first) conditions.push(`${table}.${column[first]} = ANY (${given[first]})`);
        return conditions.join(" AND ");
      },
    };
  };
  // A text may leave out a column that only the other engine's table has.
  const made = statementWith(listed.map(({ field }) => `${field}?`));
  const many = made((sql) => textOf(rowsIn(sql, false)))({});
  const few = made((sql) => textOf(rowsIn(sql, sql.engine === "postgres")))({});
  const used = (engine: EngineName) =>
    many.names[engine].map((name) => listed.find(({ field }) => field === name)!);
  return { ...many, few, columns: { sqlite: used("sqlite"), postgres: used("postgres") } };
}

export const fieldsOf = <C extends Columns>(columns: C) => Object.keys(columns) as (keyof C & string)[];

/** Inserts rows. `onConflict` returns what to do about a row with the same key, without `DO`. */
export const insertInto = <Key extends Columns, Others extends Columns>(
  { name, key, others }: Table<Key, Others>,
  onConflict?: (rows: Rows<keyof (Key & Others) & string>) => string,
): RowStatement<RowOf<Key & Others>> =>
  forRows({ ...key, ...others }, (rows) => {
    const keys = fieldsOf(key).map((field) => rows.column[field]);
    const conflict = onConflict ? `ON CONFLICT (${keys.join(", ")}) DO ${onConflict(rows)}` : "";
    return `INSERT INTO ${name} (${rows.names}) ${rows.values} ${conflict}`;
  });

/** Sets these fields in the rows with the same keys. */
export const update = <Key extends Columns, Others extends Columns, Field extends keyof Others & string>(
  { name, key, others }: Table<Key, Others>,
  ...fields: Field[]
): RowStatement<RowOf<Key & Pick<Others, Field>>> => {
  const set = Object.fromEntries(fields.map((field) => [field, others[field]])) as Pick<Others, Field>;
  return forRows({ ...key, ...set }, ({ column, each, from, matches }) => {
    const changes = fields.map((field) => `${column[field]} = ${each[field]}`);
    return `UPDATE ${name} SET ${changes.join(", ")} ${from("FROM")} WHERE ${matches(name, ...fieldsOf(key))}`;
  });
};

/** Deletes the rows with these keys. `ending`: further conditions, each with its AND, and RETURNING. */
export const deleteFrom = <Key extends Columns>(
  { name, key }: Table<Key, Columns>,
  ending: (rows: Rows<keyof Key & string>) => string = () => "",
): RowStatement<RowOf<Key>> =>
  forRows(
    key,
    (rows) =>
      `DELETE FROM ${name} ${rows.from("USING")} WHERE ${rows.matches(name, ...fieldsOf(key))} ${ending(rows)}`,
  );
