import type { NativeAsset } from "#lib/contract/ledger.ts";
import type { Tip } from "#lib/store/store.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { refreshWithMembers } from "./names.ts";
import { done, type Steps } from "./steps.ts";
import { Sums } from "./sums.ts";
import type { OutputRow, Retraction, Tables } from "./tables.ts";

/** Blocks taken back together: enough to spread fixed costs, few enough to keep memory flat. */
const REVERT_BLOCKS = 100;

/**
 * What taking blocks back means for the outputs that they created and spent. One that they both created and spent was
 * never live, and one from outside the indexed blocks was stored only because they spend it.
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

/** Takes back every block above `height`; returns how many. */
export function* revertTo(tables: Tables, height: number): Steps<number> {
  const identity = yield* done(tables.identity());
  if (!identity) return 0;
  const touched = new Set<string>();
  let count = 0;
  for (;;) {
    const blocks = yield* done(tables.highestBlocks(height, REVERT_BLOCKS));
    if (blocks.length === 0) break;
    count += blocks.length;
    yield* revertBlocks(tables, blocks, identity.native, touched);
  }
  if (count > 0) yield* done(tables.removeGapsAbove((yield* done(tables.tip()))?.height ?? -1));
  // Of what blocks below still name, the earliest claim stays as it was.
  for (const { assetId } of yield* done(tables.earliestClaims([...touched]))) touched.delete(assetId);
  yield* refreshWithMembers(tables, touched, [], identity.native);
  return count;
}

/** `touched`: takes the assets that the blocks named. */
function* revertBlocks(
  tables: Tables,
  blocks: Tip[],
  native: NativeAsset,
  touched: Set<string>,
): Steps<void> {
  const lowest = blocks.at(-1)!.height;
  const spent = yield* done(tables.outputsSpentFrom(firstId(lowest)));
  const created = yield* done(tables.outputsCreatedFrom(firstId(lowest)));
  const { live, revived, foreign } = retractionOf(blocks, created, spent);
  for (const assetId of yield* done(tables.retract({ blocks, live, revived, foreign }))) touched.add(assetId);

  const sums = new Sums(native.id);
  for (const output of revived) sums.add(output);
  for (const output of live) sums.remove(output);
  yield* done(tables.addToTokens(sums.tokens()));
  yield* done(tables.addToHoldings(sums.holdings()));

  // What only these blocks mention was never seen on the chain that remains.
  const mentioned = [...spent, ...created];
  const addresses = new Set(mentioned.map((output) => output.addressKey));
  const assets = new Set(mentioned.map((output) => output.assetId)).add(native.id);
  yield* done(tables.dropUnseen(lowest - 1, [...addresses], [...assets], native.id));
}
