/** The database of `npm run bench -- api`. It is deterministic and stored through the engine's bulk path. */

import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { type Address, type Block, type OutPoint, outPointText } from "#lib/contract/ledger.ts";
import { cursorKey } from "#lib/queries/access-tokens.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { blockHashAt } from "#lib/queries/chain.ts";
import { type CursorCodec, createCursorCodec, outputPlaces } from "#lib/queries/cursor.ts";
import type { Position } from "#lib/store/rows.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { transactionId } from "#lib/store/transaction-id.ts";
import {
  identity,
  Ledger,
  type OutputPlan,
  storeBlocks,
  type TransactionPlan,
  timeAt,
  tokenOf,
} from "#lib/testing/ledger.ts";

export interface Size {
  /** Live outputs. A fifth of them belongs to one address. */
  outputs: number;
  blocks: number;
  /** Number of pages of 100 in each list of pages that are requested in turn. */
  pages: number;
  /** Outputs of the one address before its deep pages. */
  depth: number;
}

/** The paths and queries of a request, for our API and for the plain service. */
export interface Asked {
  ours: string;
  plain: string;
}

export interface BenchData {
  /** The first page of the address that has a fifth of all outputs. */
  first: Asked;
  /** Its pages from the first one on, and those `depth` outputs further. */
  shallow: Asked[];
  deep: Asked[];
  /** Every page of the addresses with 100 to 1,000 outputs. */
  spread: Asked[];
  /** The blocks with 10,000 changes, the highest one, and ordinary ones, as the list of changes takes them. */
  large: Asked;
  recent: Asked;
  blocks: Asked[];
  /** Only for us: ranges that begin at different heights and end at the tip, or below the block with 10,000 changes. */
  ranges: Asked[];
  plainRanges: Asked[];
  /** Only for us: live pages of the trader, and as of a tenth, half and all of the blocks first, deep and the newest ones. */
  trader: Asked[];
  /**
   * Only for us: the lists of one address, and of a wallet of 20, each with 100 to 1,000 live outputs an address. Each address is
   * the first of one wallet, so both cases request all addresses equally often.
   */
  lists: { list: string; one: Asked[]; wallet: Asked[] }[];
  /** Only for us: transactions with 100 outputs to as many addresses, of which half are spent, and single outputs of them. */
  transactions: Asked[];
  outputs: Asked[];
  /** Only for us: single blocks by height and by time. */
  named: Record<"byHeight" | "byTime", Asked[]>;
  asOf: { share: string; first: Asked[]; deep: Asked[]; newest: Asked[] }[];
}

const PAGE = 100;
const OUTPUTS_A_TRANSACTION = 2;
/** Number of outputs in a transaction, as of `aqs sync` while it catches up. */
const OUTPUTS_AT_ONCE = 10_000;
const LARGE_BLOCK = 10_000;
const SECP256K1 = "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8";

function addressOf(n: number): Address {
  const args = `0x${n.toString(16).padStart(40, "0")}`;
  const text = encodeAddress(
    { code_hash: SECP256K1, hash_type: "type", args },
    identity.network as "testnet",
  );
  return { key: parseAddress(text, "testnet").key, text };
}

const tokens = Array.from({ length: 50 }, (_, i) => tokenOf(`t${i}`));
const listed = Array.from({ length: LARGE_BLOCK }, (_, i) => tokenOf(`listed ${i}`));

/** Who gets the n-th output. */
class Owners {
  readonly holder = addressOf(0);
  /** Addresses with 100 to 1,000 outputs each. */
  readonly middle: Address[];
  readonly #small: Address[];
  /** The owners of their outputs in order, so each is there as often as it has outputs. */
  readonly #middleOwners: Address[] = [];
  #next = 0;

  constructor({ outputs }: Size) {
    this.middle = Array.from({ length: outputs / 5_000 }, (_, i) => addressOf(1 + i));
    this.#small = Array.from({ length: outputs / 50 }, (_, i) => addressOf(1_000_000 + i));
    for (let n = 0; n < 1000; n++) {
      for (const [i, address] of this.middle.entries()) {
        if (n < 100 + ((i * 7919) % 901)) this.#middleOwners.push(address);
      }
    }
  }

  of(n: number): Address {
    if (n % 5 === 0) return this.holder;
    const owner = n % 7 === 0 ? this.#middleOwners[this.#next++] : undefined;
    return owner ?? this.#small[(n * 7919) % this.#small.length]!;
  }

  small(n: number): Address {
    return this.#small[n % this.#small.length]!;
  }
}

/** Transactions of the trader in each block. */
const TRADES = 50;

/** Gets 100 outputs in each block, and spends all of them but one in the next: a hundredth of its outputs is live. */
class Trader {
  readonly address = addressOf(2_000_000);
  /** Out points of what it keeps, one for each block. */
  readonly kept: string[] = [];
  #spendable: OutPoint[] = [];

  trades(): TransactionPlan[] {
    const output = { to: this.address, capacity: 6_100_000_000n };
    return Array.from({ length: TRADES }, (_, i) => ({
      spend: this.#spendable.slice(2 * i, 2 * i + 2),
      create: [output, output],
    }));
  }

  /** @param block with its trades at the end */
  traded(block: Block): void {
    const [kept, ...others] = block.transactions
      .slice(-TRADES)
      .flatMap(({ hash }) => [0, 1].map((outputIndex) => ({ transactionHash: hash, outputIndex })));
    this.kept.push(outPointText(kept!));
    this.#spendable = others;
  }
}

function plan(owners: Owners, n: number, to = owners.of(n)): OutputPlan {
  const capacity = 6_100_000_000n + BigInt((n * 104_729) % 100_000_000_000);
  if (n % 4 !== 3) return { to, capacity };
  return { to, capacity, token: tokens[(n >> 2) % tokens.length]!, amount: BigInt(n) * 1_000_003n };
}

/** A block of `count` outputs from the n-th on, and of the trader's. */
function nextBlock(ledger: Ledger, owners: Owners, trader: Trader, n: number, count: number): Block {
  const transactions: TransactionPlan[] = [];
  for (let i = n; i < n + count; i += OUTPUTS_A_TRANSACTION) {
    transactions.push({ create: [plan(owners, i), plan(owners, i + 1)] });
  }
  const block = ledger.block([...transactions, ...trader.trades()]);
  trader.traded(block);
  ledger.blocks.splice(0, ledger.blocks.length - 1);
  return block;
}

/** A block that moves 10,000 tokens, each with a name of its own. */
function largeBlock(ledger: Ledger, owners: Owners): Block {
  return ledger.block(
    listed.map((token, i) => ({
      create: [{ to: owners.small(i), token, amount: BigInt(i) * 7919n + 1n, capacity: 14_200_000_000n }],
      claims: [
        { assetId: token.id, outputIndex: 0, name: `Listed token ${i}`, symbol: `L${i}`, decimals: 4 },
      ],
    })),
  );
}

/** Transactions with 100 outputs to as many addresses, and a block that spends half of them. */
function payouts(ledger: Ledger, owners: Owners, count: number): [Block, Block] {
  const paid = ledger.block(
    Array.from({ length: count }, (_, n) => ({
      create: Array.from({ length: PAGE }, (_, i) =>
        plan(owners, 1 + 5 * (n * PAGE + i), owners.small(n + i)),
      ),
    })),
  );
  const spends = paid.transactions.map(({ hash }, n) => ({
    spend: Array.from({ length: PAGE / 2 }, (_, i) => ({ transactionHash: hash, outputIndex: 2 * i })),
    create: [plan(owners, 1, owners.small(n))],
  }));
  return [paid, ledger.block(spends)];
}

/** Fills an empty store. Returns the requests, and a function that stores one more block. */
export async function fill(store: Store, size: Size): Promise<{ data: BenchData; grow(): Promise<void> }> {
  const owners = new Owners(size);
  const trader = new Trader();
  const ledger = new Ledger();
  await store.write(identify, identity);
  await store.write(
    replaceRegistry,
    tokens.map(({ id }, i) => ({
      id,
      name: `Token ${i}`,
      symbol: `T${i}`,
      decimals: 8,
      tags: [`tag${i % 5}`],
    })),
  );
  const priced = [...tokens, ...listed.filter((_, i) => i % 10 === 0)];
  await store.write(
    loadPrices,
    priced.map(({ id }, i) => ({ assetId: id, time: 0, usd: 10n ** 15n * BigInt(i + 1) })),
  );

  let waiting: Block[] = [];
  let outputs = 0;
  const save = async () => {
    await storeBlocks(store, waiting);
    waiting = [];
    outputs = 0;
  };
  const add = async (block: Block) => {
    waiting.push(block);
    for (const { outputs: created } of block.transactions) outputs += created.length;
    if (outputs >= OUTPUTS_AT_ONCE) await save();
  };
  const each = size.outputs / size.blocks;
  let large: Block | undefined;
  let paying: string[] = [];
  for (let n = 0; n < size.outputs; n += each) {
    if (!large && n >= size.outputs * 0.99) {
      large = largeBlock(ledger, owners);
      await add(large);
      const [paid, spent] = payouts(ledger, owners, size.pages);
      await add(paid);
      await add(spent);
      paying = paid.transactions.map(({ hash }) => hash);
    }
    await add(nextBlock(ledger, owners, trader, n, each));
  }
  await save();

  const cursors = createCursorCodec(await store.query(cursorKey));
  const pagesOf = pageLister(store, cursors);
  const spread: Asked[] = [];
  for (const address of owners.middle) spread.push(...(await pagesOf(address, 0, 1000 / PAGE)));
  const blocks: Asked[] = [];
  const named: BenchData["named"] = { byHeight: [], byTime: [] };
  for (let height = 1; height < size.blocks / 2; height++) {
    blocks.push(changesOf((await store.query(blockHashAt, height))!));
    named.byHeight.push(oursOnly(`/v0/blocks/${height}?`));
    const time = new Date(timeAt(height)).toISOString();
    named.byTime.push(oursOnly(`/v0/blocks/${time}?`));
  }
  const { kept } = trader;
  const ofTrader = (query: string): Asked => oursOnly(`/v0/addresses/${trader.address.text}/utxos?${query}&`);
  /** The position after the n-th output that it kept. */
  const after = (n: number) => `after=${kept[Math.floor(n)]}`;
  const wallet = (i: number) =>
    owners.middle.map((_, n) => owners.middle[(i + n) % owners.middle.length]!).slice(0, 20);
  const listOf = (list: string, query: string, count: number): Asked[] =>
    owners.middle.map((_, i) => {
      const addresses = wallet(i).slice(0, count);
      return oursOnly(`/v0/${list}?${query}${addresses.map(({ text }) => `address=${text}&`).join("")}`);
    });
  const [half, late] = [size.blocks / 2, size.blocks * 0.99];
  const each20th = size.blocks / 20;
  const asOf = (share: number, startOf: (height: number, i: number) => string): Asked[] =>
    Array.from({ length: size.pages }, (_, i) => {
      const height = Math.floor(size.blocks * share) - 1 - (i % each20th);
      return ofTrader(`at=${height}&${startOf(height, i)}`);
    });
  let next = size.outputs;
  return {
    data: {
      first: (await pagesOf(owners.holder, 0, 1))[0]!,
      shallow: await pagesOf(owners.holder, 0, size.pages),
      deep: await pagesOf(owners.holder, size.depth, size.pages),
      spread,
      large: changesOf(large!.hash),
      recent: changesOf(ledger.tip!.hash),
      blocks,
      ranges: rangesTo(""),
      plainRanges: rangesTo(`to=${large!.height - 1}&`),
      trader: Array.from({ length: size.pages }, (_, i) =>
        ofTrader(after((i * kept.length) / size.pages / 2)),
      ),
      lists: [
        ["utxos", "", ""],
        ["changes", "", ""],
        ["statement", "", ""],
        ["statement", " from half of the blocks on", `from=${half}&`],
        ["statement", " from the last blocks on", `from=${late}&`],
        ["holdings", "", ""],
        ["holdings", " as of half of the blocks", `at=${half}&`],
        ["holdings", " as of the last blocks", `at=${late}&`],
      ].map(([list = "", blocks, query = ""]) => ({
        list: `${list}${blocks}`,
        one: listOf(list, query, 1),
        wallet: listOf(list, query, 20),
      })),
      transactions: paying.map((hash) => oursOnly(`/v0/transactions/${hash}/outputs?`)),
      named,
      outputs: paying.map((hash, i) => oursOnly(`/v0/outputs/${hash}:${i % PAGE}?`)),
      asOf: Object.entries({ "a tenth": 0.1, half: 0.5, all: 1 }).map(([share, of]) => ({
        share,
        first: asOf(of, (_, i) => after(i / each20th)),
        deep: asOf(of, (height, i) => after(height / 2 + i / each20th)),
        newest: asOf(of, () => "order=desc"),
      })),
    },
    async grow() {
      await add(nextBlock(ledger, owners, trader, next, 100));
      await save();
      next += 100;
    },
  };
}

export const oursOnly = (ours: string): Asked => ({ ours, plain: "" });

const rangesTo = (to: string): Asked[] =>
  Array.from({ length: 1_000 }, (_, from) => oursOnly(`/v0/asset-changes?from=${from}&${to}`));

/** The path without a query, which the caller adds. */
const changesOf = (hash: string): Asked => ({
  ours: `/v0/blocks/${hash}/asset-changes?`,
  plain: `/blocks/${hash}/changes?`,
});

/** Lists up to `count` pages of an address, each as the request for it. */
function pageLister(store: Store, cursors: CursorCodec) {
  return async ({ key, text }: Address, depth: number, count: number): Promise<Asked[]> => {
    const read = (after: Position | undefined, limit: number) =>
      store.query(utxosOfAddress, { addressKey: key, order: "asc", after, limit });
    let after: Position | undefined;
    for (let skipped = 0; skipped < depth; skipped += 1000)
      after = (await read(after, 1000)).last ?? undefined;
    const pages: Asked[] = [];
    while (pages.length < count) {
      pages.push({
        ours: `/v0/addresses/${text}/utxos?${after ? `cursor=${cursors.encode(outputPlaces, after, `${key}||asc`)}&` : ""}`,
        plain: `/addresses/${key}/utxos?${after ? `after=${transactionId(after.height, after.transactionIndex)}.${after.outputIndex}&` : ""}`,
      });
      const page = await read(after, PAGE);
      if (!page.hasNext) break;
      after = page.last!;
    }
    return pages;
  };
}
