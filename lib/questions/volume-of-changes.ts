import type { Question } from "#lib/store/question.ts";
import { first, toBytes } from "#lib/store/statement.ts";
import {
  type AssetChangeQuery,
  FILTER_VALUES,
  selectBy,
  statementBy,
  tokenFilter,
} from "./block-asset-changes/read.ts";
import { TOKEN_OF_CHANGE } from "./tokens.ts";

const statementFor = statementBy(["block", ...FILTER_VALUES], (sql, selection) => {
  const ofChange = sql.engine === "sqlite" ? "JOIN tokens t ON t.id = c.token_id" : TOKEN_OF_CHANGE;
  return `SELECT ${sql.sum("c.amount_usd")} AS volume
    FROM asset_changes c ${ofChange} WHERE ${[sql.ofBlock("$block"), ...tokenFilter(sql, selection)].join(" AND ")}`;
});

/**
 * What the block's changes that the filters leave are worth together, in units of 10^-8 US dollars as exact digits; 0 if no
 * canonical block has this hash.
 */
export const volumeOfChanges: Question<Pick<AssetChangeQuery, "blockHash" | "search" | "tags">, string> = {
  effort: "scan",
  *read(db, { blockHash, ...filters }) {
    const { selection, values, isNowhere } = selectBy({ assetName: "", ...filters, offset: 0, limit: 0 });
    if (isNowhere) return "0";
    const volume = statementFor(selection)({ ...values, block: toBytes(blockHash) });
    return (yield* first<{ volume: string }>(db, volume))!.volume;
  },
};
