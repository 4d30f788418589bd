import type { NodeScript } from "#lib/chains/ckb/schema.ts";
import { amountData, CKB, isPlain, leastCapacity } from "#lib/chains/ckb/testing/cells.ts";
import type { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { type DemoToken, ordinaryTokens } from "./demo-tokens.ts";
import type { Random } from "./random.ts";

const byTypeArgs = new Map(ordinaryTokens.map((token) => [token.type.args, token]));

/** Everyday transactions between users: payments, transfers of tokens, mints, burns, Spores. */
export class Traffic {
  readonly users: readonly NodeScript[];
  readonly #random: Random;

  constructor(random: Random, users: readonly NodeScript[]) {
    this.#random = random;
    this.users = users;
  }

  /** Adds transactions to the chain's next block. */
  add(chain: ChainBuilder, transactions: number): void {
    for (let made = 0; made < transactions; made++) this.#everydayTransaction(chain);
  }

  #everydayTransaction(chain: ChainBuilder): unknown {
    const random = this.#random;
    const from = random.pick(this.users);
    const to = random.pick(this.users);
    const cells = chain.liveCells(from);
    const plain = cells.filter(isPlain);
    const kind = random.below(100);
    if (plain.reduce((sum, { capacity }) => sum + capacity, 0n) < 3_000n * CKB) {
      return chain.transfer({ to: from, amount: 20_000n * CKB });
    }
    if (kind < 8) {
      const token = random.pick(ordinaryTokens);
      const { type, issuer } = token;
      return (
        canMint(chain, token) && chain.mint({ token: type, issuer, to, amount: token.supply / 1000n || 1n })
      );
    }
    if (kind < 14) {
      const outputs = Array.from({ length: random.between(5, 15) }, () => ({
        lock: random.pick(this.users),
        capacity: BigInt(random.between(64, 120)) * CKB,
      }));
      return chain.transaction({ inputs: plain, outputs, change: from });
    }
    if (kind < 18) return chain.spore({ to, payer: from, content: `A note, number ${random.next()}` });
    const tokens = cells.filter(({ output }) => output.type && byTypeArgs.has(output.type.args));
    const others = cells.filter((cell) => !isPlain(cell) && !tokens.includes(cell));
    if (kind < 25 && others.length > 0) {
      const moved = [random.pick(others)];
      return kind === 18
        ? chain.melt({ cells: moved, to: from })
        : chain.move({ cells: moved, to, payer: from });
    }
    if (kind < 65 && tokens.length > 0) {
      const token = random.pick(tokens).output.type!;
      const amount = (chain.balance(from, token) * BigInt(random.between(1, 100))) / 100n;
      const payment = { token, from, amount, payer: from };
      if (amount > 0n) return kind < 29 ? chain.burn(payment) : chain.transfer({ ...payment, to });
    }
    const amount = BigInt(random.between(64, 1_500)) * CKB + BigInt(random.below(Number(CKB)));
    return chain.transfer({ from, to, amount });
  }
}

/** The issuer has a cell for the token, its own change and the fee. */
function canMint(chain: ChainBuilder, { issuer }: DemoToken): boolean {
  const least = leastCapacity({ lock: issuer, type: issuer, data: amountData(0n) });
  return chain.liveCells(issuer).some((cell) => isPlain(cell) && cell.capacity > 4n * least);
}
