/**
 * Turns rows into responses: values for the pages, and JSON text for `/v0`. Writing text is a few times faster than serialising
 * objects, and numbers never pass through a float. Field records are typed by the contracts' schemas, so a field that a contract
 * adds does not compile until it is written.
 */
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { AssetRow, TokenRow } from "#lib/store/rows.ts";

/** Makes a value of the contract from a row of the store. */
export interface Codec<Row, Value> {
  value(row: Row): Value;
  /** The value as JSON; a string without its quotes if `quoted`. */
  json(row: Row): string;
  /** The surrounding object writes the quotes, together with the text before and after. */
  quoted?: true;
  /** The object that alone decides the value. Its JSON is cached, because rows of a page share it. */
  of?: (row: Row) => object;
}

export type Fields<Row, Value> = { [Name in keyof Value]-?: Codec<Row, Value[Name]> };

/** Text without any character that JSON escapes: digits, hex, base64url, addresses. */
export function plainText<Row>(read: (row: Row) => string): Codec<Row, string> {
  return { value: read, json: read, quoted: true };
}

/** A value that JSON.stringify writes exactly: free text, and objects without amounts. */
export function simple<Row, Value>(read: (row: Row) => Value): Codec<Row, Value> {
  return { value: read, json: (row) => JSON.stringify(read(row)) };
}

export function literal<Row, Value extends number | boolean | null>(
  read: (row: Row) => Value,
): Codec<Row, Value> {
  return { value: read, json: (row) => String(read(row)) };
}

export function list<Row, Item, Value>(
  read: (row: Row) => readonly Item[],
  item: Codec<Item, Value>,
): Codec<Row, Value[]> {
  return {
    value: (row) => read(row).map(item.value),
    json: (row) => `[${read(row).map(item.json).join(",")}]`,
  };
}

/** An object with its fields in the order in which they are declared. */
export function object<Row, Value extends object>(fields: Fields<Row, Value>): Codec<Row, Value> {
  const entries: [string, Codec<Row, unknown>][] = Object.entries(fields);
  return {
    value: (row) => Object.fromEntries(entries.map(([name, codec]) => [name, codec.value(row)])) as Value,
    json: objectWriter(entries),
  };
}

/** Optional fields that a row has all of or none. */
export interface FieldGroup<Row, Value> {
  has(row: Row): boolean;
  names: readonly (keyof Value)[];
}

/** An object without the fields of each group that its row does not have. */
export function optional<Row, Value extends object>(
  fields: Fields<Row, Value>,
  groups: readonly FieldGroup<Row, Value>[],
): Codec<Row, Value> {
  const all = Object.entries(fields) as [keyof Value, unknown][];
  // One codec for each set of present groups. A set's bits are its index.
  const codecs = Array.from({ length: 2 ** groups.length }, (_, choice) => {
    const absent = groups.flatMap(({ names }, bit) => (choice & (1 << bit) ? [] : names));
    const present = all.filter(([name]) => !absent.includes(name));
    return object(Object.fromEntries(present) as Fields<Row, Value>);
  });
  const of = (row: Row) =>
    codecs[groups.reduce((choice, { has }, bit) => (has(row) ? choice | (1 << bit) : choice), 0)]!;
  return { value: (row) => of(row).value(row), json: (row) => of(row).json(row) };
}

interface Piece<Row> {
  /** Constant text before the value. */
  text: string;
  json: (row: Row) => string;
  of: ((row: Row) => object) | undefined;
}

/** Joins the constant text between fields with their names: `{"a":"`, then the field, then `","b":`. */
function objectWriter<Row>(entries: [string, Codec<Row, unknown>][]): (row: Row) => string {
  let before = "{";
  const pieces = entries.map(([name, { json, quoted, of }]): Piece<Row> => {
    // `join` makes one flat string, where `+` makes a tree that the engine flattens later.
    const text = [before, JSON.stringify(name), quoted ? ':"' : ":"].join("");
    before = quoted ? '",' : ",";
    return { text, json, of };
  });
  const end = `${before.slice(0, -1)}}`;
  const fields = shared(pieces);
  return (row) => {
    let written = "";
    for (const { text, json } of fields) written += text + json(row);
    return written + end;
  };
}

/** Joins neighbouring pieces with the same `of`, so that they are written once for each object. */
function shared<Row>(pieces: Piece<Row>[]): Piece<Row>[] {
  const runs: Piece<Row>[][] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    if (piece.of && piece.of === last?.[0]?.of) last.push(piece);
    else runs.push([piece]);
  }
  return runs.flatMap((run) => {
    const of = run[0]?.of;
    if (!of) return run;
    const write = (row: Row) => run.map(({ text, json }) => text + json(row)).join("");
    return { text: "", json: memoized(of, write), of };
  });
}

/** Calls `make` once for all rows with the same `of`. */
function memoized<Row, Made>(of: (row: Row) => object, make: (row: Row) => Made): (row: Row) => Made {
  const cache = new WeakMap<object, Made>();
  return (row) => {
    const key = of(row);
    let made = cache.get(key);
    if (made === undefined) {
      made = make(row);
      cache.set(key, made);
    }
    return made;
  };
}

/** An asset as every response names it. `base`: the start of this server's URLs. */
export const assetOf = ({ id, name, icon, symbol, decimals }: AssetRow, base: string) => ({
  id,
  name,
  icon: icon === "" ? "" : base + icon,
  symbol,
  decimals,
});

export function tokenInfo<Row>(of: (row: Row) => TokenRow, base: string): Codec<Row, TokenInfo> {
  const infoOf = (row: Row): TokenInfo => {
    const token = of(row);
    return {
      layer: token.layer,
      parentId: token.parentId,
      totalSupply: token.totalSupply,
      description: token.description,
      public: token.public,
      firstFoundBlock: token.firstFoundBlock,
      firstMintAt: token.firstMintAt,
      keywords: token.keywords,
      ...assetOf(token, base),
    };
  };
  // Rows of a page share the value, so a page sends it once.
  return { ...simple(memoized(of, infoOf)), of };
}

/** The fields of an entry's token. */
export const tokenFields = <Row>(
  of: (row: Row) => TokenRow,
  base: string,
): Fields<Row, { token: string; tokenInfo: TokenInfo }> => ({
  token: { ...plainText((row) => of(row).id), of },
  tokenInfo: tokenInfo(of, base),
});
