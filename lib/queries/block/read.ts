import { type BlockReference, heightIn } from "#lib/contract/block-reference.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { first, statementWith } from "#lib/store/statement.ts";
import { volumesOf } from "../block-volumes.ts";
import { NAMED_BLOCK_SQL, namedBlockValues } from "../named-block.ts";
import { forkBelow } from "../walk-state.ts";

/** A block that a reorganisation replaced: the columns that are kept of it. */
export interface ReplacedColumns {
  height: number;
  hash: string;
  parentHash: string;
}
/** A canonical block as its row has it. */
export interface BlockColumns extends ReplacedColumns {
  timestamp: number;
  transactionCount: number;
  assetCount: number;
}

export interface BlockRow extends ReplacedColumns, Partial<Omit<BlockColumns, keyof ReplacedColumns>> {
  /** Units of 10^-8 US dollars. */
  volumeUsd?: string;
  /** Only of a replaced block; null if the common block is not indexed. */
  forkHeight?: number | null;
}

/** Columns of `blocks` and of `abandoned_blocks`. */
export const replacedColumns = (hex: (bytes: string) => string, table: string): string =>
  `${table}.height, ${hex(`${table}.hash`)} AS hash, ${hex(`${table}.parent_hash`)} AS "parentHash"`;
export const blockColumns = (hex: (bytes: string) => string, table: string): string =>
  `${replacedColumns(hex, table)}, ${table}.timestamp, ${table}.transaction_count AS "transactionCount",
   ${table}.change_count AS "assetCount"`;

const NAMED = statementWith(["namedHeight", "namedHash", "namedTime"])(
  ({ hex }) =>
    `SELECT ${blockColumns(hex, "b")} FROM (${NAMED_BLOCK_SQL}) named JOIN blocks b ON b.height = named.height`,
);
const REPLACED = statementWith(["namedHash"])(
  ({ hex }) => `SELECT ${replacedColumns(hex, "a")} FROM abandoned_blocks a WHERE hash = $namedHash`,
);

/** Adds what canonical blocks moved. The newest comes first, and they are all blocks between their heights. */
export function* withVolumes(db: Reader, blocks: BlockColumns[]): Steps<BlockRow[]> {
  const volumes = yield* volumesOf(db, blocks);
  return blocks.map((block) => ({ ...block, volumeUsd: volumes.get(block.height) ?? "0" }));
}

/** Adds where the branches of replaced blocks begin. The newest comes first. */
export function* withForks(db: Reader, blocks: ReplacedColumns[]): Steps<BlockRow[]> {
  const forks = new Map<string, number | null>();
  for (const { hash, parentHash } of blocks.toReversed()) {
    forks.set(hash, forks.has(parentHash) ? forks.get(parentHash)! : yield* forkBelow(db, hash));
  }
  return blocks.map((block) => ({ ...block, forkHeight: forks.get(block.hash)! }));
}

/** One block. Throws NOT_FOUND if it is neither canonical nor a stored abandoned block. */
export const blockNamed: Query<BlockReference, { tip: IndexTip | null; block: BlockRow }> = {
  effort: "snapshot",
  *read(db, reference) {
    const newest = yield* tip(db);
    const named = namedBlockValues(reference);
    const found = yield* first<BlockColumns>(db, NAMED(named));
    if (found && found.height === (heightIn(reference) ?? found.height)) {
      const [block] = yield* withVolumes(db, [found]);
      return { tip: newest, block: block! };
    }
    const { namedHash } = named;
    const replaced = namedHash && (yield* first<ReplacedColumns>(db, REPLACED({ namedHash })));
    if (!replaced) throw new ApiError("NOT_FOUND");
    const [block] = yield* withForks(db, [replaced]);
    return { tip: newest, block: block! };
  },
};
