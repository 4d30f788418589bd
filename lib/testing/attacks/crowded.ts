/** Blocks that are cheap to make and expensive to read. Statements about them would be slow if they were not split. */
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { account } from "#lib/chains/ckb/testing/cells.ts";
import type { Address, OutPoint } from "#lib/contract/ledger.ts";
import { chainTip } from "#lib/queries/chain.ts";
import type { Store } from "#lib/store/store.ts";
import { at, Ledger, type OutputPlan, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";

/** Number of transactions to one address, and of outputs in each. */
const TRANSACTIONS = 2_000;
const OUTPUTS = 475;
const TRANSACTIONS_A_BLOCK = 100;
/** Number of transactions to another address, and of outputs in each. */
const GIANTS = 5;
const GIANT_OUTPUTS = 100_000;
/** Number of assets that one block sends to one address. */
const ASSETS = 100_000;

function addressOf(name: string): Address {
  const text = encodeAddress(account(name), "testnet");
  return { key: parseAddress(text, "testnet").key, text };
}

export interface Crowded {
  /** An address with outputs of many transactions, of a few large ones, and of many assets. */
  addresses: { many: string; giant: string; collector: string };
  /** A token in the last outputs of `many` and `giant`. */
  rare: string;
  /** A token with many holders. */
  held: string;
  /** The blocks before all of these and before the last two, and the block with many assets. */
  heights: { before: number; past: number; assets: number };
}

/** Stores the blocks above the tip. */
export async function storeCrowded(store: Store): Promise<Crowded> {
  const tip = (await store.query(chainTip))!;
  const parent = {
    ...tip,
    parentHash: "",
    timestamp: Date.now() - 86_400_000,
    headerFacts: "0x",
    transactions: [],
  };
  const ledger = new Ledger("crowded", [parent]);
  const [many, giant, collector] = ["many", "giant", "collector"].map((name) =>
    addressOf(`crowded ${name}`),
  ) as [Address, Address, Address];
  const [rare, held] = [tokenOf("rare"), tokenOf("held")];
  let time = parent.timestamp;
  const append = async (...plans: Parameters<Ledger["block"]>[0] & object) => {
    time += 1_000;
    const block = ledger.block(plans, time);
    await storeBlocks(store, [block]);
    return block;
  };
  const outputs = (to: string | Address, count: number): OutputPlan[] => new Array(count).fill({ to });

  const spent: OutPoint[] = [];
  for (let done = 0; done < TRANSACTIONS; done += TRANSACTIONS_A_BLOCK) {
    const plans = Array.from({ length: TRANSACTIONS_A_BLOCK }, () => ({ create: outputs(many, OUTPUTS) }));
    const block = await append(...plans);
    // Half of the outputs of every other transaction are spent later.
    for (let i = 0; i < TRANSACTIONS_A_BLOCK; i += 2) {
      for (let index = 0; index < OUTPUTS; index += 2) spent.push(at(block, i, index));
    }
  }
  const giants: OutPoint[] = [];
  for (let i = 0; i < GIANTS; i++) {
    const block = await append({ create: outputs(giant, GIANT_OUTPUTS) });
    if (i === 0) for (let index = 0; index < GIANT_OUTPUTS; index++) giants.push(at(block, 0, index));
  }
  const assets = await append({
    create: Array.from({ length: ASSETS }, (_, i) => ({ to: collector, token: tokenOf(`asset ${i}`) })),
  });
  await append({
    create: Array.from({ length: ASSETS }, (_, i) => ({ to: `holder ${i}`, token: held })),
  });
  await append({ spend: spent }, { spend: giants });
  await append({
    create: [
      { to: many, token: rare },
      { to: giant, token: rare },
    ],
  });
  const top = ledger.tip!.height;
  return {
    addresses: { many: many.text, giant: giant.text, collector: collector.text },
    rare: rare.id,
    held: held.id,
    heights: { before: tip.height, past: top - 2, assets: assets.height },
  };
}
