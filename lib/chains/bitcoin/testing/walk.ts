/** A random chain on a real node, which a store follows. After each step, the store is compared with the node's own figures. */
import { expect } from "vitest";
import type { ChainSource } from "#lib/contract/source.ts";
import { Random } from "#lib/demo/ckb/random.ts";
import { sync } from "#lib/indexer/sync.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { storedBlock, storedTokens } from "#lib/queries/stored.ts";
import type { Position } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { addressOf } from "../address.ts";
import { litecoin } from "../networks.ts";
import { isUnspendable } from "../script.ts";
import { BEGINNING, type Litecoind } from "./litecoind.ts";
import { type Coin, canSpend, type NodeBlock, SCRIPTS, signed, toLitoshis } from "./payments.ts";

const network = litecoin.networks.find(({ name }) => name === "regtest")!;
/** Blocks until a reward may be spent. */
const MATURITY = 100;
const DEEPEST_REORGANISATION = 12;
const PAGE = 20;

/** Scripts that pay and are paid: one of each kind, and one that is too long to run. */
const OWNERS = [...new Set([...SCRIPTS.map(([, , script]) => script), "51".repeat(10_001)])];
const ADDRESSES = new Map(
  OWNERS.map((script) => [script, addressOf(Buffer.from(script, "hex"), network).key]),
);
const NEVER_LISTED = OWNERS.filter((script) => isUnspendable(Buffer.from(script, "hex")));
/** The node cannot be asked for the empty script; its outputs are in the supply. */
const LISTED = OWNERS.filter((script) => script !== "" && !NEVER_LISTED.includes(script));

export interface Follower {
  store: Store;
  source: ChainSource;
}

interface Unspent {
  txid: string;
  vout: number;
  scriptPubKey: string;
  amount: number;
  height: number;
}

export class Walk {
  readonly #node: Litecoind;
  readonly #random: Random;
  readonly #seen = new Map<string, NodeBlock>();
  /** Amounts of the outputs of all branches, by out point. */
  readonly #amounts = new Map<string, bigint>();
  readonly #rewards = new Set<string>();
  /** Outputs that blocks of abandoned branches spent. */
  readonly #contested = new Set<string>();
  #time = BEGINNING;
  /** Counts of events, so that a test can check that they happened. */
  readonly count = { blocks: 0, reorganisations: 0, deepest: 0, lower: 0, doubleSpends: 0, withinBlock: 0 };

  constructor(node: Litecoind, seed: number) {
    this.#node = node;
    this.#random = new Random(seed);
  }

  /** The first rewards become mature. */
  async begin(): Promise<void> {
    const payable = OWNERS.filter(canSpend);
    for (let i = 0; i < MATURITY; i += 10) {
      const to = await this.#node.descriptorOf(payable[(i / 10) % payable.length]!);
      await this.#node.call("generatetodescriptor", 10, to);
    }
  }

  /** Mines some blocks, replaces the last ones by a branch, or returns to the branch before it. */
  async step(): Promise<void> {
    if (this.#random.below(4) > 0) return this.#mine(this.#random.between(1, 2));
    const depth = this.#random.between(1, DEEPEST_REORGANISATION);
    const abandoned = (await this.#chain()).slice(-depth);
    const first = abandoned[0]!.hash;
    for (const { txid, vout } of abandoned.flatMap(({ tx }) => tx.slice(1)).flatMap(({ vin }) => vin)) {
      this.#contested.add(`${txid}:${vout}`);
    }
    await this.#node.call("invalidateblock", first);
    // Often a block more than before, sometimes fewer, so that the tip is lower.
    const mined = Math.max(1, depth + 1 - (this.#random.below(3) === 0 ? this.#random.between(1, depth) : 0));
    await this.#mine(mined);
    if (this.#random.below(3) === 0) await this.#node.call("reconsiderblock", first);
    this.count.reorganisations += 1;
    this.count.deepest = Math.max(this.count.deepest, depth);
    if (mined < depth) this.count.lower += 1;
  }

  /** The node has another cookie afterwards. */
  restart(): Promise<void> {
    return this.#node.restart(this.#time);
  }

  async #mine(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) {
      this.#time += this.#random.between(1, 600);
      await this.#node.call("setmocktime", this.#time);
      const to = await this.#node.descriptorOf(this.#random.pick([...LISTED, ...NEVER_LISTED]));
      await this.#node.call("generateblock", to, await this.#transactions());
      this.count.blocks += 1;
    }
  }

  /** Some that may follow one another in the next block, in hex. */
  async #transactions(): Promise<string[]> {
    const { length: next } = await this.#chain();
    const coins: Coin[] = [];
    for (const { txid, vout, scriptPubKey: script, amount, height } of await this.#unspent()) {
      if (!canSpend(script) || (this.#rewards.has(txid) && height + MATURITY > next)) continue;
      coins.push({ txid, vout, script, amount: toLitoshis(amount) });
    }
    const fresh = new Set<Coin>();
    const raws: string[] = [];
    for (let n = this.#random.below(5); n > 0 && coins.length > 0; n--) {
      const spent: Coin[] = [];
      for (let inputs = this.#random.between(1, 3); inputs > 0 && coins.length > 0; inputs--) {
        // Sometimes, an output that another branch spent or this block created comes first.
        const wanted = [
          coins.findIndex(({ txid, vout }) => this.#contested.has(`${txid}:${vout}`)),
          coins.findIndex((coin) => fresh.has(coin)),
        ][this.#random.below(4)];
        const at = wanted === undefined || wanted === -1 ? this.#random.below(coins.length) : wanted;
        const [coin] = coins.splice(at, 1);
        if (fresh.has(coin!)) this.count.withinBlock += 1;
        if (this.#contested.has(`${coin!.txid}:${coin!.vout}`)) this.count.doubleSpends += 1;
        spent.push(coin!);
      }
      const outputs = this.#split(spent.reduce((sum, { amount }) => sum + amount, 0n));
      const raw = await signed(this.#node, spent, outputs);
      raws.push(raw);
      const { txid } = await this.#node.call<{ txid: string }>("decoderawtransaction", raw);
      for (const [vout, output] of outputs.entries()) {
        if (!canSpend(output.script)) continue;
        const coin = { txid, vout, ...output };
        coins.push(coin);
        fresh.add(coin);
      }
    }
    return raws;
  }

  /** Dust and nothing, too. What is left over is the fee. */
  #split(total: bigint): { amount: bigint; script: string }[] {
    const outputs: { amount: bigint; script: string }[] = [];
    let left = total;
    for (let n = this.#random.between(1, 6); n > 0; n--) {
      const dust = [0n, 1n, 546n][this.#random.below(8)];
      const share = dust ?? (left * BigInt(this.#random.between(1, 100))) / 100n;
      const amount = share > left ? left : share;
      left -= amount;
      outputs.push({ amount, script: this.#random.pick(OWNERS) });
    }
    return outputs;
  }

  /** The node's blocks, by height. */
  async #chain(): Promise<NodeBlock[]> {
    const blocks: NodeBlock[] = [];
    let hash: string | undefined = await this.#node.call<string>("getbestblockhash");
    while (hash !== undefined) {
      const block: NodeBlock = this.#seen.get(hash) ?? (await this.#read(hash));
      blocks.push(block);
      hash = block.previousblockhash;
    }
    return blocks.reverse();
  }

  async #read(hash: string): Promise<NodeBlock> {
    const block = await this.#node.call<NodeBlock>("getblock", hash, 2);
    this.#seen.set(hash, block);
    this.#rewards.add(block.tx[0]!.txid);
    for (const { txid, vout } of block.tx) {
      for (const { n, value } of vout) this.#amounts.set(`${txid}:${n}`, toLitoshis(value));
    }
    return block;
  }

  /** The owners' outputs that the node lists as unspent. */
  async #unspent(): Promise<Unspent[]> {
    const scripts = LISTED.map((script) => `raw(${script})`);
    const { unspents } = await this.#node.call<{ unspents: Unspent[] }>("scantxoutset", "start", scripts);
    return unspents;
  }

  /** Syncs the stores with the node, and compares them with it. */
  async check(followers: readonly Follower[]): Promise<void> {
    const blocks = await this.#chain();
    const tip = blocks.at(-1)!;
    const lists = new Map(LISTED.map((script) => [script, [] as [place: number[], line: string][]]));
    for (const { txid, vout, scriptPubKey, amount, height } of await this.#unspent()) {
      const place = [height, blocks[height]!.tx.findIndex((each) => each.txid === txid), vout];
      lists.get(scriptPubKey)!.push([place, `${height} 0x${txid}:${vout} ${toLitoshis(amount)}`]);
    }
    const { total_amount: supply } = await this.#node.call<{ total_amount: number }>("gettxoutsetinfo");
    for (const { store, source } of followers) {
      const below = (await store.query(chainTip))?.height ?? -1;
      await sync(store, source, { once: true, sleep: async () => {} });
      expect(await store.query(chainTip)).toMatchObject({ height: tip.height, hash: `0x${tip.hash}` });
      for (const [script, unspent] of lists) {
        const inOrder = unspent.sort(([a], [b]) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!);
        expect(await listOf(store, ADDRESSES.get(script)!)).toEqual(inOrder.map(([, line]) => line));
      }
      for (const script of NEVER_LISTED) {
        expect(await listOf(store, ADDRESSES.get(script)!)).toEqual([]);
      }
      const tokens = await store.query(storedTokens, {});
      expect(tokens.map(({ id, totalSupply }) => [id, totalSupply])).toEqual([
        [litecoin.native.id, String(toLitoshis(supply))],
      ]);
      for (const block of blocks.slice(Math.max(0, below - DEEPEST_REORGANISATION))) {
        const stored = await store.query(storedBlock, block.height);
        expect([stored.hash, stored.changes.map(({ amount }) => amount)]).toEqual([
          `0x${block.hash}`,
          [this.#movedBy(block)],
        ]);
      }
    }
  }

  /** The sum over its transactions of what goes in or comes out, whichever is more. */
  #movedBy({ tx }: NodeBlock): bigint {
    let sum = 0n;
    for (const { vin, vout } of tx) {
      const spent = vin.map(({ txid, vout }) => this.#amounts.get(`${txid}:${vout}`) ?? 0n);
      const [before, after] = [spent, vout.map(({ value }) => toLitoshis(value))].map((amounts) =>
        amounts.reduce((total, amount) => total + amount, 0n),
      ) as [bigint, bigint];
      sum += before > after ? before : after;
    }
    return sum;
  }
}

/** An address's outputs, page by page. */
async function listOf(store: Store, addressKey: string): Promise<string[]> {
  const lines: string[] = [];
  for (let after: Position | undefined, hasNext = true; hasNext; ) {
    const page = await store.query(utxosOfAddress, { addressKey, order: "asc", limit: PAGE, after });
    for (const { height, transactionHash, outputIndex, amount } of page.rows) {
      lines.push(`${height} ${transactionHash}:${outputIndex} ${amount}`);
    }
    after = page.last ?? undefined;
    hasNext = page.hasNext;
  }
  return lines;
}
