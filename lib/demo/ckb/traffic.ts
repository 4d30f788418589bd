import type { NodeScript } from "#lib/chains/ckb/schema.ts";
import {
  account,
  amountData,
  type ChainBuilder,
  CKB,
  type LiveCell,
  leastCapacity,
  tokenId,
  udt,
} from "./chain-builder.ts";
import type { DemoToken } from "./demo-tokens.ts";
import type { Random } from "./random.ts";

export interface Issued {
  token: DemoToken;
  issuer: NodeScript;
  type: NodeScript;
  id: string;
}

export function issue(token: DemoToken): Issued {
  const issuer = account(`issuer of ${token.key}`);
  const type = udt(issuer, token.standard);
  return { token, issuer, type, id: tokenId(type) };
}

export function units(token: DemoToken): bigint {
  return token.supply * 10n ** BigInt(token.info?.decimals ?? 0);
}

export function isPlain(cell: LiveCell): boolean {
  return cell.output.type === null && cell.data === "0x";
}

/** Everyday transactions between users: payments, transfers of tokens, mints, burns, Spores. */
export class Traffic {
  readonly users: readonly NodeScript[];
  readonly #random: Random;
  readonly #ordinary: readonly Issued[];
  readonly #byTypeArgs: ReadonlyMap<string, Issued>;

  /** @param tokens what users transfer */
  constructor(random: Random, users: readonly NodeScript[], tokens: readonly Issued[]) {
    this.#random = random;
    this.users = users;
    this.#ordinary = tokens;
    this.#byTypeArgs = new Map(tokens.map((issued) => [issued.type.args, issued]));
  }

  /** Adds transactions to the chain's next block. */
  add(chain: ChainBuilder, transactions: number): void {
    for (let made = 0; made < transactions; made++) this.#everydayTransaction(chain);
  }

  #everydayTransaction(chain: ChainBuilder): void {
    const random = this.#random;
    const from = random.pick(this.users);
    const to = random.pick(this.users);
    const cells = chain.liveCells(from);
    const funds = cells.reduce((sum, cell) => (isPlain(cell) ? sum + cell.capacity : sum), 0n);
    const kind = random.below(100);
    if (funds < 3_000n * CKB) {
      chain.transfer({ to: from, amount: 20_000n * CKB });
      return;
    }
    if (kind < 8) {
      const { type, issuer, token } = random.pick(this.#ordinary);
      const amount = units(token) / 1000n || 1n;
      if (canPay(chain, issuer)) chain.mint({ token: type, issuer, to, amount });
      return;
    }
    if (kind < 14) {
      chain.transaction({
        inputs: cells.filter(isPlain),
        outputs: Array.from({ length: random.between(5, 15) }, () => ({
          lock: random.pick(this.users),
          capacity: BigInt(random.between(64, 120)) * CKB,
        })),
        change: from,
      });
      return;
    }
    if (kind < 18) {
      chain.spore({ to, payer: from, content: `A note, number ${random.next()}` });
      return;
    }
    const tokens = cells.filter(({ output }) => output.type && this.#byTypeArgs.has(output.type.args));
    const others = cells.filter((cell) => !isPlain(cell) && !tokens.includes(cell));
    if (kind < 25 && others.length > 0) {
      const cell = random.pick(others);
      if (kind === 18) chain.melt({ cells: [cell], to: from });
      else chain.move({ cells: [cell], to, payer: from });
      return;
    }
    if (kind < 65 && tokens.length > 0) {
      const { type } = random.pick(tokens).output;
      const balance = chain.balance(from, type!);
      const amount = (balance * BigInt(random.between(1, 100))) / 100n;
      if (amount > 0n) {
        if (kind < 29) chain.burn({ token: type!, from, amount, payer: from });
        else chain.transfer({ token: type!, from, to, amount, payer: from });
        return;
      }
    }
    const amount = BigInt(random.between(64, 1_500)) * CKB + BigInt(random.below(Number(CKB)));
    chain.transfer({ from, to, amount });
  }
}

function canPay(chain: ChainBuilder, owner: NodeScript): boolean {
  const least = leastCapacity({ lock: owner, type: owner, data: amountData(0n) });
  return chain.liveCells(owner).some((cell) => isPlain(cell) && cell.capacity > 4n * least);
}
