import { TIP_SQL, toTip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip, TokenRow } from "#lib/store/rows.ts";
import { all, type Bytes, type Dialect, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { forOrdinals, READ_AT_ONCE } from "./changes-in-pieces.ts";
import { PIECE } from "./pieces.ts";
import { TOKEN_OF_CHANGE } from "./tokens.ts";

export interface BlockFigures {
  transactionCount: number;
  assetCount: number;
  /** Number of changes whose asset has no price as of the block's time. */
  unpricedCount: number;
  /** Units of 10^-8 US dollars: the sum over the priced changes. */
  volumeUsd: string;
}

interface TagSum {
  tag: string;
  /** Number of assets with this tag. */
  count: number;
  /** Units of 10^-8 US dollars. */
  volumeUsd: string;
}

/** A block's page apart from its list of changes. */
export interface BlockOverview extends ChainBlock, BlockFigures {
  /** Number of changes with a value. A change of amount 0 is neither priced nor unpriced. */
  pricedCount: number;
  /** Tags of the block's assets, most frequent first, then by name. */
  tags: TagSum[];
  /** Hash of the indexed block above; null if there is none. */
  nextHash: string | null;
  parentIndexed: boolean;
  tip: IndexTip;
}

const part = statementWith(["hash", "from", "to"]);
/** Condition: a change belongs to the block, and its ordinal is at least `$from` and below `$to`. */
const wanted = (sql: Dialect): string => `${sql.ofBlock("$hash")} AND ordinal >= $from AND ordinal < $to`;

const BLOCK_OVERVIEW = part((sql) => {
  const eachTag =
    sql.engine === "sqlite"
      ? "JOIN tokens t ON t.id = c.token_id, json_each(t.tags) tag"
      : `${TOKEN_OF_CHANGE} CROSS JOIN LATERAL unnest(t.tags) AS tag (value)`;
  const tagSum = sql.json({ tag: "tag", count: "n", volumeUsd: "volume" });
  return `
  SELECT b.height, ${sql.hex("b.parent_hash")} AS "parentHash", b.timestamp, b.transaction_count AS "transactionCount",
         b.change_count AS "assetCount", sums.*, tags.list AS "tagSums",
         (SELECT ${sql.hex("hash")} FROM blocks WHERE height = b.height + 1) AS "nextHash",
         EXISTS (SELECT 1 FROM blocks WHERE hash = b.parent_hash) AS "parentIndexed",
         tip.height AS "tipHeight", tip.hash AS "tipHash", tip.gaps
  FROM blocks b CROSS JOIN (${TIP_SQL}) tip
  CROSS JOIN (
    SELECT count(*) FILTER (WHERE amount_usd <> 0) AS "pricedCount", ${sql.sum("amount_usd")} AS "volumeUsd",
           count(*) FILTER (WHERE amount_usd = 0 AND amount <> 0) AS "unpricedCount"
    FROM asset_changes WHERE ${wanted(sql)}
  ) sums
  CROSS JOIN (
    SELECT '[' || coalesce(string_agg(${tagSum}, ','), '') || ']' AS list
    FROM (SELECT tag.value AS tag, count(*) AS n, ${sql.sum("c.amount_usd")} AS volume
          FROM asset_changes c ${eachTag} WHERE ${wanted(sql)} GROUP BY tag.value) counted
  ) tags
  WHERE b.hash = $hash`;
});

/** The overview of the block with this hash; null if it is not canonical. */
export const blockOverview: Query<string, BlockOverview | null> = {
  effort: "scan",
  *read(db, blockHash) {
    type Columns = Omit<BlockOverview, "hash" | "tags" | "parentIndexed" | "tip"> & {
      tagSums: string;
      parentIndexed: boolean | number;
      tipHeight: number;
      tipHash: Bytes;
      gaps: string | null;
    };
    const hash = toBytes(blockHash);
    const parts: Columns[] = [];
    yield* forOrdinals(db, READ_AT_ONCE, function* (ordinals) {
      const row = yield* first<Columns>(db, BLOCK_OVERVIEW({ hash, ...ordinals }));
      if (row) parts.push(row);
      return row !== undefined && ordinals.to < row.assetCount;
    });
    if (!parts[0]) return null;
    const { tagSums: _, tipHeight, tipHash, gaps, ...block } = parts[0];
    return {
      ...block,
      pricedCount: parts.reduce((sum, { pricedCount }) => sum + pricedCount, 0),
      unpricedCount: parts.reduce((sum, { unpricedCount }) => sum + unpricedCount, 0),
      volumeUsd: sumOf(parts),
      hash: blockHash,
      tags: sumsByTag(parts.flatMap(({ tagSums }) => JSON.parse(tagSums) as TagSum[])),
      parentIndexed: Boolean(block.parentIndexed),
      tip: toTip({ height: tipHeight, hash: tipHash, gaps }),
    };
  },
};

const sumOf = (some: readonly { volumeUsd: string }[]): string =>
  String(some.reduce((sum, { volumeUsd }) => sum + BigInt(volumeUsd), 0n));

/** Sums up entries by their tag, in the order of `BlockOverview.tags`. */
export function sumsByTag(entries: readonly TagSum[]): TagSum[] {
  return [...Map.groupBy(entries, ({ tag }) => tag)]
    .map(([tag, of]) => ({ tag, count: of.reduce((sum, { count }) => sum + count, 0), volumeUsd: sumOf(of) }))
    .sort(
      (one, other) => other.count - one.count || Buffer.compare(Buffer.from(one.tag), Buffer.from(other.tag)),
    );
}

/** An asset's name, and whether it is in the registry. */
export type NamedAsset = Pick<TokenRow, "id" | "name" | "symbol" | "decimals" | "public">;

/** `firstMint`: no earlier indexed block mints it. */
export type AssetInBlock = NamedAsset & { firstMint: boolean };

const NAMES_IN_BLOCK = part(
  (sql) => `SELECT t.asset_id AS id, t.name, t.symbol, t.decimals, t.public,
     t.first_mint_height IS NOT NULL AND t.first_mint_height = c.height AS "firstMint"
   FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE ${wanted(sql)} ORDER BY c.ordinal`,
);

/** All assets that the block with this hash moves, in order of first appearance; empty if it is not canonical. */
export const namesInBlock: Query<string, AssetInBlock[]> = {
  effort: "scan",
  *read(db, blockHash) {
    type Columns = Record<"public" | "firstMint", boolean | number> &
      Omit<AssetInBlock, "public" | "firstMint">;
    const names: AssetInBlock[] = [];
    const hash = toBytes(blockHash);
    yield* forOrdinals(db, PIECE, function* (ordinals) {
      const rows = yield* all<Columns>(db, NAMES_IN_BLOCK({ hash, ...ordinals }));
      for (const row of rows)
        names.push({ ...row, public: Boolean(row.public), firstMint: Boolean(row.firstMint) });
      return rows.length === ordinals.to - ordinals.from;
    });
    return names;
  },
};
