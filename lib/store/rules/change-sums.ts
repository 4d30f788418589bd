/** Sums of asset changes over groups of blocks, so that the changes of a long range are read from few rows. */
import { insertInto, table } from "#lib/store/row-statement.ts";
import { run, statementWith } from "#lib/store/statement.ts";
import { transactionId } from "#lib/store/transaction-id.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

/** Numbers of blocks in a group. Each is a multiple of the one before. A group begins at a multiple of its size. */
export const GROUP_SIZES = [4, 16, 64, 256, 1024, 4096, 16384] as const;

/** A range of blocks (`size` 1) or of groups, by first heights, both ends included. It is empty if `from` is above `to`. */
export interface Piece {
  size: number;
  from: number;
  to: number;
}

/** Splits the range above `after` up to `to`: two pieces of each size, the lower one first, and one of the largest size. */
export function piecesOf(after: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  let from = after + 1;
  let end = Math.max(to + 1, from);
  for (const [i, size] of [1, ...GROUP_SIZES].entries()) {
    const next = GROUP_SIZES[i];
    if (next === undefined) return [...pieces, { size, from, to: end - 1 }];
    // If the range contains no whole group, the lower piece takes everything.
    const inner = Math.min(Math.ceil(from / next) * next, end);
    const outer = Math.max(Math.floor(end / next) * next, inner);
    pieces.push({ size, from, to: inner - 1 }, { size, from: outer, to: end - 1 });
    [from, end] = [inner, outer];
  }
  return pieces;
}

/** The last height of the largest group that contains this height. A range that ends there has no upper pieces. */
export const wholeGroups = (height: number): number => {
  const largest = GROUP_SIZES.at(-1)!;
  return height - (height % largest) + largest - 1;
};

/** A change of an asset in a block, its opposite, or a difference in value, to be added to the sums. */
export interface ChangeDelta {
  height: number;
  /** Numbered from 0 in order of first appearance in the block. */
  ordinal: number;
  tokenId: number;
  amount: bigint;
  /** Units of 10^-8 US dollars. */
  usd: bigint;
  /** Number of the block's transactions that moved the asset. */
  transactions: number;
  /** 1; -1 if the block is reverted; 0 if only the value changes. */
  blocks: number;
}

type SumDelta = Omit<ChangeDelta, "height" | "ordinal"> & {
  size: number;
  firstHeight: number;
  /** The first change in the group: `transactionId` of its height and ordinal. */
  firstPlace: number;
};

const CHANGE_SUMS = table(
  "change_sums",
  { tokenId: "integer", size: "integer", firstHeight: "bigint" },
  {
    amount: "amount",
    usd: ["amount", "amount_usd"],
    blocks: "integer",
    transactions: "bigint",
    firstPlace: "bigint",
  },
);
const ADD = insertInto(CHANGE_SUMS, ({ sql }) => {
  const sums = ["amount", "amount_usd"].map(
    (sum) => `${sum} = ${sql.add(`change_sums.${sum}`, `excluded.${sum}`)}`,
  );
  const counts = ["blocks", "transactions"].map((sum) => `${sum} = change_sums.${sum} + excluded.${sum}`);
  const first = sql.least("change_sums.first_place", "excluded.first_place");
  return `UPDATE SET ${[...sums, ...counts].join(", ")}, first_place = ${first}`;
});
const DELETE_EMPTY = statementWith(["size", "above"])(
  "DELETE FROM change_sums WHERE size = $size AND first_height > $above AND blocks = 0",
);

/** Adds the changes to the sums of their groups. */
export function* addToChangeSums(tables: Writer, changes: Iterable<ChangeDelta>): Steps<void> {
  const sums: SumDelta[] = [];
  let below: Iterable<SumDelta> = placed(changes);
  for (const size of GROUP_SIZES) {
    const added = summed(below, size);
    for (const sum of added) sums.push(sum);
    below = added;
  }
  yield* tables.save(ADD, sums);
}

/** Subtracts the changes of the highest blocks. First places stay, because the remaining changes are lower. */
export function* takeFromChangeSums(tables: Writer, changes: ChangeDelta[], lowest: number): Steps<void> {
  yield* addToChangeSums(tables, changes);
  for (const size of GROUP_SIZES) yield* run(tables.db, DELETE_EMPTY({ size, above: lowest - size }));
}

function* placed(changes: Iterable<ChangeDelta>): Generator<SumDelta> {
  for (const { height, ordinal, ...delta } of changes) {
    yield { ...delta, size: 1, firstHeight: height, firstPlace: transactionId(height, ordinal) };
  }
}

function summed(below: Iterable<SumDelta>, size: number): SumDelta[] {
  const groups = new Map<number, Map<number, SumDelta>>();
  const sums: SumDelta[] = [];
  for (const delta of below) {
    const firstHeight = delta.firstHeight - (delta.firstHeight % size);
    const group = groups.get(firstHeight) ?? new Map<number, SumDelta>();
    groups.set(firstHeight, group);
    const sum = group.get(delta.tokenId);
    if (!sum) {
      const added = { ...delta, size, firstHeight };
      group.set(delta.tokenId, added);
      sums.push(added);
      continue;
    }
    sum.amount += delta.amount;
    sum.usd += delta.usd;
    sum.blocks += delta.blocks;
    sum.transactions += delta.transactions;
    sum.firstPlace = Math.min(sum.firstPlace, delta.firstPlace);
  }
  return sums;
}
