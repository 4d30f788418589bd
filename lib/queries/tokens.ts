import { serverIsBusy } from "#lib/contract/errors.ts";
import { tokenIds } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Dialect, type StatementWith, statementWith } from "#lib/store/statement.ts";
import { inPieces } from "./pieces.ts";

/** Columns of a token `t`. */
export const tokenColumns = (sql: Dialect): string => `
  t.id AS "tokenId", t.asset_id AS id, t.layer, t.parent_id AS "parentId", CAST(t.supply AS TEXT) AS "totalSupply",
  t.description, t.public, t.keywords, t.name, t.icon, t.symbol, t.decimals, t.standard,
  coalesce((SELECT ${sql.hex("b.hash")} FROM blocks b WHERE b.height = t.first_height), '') AS "firstFoundBlock",
  (SELECT b.timestamp FROM blocks b WHERE b.height = t.first_mint_height) AS "firstMint"`;

export type TokenColumns = Omit<TokenRow, "public" | "firstMintAt"> & {
  tokenId: number;
  public: boolean | number;
  firstMint: number | null;
};

/** Further columns of the row stay in the result. */
export function toTokenRow<Row extends TokenColumns>(row: Row): TokenRow & Omit<Row, keyof TokenColumns> {
  const { tokenId: _, firstMint, ...rest } = row;
  const firstMintAt = firstMint === null ? "" : new Date(firstMint).toISOString();
  return { ...rest, public: Boolean(row.public), firstMintAt } as TokenRow & Omit<Row, keyof TokenColumns>;
}

/** Selects tokens by id. */
export const tokensSql = (sql: Dialect): string =>
  `SELECT ${tokenColumns(sql)} FROM tokens t WHERE ${sql.isIn("t.id", "$ids", "integer")}`;
const TOKENS_BY_ID = statementWith(["ids"])(tokensSql);

/** Reads the tokens with these ids that the cache lacks, in pieces. Returns the cache. */
export function* fillCache<Columns extends object, Row>(
  db: Reader,
  cache: Map<number, Row>,
  ids: Iterable<number>,
  statement: StatementWith<"ids">,
  toEntry: (columns: Columns) => readonly [id: number, row: Row],
): Steps<ReadonlyMap<number, Row>> {
  const missing = new Set<number>();
  for (const id of ids) if (!cache.has(id)) missing.add(id);
  yield* inPieces(db, [...missing], function* (piece) {
    const rows = yield* all<Columns>(db, statement({ ids: JSON.stringify(piece) }));
    for (const columns of rows) cache.set(...toEntry(columns));
    return [];
  });
  return cache;
}

export const toTokenEntry = (columns: TokenColumns) => [columns.tokenId, toTokenRow(columns)] as const;

/**
 * Tokens by id: those with these ids, and others that the cache holds. Throws if one is not stored. A revert may have removed it
 * since its id was read, and then the store reads again.
 */
export function* tokensById(db: Reader, ids: Iterable<number>): Steps<ReadonlyMap<number, TokenRow>> {
  const wanted = [...ids];
  const found = yield* fillCache(db, db.tokens, wanted, TOKENS_BY_ID, toTokenEntry);
  const missing = wanted.find((id) => !found.has(id));
  if (missing === undefined) return found;
  db.inOneState();
  // Nodes of a cluster have snapshots of their own, and one may see a block before another.
  if (db.engine === "postgres" && db.distributed) throw serverIsBusy();
  throw new Error(`Token ${missing} is not stored: run aqs verify`);
}

/** The tokens with these asset ids, by the id. */
export const tokensByAssetId: Query<string[], Map<string, TokenRow>> = {
  effort: "snapshot",
  *read(db, assetIds) {
    const ids = yield* inPieces(db, assetIds, function* (piece) {
      return [...(yield* tokenIds(db, piece))];
    });
    const numbers = ids.map(([, id]) => id);
    const tokens = yield* tokensById(db, numbers);
    return new Map(ids.map(([assetId, id]) => [assetId, tokens.get(id)!]));
  },
};

/** Tokens by id: those that these rows hold, and others that the cache holds. */
export const tokensOf = (db: Reader, rows: readonly { tokenId: number }[]) =>
  tokensById(
    db,
    rows.map(({ tokenId }) => tokenId),
  );

/** The asset's number in the tables; null if no indexed block mentions the asset. */
export function* tokenIdOf(db: Reader, id: string): Steps<number | null> {
  return hasNul(id) ? null : ((yield* tokenIds(db, [id])).get(id) ?? null);
}

/** Tells whether a row has the token with this asset id, by the row's token id. Without an asset id, every row does. */
export function* isOfToken(db: Reader, id: string | undefined): Steps<(tokenId: number) => boolean> {
  if (id === undefined) return () => true;
  const wanted = yield* tokenIdOf(db, id);
  return (tokenId) => tokenId === wanted;
}

/** Condition: the name, symbol or id of a token `t` contains a text, given after `foldCase` and after `lowerAscii`. */
export const matchesSearch = (sql: Dialect, folded: string, lowered: string): string =>
  `(${sql.position(folded, "t.name_folded")} > 0 OR ${sql.position(lowered, "lower(t.symbol)")} > 0
    OR ${sql.position(lowered, "t.asset_id")} > 0)`;

/** Lowers ASCII letters only, as the engines do in symbols. In a statement, a long text would be lowered for each token. */
export const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** No stored text has a U+0000. PostgreSQL rejects it, and SQLite's functions end a text there. */
export const hasNul = (text: string): boolean => text.includes("\0");

/**
 * PostgreSQL: joins the token of each change `c` by its key. `OFFSET 0` keeps filters out of the subquery; without it, a Citus
 * worker, which ignores our planner settings, may compare the names of all tokens first.
 */
export const TOKEN_OF_CHANGE = "CROSS JOIN LATERAL (SELECT * FROM tokens WHERE id = c.token_id OFFSET 0) t";

/** Tags as an engine returns them. */
export const toTags = (tags: string[] | string): string[] =>
  typeof tags === "string" ? (JSON.parse(tags) as string[]) : tags;
