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

/** Looks up outputs that are not indexed, by `outPointText`; may give others too, and not all. */
export type ForeignOutputs = (outPoints: OutPoint[]) => Promise<ReadonlyMap<string, Output>>;

/** Thrown if a block spends unknown outputs; names the first, and how many there are. */
export class UnknownInputError extends MissingBlocksError {
  override readonly name = "UnknownInputError";

  constructor(block: Block, unknown: OutPoint[]) {
    const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : "";
    super(
      `block ${block.height} (${block.hash}) spends an unknown output: ${outPointText(unknown[0]!)}${more}`,
    );
  }
}

/** Finds spent outputs in the blocks (in chain order), in the store, or through `foreign`, and derives the rest. */
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
  /** Keyed by the out point object, so that each input is looked up by hash only once. */
  const known = new Map<OutPoint, ResolvedOutput>();
  const wanted: OutPoint[] = [];
  for (const outPoint of inputsOf(blocks)) {
    const output = created.get(outPoint.transactionHash)?.[outPoint.outputIndex];
    if (output) known.set(outPoint, output);
    else wanted.push(outPoint);
  }
  const stored = await store.outputsAt(wanted);
  const outside: OutPoint[] = [];
  for (const [i, outPoint] of wanted.entries()) {
    const output = stored[i];
    if (output) known.set(outPoint, output);
    else outside.push(outPoint);
  }
  if (outside.length > 0) {
    const found = await foreign(outside);
    for (const outPoint of outside) {
      const output = found.get(outPointText(outPoint));
      if (output) known.set(outPoint, output);
    }
    for (const block of blocks) {
      const unknown = [...inputsOf([block])].filter((outPoint) => !known.has(outPoint));
      if (unknown.length > 0) throw new UnknownInputError(block, unknown);
    }
  }
  return blocks.map((block) => deriveBlock(block, (outPoint) => known.get(outPoint), nativeId));
}

function* inputsOf(blocks: Block[]): Generator<OutPoint> {
  for (const { transactions } of blocks) {
    for (const { inputs } of transactions) yield* inputs;
  }
}

/** The block as its chain folder produced it. Adds the outputs that it spends to `spent`. */
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
