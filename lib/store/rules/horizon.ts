/**
 * The horizon: outputs that blocks up to this height spent are deleted, with the rows that only these outputs needed. The states
 * after that block are complete. The horizon only rises.
 */
import type { NativeAsset } from "#lib/contract/ledger.ts";
import { horizon, saveState } from "#lib/store/common-queries.ts";
import {
  DELETE_TRANSACTIONS,
  deleteUnusedAddresses,
  OUTPUTS_SPENT_BELOW,
  outputsOf,
  unusedTransactions,
} from "#lib/store/outputs.ts";
import { all, first, run, statement, statementWith } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { INSERT_TOKENS } from "./ledger.ts";
import { refreshNames } from "./names.ts";
import type { NumberedToken } from "./rows.ts";
import { endRuns } from "./runs.ts";
import type { Steps } from "./steps.ts";
import { Sums, saveSums } from "./sums.ts";
import { deleteUnusedTouches } from "./touches.ts";
import type { Writer } from "./writer.ts";

/** Limits of one step, which is one transaction and fits into memory. A single block may spend more outputs. */
const STEP_BLOCKS = 10_000;
const STEP_OUTPUTS = 50_000;

const SAVE_HORIZON = saveState("horizon");
const SPENT_NEXT =
  statement(`SELECT spent_transaction_id AS id FROM outputs WHERE spent_transaction_id IS NOT NULL
   ORDER BY spent_transaction_id LIMIT 1 OFFSET ${STEP_OUTPUTS}`);
const DELETE_SPENT = statementWith(["id"])("DELETE FROM outputs WHERE spent_transaction_id < $id");
const LOWEST = statement("SELECT min(height) AS height FROM blocks");
const TRANSACTIONS_BETWEEN = statementWith(["from", "to"])(
  "SELECT id FROM transactions WHERE id >= $from AND id < $to",
);

function* saveHorizon(tables: Writer, height: number): Steps<void> {
  yield* run(tables.db, SAVE_HORIZON({ value: String(height) }));
}

/** Gives tables without blocks a horizon, and the tokens that blocks up to it mentioned, even if no later one does. */
export function* adoptHorizon(
  tables: Writer,
  height: number,
  tokens: NumberedToken[],
  native: NativeAsset,
): Steps<void> {
  yield* saveHorizon(tables, height);
  const others = tokens.filter(({ id }) => id !== native.id);
  const added = others.map((token) => ({ ...token, supply: 0n }));
  yield* tables.save(INSERT_TOKENS, added);
  const sums = new Sums(native.id);
  for (const { id, firstHeight, firstMintHeight } of tokens) {
    sums.see(id, firstHeight);
    if (firstMintHeight !== null && firstMintHeight <= height) sums.mint(id, firstMintHeight);
  }
  yield* saveSums(tables, sums);
  const ids = others.map(({ id }) => id);
  yield* refreshNames(tables, ids, native);
}

/** Raises the horizon by one step towards `target`, a height without gaps below it. Returns the new horizon. */
export function* raiseHorizon(tables: Writer, target: number): Steps<number> {
  const { db } = tables;
  const before = yield* horizon(db);
  if (before >= target) return before;
  const next = yield* first<{ id: number }>(db, SPENT_NEXT);
  const most = next ? Math.max(heightOf(next.id) - 1, before + 1) : target;
  const lowest = (yield* first<{ height: number | null }>(db, LOWEST))?.height ?? 0;
  const height = Math.min(target, Math.max(before, lowest - 1) + STEP_BLOCKS, most);
  const end = firstId(height + 1);

  const spent = yield* outputsOf(db, OUTPUTS_SPENT_BELOW({ id: end }));
  yield* run(db, DELETE_SPENT({ id: end }));
  yield* endRuns(tables, yield* deleteUnusedTouches(tables, spent));
  const between = TRANSACTIONS_BETWEEN({ from: firstId(before + 1), to: end });
  const passed = yield* all<{ id: number }>(db, between);
  const ids = new Set([...spent.map(({ transactionId }) => transactionId), ...passed.map(({ id }) => id)]);
  const unused = yield* unusedTransactions(db, ids);
  yield* run(db, DELETE_TRANSACTIONS({ ids: JSON.stringify(unused) }));
  yield* deleteUnusedAddresses(db, new Set(spent.map(({ addressKey }) => addressKey)));
  yield* saveHorizon(tables, height);
  tables.clearCache();
  return height;
}
