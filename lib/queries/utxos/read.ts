import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, statementWith, toHex } from "#lib/store/statement.ts";
import { FILTER_SQL } from "../address-utxos/filters.ts";
import { type UtxoPage, type UtxoQuery, type UtxoRow, utxosOfAddress } from "../address-utxos/read.ts";
import type { NamedAddress } from "../parse.ts";
import { walkRange } from "../walk-state.ts";

export type OwnedUtxoRow = UtxoRow & { owner: NamedAddress };

interface UtxosQuery extends Omit<UtxoQuery, "addressKey"> {
  addresses: readonly NamedAddress[];
}

/** `$token` is NULL for all assets. */
const HOLDING = statementWith(["keys", "token"])(
  (sql) => `SELECT key FROM addresses a
   WHERE ${sql.isIn("key", "$keys", "bytea")} AND EXISTS (
     SELECT 1 FROM holdings WHERE ${sql.owner.column} = a.${sql.owner.primaryKey} AND output_count > 0
       AND (CAST($token AS TEXT) IS NULL OR ${FILTER_SQL.token(sql)}))`,
);

/** Returns the keys of the addresses that hold the token, or any asset if none is given. All other lists are empty. */
function* holding(db: Reader, { addresses, token }: UtxosQuery): Steps<ReadonlySet<string>> {
  const keys = JSON.stringify(addresses.map(({ key }) => key));
  const found = yield* all<{ key: Bytes }>(db, HOLDING({ keys, token: token ?? null }));
  return new Set(found.map(({ key }) => toHex(key)));
}

/**
 * Reads a page of the lists of several addresses, one after the other, live or as of the block `at`. It skips empty lists of
 * live outputs, because each list is a round trip to PostgreSQL. Throws as `utxosOfAddress` does.
 */
export const utxosOfAddresses: Query<UtxosQuery, Omit<UtxoPage, "rows"> & { rows: OwnedUtxoRow[] }> = {
  effort: "snapshot",
  *read(db, query) {
    const { addresses, after, limit, at, state, ...filters } = query;
    const asOf = at === undefined ? undefined : (yield* walkRange(db, { to: at }, state)).asOf;
    // Current holdings say nothing about the state after another block.
    const held = asOf ? null : yield* holding(db, query);
    const rows: OwnedUtxoRow[] = [];
    let last: UtxoPage["last"] = null;
    let hasNext = false;
    const first = after?.addressIndex ?? 0;
    for (const [addressIndex, owner] of addresses.entries()) {
      // The position is in the list of the first of the remaining addresses.
      const start = addressIndex === first ? after : undefined;
      if (addressIndex < first || (!start && held?.has(owner.key) === false)) continue;
      // Reads of a past state may be long.
      if (asOf && addressIndex > first) yield* done(db.pause());
      const left = limit - rows.length;
      const page = yield* utxosOfAddress.read(db, {
        ...filters,
        at,
        state: asOf,
        addressKey: owner.key,
        after: start,
        // If the page is full, one more row shows that there is a next page.
        limit: Math.max(left, 1),
      });
      hasNext = left > 0 ? page.hasNext : page.rows.length > 0;
      if (left > 0) {
        rows.push(...page.rows.map((row) => ({ ...row, owner })));
        last = page.last ? { ...page.last, addressIndex } : last;
      }
      if (hasNext) break;
    }
    return { asOf, tip: yield* tip(db), rows, hasNext, last };
  },
};
