/**
 * From the store's rows to what the API answers with. Each field is declared once, in two forms: as a value for the
 * pages, and as JSON text for `/v0`. Writing text is a few times faster than serialising objects, and its numbers
 * never pass through a float. The records are typed by the contract's schemas: a field that the contract adds does
 * not compile until it is here.
 */
import { toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { OutputState } from "#lib/contract/chain.ts";
import type {
  AssetChange,
  AssetChangeList,
  TokenInfo,
  UtxoEntry,
  UtxoList,
} from "#lib/contract/endpoints.ts";
import { outPointText } from "#lib/contract/ledger.ts";
import type { UtxoPage, UtxoRow } from "#lib/questions/address-utxos/read.ts";
import type { AssetChangePage, AssetChangeRow } from "#lib/questions/block-asset-changes/read.ts";
import type { AssetRow, TokenRow } from "#lib/store/store.ts";
import { iconUrl } from "./icons.ts";

/** How a value of the contract is made from a row of the store. */
export interface Codec<Row, Value> {
  value(row: Row): Value;
  /** The value as JSON. If it is `quoted`, a string without its quotes. */
  json(row: Row): string;
  /** The object around the value writes its quotes, together with the text before and after. */
  quoted?: true;
}

type Fields<Row, Value> = { [Name in keyof Value]-?: Codec<Row, Value[Name]> };

/** Text without any character that JSON escapes: digits, hex, base64url. */
function plainText<Row>(read: (row: Row) => string): Codec<Row, string> {
  return { value: read, json: read, quoted: true };
}

/** A value that JSON.stringify writes exactly: free text, and objects without amounts. */
function simple<Row, Value>(read: (row: Row) => Value): Codec<Row, Value> {
  return { value: read, json: (row) => JSON.stringify(read(row)) };
}

function literal<Row, Value extends number | boolean>(read: (row: Row) => Value): Codec<Row, Value> {
  return { value: read, json: (row) => String(read(row)) };
}

function list<Row, Item, Value>(
  read: (row: Row) => readonly Item[],
  item: Codec<Item, Value>,
): Codec<Row, Value[]> {
  return {
    value: (row) => read(row).map(item.value),
    json: (row) => `[${read(row).map(item.json).join(",")}]`,
  };
}

/** An object whose fields come from one row, in the order in which they are declared. */
function object<Row, Value extends object>(fields: Fields<Row, Value>): Codec<Row, Value> {
  const entries: [string, Codec<Row, unknown>][] = Object.entries(fields);
  return {
    value: (row) => Object.fromEntries(entries.map(([name, codec]) => [name, codec.value(row)])) as Value,
    json: objectWriter(entries),
  };
}

/** Rows with a kind have `more` fields than the others. */
function withKind<Row extends { kind?: string }, Value extends object, More extends keyof Value>(
  more: Fields<Row, Pick<Value, More>>,
  fields: Fields<Row, Omit<Value, More>>,
): Codec<Row, Value> {
  const short = object(fields) as Codec<Row, Value>;
  const long = object({ ...fields, ...more } as Fields<Row, Value>);
  const of = (row: Row) => (row.kind === undefined ? short : long);
  return { value: (row) => of(row).value(row), json: (row) => of(row).json(row) };
}

const kindField = { kind: simple((row: { kind?: string }) => row.kind) };
const stateFields = {
  ...kindField,
  until: simple((row: ToldUtxoRow) => row.until),
  compensation: simple((row: ToldUtxoRow) => row.compensation),
};

/** Writes the constant text between the fields together with their names: `{"a":"`, then the field, then `","b":`. */
function objectWriter<Row>(entries: [string, Codec<Row, unknown>][]): (row: Row) => string {
  let before = "{";
  const fields = entries.map(([name, { json, quoted }]) => {
    const text = `${before}${JSON.stringify(name)}:${quoted ? '"' : ""}`;
    before = quoted ? '",' : ",";
    return { text, json };
  });
  const end = `${before.slice(0, -1)}}`;
  return (row) => {
    let written = "";
    for (const { text, json } of fields) written += text + json(row);
    return written + end;
  };
}

/** What `make` returns, once for each object: the rows of a page that hold the same token share its row. */
function remembered<From extends object, Made>(make: (from: From) => Made): (from: From) => Made {
  const made = new WeakMap<From, Made>();
  return (from) => {
    let value = made.get(from);
    if (value === undefined) {
      value = make(from);
      made.set(from, value);
    }
    return value;
  };
}

function usdOf({ amountUsd }: AssetChangeRow): string {
  return toUnits(amountUsd, USD_DECIMALS);
}

/** A row, and what it is if that was asked for. */
type ToldUtxoRow = UtxoRow & Partial<OutputState>;
type ToldChangeRow = AssetChangeRow & { kind?: string };

/** A page of outputs, with the cursor that continues after it. */
export type UtxoCursorPage = Omit<UtxoPage, "rows"> & { rows: ToldUtxoRow[]; lastCursor: string };

/** The codec of each operation's response. `base`: see `iconUrl`. */
export function createCodecs(base: string) {
  const assetOf = ({ id, name, icon, symbol, decimals }: AssetRow): AssetChange["asset"] => ({
    id,
    name,
    icon: iconUrl(icon, base),
    symbol,
    decimals,
  });

  const tokenInfo = remembered(
    (token: TokenRow): TokenInfo => ({
      layer: token.layer,
      parentId: token.parentId,
      totalSupply: token.totalSupply,
      description: token.description,
      public: token.public,
      firstFoundBlock: token.firstFoundBlock,
      firstMintAt: token.firstMintAt,
      keywords: token.keywords,
      ...assetOf(token),
    }),
  );
  const tokenInfoJson = remembered((token: TokenRow) => JSON.stringify(tokenInfo(token)));

  const utxoEntry = withKind<ToldUtxoRow, UtxoEntry, keyof OutputState>(stateFields, {
    token: plainText((row) => row.token.id),
    tokenInfo: { value: (row) => tokenInfo(row.token), json: (row) => tokenInfoJson(row.token) },
    blockHeight: literal((row) => row.height),
    outPoint: plainText(outPointText),
    amount: plainText((row) => row.amount),
    capacity: plainText((row) => row.capacity),
  });

  const assetChange = withKind<ToldChangeRow, AssetChange, "kind">(kindField, {
    // JSON numbers with all their digits.
    amount: { value: (row) => BigInt(row.amount), json: (row) => row.amount },
    amountUsd: { value: usdOf, json: usdOf },
    asset: simple((row) => assetOf(row.asset)),
    tags: simple((row) => row.tags),
    amountExact: plainText((row) => row.amount),
    amountUsdExact: plainText(usdOf),
  });

  return {
    utxoEntry,
    addressUtxos: object<UtxoCursorPage, UtxoList>({
      result: list((page) => page.rows, utxoEntry),
      hasNext: literal((page) => page.hasNext),
      lastCursor: plainText((page) => page.lastCursor),
    }),
    blockAssetChanges: object<Omit<AssetChangePage, "rows"> & { rows: ToldChangeRow[] }, AssetChangeList>({
      result: list((page) => page.rows, assetChange),
      total: literal((page) => page.total),
    }),
  };
}
