/** Imported blocks of another branch, which the node's chain contradicts. */
import type { Block, Output } from "#lib/contract/ledger.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import { blockHashAt, blockHeights, firstGap } from "#lib/queries/chain.ts";
import { storedBlock } from "#lib/queries/stored.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import { applyBlocks } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { countOutputs, OUTPUTS_AHEAD } from "./block-queue.ts";
import { resolveBlocks, toBlock } from "./resolve.ts";

/**
 * Drops the lowest run of stray blocks below a gap, and stores the blocks above it again. Resolves to a message that says
 * so, or to null if there are none. Throws ChainConflictError if more than `limit` blocks would be reverted.
 */
export async function dropStrayBlocks(
  store: Store,
  source: ChainSource,
  limit: number,
): Promise<string | null> {
  /** True if we have a block at this height, and the node another one. */
  const isStray = async (height: number): Promise<boolean> => {
    const ours = await store.query(blockHashAt, height);
    const theirs = ours === null ? null : await source.hashAt(height);
    return theirs !== null && theirs !== ours;
  };
  let gap = await store.query(firstGap, 0);
  for (; gap; gap = await store.query(firstGap, gap.to)) {
    const last = gap.from - 1;
    let below = last;
    while (last - below <= limit && (await isStray(below))) below -= 1;
    if (below === last) continue;
    const first = `${below + 1} (${await store.query(blockHashAt, below + 1)})`;
    const above = await store.query(blockHeights, { after: below, limit: limit + 1 });
    if (above.length > limit) {
      throw new ChainConflictError(
        `Block ${first} is not on the node's chain, and more than ${limit} blocks are stored from it on. ` +
          `To drop it, raise --max-reorganisation, restore a backup, or revert all of them with \`aqs revert ${below}\`.`,
      );
    }
    const isKept = await drop(store, source.native.id, below, last);
    const others = isKept ? "" : "; the blocks above them are requested again";
    return `dropped ${last - below} blocks from block ${first} on: they contradict the node's chain${others}`;
  }
  return null;
}

/**
 * Reverts all blocks above `below`, and stores those above `last` again, in one transaction. Resolves to false if those do not
 * fit into memory: then they are only reverted.
 */
async function drop(store: Store, nativeId: string, below: number, last: number): Promise<boolean> {
  return store.atomically(async () => {
    let isKept = true;
    const spent = new Map<string, Output>();
    const above: Block[] = [];
    let outputs = 0;
    for (const height of await store.query(blockHeights, { after: last })) {
      const block = toBlock(await store.query(storedBlock, height), spent);
      above.push(block);
      outputs += countOutputs([block]);
      if (outputs + spent.size <= OUTPUTS_AHEAD) continue;
      isKept = false;
      above.length = 0;
      break;
    }
    await store.write(revertTo, below);
    const resolved = await resolveBlocks(above, store, nativeId, async () => spent);
    await store.write(applyBlocks, resolved, { extendTip: false });
    return isKept;
  });
}
