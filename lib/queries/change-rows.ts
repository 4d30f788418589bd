/** Rows of asset changes, and the columns that make them. Each asset is read once and cached until the data changes. */
import type { SqliteReader } from "#lib/store/query.ts";
import type { AssetRow, TaggedAsset } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Dialect, statementWith } from "#lib/store/statement.ts";
import { toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import type { AssetChange } from "./block-asset-changes/contract.ts";
import { assetOf, type Fields, plainText, simple } from "./codec.ts";
import { fillCache, toTags } from "./tokens.ts";

export interface AssetChangeRow {
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Units of 10^-8 US dollars, exact decimal digits. */
  amountUsd: string;
  asset: TaggedAsset;
}

export interface RangeChangeRow extends AssetChangeRow {
  /** Numbers of blocks and transactions in the range that moved the asset. */
  blocks: number;
  transactions: number;
}

/** Columns of a block's row, and of a range's row from a change `c` or from a group of blocks. `exact` keeps all digits of an amount. */
const columnsOf = (exact: (column: string) => string) => {
  const block = `token_id, ${exact("amount")}, ${exact("amount_usd")}`;
  const change = `${block}, 1 AS blocks, c.transaction_count AS transactions`;
  return { block, change, group: `${block}, blocks, transactions` };
};
export const POSTGRES_COLUMNS = {
  ...columnsOf((column) => column),
  sum: `token_id, sum(amount) AS amount, sum(amount_usd) AS amount_usd,
    CAST(sum(blocks) AS bigint) AS blocks, CAST(sum(transactions) AS bigint) AS transactions`,
};
export const SQLITE_COLUMNS = columnsOf((column) => `CAST(${column} AS TEXT)`);
/** For sums: an amount is a number where that is exact, else text. */
export const SQLITE_TERM_COLUMNS = columnsOf(
  (column) => `iif(${column} <= ${Number.MAX_SAFE_INTEGER}, ${column}, CAST(${column} AS TEXT))`,
);

/** The values of these columns. A block's row has the first three. */
type Values<Count, Amount> = [token: Count, amount: Amount, usd: Amount, blocks: Count, transactions: Count];
export type ChangeValues = Values<number | string, number | bigint | string>;
export type RowMaker<Row> = (values: ChangeValues, asset: TaggedAsset) => Row;

export const blockRow: RowMaker<AssetChangeRow> = ([, amount, usd], asset) => ({
  amount: String(amount),
  amountUsd: String(usd),
  asset,
});
export const rangeRow: RowMaker<RangeChangeRow> = (values, asset) => {
  const [, , , blocks, transactions] = values;
  return { ...blockRow(values, asset), blocks: Number(blocks), transactions: Number(transactions) };
};

/** The sum of an asset's changes in some blocks. */
export interface Moved {
  tokenId: number;
  amount: bigint;
  usd: bigint;
  blocks: number;
  transactions: number;
  /** Place of its first change. */
  place: number;
  /** The token's folded name, once a filter has read it. */
  name?: string;
}
export type PlacedChange = [
  height: number,
  within: number,
  place: number,
  ...Values<number, number | string>,
];

/** Adds a change, or the sum of a group of blocks, to the sum of its asset. */
export function addChange(
  sums: Map<number, Moved>,
  [, , place, tokenId, amount, usd, blocks, transactions]: PlacedChange,
): void {
  const sum = sums.get(tokenId);
  if (!sum) {
    sums.set(tokenId, { tokenId, amount: BigInt(amount), usd: BigInt(usd), blocks, transactions, place });
    return;
  }
  sum.amount += BigInt(amount);
  sum.usd += BigInt(usd);
  sum.blocks += blocks;
  sum.transactions += transactions;
  sum.place = Math.min(sum.place, place);
}

/** The values of a sum, as those of a row. */
export function valuesOf({ tokenId, amount, usd, blocks, transactions }: Moved): ChangeValues {
  return [tokenId, amount, usd, blocks, transactions];
}

const assetOfRow = ({ asset }: AssetChangeRow) => asset;
const usdOf = ({ amountUsd }: AssetChangeRow): string => toUnits(amountUsd, USD_DECIMALS);

export const changeFields = (base: string): Fields<AssetChangeRow, Omit<AssetChange, "kind">> => ({
  // JSON numbers with all their digits.
  amount: { value: (row) => BigInt(row.amount), json: (row) => row.amount },
  amountUsd: { value: usdOf, json: usdOf },
  asset: { ...simple((row) => assetOf(row.asset, base)), of: assetOfRow },
  tags: { ...simple((row) => row.asset.tags), of: assetOfRow },
  amountExact: plainText((row) => row.amount),
  amountUsdExact: plainText(usdOf),
});

export const ASSET_COLUMNS = `t.id AS number, t.asset_id AS id, t.name, t.icon, t.symbol, t.decimals, t.standard, t.tags`;
export type AssetColumns = AssetRow & { number: number; tags: string[] | string };

export const assetsSql = (sql: Dialect) =>
  `SELECT ${ASSET_COLUMNS} FROM tokens t WHERE ${sql.isIn("t.id", "$ids", "integer")}`;
const ASSETS = statementWith(["ids"])(assetsSql);

export const toAssetEntry = ({ number, tags, ...asset }: AssetColumns): [number, TaggedAsset] => [
  number,
  { ...asset, tags: toTags(tags) },
];

/** SQLite: the rows of a page. */
export function* rowsOf<Row>(db: SqliteReader, changes: ChangeValues[], toRow: RowMaker<Row>): Steps<Row[]> {
  const numbers = changes.map(([number]) => number as number);
  const assets = yield* fillCache(db, db.cache.assets, numbers, ASSETS, toAssetEntry);
  return changes.map((change, i) => toRow(change, assets.get(numbers[i]!)!));
}
