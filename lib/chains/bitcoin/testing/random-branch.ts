/** Random branches of a chain in regtest, for property tests: payments within a block, dust, and outputs that nobody can spend. */
import fc from "fast-check";
import type { Block } from "#lib/contract/ledger.ts";
import { spendableAfter } from "#lib/testing/followed-chain.ts";
import { parseBlock } from "../block.ts";
import { type Currency, networkNamed } from "../networks.ts";
import { BEGINNING } from "./litecoind.ts";
import { unsigned } from "./payments.ts";
import { firstBlock, idOf, mined, NOTE, OWNERS, rewardOf } from "./regtest.ts";

const SCRIPTS = [...Object.values(OWNERS), NOTE];
const SECONDS_PER_BLOCK = 150;

/** The numbers choose from the outputs that can be spent. Each output gets a share, in percent, of what is left; the fee is the rest. */
const payment = fc.record({
  spend: fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }),
  create: fc.array(
    fc.record({ to: fc.nat({ max: SCRIPTS.length - 1 }), share: fc.constantFrom(0, 1, 30, 99, 100) }),
    { minLength: 1, maxLength: 4 },
  ),
});
/** The payments of up to three blocks. */
export const growth = fc.array(fc.array(payment, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
export type Growth = typeof growth extends fc.Arbitrary<infer T> ? T : never;

interface Coin {
  txid: string;
  vout: number;
  amount: bigint;
}

export class RandomBranch {
  readonly blocks: Block[];
  readonly #currency: Currency;
  /** Counts the blocks of all branches, so that each has a reward of its own. */
  readonly #made: { blocks: number };

  constructor(currency: Currency, blocks?: Block[], made = { blocks: 0 }) {
    this.#currency = currency;
    this.#made = made;
    this.blocks = blocks ?? [this.#parsed(0, firstBlock(currency).hex)];
  }

  grow(blocks: Growth): void {
    for (const payments of blocks) {
      const height = this.blocks.length;
      const tag = Buffer.alloc(4);
      tag.writeUInt32LE(this.#made.blocks++);
      const owner = SCRIPTS[this.#made.blocks % SCRIPTS.length]!;
      const coins = spendableAfter(this.blocks).map(
        ({ point, output }): Coin => ({
          txid: point.transactionHash.slice(2),
          vout: point.outputIndex,
          amount: output.amount,
        }),
      );
      const paid = payments.map(({ spend, create }) => {
        const spent = new Set(spend.flatMap((n) => coins[n % coins.length] ?? []));
        return spent.size === 0 ? [] : [this.#pay([...spent], create, coins)];
      });
      const transactions = [rewardOf(height, owner, `04${tag.toString("hex")}`), ...paid.flat()];
      const time = BEGINNING + height * SECONDS_PER_BLOCK;
      const { hex } = mined(this.#currency, { height, parent: this.blocks.at(-1)!.hash, transactions, time });
      this.blocks.push(this.#parsed(height, hex));
    }
  }

  /** Starts a branch that has all blocks but the last ones. */
  fork(depth: number): RandomBranch {
    const kept = this.blocks.slice(0, Math.max(1, this.blocks.length - depth));
    return new RandomBranch(this.#currency, kept, this.#made);
  }

  /** Moves the coins to new ones. */
  #pay(spent: Coin[], create: Growth[number][number]["create"], coins: Coin[]): string {
    let left = spent.reduce((sum, { amount }) => sum + amount, 0n);
    const outputs = create.map(({ to, share }) => {
      const amount = (left * BigInt(share)) / 100n;
      left -= amount;
      return { amount, script: SCRIPTS[to]! };
    });
    for (const coin of spent) coins.splice(coins.indexOf(coin), 1);
    const hex = unsigned(spent, outputs);
    for (const [vout, { amount, script }] of outputs.entries()) {
      if (script !== NOTE) coins.push({ txid: idOf(hex), vout, amount });
    }
    return hex;
  }

  #parsed(height: number, hex: string): Block {
    const place = { currency: this.#currency, network: networkNamed(this.#currency, "regtest"), height };
    return parseBlock(Buffer.from(hex, "hex"), { ...place, where: `block ${height}` });
  }
}
