import fc from "fast-check";
import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { ZERO_HASH } from "#lib/chains/ckb/hashes.ts";
import type { NodeBlock, NodeTransaction } from "#lib/chains/ckb/schema.ts";
import {
  account,
  amountData,
  CKB,
  clusterType,
  DAO,
  MAXIMUM_AMOUNT,
  sporeType,
  timeLock,
  tokenId,
  udt,
} from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import type { Block } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import type { Price } from "#lib/store/rows.ts";

/** Random trees of small blocks that contain every kind of event, for property tests of code that follows a chain. */

export const owners = ["ann", "bob", "carl"].map((name) => account(name));
/** Possible receivers; the last ones start with nothing. */
const receivers = [
  ...owners,
  ...["dan", "eve", "fay", "gil"].map((name) => account(name, "omnilock")),
  ...["absolute epoch", "relative epoch", "absolute block", "relative block", "relative time"].map(
    (name, at) => timeLock(name, ([0x20n, 0xa0n, 0x00n, 0x80n, 0xc0n][at]! << 56n) | 9n),
  ),
  { code_hash: ZERO_HASH, hash_type: "data" as const, args: "0x" },
];
/** Tokens that the first and the second owner can issue. */
const tokens = [udt(owners[0]!), udt(owners[1]!, "sudt"), udt(owners[0]!, "xudtByData", 1)];
const amounts = [0n, 1n, 7n, 10n ** 12n, 2n ** 63n, MAXIMUM_AMOUNT];
const CLUSTER_CODE = clusterType("0x").code_hash;
const SPORE_CODE = sporeType("0x").code_hash;
const data = ["0x00", "0x7f454c46", "0x7f454c4601"];

const kinds = [
  "pay",
  "mint",
  "introduce",
  "inscribe",
  "transfer",
  "burn",
  "cluster",
  "spore",
  "move",
  "melt",
  "repeat",
  "deposit",
  "withdraw",
  "store",
] as const;

/** One event of a block; the numbers choose from what exists. */
export interface Deed {
  kind: (typeof kinds)[number];
  who: number;
  to: number;
  what: number;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat({ max: owners.length - 1 }),
  to: fc.nat({ max: receivers.length - 1 }),
  what: fc.nat({ max: 30 }),
});

/** The events of up to three blocks. */
export const growth: fc.Arbitrary<Deed[][]> = fc.array(fc.array(deed, { maxLength: 5 }), {
  minLength: 1,
  maxLength: 3,
});

/** Prices and registry entries for the assets that the deeds create. */
export const prices: fc.Arbitrary<Price[]> = fc.array(
  fc.record({
    assetId: fc.constantFrom("0x80000135", ...tokens.map(tokenId)),
    // Blocks come every ten seconds.
    time: fc.nat({ max: 15 }).map((n) => Date.UTC(2026, 0, 1) + n * 9_000),
    usd: fc.constantFrom(0n, 1n, 3n * 10n ** 17n, 10n ** 30n),
  }),
  { maxLength: 4 },
);

export const registry: fc.Arbitrary<RegistryEntry[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("0x80000135", ...tokens.map(tokenId)),
    name: fc.constantFrom(undefined, "Listed", "ß"),
    decimals: fc.constantFrom(undefined, 0, 3, 18),
    tags: fc.constantFrom(["b", "a"], []),
  }),
  { selector: (entry) => entry.id, maxLength: 3 },
);

const parsed = new Map<string, Block>();

/** The block as the core knows it. */
export function factsOf(block: NodeBlock): Block {
  let facts = parsed.get(block.header.hash);
  if (!facts) {
    facts = verifyBlock(block, "testnet", `block ${Number(block.header.number)}`);
    parsed.set(block.header.hash, facts);
  }
  return facts;
}

/**
 * Branches that grow and split. All share the first block, which gives each owner some cells and holds a token that
 * has not been minted yet.
 */
export class RandomTree {
  readonly branches = [
    new ChainBuilder({
      // Short epochs let rewards mature and time locks end.
      epochLength: 2,
      miner: owners[2],
      genesis: [
        { lock: owners[0]!, type: tokens[2], data: amountData(0n) },
        ...owners.flatMap((lock) => Array.from({ length: 8 }, () => ({ lock, capacity: 50_000n * CKB }))),
      ],
    }),
  ];
  /** The transactions of all branches, so that several branches can contain the same one. */
  readonly #made: NodeTransaction[] = [];

  branch(index: number): ChainBuilder {
    return this.branches[index % this.branches.length]!;
  }

  /** Adds blocks to a branch. Deeds that its state does not allow are skipped. */
  grow(branch: ChainBuilder, blocks: Deed[][]): void {
    for (const deeds of blocks) {
      for (const each of deeds) this.#act(branch, each);
      const { transactions } = branch.block();
      this.#made.push(...transactions.slice(1));
    }
  }

  /** Starts a branch some blocks below the tip of another. */
  fork(from: ChainBuilder, depth: number): ChainBuilder {
    const branch = from.fork(Math.max(0, from.height - depth));
    this.branches.push(branch);
    return branch;
  }

  #act(chain: ChainBuilder, { kind, who, to: toIndex, what }: Deed): void {
    const from = owners[who]!;
    const to = receivers[toIndex]!;
    const token = tokens[what % tokens.length]!;
    const issuer = token === tokens[1] ? owners[1]! : owners[0]!;
    const amount = amounts[what % amounts.length]!;
    const cellsOf = (codeHash: string) =>
      chain.liveCells(from).filter((cell) => cell.output.type?.code_hash === codeHash);
    const pick = <T>(list: T[]): T[] => (list.length === 0 ? [] : [list[what % list.length]!]);
    const text = { name: `Token ${what}`, symbol: `T${what}`, decimals: what };

    const deeds: Record<Deed["kind"], () => unknown> = {
      pay: () => chain.transfer({ from, to, amount: BigInt(100 + what) * CKB }),
      mint: () => chain.mint({ token, issuer, to, amount }),
      introduce: () => chain.mint({ token, issuer, to, amount, info: text }),
      inscribe: () => {
        const { token } = chain.inscription({ ...text, supply: amount, mintLimit: 1n, owner: from });
        chain.mint({ token, issuer: from, to, amount });
      },
      transfer: () => {
        const half = (chain.balance(from, token) + 1n) / 2n;
        if (half > 0n && half <= MAXIMUM_AMOUNT)
          chain.transfer({ token, from, to, amount: half, payer: from });
      },
      burn: () => {
        const half = (chain.balance(from, token) + 1n) / 2n;
        if (half > 0n) chain.burn({ token, from, amount: half, payer: from });
      },
      cluster: () => chain.cluster({ name: `Cluster ${what}`, owner: to, payer: from }),
      spore: () => {
        const [cluster] = pick(cellsOf(CLUSTER_CODE));
        chain.spore({ to, payer: from, cluster, contentType: "image/svg+xml", content: `${what}` });
      },
      move: () => chain.move({ cells: pick(cellsOf(SPORE_CODE)), to, payer: from }),
      melt: () => chain.melt({ cells: pick(cellsOf(SPORE_CODE)) }),
      repeat: () => pick(this.#made).map((transaction) => chain.include(transaction)),
      deposit: () => chain.deposit({ owner: from, capacity: BigInt(200 + what) * CKB, payer: from }),
      withdraw: () => {
        const [deposit] = pick(cellsOf(DAO.code_hash));
        if (deposit) chain.withdraw({ deposit, depositedAt: what, payer: from });
      },
      store: () => chain.create([{ lock: to, data: data[what % data.length] }], from),
    };
    try {
      deeds[kind]();
    } catch (error) {
      if (!/not live|too little|needs an input|u128|shannons more/.test((error as Error).message))
        throw error;
    }
  }
}
