/** A Litecoin node that mines a chain of its own (regtest), with payments in each block. */
import { litecoin } from "#lib/chains/bitcoin/networks.ts";
import {
  hasLitecoind,
  Litecoind,
  NO_LITECOIND,
  WITHOUT_MWEB,
} from "#lib/chains/bitcoin/testing/litecoind.ts";
import type { DemoNode, StartDemo } from "#lib/demo/types.ts";

/** Blocks before the demo begins: with fewer than 100, no reward could be spent. */
const BLOCKS = 180;
const BLOCK_SECONDS = 150;
const USERS = 12;
const MAX_PAYMENTS = 6;
/** One of this many blocks replaces earlier ones, at most MAX_REPLACED. */
const REORGANISATION_EVERY = 30;
const MAX_REPLACED = 3;
/** Price in millionths of a dollar. */
const FIRST_PRICE = 84_120_000;
const PRICE_EVERY_MS = 60_000;

const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least + 1));

class Miner implements DemoNode {
  readonly url: string;
  readonly cookie: string;
  readonly #node: Litecoind;
  readonly #users: readonly string[];
  #price = FIRST_PRICE;
  #pricedAt = Number.NEGATIVE_INFINITY;
  #seconds = 0;
  height = 0;

  constructor(node: Litecoind, users: readonly string[]) {
    this.#node = node;
    this.url = node.url;
    this.cookie = node.cookie;
    this.#users = users;
  }

  #user(): string {
    return this.#users[between(0, this.#users.length - 1)]!;
  }

  /** @param to the address of the reward */
  async #mineTo(to: string): Promise<string> {
    const [hash] = await this.#node.call<[string]>("generatetoaddress", 1, to);
    this.height = await this.#node.call<number>("getblockcount");
    return hash;
  }

  /** Always a later second: otherwise a block could be the very one that it replaces, which the node refuses. */
  async #setTime(time: number): Promise<void> {
    this.#seconds = Math.max(this.#seconds + 1, Math.floor(time / 1000));
    await this.#node.call("setmocktime", this.#seconds);
  }

  /** Pays to some users in one transaction, in thousandths of a coin. */
  async pay(payments: number): Promise<void> {
    const outputs: Record<string, number> = {};
    for (let i = 0; i < payments; i++) outputs[this.#user()] = between(1, 5_000) / 1_000;
    await this.#node.call("sendmany", "", outputs);
  }

  /** An output that holds a text, and that nobody can spend. */
  async note(text: string): Promise<void> {
    const data = Buffer.from(text).toString("hex");
    const bare = await this.#node.call<string>("createrawtransaction", [], [{ data }]);
    const { hex } = await this.#node.call<{ hex: string }>("fundrawtransaction", bare);
    const signed = await this.#node.call<{ hex: string }>("signrawtransactionwithwallet", hex);
    await this.#node.call("sendrawtransaction", signed.hex);
  }

  /** Blocks up to the first reward that can be spent, and further ones with payments. Returns the last block's hash. */
  async begin(now: number): Promise<string> {
    const [miner] = this.#users;
    let last = "";
    for (let left = BLOCKS; left > 0; left--) {
      await this.#setTime(now - left * BLOCK_SECONDS * 1000);
      const isPaying = left < BLOCKS - 110;
      if (isPaying) await this.pay(between(1, MAX_PAYMENTS));
      if (left === 1) {
        await this.note("Hello from a demo");
        for (let more = 0; more < MAX_PAYMENTS; more++) await this.pay(MAX_PAYMENTS);
      }
      last = await this.#mineTo(isPaying ? this.#user() : miner!);
    }
    return last;
  }

  async mine(now: number): Promise<void> {
    await this.#setTime(now);
    if (between(1, REORGANISATION_EVERY) === 1) {
      const depth = between(1, MAX_REPLACED);
      const replaced = await this.#node.call<string>("getblockhash", this.height - depth + 1);
      await this.#node.call("invalidateblock", replaced);
      for (let block = 0; block < depth; block++) await this.#mineTo(this.#user());
    }
    for (let more = between(0, 2); more >= 0; more--) await this.pay(between(1, MAX_PAYMENTS));
    await this.#mineTo(this.#user());
  }

  movePrices(now: number): string {
    if (now - this.#pricedAt < PRICE_EVERY_MS) return "";
    this.#pricedAt = now;
    this.#price = Math.round(this.#price * (1 + (Math.random() - 0.5) / 100));
    return `asset_id,time,usd\n${litecoin.native.id},${new Date(now).toISOString()},${(this.#price / 1e6).toFixed(6)}\n`;
  }

  async close(): Promise<void> {
    await this.#node[Symbol.asyncDispose]();
  }
}

export const startDemo: StartDemo = async (now) => {
  if (!hasLitecoind) throw new Error(`The demo ${NO_LITECOIND}`);
  const node = await Litecoind.start(WITHOUT_MWEB, "txindex=1", "rest=1");
  try {
    await node.call("createwallet", "demo");
    const types = ["bech32", "legacy", "p2sh-segwit"];
    const users: string[] = [];
    for (let i = 0; i < USERS; i++) {
      users.push(await node.call<string>("getnewaddress", "", types[i % types.length]));
    }
    const miner = new Miner(node, users);
    const blockHash = await miner.begin(now);
    return {
      node: miner,
      pricesCsv: miner.movePrices(now - BLOCKS * BLOCK_SECONDS * 1000),
      busyAddress: users[0]!,
      notable: [
        { title: "an address with many rewards", address: users[0]! },
        { title: "an address that is paid often", address: users[1]! },
        { title: "a block with many payments", blockHash },
      ],
    };
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
};
