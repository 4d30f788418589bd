import type { Moved } from "./history.ts";

/** Sums one token over transactions: `in` adds up those that gave more than they took, `out` those that took more. */
export interface NetFlow {
  in: bigint;
  out: bigint;
  /** Number of transactions that gave more than they took, and of those that took more. */
  ins: number;
  outs: number;
  /** The net amount of the transaction `by` so far. The next piece may have more of it. */
  by: number;
  net: bigint;
}

export const noFlow = (): NetFlow => ({ in: 0n, out: 0n, ins: 0, outs: 0, by: -1, net: 0n });

/** Created and spent outputs by transaction, with their signs. */
export const inOrder = ({ created, spent }: Record<"created" | "spent", Moved[]>) =>
  [...created.map((moved) => [moved, 1n] as const), ...spent.map((moved) => [moved, -1n] as const)].sort(
    ([[one]], [[other]]) => one - other,
  );

/** Adds an output of the transaction `by`. The outputs of a transaction must follow one another. */
export function addMove(flow: NetFlow, by: number, amount: bigint): void {
  if (flow.by !== by) settle(flow);
  flow.by = by;
  flow.net += amount;
}

/** Adds the last transaction to the sums. */
export function settle(flow: NetFlow): void {
  if (flow.net > 0n) {
    flow.in += flow.net;
    flow.ins += 1;
  } else if (flow.net < 0n) {
    flow.out -= flow.net;
    flow.outs += 1;
  }
  flow.net = 0n;
}
