import { tokenIds } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Dialect, statementWith } from "#lib/store/statement.ts";
import { inPieces } from "./pieces.ts";

/** Of a token `t`. */
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

/** With what the row has beside the token's columns. */
export function toTokenRow<Row extends TokenColumns>(row: Row): TokenRow & Omit<Row, keyof TokenColumns> {
  const { tokenId: _, firstMint, ...rest } = row;
  const firstMintAt = firstMint === null ? "" : new Date(firstMint).toISOString();
  return { ...rest, public: Boolean(row.public), firstMintAt } as TokenRow & Omit<Row, keyof TokenColumns>;
}

const TOKENS_BY_ID = statementWith(["ids"])(
  (sql) => `SELECT ${tokenColumns(sql)} FROM tokens t WHERE ${sql.isIn("t.id", "$ids", "integer")}`,
);

/** The tokens with these ids, and others; the same objects for the same state of the data, where the engine can tell. */
export function* tokensById(db: Reader, ids: Iterable<number>): Steps<ReadonlyMap<number, TokenRow>> {
  const { tokens } = db;
  const unknown = new Set<number>();
  for (const id of ids) if (!tokens.has(id)) unknown.add(id);
  yield* inPieces(db, [...unknown], function* (piece) {
    for (const row of yield* all<TokenColumns>(db, TOKENS_BY_ID({ ids: JSON.stringify(piece) }))) {
      tokens.set(row.tokenId, toTokenRow(row));
    }
    return [];
  });
  return tokens;
}

/** The tokens with these asset ids, by the id. */
export const tokensByAssetId: Query<string[], Map<string, TokenRow>> = {
  effort: "snapshot",
  *read(db, assetIds) {
    const ids = yield* tokenIds(db, assetIds);
    const tokens = yield* tokensById(db, ids.values());
    return new Map([...ids].map(([assetId, id]) => [assetId, tokens.get(id)!]));
  },
};

/** The tokens of these rows, as `tokensById` gives them. */
export const tokensOf = (db: Reader, rows: readonly { tokenId: number }[]) =>
  tokensById(
    db,
    rows.map(({ tokenId }) => tokenId),
  );

/** Whether a row is of the token with this id, by the row's number of it. Every row is, if there is no id. */
export function* isOfToken(db: Reader, id: string | undefined): Steps<(tokenId: number) => boolean> {
  if (id === undefined) return () => true;
  const number = (yield* tokenIds(db, [id])).get(id);
  return (tokenId) => tokenId === number;
}

/**
 * Condition: a token `t` has a text in its name, symbol or id.
 * @param folded the text by `foldCase`
 */
export const matchesSearch = (sql: Dialect, folded: string, text: string): string =>
  `(${sql.position(folded, "t.name_folded")} > 0 OR ${sql.position(sql.lower(text), "lower(t.symbol)")} > 0
    OR ${sql.position(sql.lower(text), "t.asset_id")} > 0)`;

/** No stored text has a U+0000, PostgreSQL takes none, and SQLite's functions end a text there. */
export const hasNul = (text: string): boolean => text.includes("\0");

/**
 * To PostgreSQL, the token of each change `c`, by its key: `OFFSET 0` keeps the filters out of it. Otherwise a server that
 * ignores our settings, as a worker of Citus does, may prefer to compare the names of all tokens first.
 */
export const TOKEN_OF_CHANGE = "CROSS JOIN LATERAL (SELECT * FROM tokens WHERE id = c.token_id OFFSET 0) t";

/** Tags as an engine returns them. */
export const toTags = (tags: string[] | string): string[] =>
  typeof tags === "string" ? (JSON.parse(tags) as string[]) : tags;
