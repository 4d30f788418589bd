/** Reads many changes of assets in pieces on SQLite, where one statement for all of them would block other requests. */
import type { Reader, SqliteReader } from "#lib/store/query.ts";
import type { Piece } from "#lib/store/rules/change-sums.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import {
  addChange,
  type Moved,
  type PlacedChange,
  type RowMaker,
  rowsOf,
  SQLITE_TERM_COLUMNS,
  valuesOf,
} from "./change-rows.ts";
import {
  FILTER_VALUES,
  isNarrow,
  type Selected,
  type Selection,
  statementBy,
  tokenFilter,
} from "./change-selection.ts";
import { inPieces, PIECE, sorted } from "./pieces.ts";

/** Maximum number of changes that SQLite reads with one statement, which takes 5 to 15 ms. */
export const READ_AT_ONCE = 5_000;
/** Above all ordinals. */
const END = 2 ** 31 - 1;

/**
 * Reads a block's changes by their ordinals, at least `from` and below `to`: on SQLite `size` of them at a time, on PostgreSQL all.
 * `read` returns whether there are more.
 */
export function* forOrdinals(
  db: Reader,
  size: number,
  read: (ordinals: { from: number; to: number }) => Steps<boolean>,
): Steps<void> {
  for (let from = 0; ; from += size) {
    const isMore = yield* read({ from, to: db.engine === "sqlite" ? from + size : END });
    if (!isMore) return;
    yield* done(db.pause());
  }
}

/** Selects changes after a place, up to a height. */
const CHANGES = statementWith(["height", "within", "to", "limit"])(
  `SELECT height, ordinal, (height << 20) + ordinal, ${SQLITE_TERM_COLUMNS.change}
   FROM asset_changes c WHERE (height, ordinal) > ($height, $within) AND height <= $to ORDER BY height, ordinal LIMIT CAST($limit AS bigint)`,
);
const GROUPS = statementWith(["height", "within", "to", "limit", "size"])(
  `SELECT first_height, token_id, first_place, ${SQLITE_TERM_COLUMNS.group}
   FROM change_sums WHERE size = $size AND (first_height, token_id) > ($height, $within) AND first_height <= $to
   ORDER BY first_height, token_id LIMIT CAST($limit AS bigint)`,
);

function* summed(db: SqliteReader, pieces: readonly Piece[]): Steps<Moved[]> {
  const sums = new Map<number, Moved>();
  let limit = PIECE;
  for (const { size, from, to } of pieces) {
    let place = { height: from, within: -1 };
    while (place.height <= to) {
      const values = { ...place, to, limit };
      const rows = db.tuples<PlacedChange>(size === 1 ? CHANGES(values) : GROUPS({ ...values, size }));
      for (const row of rows) addChange(sums, row);
      limit -= rows.length;
      if (limit > 0) break;
      const [height, within] = rows.at(-1)!;
      place = { height, within };
      limit = PIECE;
      yield* done(db.pause());
    }
  }
  return [...sums.values()];
}

const matchingFor = statementBy(["ids", ...FILTER_VALUES], (sql, selection) => {
  const conditions = [sql.isIn("t.id", "$ids", "integer"), ...tokenFilter(sql, selection)];
  return `SELECT t.id FROM tokens t WHERE ${conditions.join(" AND ")}`;
});
const NAMES = statementWith(["ids"])(
  (sql) => `SELECT id, name_folded AS name FROM tokens WHERE ${sql.isIn("id", "$ids", "integer")}`,
);
const idsOf = (rows: readonly Moved[]) => JSON.stringify(rows.map(({ tokenId }) => tokenId));

function* matching(db: Reader, rows: Moved[], { selection, values }: Selected): Steps<Moved[]> {
  if (!isNarrow(selection)) return rows;
  const found = yield* inPieces(db, rows, (piece) => {
    return all<{ id: number }>(db, matchingFor(selection)({ ...values, ids: idsOf(piece) }));
  });
  const ids = new Set(found.map(({ id }) => id));
  return rows.filter(({ tokenId }) => ids.has(tokenId));
}

/** The rows with this text in their folded names. Keeps the names for the next text. */
const withName = (db: Reader, rows: readonly Moved[], text: string): Steps<Moved[]> =>
  inPieces(db, rows, function* (piece) {
    if (piece.some(({ name }) => name === undefined)) {
      const named = yield* all<{ id: number; name: string }>(db, NAMES({ ids: idsOf(piece) }));
      const names = new Map(named.map(({ id, name }) => [id, name]));
      // A revert may have removed a token meanwhile. The store then reads the list again.
      for (const row of piece) row.name = names.get(row.tokenId) ?? "";
    }
    return piece.filter(({ name = "" }) => name.includes(text));
  });

const inOrder = (volumeOrder: Selection["volumeOrder"]) => (one: Moved, other: Moved) => {
  const places = one.place - other.place;
  if (!volumeOrder || one.usd === other.usd) return places;
  return one.usd < other.usd === (volumeOrder === "asc") ? -1 : 1;
};

/** Lists the matching changes in order. Further pages of the same state find the list in the cache, and filter it by name. */
function* listed(db: SqliteReader, pieces: readonly Piece[], selected: Selected): Steps<readonly Moved[]> {
  const { lists } = db.cache;
  const { limit: _, offset: __, name, ...values } = selected.values;
  const filters = selected.selection.filters.filter((filter) => filter !== "name");
  const selection = { ...selected.selection, filters };
  const key = JSON.stringify([pieces, selection, values]);
  let list = lists.get(key) as readonly Moved[] | undefined;
  if (!list) {
    const found = yield* matching(db, yield* summed(db, pieces), { selection, values: selected.values });
    list = yield* sorted(db, found, inOrder(selection.volumeOrder));
    lists.set(key, list);
  }
  return name === "" ? list : yield* withName(db, list, name);
}

/** A page of changes summed by asset. */
export function* changesInPieces<Row>(
  db: SqliteReader,
  pieces: readonly Piece[],
  selected: Selected,
  toRow: RowMaker<Row>,
): Steps<{ rows: Row[]; total: number }> {
  const { limit, offset } = selected.values;
  const list = yield* listed(db, pieces, selected);
  const rows = yield* rowsOf(db, list.slice(offset, offset + limit).map(valuesOf), toRow);
  return { rows, total: list.length };
}
