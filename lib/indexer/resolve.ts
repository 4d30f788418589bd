import {
  type Block,
  MissingBlocksError,
  type OutPoint,
  type Output,
  outPointText,
} from "#lib/contract/ledger.ts";
import type { StoredBlock } from "#lib/queries/stored.ts";
import type { ResolvedBlock } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { deriveBlock, type ResolvedOutput } from "./derive.ts";

/** Looks up outputs that are not indexed, by `outPointText`. The result may lack some, and may have others. */
export type OutsideOutputs = (outPoints: OutPoint[]) => Promise<ReadonlyMap<string, Output>>;

/**
 * Finds spent outputs in the blocks (in chain order), in the store, or through `outsideOutputs`, and derives the other facts.
 * Throws MissingBlocksError if a block spends unknown outputs.
 */
export async function resolveBlocks(
  blocks: Block[],
  store: Store,
  nativeId: string,
  outsideOutputs: OutsideOutputs,
): Promise<ResolvedBlock[]> {
  const created = new Map<string, Output[]>();
  for (const { transactions } of blocks) {
    for (const { hash, outputs } of transactions) created.set(hash, outputs);
  }
  /** Keyed by the out point object, so that each input is looked up by hash only once. */
  const resolved = new Map<OutPoint, ResolvedOutput>();
  /** Adds the outputs that `find` returns, and returns the other out points. */
  const resolve = (
    outPoints: OutPoint[],
    find: (outPoint: OutPoint, i: number) => ResolvedOutput | null | undefined,
  ) =>
    outPoints.filter((outPoint, i) => {
      const output = find(outPoint, i);
      if (output) resolved.set(outPoint, output);
      return !output;
    });
  const older = resolve(
    blocks.flatMap(inputsOf),
    ({ transactionHash, outputIndex }) => created.get(transactionHash)?.[outputIndex],
  );
  const stored = await store.outputsAt(older);
  const outside = resolve(older, (_, i) => stored[i]);
  if (outside.length > 0) {
    const found = await outsideOutputs(outside);
    resolve(outside, (outPoint) => found.get(outPointText(outPoint)));
    for (const block of blocks) {
      const [unknown, ...others] = inputsOf(block).filter((outPoint) => !resolved.has(outPoint));
      if (!unknown) continue;
      const more = others.length > 0 ? ` and ${others.length} more` : "";
      throw new MissingBlocksError(
        `block ${block.height} (${block.hash}) spends an unknown output: ${outPointText(unknown)}${more}`,
      );
    }
  }
  return blocks.map((block) => deriveBlock(block, (outPoint) => resolved.get(outPoint), nativeId));
}

const inputsOf = ({ transactions }: Block): OutPoint[] => transactions.flatMap(({ inputs }) => inputs);

/** Restores the block as its chain folder produced it. Adds the outputs that it spends to `spent`. */
export function toBlock(stored: StoredBlock, spent: Map<string, Output>): Block {
  const transactions = stored.transactions.map(({ hash, inputs, outputs, claims }) => {
    for (const { outPoint, output } of inputs) spent.set(outPointText(outPoint), output);
    return {
      hash,
      inputs: inputs.map(({ outPoint }) => outPoint),
      outputs: outputs.map(({ output }) => output),
      claims,
    };
  });
  const { height, hash, parentHash, timestamp, headerFacts } = stored;
  return { height, hash, parentHash, timestamp, headerFacts, transactions };
}
