import type { Query } from "#lib/store/query.ts";
import type { BlockHeader, TokenRow } from "#lib/store/rows.ts";
import { all, type Dialect, statementWith } from "#lib/store/statement.ts";
import type { BlockFigures } from "./block-overview.ts";
import { volumesOf } from "./block-volumes.ts";
import { tokensOf } from "./tokens.ts";

export interface LatestBlock extends BlockHeader, Omit<BlockFigures, "unpricedCount"> {
  /** The priced changes of the highest value, in units of 10^-8 US dollars, ties in order of first appearance. */
  largest: { asset: TokenRow; volumeUsd: string }[];
}

/** Maximum number of changes in `largest`. */
const LARGEST = 4;

/** SQLite stores a volume beyond 64 bits as text. */
const byVolume = ({ engine }: Dialect): string =>
  engine === "sqlite" ? "length(c.amount_usd) DESC, c.amount_usd DESC" : "c.amount_usd DESC";

const LATEST_BLOCKS = statementWith(["limit"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, timestamp, transaction_count AS "transactionCount",
     change_count AS "assetCount" FROM blocks ORDER BY height DESC LIMIT CAST($limit AS bigint)`,
);
const LARGEST_CHANGES = statementWith(["lowest"])((sql) => {
  // Partitions by the column that distributes the table, so that each shard ranks its own blocks.
  const block = sql.engine === "sqlite" ? "c.height" : "c.block_hash";
  return `SELECT height, "tokenId", "volumeUsd" FROM (
      SELECT b.height, c.token_id AS "tokenId", CAST(c.amount_usd AS TEXT) AS "volumeUsd",
             row_number() OVER (PARTITION BY ${block} ORDER BY ${byVolume(sql)}, c.ordinal) AS rank
      FROM blocks b JOIN asset_changes c ON ${sql.changeOf("b")} WHERE b.height >= $lowest AND c.amount_usd <> 0
    ) ranked
    WHERE rank <= ${LARGEST} ORDER BY height, rank`;
});

/** The given number of highest blocks, the tip first. */
export const latestBlocks: Query<number, LatestBlock[]> = {
  effort: "snapshot",
  *read(db, limit) {
    type Counted = BlockHeader & Omit<BlockFigures, "unpricedCount" | "volumeUsd">;
    const blocks = yield* all<Counted>(db, LATEST_BLOCKS({ limit }));
    const lowest = blocks.at(-1)?.height;
    if (lowest === undefined) return [];
    const volumes = yield* volumesOf(db, blocks);
    type Change = { height: number; tokenId: number; volumeUsd: string };
    const changes = yield* all<Change>(db, LARGEST_CHANGES({ lowest }));
    const tokens = yield* tokensOf(db, changes);
    return blocks.map((block) => {
      const largest = changes
        .filter(({ height }) => height === block.height)
        .map(({ tokenId, volumeUsd }) => ({ asset: tokens.get(tokenId)!, volumeUsd }));
      return { ...block, volumeUsd: volumes.get(block.height) ?? "0", largest };
    });
  },
};
