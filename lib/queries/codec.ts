/**
 * From rows to what the API answers with. Each field is declared once, in two forms: as a value for the pages, and as JSON
 * text for `/v0`. Writing text is a few times faster than serialising objects, and its numbers never pass through a
 * float. The records are typed by the contracts' schemas: a field that a contract adds does not compile until it is here.
 */
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { AssetRow, TokenRow } from "#lib/store/rows.ts";

/** How a value of the contract is made from a row of the store. */
export interface Codec<Row, Value> {
  value(row: Row): Value;
  /** The value as JSON. If it is `quoted`, a string without its quotes. */
  json(row: Row): string;
  /** The object around the value writes its quotes, together with the text before and after. */
  quoted?: true;
  /** The object that alone decides the value: what rows of a page share is written once. */
  of?: (row: Row) => object;
}

export type Fields<Row, Value> = { [Name in keyof Value]-?: Codec<Row, Value[Name]> };

/** Text without any character that JSON escapes: digits, hex, base64url. */
export function plainText<Row>(read: (row: Row) => string): Codec<Row, string> {
  return { value: read, json: read, quoted: true };
}

/** A value that JSON.stringify writes exactly: free text, and objects without amounts. */
export function simple<Row, Value>(read: (row: Row) => Value): Codec<Row, Value> {
  return { value: read, json: (row) => JSON.stringify(read(row)) };
}

export function literal<Row, Value extends number | boolean>(read: (row: Row) => Value): Codec<Row, Value> {
  return { value: read, json: (row) => String(read(row)) };
}

export function list<Row, Item, Value>(
  read: (row: Row) => readonly Item[],
  item: Codec<Item, Value>,
): Codec<Row, Value[]> {
  return {
    value: (row) => read(row).map(item.value),
    json(row) {
      let written = "[";
      let before = "";
      for (const each of read(row)) {
        written += before + item.json(each);
        before = ",";
      }
      return `${written}]`;
    },
  };
}

/** An object whose fields come from one row, in the order in which they are declared. */
export function object<Row, Value extends object>(fields: Fields<Row, Value>): Codec<Row, Value> {
  const entries: [string, Codec<Row, unknown>][] = Object.entries(fields);
  return {
    value: (row) => Object.fromEntries(entries.map(([name, codec]) => [name, codec.value(row)])) as Value,
    json: objectWriter(entries),
  };
}

/** Fields that only some rows have. */
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
  // One for each choice of groups, whose bits are its place.
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
  /** Constant, before the value. */
  text: string;
  json: (row: Row) => string;
  of: ((row: Row) => object) | undefined;
}

/** Writes the constant text between the fields together with their names: `{"a":"`, then the field, then `","b":`. */
function objectWriter<Row>(entries: [string, Codec<Row, unknown>][]): (row: Row) => string {
  let before = "{";
  const pieces = entries.map(([name, { json, quoted, of }]): Piece<Row> => {
    // Joined, it is one piece in memory, not three that would be put together again for each row.
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

/** The same pieces; those in a row that are of the same object become one, which is written once for each object. */
function shared<Row>(pieces: Piece<Row>[]): Piece<Row>[] {
  const joined: Piece<Row>[] = [];
  for (let at = 0; at < pieces.length; ) {
    const { of } = pieces[at]!;
    const next = pieces.findIndex((piece, i) => i > at && (of === undefined || piece.of !== of));
    const run = pieces.slice(at, next === -1 ? undefined : next);
    at += run.length;
    if (of === undefined) joined.push(...run);
    else joined.push({ text: "", json: once(of, run), of });
  }
  return joined;
}

/** Rows of a page that hold the same token share its row. */
function once<Row>(of: (row: Row) => object, pieces: Piece<Row>[]): (row: Row) => string {
  const written = memoized((_from: object, row: Row) =>
    pieces.map(({ text, json }) => text + json(row)).join(""),
  );
  return (row) => written(of(row), row);
}

/** What `make` returns, once for each object. */
function memoized<From extends object, More extends unknown[], Made>(
  make: (from: From, ...more: More) => Made,
): (from: From, ...more: More) => Made {
  const made = new WeakMap<From, Made>();
  return (from, ...more) => {
    let value = made.get(from);
    if (value === undefined) {
      value = make(from, ...more);
      made.set(from, value);
    }
    return value;
  };
}

/** An asset as every answer names it. `base`: what URLs of this server begin with. */
export const assetOf = ({ id, name, icon, symbol, decimals }: AssetRow, base: string) => ({
  id,
  name,
  icon: icon === "" ? "" : base + icon,
  symbol,
  decimals,
});

/** A token with all that is known of it. */
export function tokenInfo<Row>(of: (row: Row) => TokenRow, base: string): Codec<Row, TokenInfo> {
  const infoOf = memoized(
    (token: TokenRow): TokenInfo => ({
      layer: token.layer,
      parentId: token.parentId,
      totalSupply: token.totalSupply,
      description: token.description,
      public: token.public,
      firstFoundBlock: token.firstFoundBlock,
      firstMintAt: token.firstMintAt,
      keywords: token.keywords,
      ...assetOf(token, base),
    }),
  );
  return { ...simple((row: Row) => infoOf(of(row))), of };
}

/** The fields that tell an entry's token. */
export const tokenFields = <Row>(
  of: (row: Row) => TokenRow,
  base: string,
): Fields<Row, { token: string; tokenInfo: TokenInfo }> => ({
  token: { ...plainText((row) => of(row).id), of },
  tokenInfo: tokenInfo(of, base),
});
