import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import { NATIVE_STANDARD, type TokenRow } from "#lib/store/rows.ts";
import { LOOK, MAX_FOUND_TEXT, NAME, searchText, WORD } from "#lib/store/rules/asset-names.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { hasNul, tokenIdOf, tokensById, toTags } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";

export interface AssetDetails {
  token: TokenRow;
  tags: string[];
  holderCount: number;
  outputCount: number;
  /** US dollars for one whole unit, scaled by 10^18: the latest price as of the tip's time; null without a price. */
  price: string | null;
  /** Id of the asset that it looks like; `""` if there is none. */
  resembles: string;
}

/** A place in the list: a row of `asset_names` that a search found. Without a search, only the asset's id counts. */
export interface AssetPlace {
  kind: number;
  text: string;
  unlisted: number;
  id: string;
}

interface AssetQuery extends Omit<Window<AssetPlace>, "state"> {
  search: string;
}

const DETAILS = statementWith(["ids"])(
  (sql) => `SELECT t.id AS "tokenId", t.tags, t.holder_count AS "holderCount",
     t.output_count AS "outputCount", (SELECT CAST(p.usd AS TEXT) FROM prices p WHERE p.asset_id = t.asset_id
        AND p.time <= (SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1)
      ORDER BY p.time DESC LIMIT 1) AS price
   FROM tokens t WHERE ${sql.isIn("t.id", "$ids", "integer")}`,
);
/** Finds the first asset that has the same look, for each look of each asset. */
const LEADERS = statementWith(["ids"])(
  (sql) => `SELECT n.token_id AS "tokenId", (
       SELECT l.token_id FROM asset_names l WHERE l.kind = ${LOOK} AND l.text = n.text
       ORDER BY l.unlisted, l.token_id LIMIT 1
     ) AS leader
   FROM asset_names n WHERE ${sql.isIn("n.token_id", "$ids", "integer")} AND n.kind = ${LOOK} AND n.unlisted = 1`,
);

/** Reads the details of assets by their numbers, in the same order. */
export function* detailsOf(db: Reader, ids: number[]): Steps<AssetDetails[]> {
  const given = { ids: JSON.stringify(ids) };
  type Row = Omit<AssetDetails, "token" | "tags" | "resembles"> & {
    tokenId: number;
    tags: string[] | string;
  };
  const rows = new Map((yield* all<Row>(db, DETAILS(given))).map((row) => [row.tokenId, row]));
  const leaders = yield* all<{ tokenId: number; leader: number }>(db, LEADERS(given));
  const imitations = leaders.filter(({ tokenId, leader }) => leader !== tokenId);
  const tokens = yield* tokensById(db, [...ids, ...imitations.map(({ leader }) => leader)]);
  // If it imitates several assets, the oldest one that the registry lists counts, or else the oldest one.
  const imitated = new Map<number, TokenRow>();
  for (const { tokenId, leader } of imitations.sort((one, other) => other.leader - one.leader)) {
    const token = tokens.get(leader)!;
    const newer = imitated.get(tokenId);
    if (!newer || isListed(token) || !isListed(newer)) imitated.set(tokenId, token);
  }
  return ids.map((id) => {
    const { tags, holderCount, outputCount, price } = rows.get(id)!;
    const resembles = imitated.get(id)?.id ?? "";
    return { token: tokens.get(id)!, tags: toTags(tags), holderCount, outputCount, price, resembles };
  });
}

const isListed = ({ public: isPublic, standard }: TokenRow) => isPublic || standard === NATIVE_STANDARD;

const ALL = statementWith(["after", "limit"])(
  `SELECT ${NAME} AS kind, id AS "tokenId", asset_id AS id, '' AS text, 0 AS unlisted FROM tokens WHERE asset_id > $after
   ORDER BY asset_id LIMIT CAST($limit AS bigint)`,
);
/** Lists assets after a place with a text from `$first` to `$last`. An asset with several such texts is listed by the first. */
const FOUND = statementWith(["kind", "text", "unlisted", "id", "first", "last", "limit"])(
  `SELECT n.kind, n.token_id AS "tokenId", t.asset_id AS id, n.text, n.unlisted
   FROM asset_names n JOIN tokens t ON t.id = n.token_id
   WHERE n.kind = $kind AND n.text <= $last
     AND (n.text, n.unlisted, n.token_id) > ($text, $unlisted, coalesce((SELECT id FROM tokens WHERE asset_id = $id), -1))
     AND NOT EXISTS (SELECT 1 FROM asset_names o
       WHERE o.token_id = n.token_id AND o.kind IN (${NAME}, ${WORD}) AND (o.kind, o.text) < (n.kind, n.text)
         AND o.text >= $first AND o.text <= $last)
   ORDER BY n.text, n.unlisted, n.token_id LIMIT CAST($limit AS bigint)`,
);

/** A suffix that sorts after all others: stored texts are no longer, and have no higher code point. */
const LAST = "\u{10ffff}".repeat(MAX_FOUND_TEXT);

type Found = AssetPlace & { tokenId: number };

/** Finds assets with a name that begins with the text, then those with a later word that does. */
function* foundAfter(
  db: Reader,
  sought: string,
  after: AssetPlace | undefined,
  limit: number,
): Steps<Found[]> {
  const found: Found[] = [];
  for (const kind of [NAME, WORD]) {
    if (found.length === limit || (after && kind < after.kind)) continue;
    const place = after?.kind === kind ? after : { kind, text: sought, unlisted: -1, id: "" };
    const range = { first: sought, last: sought + LAST, limit: limit - found.length };
    found.push(...(yield* all<Found>(db, FOUND({ ...place, ...range }))));
  }
  return found;
}

export const assetPage: Query<AssetQuery, Rows<AssetDetails, AssetPlace>> = {
  effort: "snapshot",
  *read(db, { search, after, limit, ...rest }) {
    exhaustive(rest);
    const newest = yield* tip(db);
    if (hasNul(search)) return { tip: newest, rows: [], hasNext: false, last: null };
    const found =
      search === ""
        ? yield* all<Found>(db, ALL({ after: after?.id ?? "", limit: limit + 1 }))
        : yield* foundAfter(db, searchText(search), after, limit + 1);
    const page = found.slice(0, limit);
    const ids = page.map(({ tokenId }) => tokenId);
    const last = page.at(-1);
    return {
      tip: newest,
      rows: yield* detailsOf(db, ids),
      hasNext: found.length > limit,
      last: last ? { kind: last.kind, text: last.text, unlisted: last.unlisted, id: last.id } : null,
    };
  },
};

/** Reads one asset; null if no indexed block mentions it. */
export const assetById: Query<string, { tip: Rows<unknown>["tip"]; asset: AssetDetails } | null> = {
  effort: "snapshot",
  *read(db, id) {
    const number = yield* tokenIdOf(db, id);
    if (number === null) return null;
    const [asset] = yield* detailsOf(db, [number]);
    return { tip: yield* tip(db), asset: asset! };
  },
};
