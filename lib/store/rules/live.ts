import { transactionHashes } from "#lib/store/outputs.ts";
import { deleteFrom, insertInto, table } from "#lib/store/row-statement.ts";
import type { OutputRow } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

const LIVE_OUTPUTS = table(
  "live_outputs",
  { addressKey: "owner", transactionId: "bigint", outputIndex: "bigint" },
  { assetId: "token", transactionHash: "bytes", amount: "amount", capacity: "amount" },
);
export const INSERT_LIVE = insertInto(LIVE_OUTPUTS);
export const DELETE_LIVE = deleteFrom(LIVE_OUTPUTS);

export function* reviveLive(tables: Writer, revived: OutputRow[]): Steps<void> {
  const ids = revived.map((output) => output.transactionId);
  const hashes = yield* transactionHashes(tables.db, ids);
  const live = revived.map((output) => ({ ...output, transactionHash: hashes.get(output.transactionId)! }));
  yield* tables.save(INSERT_LIVE, live);
}
