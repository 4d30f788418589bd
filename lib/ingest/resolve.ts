import { type Block, InvalidChainDataError, type OutPoint, type Output } from "#lib/contract/ledger.ts";
import type { ResolvedBlock, Store } from "#lib/store/store.ts";
import { deriveBlock, type KnownOutput, outPointText } from "./derive.ts";

/** Looks up outputs that lie outside what is indexed; leaves out of the map what it does not know. */
export type ForeignOutputs = (outPoints: OutPoint[]) => Promise<Map<string, Output>>;

/** Thrown where a block spends outputs that nobody knows; names the first, and how many there are. */
export class UnknownInputError extends InvalidChainDataError {
  constructor(block: Block, unknown: OutPoint[]) {
    const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : "";
    super(
      `block ${block.height} (${block.hash}) spends an unknown output: ${outPointText(unknown[0]!)}${more}`,
    );
    this.name = "UnknownInputError";
  }
}

/**
 * Finds the output behind every input, in this order: created by the given blocks themselves, held by the
 * store, known to `foreign`; then derives what the store keeps. The blocks must come in chain order.
 */
export async function resolveBlocks(
  blocks: Block[],
  store: Store,
  nativeId: string,
  foreign: ForeignOutputs,
): Promise<ResolvedBlock[]> {
  const created = new Map<string, Output[]>();
  for (const { transactions } of blocks) {
    for (const { hash, outputs } of transactions) created.set(hash, outputs);
  }
  const older = new Map<string, Map<number, KnownOutput>>();
  const outputOf = ({ transactionHash, outputIndex }: OutPoint): KnownOutput | undefined =>
    created.get(transactionHash)?.[outputIndex] ?? older.get(transactionHash)?.get(outputIndex);
  const remember = ({ transactionHash, outputIndex }: OutPoint, output: KnownOutput) => {
    const outputs = older.get(transactionHash) ?? new Map<number, KnownOutput>();
    older.set(transactionHash, outputs.set(outputIndex, output));
  };
  const missing = (block: Block) =>
    block.transactions.flatMap(({ inputs }) => inputs.filter((outPoint) => !outputOf(outPoint)));

  const wanted = blocks.flatMap(missing);
  const stored = await store.outputsAt(wanted);
  const outside: OutPoint[] = [];
  for (const [i, outPoint] of wanted.entries()) {
    const output = stored[i];
    if (output) remember(outPoint, output);
    else outside.push(outPoint);
  }
  if (outside.length > 0) {
    const found = await foreign(outside);
    for (const outPoint of outside) {
      const output = found.get(outPointText(outPoint));
      if (output) remember(outPoint, output);
    }
    for (const block of blocks) {
      const unknown = missing(block);
      if (unknown.length > 0) throw new UnknownInputError(block, unknown);
    }
  }
  return blocks.map((block) => deriveBlock(block, outputOf, nativeId));
}
