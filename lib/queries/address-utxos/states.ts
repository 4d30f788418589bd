/** Says what outputs are as of a block: the store keeps what they were when they were created, the chain adds the rest. */
import { chain } from "#lib/chains/chain.ts";
import type { OutputState } from "#lib/contract/chain.ts";
import type { Address, BlockFacts } from "#lib/contract/ledger.ts";
import { type IndexTip, NATIVE_STANDARD, type Tip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { blockFacts, outputKinds } from "../output-kinds.ts";
import { type KindSum, KindSums, storedKinds } from "../stored-kinds.ts";
import type { UtxoRow } from "./read.ts";

/** The rows of a page of outputs, and what they are. Throws and asks for owners as `tell` does. */
export async function withStates<Row extends UtxoRow>(
  store: Store,
  { asOf, rows }: { asOf: Tip; rows: Row[] },
  ownerOf: (row: Row) => Address,
): Promise<(Row & OutputState)[]> {
  const owners = new Set(rows.map(ownerOf));
  const known = new Map(Array.from(owners, (owner) => [owner, chain.outputStates(owner)]));
  const statesOf = (row: Row) => known.get(ownerOf(row))!;
  const withoutKind = rows.filter(({ token }) => token.standard === NATIVE_STANDARD);
  const kinds = await store.query(outputKinds, withoutKind);
  const told = new Map(withoutKind.map((row, at) => [row, kinds[at] ?? ""]));
  const outputs = rows.map((row) => ({ ...row, kind: told.get(row) ?? row.token.standard }));
  const heights = new Set(outputs.flatMap((output) => statesOf(output).heightsFor(output, asOf.height)));
  // Asked last, it shows that all was read on the page's chain.
  const blockAt = byHeight(await store.query(blockFacts, { heights: [...heights], asOf }));
  return outputs.map((output) => ({ ...output, ...statesOf(output).stateOf(output, asOf.height, blockAt) }));
}

/**
 * The capacity of an address's live outputs by what they are, those with most of it first. The sums are those of the
 * whole list's entries. `kinds` is null if too many outputs would have to be looked at.
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
  const kindOf = (kind: string, height = BEFORE_ALL) =>
    states.stateOf({ kind, height, capacity: "0" }, tip.height, blockAt).kind;

  const told = new KindSums();
  for (const { kind, outputCount, capacity } of sums) told.add(kindOf(kind), outputCount, BigInt(capacity));
  for (const { kind, height, capacity } of changing) {
    told.add(kindOf(kind), -1, -BigInt(capacity));
    told.add(kindOf(kind, height), 1, BigInt(capacity));
  }
  const kinds = told.all().sort((one, other) => (BigInt(one.capacity) < BigInt(other.capacity) ? 1 : -1));
  return { tip, kinds };
}

/** The height of a block that is not known. */
const BEFORE_ALL = -1;

function byHeight(blocks: BlockFacts[]): (height: number) => BlockFacts | undefined {
  const known = new Map(blocks.map((block) => [block.height, block]));
  return (height) => known.get(height);
}
