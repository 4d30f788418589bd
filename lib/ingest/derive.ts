import type { Block, OutPoint, Output, Transaction } from "#lib/contract/ledger.ts";
import type { ResolvedBlock, ResolvedInput, ResolvedTransaction } from "#lib/store/store.ts";

/** An output that an input may spend: with the store's reference where the store holds it. */
export type KnownOutput = Output & { transactionId?: number };

/** `<transaction hash>:<output index>`, the text form of an out point. */
export function outPointText(outPoint: OutPoint): string {
  return `${outPoint.transactionHash}:${outPoint.outputIndex}`;
}

/**
 * Resolves a block's inputs and computes everything the store keeps of it. Pure: no clock, no I/O.
 * @param outputOf what is known of an out point; must know every one that the block spends
 */
export function deriveBlock(
  block: Block,
  outputOf: (outPoint: OutPoint) => KnownOutput | undefined,
  nativeId: string,
): ResolvedBlock {
  const changes = new Map<string, bigint>();
  const transactions = block.transactions.map((transaction) => {
    const inputs = transaction.inputs.map((outPoint): ResolvedInput => {
      const output = outputOf(outPoint);
      if (!output) throw new Error(`Block ${block.height}: ${outPointText(outPoint)} was not resolved`);
      return { outPoint, output, transactionId: output.transactionId };
    });
    const { spent, created } = totalsOf({ inputs, outputs: transaction.outputs }, nativeId);
    addChanges(changes, spent, created);
    return deriveTransaction(transaction, inputs, spent, created);
  });
  return { ...block, transactions, changes: listChanges(changes) };
}

function deriveTransaction(
  transaction: Transaction,
  inputs: ResolvedInput[],
  spent: Map<string, bigint>,
  created: Map<string, bigint>,
): ResolvedTransaction {
  const minted = [...created].filter(([id, total]) => total > (spent.get(id) ?? 0n)).map(([id]) => id);

  // A claim that names no token speaks of the one that its transaction introduces; with several it is mute.
  const introduced = new Set(
    transaction.outputs.filter((o) => o.token?.fungible && !spent.has(o.token.id)).map((o) => o.token!.id),
  );
  const [only] = introduced.size === 1 ? introduced : [];
  const claims = transaction.claims.flatMap((claim) => {
    const assetId = claim.assetId ?? only;
    return assetId === undefined ? [] : [{ ...claim, assetId }];
  });
  return { hash: transaction.hash, inputs, outputs: transaction.outputs, claims, minted };
}

/** How much of each asset the outputs hold, in order of appearance: every output's capacity is native. */
export function assetTotals(outputs: Output[], nativeId: string): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  const add = (id: string, amount: bigint) => totals.set(id, (totals.get(id) ?? 0n) + amount);
  for (const output of outputs) {
    add(nativeId, output.capacity);
    if (output.token) add(output.token.id, output.amount);
  }
  return totals;
}

/**
 * What a block moves, by asset in order of first appearance: transactions in order, in each its inputs, then
 * its outputs, in each its capacity, then its token. An asset's gross amount is the sum over the transactions
 * of max(total in the inputs, total in the outputs), so that a transfer counts once and a mint or a burn
 * counts whole.
 */
export function assetChanges(
  transactions: { inputs: { output: Output }[]; outputs: Output[] }[],
  nativeId: string,
): { assetId: string; amount: bigint }[] {
  const changes = new Map<string, bigint>();
  for (const transaction of transactions) {
    const { spent, created } = totalsOf(transaction, nativeId);
    addChanges(changes, spent, created);
  }
  return listChanges(changes);
}

function totalsOf(transaction: { inputs: { output: Output }[]; outputs: Output[] }, nativeId: string) {
  return {
    spent: assetTotals(
      transaction.inputs.map((input) => input.output),
      nativeId,
    ),
    created: assetTotals(transaction.outputs, nativeId),
  };
}

function addChanges(
  changes: Map<string, bigint>,
  spent: Map<string, bigint>,
  created: Map<string, bigint>,
): void {
  for (const assetId of new Set([...spent.keys(), ...created.keys()])) {
    const before = spent.get(assetId) ?? 0n;
    const after = created.get(assetId) ?? 0n;
    changes.set(assetId, (changes.get(assetId) ?? 0n) + (before > after ? before : after));
  }
}

const listChanges = (changes: Map<string, bigint>) =>
  [...changes].map(([assetId, amount]) => ({ assetId, amount }));
