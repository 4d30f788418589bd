/** Kinds of outputs as of a block: the store has the kind at creation, and the chain folder derives the current one. */
import { chain } from "#lib/chains/chain.ts";
import type { OutputState } from "#lib/contract/chain.ts";
import type { Address, AddressText, BlockFacts } from "#lib/contract/ledger.ts";
import { type IndexTip, NATIVE_STANDARD, type Tip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { blockFacts, outputKinds } from "../output-kinds.ts";
import { type KindSum, KindSums, storedKinds } from "../stored-kinds.ts";
import type { UtxoRow } from "./read.ts";

/** Adds the state of each output. Throws as `withIncluded` does, and takes the same `ownerOf`. */
export async function withStates<Row extends UtxoRow>(
  store: Store,
  { asOf, rows }: { asOf: Tip; rows: Row[] },
  ownerOf: (row: Row) => AddressText,
): Promise<(Row & OutputState)[]> {
  const owners = new Set(rows.map(ownerOf));
  const byOwner = new Map(Array.from(owners, (owner) => [owner, chain.outputStates(owner)]));
  const statesOf = (row: Row) => byOwner.get(ownerOf(row))!;
  const native = rows.filter(({ token }) => token.standard === NATIVE_STANDARD);
  const kinds = await store.query(outputKinds, native);
  const kindOf = new Map(native.map((row, at) => [row, kinds[at] ?? ""]));
  const outputs = rows.map((row) => ({ ...row, kind: kindOf.get(row) ?? row.token.standard }));
  const heights = new Set(outputs.flatMap((output) => statesOf(output).heightsFor(output, asOf.height)));
  // This query comes last because it fails if the page's block has been replaced.
  const blockAt = byHeight(await store.query(blockFacts, { heights: [...heights], asOf }));
  return outputs.map((output) => ({ ...output, ...statesOf(output).stateOf(output, asOf.height, blockAt) }));
}

/**
 * Sums up the capacity of an address's live outputs by kind, the largest sum first. The result agrees with the entries of the
 * list.
 * `kinds` is null if too many outputs change their kind with the tip.
 */
export async function capacityByKind(
  store: Store,
  address: Address,
): Promise<{ tip: IndexTip | null; kinds: KindSum[] | null }> {
  const states = chain.outputStates(address);
  const { tip, sums, changing, blocks } = await store.query(storedKinds, {
    addressKey: address.key,
    changing: states.changing,
  });
  if (!tip) return { tip, kinds: [] };
  if (!changing) return { tip, kinds: null };
  const blockAt = byHeight(blocks);
  const kindOf = (kind: string, height = UNKNOWN_HEIGHT) =>
    states.stateOf({ kind, height, capacity: "0" }, tip.height, blockAt).kind;

  const current = new KindSums();
  for (const { kind, outputCount, capacity } of sums)
    current.add(kindOf(kind), outputCount, BigInt(capacity));
  for (const { kind, height, capacity } of changing) {
    current.add(kindOf(kind), -1, -BigInt(capacity));
    current.add(kindOf(kind, height), 1, BigInt(capacity));
  }
  const kinds = current.all().sort((one, other) => (BigInt(one.capacity) < BigInt(other.capacity) ? 1 : -1));
  return { tip, kinds };
}

/** A height at which no block is indexed. */
const UNKNOWN_HEIGHT = -1;

function byHeight(blocks: BlockFacts[]): (height: number) => BlockFacts | undefined {
  const found = new Map(blocks.map((block) => [block.height, block]));
  return (height) => found.get(height);
}
