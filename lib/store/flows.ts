import type { AddressFlows, Flow, TokenRow } from "./store.ts";

/** Outputs of one token that came, left, or did both. Amounts in the smallest unit. */
export interface OutputsMoved {
  tokenId: number;
  came: boolean;
  left: boolean;
  outputs: number;
  amount: bigint;
}

/** Sums by token, as `AddressFlows` lists them. `tokenOf` is asked for the listed ones only. */
export class Flows {
  readonly #byToken = new Map<number, { came: OutputSum; left: OutputSum }>();

  add({ tokenId, came, left, outputs, amount }: OutputsMoved): void {
    let sums = this.#byToken.get(tokenId);
    if (!sums) {
      sums = { came: { outputs: 0, amount: 0n }, left: { outputs: 0, amount: 0n } };
      this.#byToken.set(tokenId, sums);
    }
    for (const sum of [came && sums.came, left && sums.left]) {
      if (!sum) continue;
      sum.outputs += outputs;
      sum.amount += amount;
    }
  }

  get total(): number {
    return this.#byToken.size;
  }

  /** The tokens with most outputs first. */
  largest(limit: number): { tokenId: number; came: Flow; left: Flow }[] {
    return [...this.#byToken]
      .map(([tokenId, { came, left }]) => ({ tokenId, came: flowOf(came), left: flowOf(left) }))
      .sort((one, other) => outputsOf(other) - outputsOf(one) || one.tokenId - other.tokenId)
      .slice(0, limit);
  }

  listed(limit: number, tokenOf: (id: number) => TokenRow): NonNullable<AddressFlows["flows"]> {
    return this.largest(limit).map(({ tokenId, came, left }) => ({ token: tokenOf(tokenId), came, left }));
  }
}

type OutputSum = { outputs: number; amount: bigint };

const flowOf = ({ outputs, amount }: OutputSum): Flow => ({
  outputCount: outputs,
  amount: amount.toString(),
});
const outputsOf = ({ came, left }: { came: Flow; left: Flow }) => came.outputCount + left.outputCount;
