import { setImmediate as nextTurn } from "node:timers/promises";
import { exhaustive } from "#lib/contract/exhaustive.ts";
import { Flows } from "#lib/store/flows.ts";
import type { AddressFlows, FlowQuery } from "#lib/store/store.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { Database } from "./database.ts";
import { toBlob } from "./encoding.ts";
import { readHashAt, readTip, readToken } from "./reads.ts";

/** Spent outputs that are looked at before the event loop goes round: some milliseconds. */
const SLICE = 5_000;
/** How often reading starts again because a reorganisation came in between. */
const ATTEMPTS = 3;

/**
 * Spent outputs are in order of the transactions that spend them, whoever had them. They are read in slices, up to the
 * tip of the beginning: blocks up to there do not change while that tip is on the chain.
 */
export async function readAddressFlows(
  db: Database,
  addressKey: string,
  query: FlowQuery,
): Promise<AddressFlows> {
  for (let attempt = 1; ; attempt++) {
    const beginning = db.snapshot(() => begin(db, addressKey, query));
    const { tip, earliest, addressId, slices, flows } = beginning;
    if (slices === null) return { tip, flows: null, total: 0, earliest };
    for (const [from, to] of slices) {
      for (const [tokenId, createdBy, amount] of db.allTuples<[number, number, string]>(
        `SELECT token_id, transaction_id, CAST(coalesce(amount, capacity) AS TEXT)
         FROM outputs INDEXED BY spent_outputs
         WHERE spent_transaction_id >= ? AND spent_transaction_id < ? AND address_id = ?`,
        from,
        to,
        addressId,
      )) {
        const came = createdBy >= firstId(query.since + 1);
        flows.add({ tokenId, came, left: true, outputs: 1, amount: BigInt(amount) });
      }
      await nextTurn();
    }
    if (tip === null || readHashAt(db, tip.height) === tip.hash) {
      const listed = db.snapshot(() => flows.listed(query.limit, (id) => readToken(db, id)));
      return { tip, flows: listed, total: flows.total, earliest };
    }
    if (attempt === ATTEMPTS) throw new Error(`${ATTEMPTS} reorganisations came while flows were read`);
  }
}

/** The outputs that came and are still there, and in which slices of ids to look for those that were spent. */
function begin(db: Database, addressKey: string, query: FlowQuery) {
  const { since, limit: _limit, maxOutputs, ...rest } = query;
  exhaustive(rest);
  const flows = new Flows();
  const tip = readTip(db);
  const addressId =
    db.get<{ id: number }>("SELECT id FROM addresses WHERE key = ?", toBlob(addressKey))?.id ?? -1;
  const [spent, live] = [
    db.get<{ id: number }>(
      `SELECT spent_transaction_id AS id FROM outputs INDEXED BY spent_outputs
       WHERE spent_transaction_id IS NOT NULL ORDER BY spent_transaction_id DESC LIMIT 1 OFFSET ?`,
      maxOutputs,
    ),
    db.get<{ id: number }>(
      `SELECT transaction_id AS id FROM outputs INDEXED BY live_outputs
       WHERE address_id = ? AND spent_transaction_id IS NULL ORDER BY transaction_id DESC LIMIT 1 OFFSET ?`,
      addressId,
      maxOutputs,
    ),
  ];
  const earliest = heightOf(Math.max(spent?.id ?? 0, live?.id ?? 0));
  const from = firstId(since + 1);
  const to = firstId((tip?.height ?? -1) + 1);
  if (since < earliest) return { tip, earliest, addressId, slices: null, flows };
  for (const [tokenId, amount] of db.allTuples<[number, string]>(
    `SELECT token_id, CAST(coalesce(amount, capacity) AS TEXT) FROM outputs INDEXED BY live_outputs
     WHERE address_id = ? AND spent_transaction_id IS NULL AND transaction_id >= ?`,
    addressId,
    from,
  )) {
    flows.add({ tokenId, came: true, left: false, outputs: 1, amount: BigInt(amount) });
  }
  const slices: [from: number, to: number][] = [];
  for (let at = from; at < to; ) {
    const next = db.get<{ id: number }>(
      `SELECT spent_transaction_id AS id FROM outputs INDEXED BY spent_outputs
       WHERE spent_transaction_id >= ? ORDER BY spent_transaction_id LIMIT 1 OFFSET ?`,
      at,
      SLICE,
    );
    const end = next && next.id < to ? Math.max(next.id, at + 1) : to;
    slices.push([at, end]);
    at = end;
  }
  return { tip, earliest, addressId, slices, flows };
}
