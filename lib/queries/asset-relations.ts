import { tip } from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip, TokenRow } from "#lib/store/rows.ts";
import { LOOK } from "#lib/store/rules/asset-names.ts";
import { done } from "#lib/store/rules/steps.ts";
import { all, first, statementWith } from "#lib/store/statement.ts";
import { type AssetDetails, detailsOf } from "./assets/read.ts";
import type { NamedAsset } from "./block-overview.ts";
import { moverOf } from "./block-transactions.ts";
import { hasNul, tokenIdOf, tokensOf } from "./tokens.ts";

export interface AssetMove extends BlockHeader {
  /** The gross amount moved, exact decimal digits in the smallest unit. */
  amount: string;
  /** Units of 10^-8 US dollars at the price as of the block's time; null without a price. */
  amountUsd: string | null;
  /** Number of transactions in the block that moved it. */
  transactions: number;
  /** The hash of the transaction, if a single one moved it, and it is found among the first outputs that the block creates or spends. */
  transaction: string | null;
}

type StoredMove = Omit<AssetMove, "transaction">;

const MOVES = statementWith(["token", "before", "limit"])(
  (sql) => `SELECT b.height, ${sql.hex("b.hash")} AS hash, b.timestamp, CAST(c.amount AS TEXT) AS amount,
     CASE WHEN c.amount_usd = 0 AND c.amount <> 0 THEN NULL ELSE CAST(c.amount_usd AS TEXT) END AS "amountUsd",
     c.transaction_count AS transactions
   FROM (SELECT * FROM asset_changes WHERE token_id = $token AND height < CAST($before AS bigint)
     ORDER BY height DESC LIMIT CAST($limit AS bigint)) c
   JOIN blocks b ON ${sql.changeOf("b")} ORDER BY b.height DESC`,
);

/** The newest blocks that moved an asset, the newest first, below the height `before`; empty if no indexed block mentions it. */
export const assetMoves: Query<{ id: string; before?: number | undefined; limit: number }, AssetMove[]> = {
  effort: "snapshot",
  *read(db, { id, before = Number.MAX_SAFE_INTEGER, limit }) {
    const token = yield* tokenIdOf(db, id);
    if (token === null) return [];
    const moves = yield* all<StoredMove>(db, MOVES({ token, before, limit }));
    const movers = new Map<StoredMove, number>();
    for (const move of moves) {
      if (move.transactions > 1) continue;
      yield* done(db.pause());
      const mover = yield* moverOf(db, move.height, token);
      if (mover !== undefined) movers.set(move, mover);
    }
    const hashes = yield* transactionHashes(db, movers.values());
    return moves.map((move) => ({ ...move, transaction: hashes.get(movers.get(move)!) ?? null }));
  },
};

export interface LookAlikes {
  /** The asset itself, then those that look like it: the registry's first, then the older ones. */
  assets: AssetDetails[];
  hasMore: boolean;
}

const LOOKS_OF = statementWith(["token"])(
  `SELECT text FROM asset_names WHERE token_id = $token AND kind = ${LOOK}`,
);
const LOOKING_SO = statementWith(["text", "limit"])(
  `SELECT token_id AS id, unlisted FROM asset_names WHERE kind = ${LOOK} AND text = $text
   ORDER BY unlisted, token_id LIMIT CAST($limit AS bigint)`,
);

/** The fungible assets that look like this one by name or symbol. */
export const lookAlikes: Query<{ id: string; limit: number }, LookAlikes> = {
  effort: "snapshot",
  *read(db, { id, limit }) {
    const number = yield* tokenIdOf(db, id);
    if (number === null) return { assets: [], hasMore: false };
    type Row = { id: number; unlisted: number };
    const found = new Map<number, Row>();
    for (const { text } of yield* all<{ text: string }>(db, LOOKS_OF({ token: number }))) {
      // One statement for all looks would make an engine sort them all.
      for (const row of yield* all<Row>(db, LOOKING_SO({ text, limit: limit + 1 }))) found.set(row.id, row);
    }
    found.delete(number);
    const others = [...found.values()].sort((a, b) => a.unlisted - b.unlisted || a.id - b.id);
    const ids = [number, ...others.slice(0, limit).map((row) => row.id)];
    return { assets: yield* detailsOf(db, ids), hasMore: others.length > limit };
  },
};

const LISTED_ALIKE = statementWith(["ids"])(
  (sql) => `SELECT DISTINCT t.asset_id AS id, t.name, t.symbol, t.decimals
   FROM tokens given
   JOIN asset_names n ON n.token_id = given.id AND n.kind = ${LOOK} AND n.unlisted = 1
   JOIN asset_names l ON l.kind = ${LOOK} AND l.text = n.text AND l.unlisted = 0
   JOIN tokens t ON t.id = l.token_id
   WHERE ${sql.isIn("given.asset_id", "$ids", "text")} AND t.public ORDER BY t.asset_id`,
);

/** The registry's assets that those with these ids look like, by name or symbol. */
export const listedAlike: Query<string[], NamedAsset[]> = {
  effort: "scan",
  *read(db, ids) {
    const alike = LISTED_ALIKE({ ids: JSON.stringify(ids) });
    const rows = yield* all<Omit<NamedAsset, "public">>(db, alike);
    return rows.map((row) => ({ ...row, public: true }));
  },
};

export interface Member {
  token: TokenRow;
  /** The text of its address; null if it has none or several. */
  holder: string | null;
}

export interface Collection {
  tip: IndexTip | null;
  /** The name in the earliest claim on the chain; `""` without one. */
  name: string;
  /** Null if there are more than MAX_COUNTED_MEMBERS. */
  memberCount: number | null;
  /** The order is that of their first appearance on the chain. */
  members: Member[];
  /** The id of the last of these members if more follow. */
  next: string | null;
}

export const MAX_COUNTED_MEMBERS = 100_000;

const MEMBERS = statementWith(["parentId", "after", "limit"])(
  `SELECT id AS "tokenId", holder_count AS holders FROM tokens
   WHERE chain_parent_id = $parentId AND chain_parent_id <> '' AND id > $after ORDER BY id LIMIT CAST($limit AS bigint)`,
);
const MEMBER_COUNT = statementWith(["parentId"])(
  `SELECT count(*) AS n FROM (
     SELECT 1 FROM tokens WHERE chain_parent_id = $parentId AND chain_parent_id <> '' LIMIT ${MAX_COUNTED_MEMBERS + 1}
   ) counted`,
);
const CLAIMED = statementWith(["assetId"])(
  "SELECT name FROM claims WHERE asset_id = $assetId ORDER BY transaction_id, output_index LIMIT 1",
);
const ONLY_HOLDERS = statementWith(["tokens"])(
  (sql) => `SELECT h.token_id AS id, a.text
   FROM holdings h JOIN addresses a ON a.${sql.owner.primaryKey} = h.${sql.owner.column}
   WHERE ${sql.isIn("h.token_id", "$tokens", "integer")}`,
);

/** A page of a collection's members, after the one with the id `after`; null if no indexed block has a member. */
export const collectionOf: Query<{ id: string; after?: string; limit: number }, Collection | null> = {
  effort: "snapshot",
  *read(db, { id, after = "", limit }) {
    if (hasNul(id)) return null;
    const afterNumber = (yield* tokenIdOf(db, after)) ?? 0;
    const found = yield* all<{ tokenId: number; holders: number }>(
      db,
      MEMBERS({ parentId: id, after: afterNumber, limit: limit + 1 }),
    );
    if (found.length === 0 && afterNumber === 0) return null;
    const page = found.slice(0, limit);
    const tokens = yield* tokensOf(db, page);
    const held = page.filter(({ holders }) => holders === 1).map(({ tokenId }) => tokenId);
    const owners = ONLY_HOLDERS({ tokens: JSON.stringify(held) });
    const rows = yield* all<{ id: number; text: string }>(db, owners);
    const holders = new Map(rows.map((row) => [row.id, row.text]));
    const { n } = (yield* first<{ n: number }>(db, MEMBER_COUNT({ parentId: id })))!;
    const members = page.map(({ tokenId }) => {
      return { token: tokens.get(tokenId)!, holder: holders.get(tokenId) ?? null };
    });
    return {
      tip: yield* tip(db),
      name: (yield* first<{ name: string }>(db, CLAIMED({ assetId: id })))?.name ?? "",
      memberCount: n > MAX_COUNTED_MEMBERS ? null : n,
      members,
      next: found.length > limit ? members.at(-1)!.token.id : null,
    };
  },
};
