/** The demo chain after its last generated block: a node that keeps mining, with traffic and prices that move. */

import { CKB } from "#lib/chains/ckb/testing/cells.ts";
import type { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import type { DemoNode } from "#lib/demo/types.ts";
import { PRICE_DECIMALS } from "#lib/util/amounts.ts";
import { cast, type DemoChain } from "./demo-chain.ts";
import { csvOf, latestPrices, movedPrice, priceLine } from "./demo-prices.ts";
import { Random } from "./random.ts";
import type { Traffic } from "./traffic.ts";

/** Blocks that the node serves and holds in memory. Older ones are only in databases. */
const KEPT_BLOCKS = 1_000;
/** Least and most blocks between two reorganisations, and that one replaces. */
const BETWEEN_REORGANISATIONS = [15, 40] as const;
const REPLACED = [1, 3] as const;
const TRANSACTIONS = [1, 4] as const;
/** The busy address is paid in one of this many blocks. */
const PAYS_BUSY = 8;
/** The native asset's price moves at each change, and so do those of this many tokens. */
const PRICE_EVERY_MS = 60_000;
const MOVING_PRICES = 3;
/** The price around which those of stablecoins move. */
const DOLLAR = 10n ** BigInt(PRICE_DECIMALS);

export class MiningNode implements DemoNode {
  readonly #node: StandInNode;
  readonly #random = new Random(7);
  readonly #traffic: Traffic;
  readonly #native: string;
  readonly #prices: Map<string, bigint>;
  readonly #stablecoins: ReadonlySet<string>;
  #builder: ChainBuilder;
  #untilReorganisation = this.#random.between(...BETWEEN_REORGANISATIONS);
  #pricedAt = Number.NEGATIVE_INFINITY;

  constructor(node: StandInNode, chain: DemoChain, native: string) {
    this.#node = node;
    this.#builder = chain.builder;
    this.#traffic = chain.traffic;
    this.#native = native;
    this.#prices = latestPrices(chain.pricesCsv);
    this.#stablecoins = new Set(
      chain.registry.filter(({ tags }) => tags?.includes("stablecoin")).map(({ id }) => id),
    );
    this.#serve();
  }

  static async start(chain: DemoChain, native: string): Promise<MiningNode> {
    return new MiningNode(await StandInNode.start({ chain: "ckb_testnet" }), chain, native);
  }

  get url(): string {
    return this.#node.url;
  }

  get height(): number {
    return this.#builder.height;
  }

  mine(now: number): void {
    if (this.#untilReorganisation-- > 0) this.#block(now);
    else this.#reorganise(now);
    this.#serve();
  }

  movePrices(now: number): string {
    if (now - this.#pricedAt < PRICE_EVERY_MS) return "";
    this.#pricedAt = now;
    const ids = [...this.#prices.keys()];
    const picked = Array.from({ length: MOVING_PRICES }, () => this.#random.pick(ids));
    const lines = [...new Set([this.#native, ...picked])].map((id) => {
      const before = this.#stablecoins.has(id) ? DOLLAR : (this.#prices.get(id) ?? 0n);
      const price = movedPrice(before, this.#random.between(-3, 3));
      this.#prices.set(id, price);
      return priceLine(id, now, price);
    });
    return csvOf(lines);
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  #serve(): void {
    this.#builder.keep(KEPT_BLOCKS);
    this.#node.setChain(this.#builder.blocks);
  }

  #block(now: number): void {
    const builder = this.#builder;
    const random = this.#random;
    this.#traffic.add(builder, random.between(...TRANSACTIONS));
    if (random.below(PAYS_BUSY) === 0) {
      builder.transfer({ to: cast.busy, amount: BigInt(random.between(64, 400)) * CKB });
    }
    // Users spend their rewards, so that the unspent cells of no one pile up.
    const miner = random.pick(this.#traffic.users);
    builder.block({ miner, timestamp: Math.max(now, Number(builder.tip.header.timestamp) + 1) });
  }

  /** A branch that is one block longer replaces the last blocks. Their transactions come again, but for the last one. */
  #reorganise(now: number): void {
    const depth = this.#random.between(...REPLACED);
    const replaced = this.#builder.blocks.slice(-depth).flatMap(({ transactions }) => transactions.slice(1));
    this.#builder = this.#builder.fork(this.#builder.height - depth);
    for (const transaction of replaced.slice(0, -1)) this.#builder.include(transaction);
    for (let mined = 0; mined <= depth; mined++) this.#block(now);
    this.#untilReorganisation = this.#random.between(...BETWEEN_REORGANISATIONS);
  }
}
