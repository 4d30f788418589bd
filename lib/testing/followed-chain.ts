/** A random chain that a store follows through growth, reorganisations, and blocks that it lacks. */
import fc from "fast-check";
import { type Block, type Output, outPointText } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { identity, Ledger, native, tokenOf } from "./ledger.ts";
import { addressOf } from "./v0.ts";

/** The first one's lists are walked. */
export const owners = [addressOf(1), addressOf(2)];
export const assets = [null, tokenOf("gold"), tokenOf("salt")];
export const idOf = ({ token }: Output) => token?.id ?? native.id;

export type Plan = { spend: number[]; create: { who: number; asset: number }[] }[];
export const plan: fc.Arbitrary<Plan> = fc.array(
  fc.record({
    spend: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
    create: fc.array(fc.record({ who: fc.nat({ max: 1 }), asset: fc.nat({ max: 2 }) }), { maxLength: 3 }),
  }),
  { maxLength: 3 },
);
export const plans = fc.array(plan, { minLength: 1, maxLength: 3 });

export interface Held {
  outPoint: string;
  height: number;
  output: Output;
}

/** Live outputs after these blocks, in chain order. Outputs of other blocks are in no list. */
export function liveAfter(blocks: readonly Block[]): Map<string, Held> {
  const live = new Map<string, Held>();
  for (const { height, transactions } of blocks) {
    for (const { hash, inputs, outputs } of transactions) {
      for (const input of inputs) live.delete(outPointText(input));
      for (const [outputIndex, output] of outputs.entries()) {
        const outPoint = outPointText({ transactionHash: hash, outputIndex });
        live.set(outPoint, { outPoint, height, output });
      }
    }
  }
  return live;
}

/** Live outputs that somebody can spend after these blocks, in chain order. */
export const spendableAfter = (blocks: readonly Block[]) =>
  [...liveAfter(blocks).values()]
    .filter(({ output }) => output.spendable !== false)
    .map((held) => {
      const [transactionHash = "", index] = held.outPoint.split(":");
      return { ...held, point: { transactionHash, outputIndex: Number(index) } };
    });

export const outputText = ({ outPoint, height, output }: Held) =>
  `${outPoint} ${height} ${idOf(output)} ${output.amount} ${output.capacity}`;

/** Lists the outputs that a transaction spends or creates, with the spender of each. */
export function sideOf(side: "inputs" | "outputs", blocks: readonly Block[], hash: string): string[] {
  const made = new Map<string, Held>();
  const spenders = new Map<string, string>();
  for (const { height, transactions } of blocks) {
    for (const each of transactions) {
      for (const input of each.inputs) spenders.set(outPointText(input), `${each.hash} ${height}`);
      for (const [outputIndex, output] of each.outputs.entries()) {
        const outPoint = outPointText({ transactionHash: each.hash, outputIndex });
        made.set(outPoint, { outPoint, height, output });
      }
    }
  }
  const all = blocks.flatMap(({ transactions }) => transactions);
  const { inputs, outputs } = all.find((each) => each.hash === hash)!;
  const places = outputs.map((_, outputIndex) => ({ transactionHash: hash, outputIndex }));
  return (side === "inputs" ? inputs : places).map(outPointText).map((outPoint) => {
    const held = made.get(outPoint);
    return `${held ? outputText(held) : `${outPoint} null   `} by ${spenders.get(outPoint)}`;
  });
}
export const isOwn = ({ output }: Pick<Held, "output">, owner = owners[0]!) =>
  output.address.key === owner.key;
export const ownAfter = (blocks: readonly Block[]) =>
  [...liveAfter(blocks).values()].filter((held) => isOwn(held));

/** What happened to the owners' outputs above a height, block by block. */
export function changesIn(blocks: readonly Block[], after: number, of = owners.slice(0, 1)): string[] {
  return blocks.flatMap(({ height, transactions }, i) => {
    if (height <= after) return [];
    const live = liveAfter(blocks.slice(0, i));
    return transactions.flatMap(({ hash, inputs, outputs }) => {
      const spent = inputs.flatMap((input) => live.get(outPointText(input)) ?? []);
      const created = outputs.map((output, outputIndex): Held => {
        return { outPoint: outPointText({ transactionHash: hash, outputIndex }), height, output };
      });
      for (const held of created) live.set(held.outPoint, held);
      const textOf = (change: string) => (held: Held) =>
        of.some((owner) => isOwn(held, owner))
          ? [`${change} at ${height} by ${hash}: ${outputText(held)}`]
          : [];
      return [...spent.flatMap(textOf("spent")), ...created.flatMap(textOf("created"))];
    });
  });
}

/** A chain that a store follows, with blocks that it lacks. */
export class Followed {
  /** All blocks that are indexed now, lowest first. */
  indexed: Block[] = [];
  forks = 0;
  readonly #chains = [new Ledger()];
  #chain = this.#chains[0]!;
  readonly #made = new Map<string, Output>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async start(): Promise<void> {
    await this.#store.write(identify, identity);
    this.#chain.block([{ create: assets.flatMap(() => this.#outputs(Array(4).fill({ who: 0, asset: 0 }))) }]);
    await this.#keep([this.#chain.tip!]);
    await this.grow([[{ spend: [0], create: [0, 1, 2].map((asset) => ({ who: asset % 2, asset })) }]], false);
  }

  #outputs = (create: Plan[number]["create"]) =>
    create.map(({ who, asset }) => {
      const token = assets[asset];
      return { to: owners[who]!, ...(token && { token, amount: 7n }) };
    });

  #make(plans: Plan[]): Block[] {
    return plans.map((transactions) => {
      let live = [...liveAfter(this.#chain.blocks).keys()];
      return this.#chain.block(
        transactions.map(({ spend, create }) => {
          const spent = new Set(live.length === 0 ? [] : spend.map((n) => live[n % live.length]!));
          live = live.filter((outPoint) => !spent.has(outPoint));
          const inputs = [...spent].map((outPoint) => {
            const [transactionHash = "", index] = outPoint.split(":");
            return { transactionHash, outputIndex: Number(index) };
          });
          return { spend: inputs, create: this.#outputs(create) };
        }),
      );
    });
  }

  async #keep(blocks: Block[]): Promise<void> {
    for (const { outPoint, output } of liveAfter(this.#chain.blocks).values())
      this.#made.set(outPoint, output);
    for (const { transactions } of this.#chain.blocks) {
      for (const { hash: transactionHash, outputs } of transactions) {
        for (const [outputIndex, output] of outputs.entries())
          this.#made.set(outPointText({ transactionHash, outputIndex }), output);
      }
    }
    const resolved = await resolveBlocks(blocks, this.#store, native.id, async () => this.#made);
    await this.#store.write(applyBlocks, resolved, { extendTip: false });
    this.indexed = [...this.indexed, ...blocks].sort((one, two) => one.height - two.height);
  }

  async grow(plans: Plan[], skips: boolean): Promise<void> {
    const blocks = this.#make(plans);
    await this.#keep(skips && blocks.length > 1 ? blocks.slice(1) : blocks);
  }

  async #revert(height: number): Promise<void> {
    await this.#store.write(revertTo, height);
    if (this.indexed.some((block) => block.height > height)) this.forks += 1;
    this.indexed = this.indexed.filter((block) => block.height <= height);
  }

  async fork(depth: number, plans: Plan[]): Promise<void> {
    const height = Math.max(1, this.#chain.tip!.height - depth);
    this.#chain = this.#chain.fork(height, `branch ${this.#chains.length}`);
    this.#chains.push(this.#chain);
    await this.#store.atomically(async () => {
      await this.#revert(height);
      await this.#keep(this.#make(plans));
    });
  }

  /** Returns to a branch that was followed before, or stays. */
  async back(chain: number): Promise<void> {
    const next = this.#chains[chain % this.#chains.length]!;
    const common = next.blocks.findLastIndex((block, i) => block === this.#chain.blocks[i]);
    this.#chain = next;
    await this.#store.atomically(async () => {
      await this.#revert(common);
      await this.#keep(next.blocks.slice(common + 1));
    });
  }

  async fill(): Promise<void> {
    const tip = this.indexed.at(-1)!.height;
    const missing = this.#chain.blocks.filter((block) => block.height < tip && !this.indexed.includes(block));
    if (missing.length === 0) return;
    await this.#keep(missing);
  }
}

export const hasGaps = (blocks: readonly Block[]) => blocks.length !== blocks.at(-1)!.height + 1;
