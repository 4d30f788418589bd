import { hash } from "node:crypto";
import type { IndexTip } from "./rows.ts";
import { type Awaitable, done, type Steps } from "./rules/steps.ts";
import { RUN_BITS } from "./transaction-id.ts";

export type EngineName = "sqlite" | "postgres";

/**
 * A statement in the words of each engine, with its values. PostgreSQL's connections prepare it once, under its name, a hash of
 * its text.
 */
export interface Statement extends Readonly<Record<EngineName, string>> {
  readonly name: string;
  /** The names of the values, in the order of each text's numbers. */
  readonly names: Readonly<Record<EngineName, readonly string[]>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What the engines say in different words, or keep in different columns. */
export interface Dialect {
  readonly engine: EngineName;
  /** How tables name an address: their column, that of `addresses` itself, and its type. */
  owner: { column: string; own: string; type: "bigint" | "bytea" };
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
  /** The exact sum of a column of whole numbers, in the form of a column. */
  total(numbers: string): string;
  /** The same as text. */
  sum(numbers: string): string;
  /** The exact sum of two whole numbers, in the form of a column. */
  add(a: string, b: string): string;
  /** The lower of two numbers; of one that is NULL, the other. */
  least(a: string, b: string): string;
  greatest(a: string, b: string): string;
  /** Condition: the column's value is in a JSON array: of numbers, texts, or for `bytea` of `0x` hex. */
  isIn(column: string, values: string, type: "integer" | "bigint" | "bytea" | "text"): string;
  /** A table of the texts in a JSON array: its column is `value`. */
  texts(values: string, table: string): string;
  /** JSON text of an object: columns by their names in it. */
  json(fields: Record<string, string>): string;
  /** Condition: a list of texts, as a table keeps it, has any of those in a JSON array. */
  hasAny(list: string, texts: string): string;
  hex(bytes: string): string;
  /** Where a text begins in another one, from 1 on; 0 if it is not there. */
  position(part: string, text: string): string;
  lower(text: string): string;
}

/** Our functions in SQLite, whose own sums end at 64 bits. */
export const EXACT_ADD = "exact_add";
/** Of as many times 2^31, an integer, and texts with commas between them or NULL. */
export const EXACT_TOTAL = "exact_total";

/**
 * SQLite's `total`: the high and the low bits of integers are added up apart; what exceeds 64 bits is text. An aggregate of our
 * own would keep memory for each row until the statement ends.
 */
function exactTotal(numbers: string): string {
  const integers = `FILTER (WHERE typeof(${numbers}) = 'integer')`;
  const high = `coalesce(sum(${numbers} >> 31) ${integers}, 0)`;
  const low = `coalesce(sum(${numbers} & 0x7fffffff) ${integers}, 0)`;
  const texts = `group_concat(${numbers}) FILTER (WHERE typeof(${numbers}) = 'text')`;
  return `iif(${texts} IS NULL AND abs(${high}) < 1 << 31, (${high} << 31) + ${low}, ${EXACT_TOTAL}(${high}, ${low}, ${texts}))`;
}

const named = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, column]) => `'${name}', ${column}`)
    .join(", ");

/** SQLite's index by hash has only the first bytes of each, which tell nearly all apart. The schema holds this text. */
const HASH_PREFIX = "substr(hash, 1, 8)";
/** SQLite: orders an amount before the amount itself, because texts of one length sort as their numbers. The schema holds it. */
export const sqliteSize = (amount: string): string => `iif(typeof(${amount}) = 'text', length(${amount}), 0)`;
/** So many bytes of their address's key SQLite's holdings have, which puts nearly all that are equal in its order. */
export const KEY_START = 4;
export const keyStart = (key: string): string => `substr(${key}, 1, ${KEY_START})`;
/** SQLite, condition: the transaction of the run is the one with this hash. */
export const inRun = (run: string, hash: string): string =>
  `id >> ${RUN_BITS} = ${run} AND ${HASH_PREFIX} = ${HASH_PREFIX.replace("hash", hash)} AND hash = ${hash}`;

const LATEST_RUN = `((SELECT max(id) FROM transactions) >> ${RUN_BITS})`;
/**
 * SQLite: the id of the transaction with this hash, or NULL. Searches one run of blocks after another, the latest first: most
 * are in that one, and a recursive query takes as long to begin as to search it.
 */
export const transactionWith = (hash: string): string => `coalesce(
  (SELECT id FROM transactions WHERE ${inRun(LATEST_RUN, hash)}),
  (WITH RECURSIVE runs (run, first) AS (
    SELECT ${LATEST_RUN} - 1, (SELECT min(id) FROM transactions) >> ${RUN_BITS}
    UNION ALL SELECT run - 1, first FROM runs WHERE run > first)
  SELECT id FROM runs CROSS JOIN transactions WHERE ${inRun("run", hash)} LIMIT 1))`;

export const dialects: Record<EngineName, Dialect> = {
  sqlite: {
    engine: "sqlite",
    owner: { column: "address_id", own: "id", type: "bigint" },
    ownerKey: (table) => `(SELECT key FROM addresses WHERE id = ${table}.address_id)`,
    ofAddress: (key) => `address_id = (SELECT id FROM addresses WHERE key = ${key})`,
    changeOf: (block) => `c.height = ${block}.height`,
    ofBlock: (hash) => `height = (SELECT height FROM blocks WHERE hash = ${hash})`,
    ofTransaction: (table, hash) => `${table}.id = ${transactionWith(hash)}`,
    total: exactTotal,
    sum: (numbers) => `CAST(${exactTotal(numbers)} AS TEXT)`,
    // A call of our function costs more than the rest of most statements, so what surely fits is added without it.
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
    lower: (text) => `lower(${text})`,
  },
  postgres: {
    engine: "postgres",
    owner: { column: "address_key", own: "key", type: "bytea" },
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
    // An array literal has braces for brackets, and a backslash of its own before that of \\x.
    isIn: (column, values, type) => {
      if (type === "text") return `${column} = ANY (ARRAY(SELECT json_array_elements_text(${values}::json)))`;
      const braced = `translate(${values}::text, '[]', '{}')`;
      const array = type === "bytea" ? `replace(${braced}, '"0x', '"\\\\x')` : braced;
      // As a subquery it is made once; otherwise a scan of the table would make it for each row.
      return `${column} = ANY ((SELECT ${array}::${type}[])::${type}[])`;
    },
    texts: (values, table) => `json_array_elements_text(${values}::json) AS ${table} (value)`,
    json: (fields) => `CAST(json_build_object(${named(fields)}) AS TEXT)`,
    hasAny: (list, texts) => `${list} && ARRAY(SELECT json_array_elements_text(${texts}::json))`,
    hex: (bytes) => `'0x' || encode(${bytes}, 'hex')`,
    position: (part, text) => `position(${part}::text in ${text})`,
    lower: (text) => `lower(${text}::text COLLATE "C")`,
  },
};

type SqlValue = string | number | bigint | null | Uint8Array;

/** A value for each name. The value of an optional name, which ends in `?`, may be missing. */
type Values<Name extends string> = {
  [Each in Name as Each extends `${string}?` ? never : Each]: SqlValue;
} & { [Each in Name as Each extends `${infer Own}?` ? Own : never]?: SqlValue | undefined };

/** One text for all engines, one that a dialect makes, or one for each. */
type SqlText = string | ((sql: Dialect) => string) | Record<EngineName, string>;

/** A statement that takes values. */
export type StatementWith<Name extends string> = (values: Values<Name>) => Statement;

/** A statement without values. */
export const statement = (text: SqlText): Statement => numbered(text, []);

/**
 * A statement whose text names its values: `$address`. The text of an engine may leave out an optional name, which ends in `?`.
 * Throws if a text leaves out another name, or has one that is not listed.
 */
export const statementWith =
  <Name extends string>(names: readonly Name[]) =>
  (text: SqlText): StatementWith<Name> => {
    const made = numbered(text, names);
    return (values) => ({ ...made, values });
  };

/** Gives each value the number that its name has among those in the text. To SQLite, `?1` is the first value. */
function numbered(text: SqlText, listed: readonly string[]): Statement {
  const names = {} as Record<EngineName, string[]>;
  const textFor = (engine: EngineName, mark: string): string => {
    const given = typeof text === "object" ? text[engine] : text;
    const named = typeof given === "string" ? given : given(dialects[engine]);
    const used = new Set(Array.from(named.matchAll(/\$(\w+)/g), ([, name]) => name!));
    const inOrder = listed.filter((name) => !name.endsWith("?") || used.has(name.slice(0, -1)));
    names[engine] = inOrder.map((name) => name.replace("?", ""));
    const wrong = [...used.symmetricDifference(new Set(names[engine]))];
    if (wrong.length > 0) throw new Error(`Values are either listed or in the text: ${wrong}\n${named}`);
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

/** What an engine that notices writes remembers of the state that it reads. */
export interface StateCache {
  /** Null if nothing is stored; undefined until it was read. */
  tip?: IndexTip | null;
  /** Of blocks, by height. A walk asks for the same one twice, and for that of the tip with each page. */
  hashes: Map<number, string | null>;
}

/** Where statements read. Rows are of SQLite and PostgreSQL alike, but for bytes: they come as bytes or as `0x` hex. */
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

/** Bytes as an engine returns them. */
export type Bytes = Uint8Array | string;

export const toBytes = (value: Bytes): Uint8Array =>
  typeof value === "string" ? Uint8Array.from(Buffer.from(value.slice(2), "hex")) : value;
export const toHex = (value: Bytes): string =>
  typeof value === "string" ? value : `0x${Buffer.from(value).toString("hex")}`;
