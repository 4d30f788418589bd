import type { NativeAsset } from "#lib/contract/ledger.ts";
import { REMEMBERED_BLOCKS, type Tip } from "#lib/store/store.ts";
import type { Tables } from "#lib/store/tables/ledger.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { joinKeys } from "./address-keys.ts";
import { refreshWithMembers } from "./names.ts";
import type { OutputRow, Retraction } from "./rows.ts";
import type { Steps } from "./steps.ts";
import { Sums } from "./sums.ts";

/** Blocks taken back together: enough to spread fixed costs, few enough to keep memory flat. */
const REVERT_BLOCKS = 100;

/**
 * What taking blocks back does to outputs. One that they created and spent was never live. One from outside the indexed blocks
 * was stored only because they spend it.
 */
export function retractionOf(
  blocks: Tip[],
  created: OutputRow[],
  spent: OutputRow[],
): Omit<Retraction, "blocks"> {
  const from = firstId(blocks.at(-1)!.height);
  return {
    live: created.filter((output) => output.spentBy === null),
    revived: spent.filter(({ transactionId }) => transactionId >= 0 && transactionId < from),
    foreign: [...new Set(spent.map((output) => output.transactionId).filter((id) => id < 0))],
  };
}

/** Keys of the addresses whose outputs were created or spent at each height. */
function touchedAt(created: OutputRow[], spent: OutputRow[]): Map<number, Set<string>> {
  const touched = new Map<number, Set<string>>();
  const touch = (transactionId: number, key: string) => {
    const height = heightOf(transactionId);
    const keys = touched.get(height);
    if (keys) keys.add(key);
    else touched.set(height, new Set([key]));
  };
  for (const { transactionId, addressKey } of created) touch(transactionId, addressKey);
  for (const { spentBy, addressKey } of spent) touch(spentBy!, addressKey);
  return touched;
}

/** Takes back every block above `height` (-1: all), remembering their hashes; returns how many. */
export function* revertTo(tables: Tables, height: number): Steps<number> {
  const identity = yield* tables.identity();
  if (!identity) return 0;
  const named = new Set<string>();
  let count = 0;
  for (;;) {
    const blocks = yield* tables.highestBlocks(height, REVERT_BLOCKS);
    if (blocks.length === 0) break;
    // Who stood at a block may have more of them to go down than will ever be replayed.
    yield* revertBlocks(tables, blocks, identity.native, named, count < REMEMBERED_BLOCKS);
    count += blocks.length;
  }
  if (count > 0) yield* tables.removeGapsAbove((yield* tables.tip())?.height ?? -1);
  // Of what blocks below still name, the earliest claim stays as it was.
  for (const { assetId } of yield* tables.earliestClaims([...named])) named.delete(assetId);
  yield* refreshWithMembers(tables, named, [], identity.native);
  return count;
}

/** `named`: takes the assets that the blocks named. `remember`: whom the blocks touched. */
function* revertBlocks(
  tables: Tables,
  blocks: Tip[],
  native: NativeAsset,
  named: Set<string>,
  remember: boolean,
): Steps<void> {
  const lowest = blocks.at(-1)!.height;
  const spent = yield* tables.outputsSpentFrom(firstId(lowest));
  const created = yield* tables.outputsCreatedFrom(firstId(lowest));
  const { live, revived, foreign } = retractionOf(blocks, created, spent);
  const touched = touchedAt(created, spent);
  const retracted = blocks.map((block) => ({
    ...block,
    touched: remember ? joinKeys(touched.get(block.height) ?? []) : null,
  }));
  const retraction = { blocks: retracted, live, revived, foreign };
  for (const assetId of yield* tables.retract(retraction)) named.add(assetId);

  const sums = new Sums(native.id);
  for (const output of revived) sums.add(output);
  for (const output of live) sums.remove(output);
  yield* tables.addToTokens(sums.tokens());
  yield* tables.addToHoldings(sums.holdings());
  yield* tables.addToKinds(sums.kinds());

  // What only these blocks mention was never seen on the chain that remains.
  const mentioned = [...spent, ...created];
  const addresses = new Set(mentioned.map((output) => output.addressKey));
  const assets = new Set(mentioned.map((output) => output.assetId)).add(native.id);
  yield* tables.dropUnseen(lowest - 1, [...addresses], [...assets], native.id);
}
