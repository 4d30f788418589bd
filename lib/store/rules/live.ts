import { transactionHashes } from "#lib/store/outputs.ts";
import { forRows, insertInto } from "#lib/store/row-statement.ts";
import type { OutputRow, PlacedOutput } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

const INSERT_LIVE = insertInto<PlacedOutput>("live_outputs", {
  addressKey: "owner",
  transactionId: "bigint",
  outputIndex: "bigint",
  assetId: "token",
  transactionHash: "bytes",
  amount: "amount",
  capacity: "amount",
});
export const DELETE_LIVE = forRows<OutputRow>(
  { addressKey: "owner", transactionId: "bigint", outputIndex: "bigint" },
  ({ column, each, from, andShards }) => `DELETE FROM live_outputs ${from("USING")}
     WHERE live_outputs.${column.addressKey} = ${each.addressKey} AND live_outputs.transaction_id = ${each.transactionId}
       AND live_outputs.output_index = ${each.outputIndex} ${andShards("live_outputs", "addressKey")}`,
);
/** Of new outputs, those that are not spent become live. */
export function* addLive(tables: Writer, added: PlacedOutput[]): Steps<void> {
  const live = added.filter((output) => output.spentBy === null);
  yield* tables.save(INSERT_LIVE, live);
}

export function* endLive(tables: Writer, ended: OutputRow[]): Steps<void> {
  yield* tables.save(DELETE_LIVE, ended);
}

export function* reviveLive(tables: Writer, revived: OutputRow[]): Steps<void> {
  const ids = revived.map((output) => output.transactionId);
  const hashes = yield* transactionHashes(tables.db, ids);
  const live = revived.map((output) => ({ ...output, transactionHash: hashes.get(output.transactionId)! }));
  yield* tables.save(INSERT_LIVE, live);
}
