/** Many changes of assets, read in pieces on SQLite: one statement about all of them would keep everybody waiting. */
import type { Reader, SqliteReader } from "#lib/store/query.ts";
import type { Piece } from "#lib/store/rules/change-sums.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import {
  type AssetChangeRow,
  type ChangeColumns,
  FILTER_VALUES,
  isNarrow,
  type Selected,
  type Selection,
  statementBy,
  toChangeRow,
  tokenFilter,
} from "./change-selection.ts";
import { inPieces, PIECE, sorted } from "./pieces.ts";

/** Changes that SQLite reads with one statement, at most: it takes 5 to 15 ms. */
export const READ_AT_ONCE = 5_000;
/** Above all ordinals. */
const END = 2 ** 31 - 1;

/** The ordinals that one statement about a block reads: from the first number on, below the second. */
export const ordinalsFrom = (db: Reader, from: number, most = READ_AT_ONCE) => ({
  from,
  to: db.engine === "sqlite" ? from + most : END,
});

/** The sum of an asset's changes in some blocks. */
interface Moved {
  tokenId: number;
  amount: bigint;
  usd: bigint;
  blocks: number;
  transactions: number;
  /** Where it first appears. */
  place: number;
}

/** Changes after a place, up to a height. */
const CHANGES = statementWith([
  "height",
  "within",
  "to",
  "limit",
])(`SELECT height, ordinal, token_id, CAST(amount AS TEXT), CAST(amount_usd AS TEXT), 1, transaction_count,
     (height << 20) + ordinal
   FROM asset_changes WHERE (height, ordinal) > ($height, $within) AND height <= $to ORDER BY height, ordinal LIMIT $limit`);
const GROUPS = statementWith([
  "height",
  "within",
  "to",
  "limit",
  "size",
])(`SELECT first_height, token_id, token_id, CAST(amount AS TEXT), CAST(amount_usd AS TEXT), blocks, transactions,
     first_place
   FROM change_sums WHERE size = $size AND (first_height, token_id) > ($height, $within) AND first_height <= $to
   ORDER BY first_height, token_id LIMIT $limit`);
type MovedTuple = [
  height: number,
  within: number,
  tokenId: number,
  amount: string,
  usd: string,
  blocks: number,
  transactions: number,
  place: number,
];

function* summed(db: SqliteReader, pieces: readonly Piece[]): Steps<Moved[]> {
  const sums = new Map<number, Moved>();
  for (const { size, from, to } of pieces) {
    let place = { height: from, within: -1 };
    for (let isMore = from <= to; isMore; yield* done(db.pause())) {
      const values = { ...place, to, limit: PIECE };
      const rows = db.tuples<MovedTuple>(size === 1 ? CHANGES(values) : GROUPS({ ...values, size }));
      for (const row of rows) add(sums, row);
      isMore = rows.length === PIECE;
      if (isMore) {
        const [height, within] = rows.at(-1)!;
        place = { height, within };
      }
    }
  }
  return [...sums.values()];
}

function add(
  sums: Map<number, Moved>,
  [, , tokenId, amount, usd, blocks, transactions, place]: MovedTuple,
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

const matchingFor = statementBy(["ids", ...FILTER_VALUES], (sql, selection) => {
  const conditions = [sql.isIn("t.id", "$ids", "integer"), ...tokenFilter(sql, selection)];
  return `SELECT t.id FROM tokens t WHERE ${conditions.join(" AND ")}`;
});

function* matching(db: Reader, rows: Moved[], { selection, values }: Selected): Steps<Moved[]> {
  if (!isNarrow(selection)) return rows;
  const found = yield* inPieces(db, rows, (piece) => {
    const ids = JSON.stringify(piece.map(({ tokenId }) => tokenId));
    return all<{ id: number }>(db, matchingFor(selection)({ ...values, ids }));
  });
  const ids = new Set(found.map(({ id }) => id));
  return rows.filter(({ tokenId }) => ids.has(tokenId));
}

const inOrder = (volumeOrder: Selection["volumeOrder"]) => (one: Moved, other: Moved) => {
  const places = one.place - other.place;
  if (!volumeOrder || one.usd === other.usd) return places;
  return one.usd < other.usd === (volumeOrder === "asc") ? -1 : 1;
};

const TOKENS = statementWith(["ids"])(
  (sql) => `SELECT id, asset_id, name, icon, symbol, decimals, standard, tags FROM tokens
   WHERE ${sql.isIn("id", "$ids", "integer")}`,
);

/**
 * A page of what the blocks or groups moved, summed by asset, with the number of all assets that match. It gives way, so the
 * caller must look whether the blocks are the same still.
 */
export function* changesInPieces(
  db: SqliteReader,
  pieces: readonly Piece[],
  selected: Selected,
): Steps<{ rows: (AssetChangeRow & Pick<Moved, "blocks" | "transactions">)[]; total: number }> {
  const { limit, offset } = selected.values;
  const found = yield* matching(db, yield* summed(db, pieces), selected);
  const first = yield* sorted(db, found, inOrder(selected.selection.volumeOrder), offset + limit);
  const page = first.slice(offset);
  const rows = yield* inPieces(db, page, function* (piece) {
    type Token = Omit<ChangeColumns, "amount" | "amount_usd"> & { id: number };
    const tokens = yield* all<Token>(
      db,
      TOKENS({ ids: JSON.stringify(piece.map(({ tokenId }) => tokenId)) }),
    );
    const byId = new Map(tokens.map((token) => [token.id, token]));
    return piece.map(({ tokenId, amount, usd, blocks, transactions }) => {
      const change = { ...byId.get(tokenId)!, amount: `${amount}`, amount_usd: `${usd}` };
      return { ...toChangeRow(change), blocks, transactions };
    });
  });
  return { rows, total: found.length };
}
