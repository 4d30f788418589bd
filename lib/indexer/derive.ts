import {
  type Block,
  type OutPoint,
  type Output,
  outPointText,
  ruleOf,
  type TokenReference,
  type Transaction,
} from "#lib/contract/ledger.ts";
import type { MovedAsset, ResolvedBlock, ResolvedInput } from "#lib/store/rows.ts";

/** An output that an input may spend, with the store's reference if the store holds it. */
export type ResolvedOutput = Output & { transactionId?: number };

/** Computes everything that is stored about a block. `outputOf` must find every output that the block spends. */
export function deriveBlock(
  block: Block,
  outputOf: (outPoint: OutPoint) => ResolvedOutput | undefined,
  nativeId: string,
): ResolvedBlock {
  const changes = new Map<string, MovedAsset>();
  // Reused by all transactions, because there are many and most move one asset.
  const spent = new Map<string, bigint>();
  const created = new Map<string, bigint>();
  const transactions = block.transactions.map((transaction) => {
    spent.clear();
    created.clear();
    const inputs = transaction.inputs.map((outPoint): ResolvedInput => {
      const output = outputOf(outPoint);
      if (!output) throw new Error(`Block ${block.height}: ${outPointText(outPoint)} was not resolved`);
      addTo(spent, output, nativeId);
      return { outPoint, output, transactionId: output.transactionId };
    });
    for (const output of transaction.outputs) addTo(created, output, nativeId);
    addChanges(changes, spent, created);
    const minted: string[] = [];
    for (const [id, total] of created) if (total > (spent.get(id) ?? 0n)) minted.push(id);
    const { hash, outputs } = transaction;
    const claims = transaction.claims.length === 0 ? [] : attribute(transaction, inputs, spent);
    return { hash, inputs, outputs, claims, minted };
  });
  return { ...block, transactions, changes: [...changes.values()] };
}

/**
 * Finds the asset of each claim. A claim that names no token is about the only one that its transaction introduces. Only
 * a token's issuer can introduce it, with an amount above 0.
 */
export function attribute(
  { outputs, claims }: Transaction,
  inputs: readonly Pick<ResolvedInput, "output">[],
  spent: ReadonlyMap<string, bigint>,
) {
  const present = {
    spender: new Set(inputs.map(({ output }) => output.address.key)),
    input: new Set(inputs.map(({ output }) => ruleOf(output))),
    output: new Set(outputs.map(ruleOf)),
  };
  const isIssued = ({ issuer }: TokenReference) => issuer?.as.some((role) => present[role].has(issuer.key));
  const introduced = new Set<string>();
  for (const { token, amount } of outputs) {
    if (token?.fungible && amount > 0n && !spent.has(token.id) && isIssued(token)) introduced.add(token.id);
  }
  const [only] = introduced.size === 1 ? introduced : [];
  return claims.flatMap((claim) => {
    const assetId = claim.assetId ?? only;
    return assetId === undefined ? [] : [{ ...claim, assetId }];
  });
}

/** The total of each asset in the outputs, in order of appearance. Every output's capacity is the native asset. */
export function assetTotals(
  outputs: readonly { output: Output }[],
  nativeId: string,
): ReadonlyMap<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const { output } of outputs) addTo(totals, output, nativeId);
  return totals;
}

function addTo(totals: Map<string, bigint>, { token, amount, capacity }: Output, nativeId: string): void {
  add(totals, nativeId, capacity);
  if (token) add(totals, token.id, amount);
}

function add(totals: Map<string, bigint>, assetId: string, amount: bigint): void {
  totals.set(assetId, (totals.get(assetId) ?? 0n) + amount);
}

/**
 * The asset changes of a block, in order of first appearance: by transaction, inputs before outputs, capacity before token.
 * An amount is the sum over transactions of max(total in, total out): transfers count once, mints and burns in full.
 */
export function assetChanges(
  transactions: readonly { inputs: { output: Output }[]; outputs: { output: Output }[] }[],
  nativeId: string,
): MovedAsset[] {
  const changes = new Map<string, MovedAsset>();
  for (const { inputs, outputs } of transactions) {
    addChanges(changes, assetTotals(inputs, nativeId), assetTotals(outputs, nativeId));
  }
  return [...changes.values()];
}

function addChanges(
  changes: Map<string, MovedAsset>,
  spent: ReadonlyMap<string, bigint>,
  created: ReadonlyMap<string, bigint>,
): void {
  for (const [assetId, before] of spent) {
    const after = created.get(assetId) ?? 0n;
    addChange(changes, assetId, before > after ? before : after);
  }
  for (const [assetId, after] of created) if (!spent.has(assetId)) addChange(changes, assetId, after);
}

function addChange(changes: Map<string, MovedAsset>, assetId: string, amount: bigint): void {
  const change = changes.get(assetId);
  if (change) {
    change.amount += amount;
    change.transactions += 1;
  } else changes.set(assetId, { assetId, amount, transactions: 1 });
}
