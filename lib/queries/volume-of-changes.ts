import type { Query } from "#lib/store/query.ts";
import { first, toBytes } from "#lib/store/statement.ts";
import type { AssetChangeQuery } from "./block-asset-changes/read.ts";
import { FILTER_VALUES, selectBy, statementBy, tokenFilter } from "./change-selection.ts";
import { forOrdinals, READ_AT_ONCE } from "./changes-in-pieces.ts";
import { TOKEN_OF_CHANGE } from "./tokens.ts";

const statementFor = statementBy(["hash", "from", "to", ...FILTER_VALUES], (sql, selection) => {
  const conditions = tokenFilter(sql, selection);
  const ofChange = sql.engine === "sqlite" ? "JOIN tokens t ON t.id = c.token_id" : TOKEN_OF_CHANGE;
  const wanted = [sql.ofBlock("$hash"), "c.ordinal >= $from", "c.ordinal < $to", ...conditions];
  return `SELECT ${sql.sum("c.amount_usd")} AS volume,
      EXISTS (SELECT 1 FROM asset_changes WHERE ${sql.ofBlock("$hash")} AND ordinal >= $to) AS more
    FROM asset_changes c ${ofChange} WHERE ${wanted.join(" AND ")}`;
});

/** Total value of a block's changes that match, in exact units of 10^-8 US dollars; 0 if the block is not canonical. */
export const volumeOfChanges: Query<Pick<AssetChangeQuery, "blockHash" | "search" | "tags">, string> = {
  effort: "scan",
  *read(db, { blockHash, ...filters }) {
    const { selection, values, isNowhere } = selectBy({ assetName: "", ...filters, offset: 0, limit: 0 });
    if (isNowhere) return "0";
    const query = statementFor(selection);
    const hash = toBytes(blockHash);
    let sum = 0n;
    yield* forOrdinals(db, READ_AT_ONCE, function* (ordinals) {
      type Part = { volume: string; more: boolean | number };
      const { volume, more } = (yield* first<Part>(db, query({ ...values, hash, ...ordinals })))!;
      sum += BigInt(volume);
      return Boolean(more);
    });
    return String(sum);
  },
};
