import { hash } from "node:crypto";
import type { IndexTip } from "./rows.ts";
import { type Awaitable, done, type Steps } from "./rules/steps.ts";
import { SEGMENT_BITS } from "./transaction-id.ts";

export type EngineName = "sqlite" | "postgres";

/** A statement in each engine's SQL, with its values. PostgreSQL's connections prepare it once, under its name. */
export interface Statement extends Readonly<Record<EngineName, string>> {
  /** A hash of the text. */
  readonly name: string;
  /** The names of the values, in the order of each text's numbers. */
  readonly names: Readonly<Record<EngineName, readonly string[]>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** SQL that differs between the engines. */
export interface Dialect {
  readonly engine: EngineName;
  /** The column that names an address: in other tables, in `addresses` itself, and its type. */
  owner: { column: string; primaryKey: string; type: "bigint" | "bytea" };
  /** The key of the address to which a row of the table belongs. */
  ownerKey(table: string): string;
  /** Condition: the row belongs to the address with this key. */
  ofAddress(key: string): string;
  /** Condition: a change of an asset belongs to the block with this hash. */
  ofBlock(hash: string): string;
  /** Condition: a change `c` of an asset belongs to a row of `blocks`. */
  changeOf(block: string): string;
  /** Condition: the row of `transactions` is the one with this hash. */
  ofTransaction(table: string, hash: string): string;
  /** The exact sum of a column of whole numbers, in the type of a column. */
  total(numbers: string): string;
  /** The exact sum as text. */
  sum(numbers: string): string;
  /** The exact sum of two whole numbers, in the type of a column. */
  add(a: string, b: string): string;
  /** The lower of two numbers. A NULL is ignored. */
  least(a: string, b: string): string;
  greatest(a: string, b: string): string;
  /** Condition: the column's value is in a JSON array of numbers, of texts, or (for `bytea`) of `0x` hex. */
  isIn(column: string, values: string, type: "integer" | "bigint" | "bytea" | "text"): string;
  /** A table of the texts in a JSON array, with one column `value`. */
  texts(values: string, table: string): string;
  /** JSON text of an object, whose fields are named by the keys and hold the columns. */
  json(fields: Record<string, string>): string;
  /** Condition: a column that holds a list of texts has any of those in a JSON array. */
  hasAny(list: string, texts: string): string;
  hex(bytes: string): string;
  /** The 1-based place of a text in another one; 0 if it is not there. */
  position(part: string, text: string): string;
}

/** Our functions in SQLite, whose own sums end at 64 bits: see `addFunctions`. */
export const EXACT_ADD = "exact_add";
export const EXACT_TOTAL = "exact_total";

/**
 * SQLite's `total`. High and low bits are added up separately; a sum beyond 64 bits is text. SQLite's bit operators read a text
 * as the nearest integer, which our function subtracts again, because testing each row's type takes longer. An aggregate
 * function of our own would hold memory for each row until the statement ends.
 */
function exactTotal(numbers: string): string {
  const high = `coalesce(sum(${numbers} >> 31), 0)`;
  const low = `coalesce(sum(${numbers} & 0x7fffffff), 0)`;
  const texts = `group_concat(${numbers}) FILTER (WHERE typeof(${numbers}) = 'text')`;
  return `iif(${texts} IS NULL AND abs(${high}) < 1 << 31, (${high} << 31) + ${low}, ${EXACT_TOTAL}(${high}, ${low}, ${texts}))`;
}

const named = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, column]) => `'${name}', ${column}`)
    .join(", ");

/** The expression in SQLite's index by hash. The first bytes tell nearly all hashes apart. */
const HASH_PREFIX = "substr(hash, 1, 8)";
/** The expression by which SQLite's index `holders` sorts before the amount: texts of one length sort as their numbers. */
export const sqliteSize = (amount: string): string => `iif(typeof(${amount}) = 'text', length(${amount}), 0)`;
/** Bytes of the address's key in SQLite's holdings. They order nearly all holdings of equal amounts. */
export const KEY_START = 4;
export const keyStart = (key: string): string => `substr(${key}, 1, ${KEY_START})`;
/** Condition (SQLite): the transaction is in this segment of blocks and has this hash. */
export const inSegment = (segment: string, hash: string): string =>
  `id >> ${SEGMENT_BITS} = ${segment} AND ${HASH_PREFIX} = ${HASH_PREFIX.replace("hash", hash)} AND hash = ${hash}`;

const LATEST_SEGMENT = `((SELECT max(id) FROM transactions) >> ${SEGMENT_BITS})`;
/**
 * The id of the transaction with this hash, or NULL (SQLite). Searches one segment of blocks after another. Most hashes are
 * in the latest one, so that comes first: starting a recursive query takes as long as searching one segment.
 */
export const transactionWith = (hash: string): string => `coalesce(
  (SELECT id FROM transactions WHERE ${inSegment(LATEST_SEGMENT, hash)}),
  (WITH RECURSIVE segments (segment, first) AS (
    SELECT ${LATEST_SEGMENT} - 1, (SELECT min(id) FROM transactions) >> ${SEGMENT_BITS}
    UNION ALL SELECT segment - 1, first FROM segments WHERE segment > first)
  SELECT id FROM segments CROSS JOIN transactions WHERE ${inSegment("segment", hash)} LIMIT 1))`;

/** The transactions with a hash from `first` to `last` (SQLite). Searches one segment of blocks after another, the latest first. */
export const sqliteHashesBetween = (first: string, last: string): string => `(
  WITH RECURSIVE segments (segment, first) AS (
    SELECT ${LATEST_SEGMENT}, (SELECT min(id) FROM transactions) >> ${SEGMENT_BITS}
    UNION ALL SELECT segment - 1, first FROM segments WHERE segment > first)
  SELECT id, hash FROM segments CROSS JOIN transactions WHERE id >> ${SEGMENT_BITS} = segment
    AND ${HASH_PREFIX} >= ${HASH_PREFIX.replace("hash", first)} AND ${HASH_PREFIX} <= ${HASH_PREFIX.replace("hash", last)}
    AND hash >= ${first} AND hash <= ${last})`;

export const dialects: Record<EngineName, Dialect> = {
  sqlite: {
    engine: "sqlite",
    owner: { column: "address_id", primaryKey: "id", type: "bigint" },
    ownerKey: (table) => `(SELECT key FROM addresses WHERE id = ${table}.address_id)`,
    ofAddress: (key) => `address_id = (SELECT id FROM addresses WHERE key = ${key})`,
    changeOf: (block) => `c.height = ${block}.height`,
    ofBlock: (hash) => `height = (SELECT height FROM blocks WHERE hash = ${hash})`,
    ofTransaction: (table, hash) => `${table}.id = ${transactionWith(hash)}`,
    total: exactTotal,
    sum: (numbers) => `CAST(${exactTotal(numbers)} AS TEXT)`,
    // A call of our function costs more than the rest of most statements, so small numbers are added without it.
    add: (a, b) => `iif(abs(${a}) < 1 << 62 AND abs(${b}) < 1 << 62, ${a} + ${b}, ${EXACT_ADD}(${a}, ${b}))`,
    greatest: (a, b) => `max(${a}, ${b})`,
    least: (a, b) => `min(coalesce(${a}, ${b}), coalesce(${b}, ${a}))`,
    isIn: (column, values, type) =>
      `${column} IN (SELECT ${type === "bytea" ? "unhex(substr(value, 3))" : "value"} FROM json_each(${values}))`,
    texts: (values, table) => `json_each(${values}) ${table}`,
    json: (fields) => `json_object(${named(fields)})`,
    hasAny: (list, texts) =>
      `EXISTS (SELECT 1 FROM json_each(${list}) one WHERE one.value IN (SELECT value FROM json_each(${texts})))`,
    hex: (bytes) => `'0x' || lower(hex(${bytes}))`,
    position: (part, text) => `instr(${text}, ${part})`,
  },
  postgres: {
    engine: "postgres",
    owner: { column: "address_key", primaryKey: "key", type: "bytea" },
    ownerKey: (table) => `${table}.address_key`,
    ofAddress: (key) => `address_key = ${key}`,
    changeOf: (block) => `c.block_hash = ${block}.hash`,
    ofBlock: (hash) => `block_hash = ${hash}`,
    ofTransaction: (table, hash) => `${table}.hash = ${hash}`,
    total: (numbers) => `sum(${numbers})`,
    sum: (numbers) => `CAST(coalesce(sum(${numbers}), 0) AS TEXT)`,
    add: (a, b) => `${a} + ${b}`,
    greatest: (a, b) => `greatest(${a}, ${b})`,
    least: (a, b) => `least(${a}, ${b})`,
    // Turns JSON into an array literal: braces instead of brackets, and an escaped backslash before the x of bytes.
    isIn: (column, values, type) => {
      if (type === "text") return `${column} = ANY (ARRAY(SELECT json_array_elements_text(${values}::json)))`;
      const braced = `translate(${values}::text, '[]', '{}')`;
      const array = type === "bytea" ? `replace(${braced}, '"0x', '"\\\\x')` : braced;
      // The subquery makes the array once. Otherwise a scan of the table would make it for each row.
      return `${column} = ANY ((SELECT ${array}::${type}[])::${type}[])`;
    },
    texts: (values, table) => `json_array_elements_text(${values}::json) AS ${table} (value)`,
    json: (fields) => `CAST(json_build_object(${named(fields)}) AS TEXT)`,
    hasAny: (list, texts) => `${list} && ARRAY(SELECT json_array_elements_text(${texts}::json))`,
    hex: (bytes) => `'0x' || encode(${bytes}, 'hex')`,
    position: (part, text) => `position(${part}::text in ${text})`,
  },
};

type SqlValue = string | number | bigint | null | Uint8Array;

/** A value for each name. A name that ends in `?` is optional. */
type Values<Name extends string> = {
  [Each in Name as Each extends `${string}?` ? never : Each]: SqlValue;
} & { [Each in Name as Each extends `${infer Own}?` ? Own : never]?: SqlValue | undefined };

/** One text for both engines, a function of the dialect, or one text for each engine. */
type SqlText = string | ((sql: Dialect) => string) | Record<EngineName, string>;

export type StatementWith<Name extends string> = (values: Values<Name>) => Statement;

/** A statement without values. */
export const statement = (text: SqlText): Statement => numbered(text, []);

/**
 * A statement whose text names its values, such as `$address`. The text of an engine may leave out an optional name, which ends
 * in `?`. Throws if a text leaves out another name or has one that is not listed.
 */
export const statementWith =
  <Name extends string>(names: readonly Name[]) =>
  (text: SqlText): StatementWith<Name> => {
    const made = numbered(text, names);
    return (values) => ({ ...made, values });
  };

/** Replaces each name by its number: `?1` in SQLite, `$1` in PostgreSQL. */
function numbered(text: SqlText, listed: readonly string[]): Statement {
  const names = {} as Record<EngineName, string[]>;
  const textFor = (engine: EngineName, mark: string): string => {
    const given = typeof text === "object" ? text[engine] : text;
    const named = typeof given === "string" ? given : given(dialects[engine]);
    const used = new Set(Array.from(named.matchAll(/\$(\w+)/g), ([, name]) => name!));
    const inOrder = listed.filter((name) => !name.endsWith("?") || used.has(name.slice(0, -1)));
    names[engine] = inOrder.map((name) => name.replace("?", ""));
    const wrong = [...used.symmetricDifference(new Set(names[engine]))];
    if (wrong.length > 0)
      throw new Error(`Each value must be both listed and used in the text: ${wrong}\n${named}`);
    // SQLite plans by the value of a bare parameter after LIMIT, so each call would prepare the statement again.
    if (/LIMIT \$/.test(named)) throw new Error(`Write LIMIT CAST($limit AS bigint):\n${named}`);
    return named.replaceAll(/\$(\w+)/g, (_, name) => mark + (names[engine].indexOf(name) + 1));
  };
  const [sqlite, postgres] = [textFor("sqlite", "?"), textFor("postgres", "$")];
  return { name: hash("sha1", postgres), sqlite, postgres, names, values: {} };
}

/** The values of a statement in the order of their numbers. */
export const valuesOf = ({ names, values }: Statement, engine: EngineName): unknown[] =>
  names[engine].map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`A statement lacks the value of ${name}`);
    return value;
  });

/** Cached reads of one state of the database, for an engine that notices writes. */
export interface StateCache {
  /** Null if nothing is stored; undefined if it is not cached. */
  tip?: IndexTip | null;
  /** Block hashes by height. A walk reads the same one twice, and that of the tip with each page. */
  hashes: Map<number, string | null>;
}

/** Runs statements that read. Both engines return equal rows, except that bytes may come as `0x` hex: see `Bytes`. */
export interface Reading {
  readonly cache?: StateCache;
  all<T extends object>(query: Statement): Awaitable<T[]>;
}

export interface Connection extends Reading {
  /** Returns how many rows changed. */
  run(query: Statement): Awaitable<number>;
}

export function* all<T extends object>(db: Reading, query: Statement): Steps<T[]> {
  return yield* done(db.all<T>(query));
}

export function* first<T extends object>(db: Reading, query: Statement): Steps<T | undefined> {
  return (yield* done(db.all<T>(query)))[0];
}

export function* run(db: Connection, query: Statement): Steps<number> {
  return yield* done(db.run(query));
}

/** Bytes as an engine returns them: SQLite as they are, PostgreSQL as `0x` hex. */
export type Bytes = Uint8Array | string;

export const toBytes = (value: Bytes): Uint8Array =>
  typeof value === "string" ? Uint8Array.from(Buffer.from(value.slice(2), "hex")) : value;
export const toHex = (value: Bytes): string =>
  typeof value === "string" ? value : `0x${Buffer.from(value).toString("hex")}`;
