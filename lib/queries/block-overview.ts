import { serverIsBusy } from "#lib/contract/errors.ts";
import { TIP_SQL, toTip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip, TokenRow } from "#lib/store/rows.ts";
import { done } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Dialect, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { ordinalsFrom } from "./changes-in-pieces.ts";
import { refuseIfGone } from "./named-block.ts";
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

/** Takes a block, and the ordinals of its changes to read: at least `$from`, below `$to`. */
const part = statementWith(["hash", "from", "to"]);
const wanted = (sql: Dialect): string => `${sql.ofBlock("$hash")} AND ordinal >= $from AND ordinal < $to`;
const volume = (sql: Dialect) => `
  SELECT count(*) FILTER (WHERE amount_usd <> 0) AS "pricedCount", ${sql.sum("amount_usd")} AS "volumeUsd",
         count(*) FILTER (WHERE amount_usd = 0 AND amount <> 0) AS "unpricedCount"
  FROM asset_changes WHERE ${wanted(sql)}`;

const overview = (sql: Dialect, tags: string) => `
  SELECT b.height, ${sql.hex("b.parent_hash")} AS "parentHash", b.timestamp, b.transaction_count AS "transactionCount",
         b.change_count AS "assetCount", sums.*, tags.counts,
         (SELECT ${sql.hex("hash")} FROM blocks WHERE height = b.height + 1) AS "nextHash",
         EXISTS (SELECT 1 FROM blocks WHERE hash = b.parent_hash) AS "parentIndexed",
         tip.height AS "tipHeight", tip.hash AS "tipHash", tip.gaps
  FROM blocks b CROSS JOIN (${TIP_SQL}) tip CROSS JOIN (${volume(sql)}) sums CROSS JOIN (${tags}) tags
  WHERE b.hash = $hash`;
const BLOCK_OVERVIEW = part((sql) =>
  overview(
    sql,
    {
      sqlite: `
        SELECT json_group_array(json_object('tag', tag, 'count', n, 'volumeUsd', volume) ORDER BY n DESC, tag) AS counts
        FROM (SELECT tag.value AS tag, count(*) AS n, ${sql.sum("c.amount_usd")} AS volume
              FROM asset_changes c JOIN tokens t ON t.id = c.token_id, json_each(t.tags) tag
              WHERE ${wanted(sql)} GROUP BY tag)`,
      postgres: `
        SELECT coalesce(json_agg(json_build_object('tag', tag, 'count', n, 'volumeUsd', volume) ORDER BY n DESC, tag), '[]')::text AS counts
        FROM (SELECT tag, count(*) AS n, ${sql.sum("c.amount_usd")} AS volume
              FROM asset_changes c ${TOKEN_OF_CHANGE} CROSS JOIN LATERAL unnest(t.tags) AS tag
              WHERE ${wanted(sql)} GROUP BY tag) counted`,
    }[sql.engine],
  ),
);

/** The overview of the block with this hash; null if it is not canonical. */
export const blockOverview: Query<string, BlockOverview | null> = {
  effort: "scan",
  *read(db, blockHash) {
    type Columns = Omit<BlockOverview, "hash" | "tags" | "parentIndexed" | "tip"> & {
      counts: string;
      parentIndexed: boolean | number;
      tipHeight: number;
      tipHash: Bytes;
      gaps: string | null;
    };
    const hash = toBytes(blockHash);
    let ordinals = ordinalsFrom(db, 0);
    const row = yield* first<Columns>(db, BLOCK_OVERVIEW({ hash, ...ordinals }));
    if (!row) return null;
    const { counts, tipHeight, tipHash, gaps, ...block } = row;
    let tags = JSON.parse(counts) as TagSum[];
    while (ordinals.to < block.assetCount) {
      yield* done(db.pause());
      ordinals = ordinalsFrom(db, ordinals.to);
      const further = yield* first<Columns>(db, BLOCK_OVERVIEW({ hash, ...ordinals }));
      if (!further) throw serverIsBusy();
      block.pricedCount += further.pricedCount;
      block.unpricedCount += further.unpricedCount;
      block.volumeUsd = sumOf([block, further]);
      tags = sumsByTag([...tags, ...(JSON.parse(further.counts) as TagSum[])]);
    }
    return {
      ...block,
      hash: blockHash,
      tags,
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
    for (let ordinals = ordinalsFrom(db, 0, PIECE); ; ordinals = ordinalsFrom(db, ordinals.to, PIECE)) {
      const rows = yield* all<Columns>(db, NAMES_IN_BLOCK({ hash, ...ordinals }));
      for (const row of rows)
        names.push({ ...row, public: Boolean(row.public), firstMint: Boolean(row.firstMint) });
      if (rows.length < ordinals.to - ordinals.from) {
        if (ordinals.from > 0) yield* refuseIfGone(db, blockHash);
        return names;
      }
      yield* done(db.pause());
    }
  },
};
