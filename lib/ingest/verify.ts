import type { Store } from "#lib/store/store.ts";
import { assetChanges, assetTotals } from "./derive.ts";

/**
 * Recomputes from the stored facts everything that the store keeps beside them, and names each place where
 * the two differ. Reads block by block, so its memory does not grow with the chain.
 * @param onProgress called after each block with how many are done, and how many there are
 */
export async function verifyStore(
  store: Store,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<string[]> {
  const faults = await store.checkIntegrity();
  const identity = await store.identity();
  if (!identity) return faults;
  const nativeId = identity.native.id;
  const heights = await store.heights();
  const supply = new Map<string, bigint>();
  const firstBlock = new Map<string, string>();
  const firstMint = new Map<string, number>();
  const live = (id: string, amount: bigint) => supply.set(id, (supply.get(id) ?? 0n) + amount);
  let below: { height: number; hash: string } | undefined;

  for (const [i, height] of heights.entries()) {
    const block = await store.storedBlock(height);
    if (below?.height === height - 1 && below.hash !== block.parentHash) {
      faults.push(`block ${height} names ${block.parentHash} as its parent, but ${below.hash} is below it`);
    }
    below = block;

    const transactions = block.transactions.map((transaction) => ({
      inputs: transaction.inputs,
      outputs: transaction.outputs.map(({ output }) => output),
    }));
    const changes = assetChanges(transactions, nativeId);
    const same =
      changes.length === block.changes.length &&
      changes.every((change, n) => {
        const stored = block.changes[n]!;
        return stored.assetId === change.assetId && stored.amount === change.amount;
      });
    if (!same) faults.push(`block ${height}: the stored changes are not those of its transactions`);

    for (const transaction of block.transactions) {
      const spent = assetTotals(
        transaction.inputs.map(({ output }) => output),
        nativeId,
      );
      const created = assetTotals(
        transaction.outputs.map(({ output }) => output),
        nativeId,
      );
      for (const id of [...spent.keys(), ...created.keys()]) {
        if (!firstBlock.has(id)) firstBlock.set(id, block.hash);
      }
      for (const [id, total] of created) {
        if (total > (spent.get(id) ?? 0n) && !firstMint.has(id)) firstMint.set(id, block.timestamp);
      }
      for (const { output, spent: isSpent } of transaction.outputs) {
        if (isSpent) continue;
        live(nativeId, output.capacity);
        if (output.token) live(output.token.id, output.amount);
      }
    }
    onProgress(i + 1, heights.length);
  }

  for (const token of await store.storedTokens()) {
    const expected = {
      totalSupply: (supply.get(token.id) ?? 0n).toString(),
      firstFoundBlock: firstBlock.get(token.id) ?? "",
      firstMintAt: firstMint.has(token.id) ? new Date(firstMint.get(token.id)!).toISOString() : "",
    };
    for (const key of ["totalSupply", "firstFoundBlock", "firstMintAt"] as const) {
      if (token[key] !== expected[key]) {
        faults.push(`token ${token.id}: ${key} is ${token[key]}, the blocks make it ${expected[key]}`);
      }
    }
  }
  return faults;
}
