import type { NativeAsset } from "#lib/contract/ledger.ts";
import { COUNT_REVERT, horizon, identity as storedIdentity, tip } from "#lib/store/common-queries.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import {
  CREATED_FROM,
  DELETE_TRANSACTIONS,
  deleteUnusedAddresses,
  outputsOf,
  SPENT_FROM,
  unusedTransactions,
} from "#lib/store/outputs.ts";
import { insertInto, table } from "#lib/store/row-statement.ts";
import { type Tip, TRACED_BLOCKS } from "#lib/store/rows.ts";
import { all, type Bytes, type Dialect, dialects, run, statementWith, toHex } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { joinKeys } from "./address-keys.ts";
import { type ChangeDelta, takeFromChangeSums } from "./change-sums.ts";
import { removeGapsAbove } from "./gaps.ts";
import { DELETE_LIVE, reviveLive } from "./live.ts";
import { earliestClaims, refreshWithMembers } from "./names.ts";
import type { OutputRow } from "./rows.ts";
import { removeFromRuns } from "./runs.ts";
import type { Steps } from "./steps.ts";
import { Sums, saveSums } from "./sums.ts";
import { removeTouches } from "./touches.ts";
import type { Writer } from "./writer.ts";

const HIGHEST_BLOCKS = statementWith(["above", "limit"])(
  `SELECT height, hash, transaction_count AS transactions FROM blocks
   WHERE height > $above ORDER BY height DESC LIMIT CAST($limit AS bigint)`,
);
/** Deletes the rows with this value or a higher one. */
const deleteSince = (table: string, column: string, ending = "") =>
  statementWith(["from"])(`DELETE FROM ${table} WHERE ${column} >= $from ${ending}`);
const DELETE_CREATED = deleteSince("outputs", "transaction_id");
const DELETE_OUTSIDE = deleteSince("outputs", "spent_transaction_id");
const DELETE_TRANSACTIONS_FROM = deleteSince("transactions", "id");
const DELETE_CLAIMS = deleteSince("claims", "transaction_id", "RETURNING asset_id");
const DELETE_BLOCKS = deleteSince("blocks", "height");
const UNSPEND = statementWith(["from"])(
  `UPDATE outputs SET spent_transaction_id = NULL, spent_input_index = NULL
   WHERE spent_transaction_id >= $from AND transaction_id >= 0`,
);
const DELETED_CHANGE = `RETURNING height, ordinal, token_id AS "tokenId", CAST(amount AS TEXT) AS amount,
  CAST(amount_usd AS TEXT) AS usd, transaction_count AS transactions`;
const DELETE_CHANGES = statementWith(["hashes"])({
  sqlite: `DELETE FROM asset_changes
    WHERE height IN (SELECT height FROM blocks WHERE ${dialects.sqlite.isIn("hash", "$hashes", "bytea")}) ${DELETED_CHANGE}`,
  postgres: `DELETE FROM asset_changes WHERE ${dialects.postgres.isIn("block_hash", "$hashes", "bytea")} ${DELETED_CHANGE}`,
});
type DeletedChange = Omit<ChangeDelta, "amount" | "usd" | "blocks"> & { amount: string; usd: string };
const ABANDON_BLOCKS = statementWith(["from"])(
  `INSERT INTO abandoned_blocks (hash, height, parent_hash)
   SELECT hash, height, parent_hash FROM blocks WHERE height >= $from`,
);
const INSERT_TOUCHES = insertInto(
  table("abandoned_touches", { hash: "bytes" }, { height: "bigint", touched: ["bytes", "keys"] }),
);
const DELETE_OLD_TOUCHES = statementWith(["below"])("DELETE FROM abandoned_touches WHERE height < $below");
const DROP_ADDRESSES = statementWith(["keys", "height"])(
  (sql) => `DELETE FROM addresses WHERE ${sql.isIn("key", "$keys", "bytea")} AND first_height > $height`,
);
const notSeen = ({ isIn }: Dialect) =>
  `${isIn("asset_id", "$assets", "text")} AND asset_id <> $native AND first_height > $height`;
const DROP_TOKENS = statementWith(["assets", "height", "native"])(
  (sql) => `DELETE FROM tokens WHERE ${notSeen(sql)}`,
);
const DROP_NAMES = statementWith(["assets", "height", "native"])(
  (sql) => `DELETE FROM asset_names WHERE token_id IN (SELECT id FROM tokens WHERE ${notSeen(sql)})`,
);
const CLEAR_FIRST_HEIGHTS = statementWith(["assets", "height"])(
  (sql) => `UPDATE tokens SET
     first_mint_height = CASE WHEN first_mint_height <= $height THEN first_mint_height END,
     first_height = CASE WHEN first_height <= $height THEN first_height END
   WHERE ${sql.isIn("asset_id", "$assets", "text")} AND (first_mint_height > $height OR first_height > $height)`,
);

/**
 * Maximum number of blocks that are reverted together, and of their transactions, unless a single block has more. Higher ones would
 * need more memory, lower ones more statements.
 */
const REVERT_BLOCKS = 100;
const REVERT_TRANSACTIONS = 10_000;

/** The first of these blocks that are reverted together. */
export function blocksAtOnce<Block extends { transactions: number }>(blocks: Block[]): Block[] {
  let sum = 0;
  return blocks.filter(({ transactions }, at) => {
    sum += transactions;
    return at === 0 || sum <= REVERT_TRANSACTIONS;
  });
}

/**
 * The effect on outputs of reverting blocks. An output that these blocks both created and spent is live neither before nor
 * after. An output from outside the indexed blocks was stored only because they spend it.
 */
export function retractionOf(blocks: Tip[], created: OutputRow[], spent: OutputRow[]) {
  const from = firstId(blocks.at(-1)!.height);
  return {
    live: created.filter((output) => output.spentBy === null),
    /** Outputs that become live again. */
    revived: spent.filter(({ transactionId }) => transactionId >= 0 && transactionId < from),
    /** Ids of the transactions that created outputs from outside. */
    outside: [...new Set(spent.map((output) => output.transactionId).filter((id) => id < 0))],
  };
}

/** Keys of the addresses whose outputs were created or spent at each height. */
function touchedAt(created: OutputRow[], spent: OutputRow[]): Map<number, Set<string>> {
  const touched = new Map<number, Set<string>>();
  const touch = (transactionId: number, key: string) => {
    const height = heightOf(transactionId);
    touched.set(height, (touched.get(height) ?? new Set()).add(key));
  };
  for (const { transactionId, addressKey } of created) touch(transactionId, addressKey);
  for (const { spentBy, addressKey } of spent) touch(spentBy!, addressKey);
  return touched;
}

/**
 * Reverts every block above `height` (-1: all), and lists them as abandoned. Returns how many there were. Throws
 * ChainConflictError if they spent outputs that are not kept.
 */
export function* revertTo(tables: Writer, height: number): Steps<number> {
  const identity = yield* storedIdentity(tables.db);
  if (!identity) return 0;
  const removedUpTo = yield* horizon(tables.db);
  if (height < removedUpTo) {
    throw new ChainConflictError(
      `Blocks cannot be reverted down to ${height}: outputs spent up to block ${removedUpTo} are not kept. Start a new database`,
    );
  }
  const named = new Set<string>();
  let count = 0;
  for (;;) {
    const rows = yield* all<{ height: number; hash: Bytes; transactions: number }>(
      tables.db,
      HIGHEST_BLOCKS({ above: height, limit: REVERT_BLOCKS }),
    );
    if (rows.length === 0) break;
    const blocks = blocksAtOnce(rows).map((row) => ({ height: row.height, hash: toHex(row.hash) }));
    const isTraced = count < TRACED_BLOCKS;
    const hasHorizon = removedUpTo >= 0;
    yield* revertBlocks(tables, { blocks, native: identity.native, named, isTraced, hasHorizon });
    count += blocks.length;
  }
  if (count > 0) {
    yield* removeGapsAbove(tables, (yield* tip(tables.db))?.height ?? -1);
    yield* run(tables.db, COUNT_REVERT);
  }
  // An asset that lower blocks name, too, keeps its earliest claim.
  for (const { assetId } of yield* earliestClaims(tables, named)) named.delete(assetId);
  yield* refreshWithMembers(tables, named, [], identity.native);
  return count;
}

interface Reverted {
  /** Highest first; no other block is stored above the last one. */
  blocks: Tip[];
  native: NativeAsset;
  /** The assets that the blocks named are added to it. */
  named: Set<string>;
  /** Whether to store which addresses the blocks touched. */
  isTraced: boolean;
  hasHorizon: boolean;
}

function* revertBlocks(tables: Writer, { blocks, native, named, isTraced, hasHorizon }: Reverted) {
  const lowest = blocks.at(-1)!.height;
  const spent = yield* outputsOf(tables.db, SPENT_FROM({ id: firstId(lowest) }));
  const created = yield* outputsOf(tables.db, CREATED_FROM({ id: firstId(lowest) }));
  const retraction = retractionOf(blocks, created, spent);
  const { live, revived } = retraction;
  for (const assetId of yield* retract(tables, blocks, retraction)) named.add(assetId);
  const touched = touchedAt(created, spent);
  if (isTraced) {
    yield* tables.save(
      INSERT_TOUCHES,
      blocks.map((block) => ({ ...block, touched: joinKeys(touched.get(block.height) ?? []) })),
    );
  }
  yield* run(tables.db, DELETE_OLD_TOUCHES({ below: lowest - TRACED_BLOCKS }));
  yield* removeTouches(tables, created, spent, revived);
  yield* removeFromRuns(tables, firstId(lowest));

  const sums = new Sums(native.id);
  for (const output of revived) sums.add(output);
  for (const output of live) sums.remove(output);
  yield* saveSums(tables, sums);

  // Delete the addresses and tokens that only these blocks mention.
  const mentioned = [...spent, ...created];
  const assets = JSON.stringify([...new Set(mentioned.map((output) => output.assetId)).add(native.id)]);
  const keys = new Set(mentioned.map((output) => output.addressKey));
  const height = lowest - 1;
  yield* run(tables.db, DROP_ADDRESSES({ keys: JSON.stringify([...keys]), height }));
  // Below a horizon, an address may have been seen before and have no other output left.
  if (hasHorizon) yield* deleteUnusedAddresses(tables.db, keys);
  yield* run(tables.db, DROP_NAMES({ assets, height, native: native.id }));
  yield* run(tables.db, DROP_TOKENS({ assets, height, native: native.id }));
  yield* run(tables.db, CLEAR_FIRST_HEIGHTS({ assets, height }));
  tables.clearCache();
}

/** Moves the blocks to the abandoned ones, and removes their rows. Returns the assets that they named. */
function* retract(
  tables: Writer,
  blocks: Tip[],
  { live, revived, outside }: ReturnType<typeof retractionOf>,
): Steps<string[]> {
  const { db } = tables;
  const { height } = blocks.at(-1)!;
  const from = firstId(height);
  yield* tables.save(DELETE_LIVE, live);
  yield* reviveLive(tables, revived);
  yield* run(db, DELETE_CREATED({ from }));
  yield* run(db, UNSPEND({ from }));
  yield* run(db, DELETE_OUTSIDE({ from }));
  const unused = yield* unusedTransactions(db, new Set(outside));
  if (unused.length > 0) yield* run(db, DELETE_TRANSACTIONS({ ids: JSON.stringify(unused) }));
  yield* run(db, DELETE_TRANSACTIONS_FROM({ from }));
  const claims = yield* all<{ asset_id: string }>(db, DELETE_CLAIMS({ from }));
  const hashes = JSON.stringify(blocks.map((block) => block.hash));
  const changes = yield* all<DeletedChange>(db, DELETE_CHANGES({ hashes }));
  const taken = changes.map((change) => ({
    ...change,
    amount: -BigInt(change.amount),
    usd: -BigInt(change.usd),
    blocks: -1,
    transactions: -change.transactions,
  }));
  yield* takeFromChangeSums(tables, taken, height);
  yield* run(db, ABANDON_BLOCKS({ from: height }));
  yield* run(db, DELETE_BLOCKS({ from: height }));
  return claims.map((claim) => claim.asset_id);
}
