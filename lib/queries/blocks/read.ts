import type { z } from "zod";
import { heightIn } from "#lib/contract/block-reference.ts";
import type { Tip } from "#lib/contract/ledger.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import { all, type Dialect, statementWith, toBytes } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import {
  type BlockColumns,
  type BlockRow,
  blockColumns,
  type ReplacedColumns,
  replacedColumns,
  withForks,
  withVolumes,
} from "../block/read.ts";
import { refuseFilled } from "../named-block.ts";
import type { Rows, Window } from "../walk.ts";
import { walkRange } from "../walk-state.ts";
import type { contract } from "./contract.ts";

/** The last block of a page. Several replaced blocks may have one height: the highest hash comes first. */
export type BlockPlace = Tip;

interface BlocksQuery
  extends Window<BlockPlace>,
    Omit<z.output<typeof contract.query>, "pageSize" | "cursor"> {}

/** Above all heights. One more is still an exact number. */
const MAX_HEIGHT = Number.MAX_SAFE_INTEGER - 1;

const pageOf = (table: string, columns: (hex: Dialect["hex"], table: string) => string) =>
  statementWith(["above", "height", "hash", "limit"])(
    ({ hex }) => `SELECT ${columns(hex, table)} FROM ${table}
     WHERE height > $above AND height <= $height AND (height < $height OR ${table}.hash < $hash)
     ORDER BY ${table}.height DESC, ${table}.hash DESC LIMIT CAST($limit AS bigint)`,
  );
const BLOCKS = pageOf("blocks", blockColumns);
const REPLACED = pageOf("abandoned_blocks", replacedColumns);

/** Blocks of a range, the newest first. Throws as `walkRange` does. */
export const blocksOfRange: Query<BlocksQuery, Rows<BlockRow, BlockPlace>> = {
  effort: "snapshot",
  *read(db, { from, to: named, canonical, after: place, limit, state, ...rest }) {
    exhaustive(rest);
    const { after, to, asOf } = yield* walkRange(db, { from, to: named }, state);
    const newest = yield* tip(db);
    const isReplaced = canonical === "false";
    // A height in a gap names the indexed block below it, but blocks between them may have been replaced. Without `to`, replaced
    // blocks above the tip are listed, too.
    const highest = named ? (heightIn(named) ?? 0) : MAX_HEIGHT;
    const last = isReplaced ? Math.max(highest, to.height) : to.height;
    const { height, hash } = place ?? { height: last + 1, hash: "0x" };
    const values = { above: after, height, hash: toBytes(hash), limit: limit + 1 };
    const found = isReplaced
      ? yield* all<ReplacedColumns>(db, REPLACED(values))
      : yield* all<BlockColumns>(db, BLOCKS(values));
    const listed = found.slice(0, limit);
    const rows = isReplaced ? yield* withForks(db, listed) : yield* withVolumes(db, listed as BlockColumns[]);
    yield* refuseFilled(db, to);
    const tail = listed.at(-1);
    return {
      tip: newest,
      asOf,
      rows,
      hasNext: found.length > limit,
      last: tail ? { height: tail.height, hash: tail.hash } : null,
    };
  },
};
