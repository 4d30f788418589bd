import type { Address } from "#lib/contract/ledger.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Question, Reader } from "#lib/store/question.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, statement, toHex } from "#lib/store/statement.ts";
import { type UtxoPage, type UtxoQuery, type UtxoRow, utxosOfAddress } from "../address-utxos/read.ts";

export interface NamedAddress extends Address {
  named: string;
}
export type OwnedUtxoRow = UtxoRow & { owner: NamedAddress };

interface Query extends Omit<UtxoQuery, "addressKey"> {
  addresses: readonly NamedAddress[];
}

/** Values: keys of addresses as a JSON array, token or null. */
const HOLDING = statement(
  ({ owner: { column, own }, isIn }) => `SELECT key FROM addresses a
   WHERE ${isIn("key", "$1", "bytea")} AND EXISTS (
     SELECT 1 FROM holdings h WHERE h.${column} = a.${own} AND h.output_count > 0
       AND (CAST($2 AS TEXT) IS NULL OR h.token_id = (SELECT id FROM tokens WHERE asset_id = $2)))`,
);

/** Those of the addresses whose lists are not empty, by their keys. */
function* holding(db: Reader, { addresses, token }: Query): Steps<ReadonlySet<string>> {
  const keys = JSON.stringify(addresses.map(({ key }) => key));
  const found = yield* all<{ key: Bytes }>(db, HOLDING, keys, token ?? null);
  return new Set(found.map(({ key }) => toHex(key)));
}

/**
 * A page of the live outputs of several addresses, one after the other. Reads only lists that are not empty: to
 * PostgreSQL, each is a round trip. Throws as `utxosOfAddress` does.
 */
export const utxosOfAddresses: Question<Query, Omit<UtxoPage, "rows"> & { rows: OwnedUtxoRow[] }> = {
  effort: "snapshot",
  *read(db, query) {
    const { addresses, after, limit, ...filters } = query;
    const held = yield* holding(db, query);
    const rows: OwnedUtxoRow[] = [];
    let last: UtxoPage["last"] = null;
    const first = after?.addressIndex ?? 0;
    for (const [addressIndex, owner] of addresses.entries()) {
      if (addressIndex < first) continue;
      // What a position means is said only by its list.
      const start = addressIndex === first ? after : undefined;
      if (!start && !held.has(owner.key)) continue;
      if (rows.length === limit) return { tip: yield* tip(db), rows, hasNext: true, last };
      const left = limit - rows.length;
      const page = yield* utxosOfAddress.read(db, {
        ...filters,
        addressKey: owner.key,
        after: start,
        limit: left,
      });
      rows.push(...page.rows.map((row) => ({ ...row, owner })));
      last = page.last ? { ...page.last, addressIndex } : last;
      if (page.hasNext) return { tip: page.tip, rows, hasNext: true, last };
    }
    return { tip: yield* tip(db), rows, hasNext: false, last };
  },
};
