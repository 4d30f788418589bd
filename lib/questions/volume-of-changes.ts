import type { Question } from "#lib/store/question.ts";
import { first, type Statement, statement, toBytes } from "#lib/store/statement.ts";
import {
  type AssetChangeQuery,
  type Selection,
  selectBy,
  selectionName,
  tokenFilter,
} from "./block-asset-changes/read.ts";
import { TOKEN_OF_CHANGE } from "./tokens.ts";

const made = new Map<string, Statement>();

/** Made once: there are as many as selections. */
function statementFor(selection: Selection): Statement {
  const name = selectionName("volume-of-changes", selection);
  let found = made.get(name);
  if (!found) {
    found = statement(name, (sql) => {
      const { conditions } = tokenFilter(sql, selection, 2);
      const ofChange = sql.engine === "sqlite" ? "JOIN tokens t ON t.id = c.token_id" : TOKEN_OF_CHANGE;
      return `SELECT ${sql.sum("c.amount_usd")} AS volume
        FROM asset_changes c ${ofChange} WHERE ${[sql.ofBlock("$1"), ...conditions].join(" AND ")}`;
    });
    made.set(name, found);
  }
  return found;
}

/**
 * What the block's changes that the filters leave are worth together, in units of 10^-8 US dollars as exact digits; 0 if no
 * canonical block has this hash.
 */
export const volumeOfChanges: Question<Pick<AssetChangeQuery, "blockHash" | "search" | "tags">, string> = {
  effort: "scan",
  *read(db, { blockHash, ...filters }) {
    const { selection, values, isNowhere } = selectBy({ assetName: "", ...filters, offset: 0, limit: 0 });
    if (isNowhere) return "0";
    return (yield* first<{ volume: string }>(db, statementFor(selection), toBytes(blockHash), ...values))!
      .volume;
  },
};
