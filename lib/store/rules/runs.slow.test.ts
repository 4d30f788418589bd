import { describe, expect, test } from "vitest";
import { outPointText } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { type UtxoQuery, utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import type { Position } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { transactionId } from "#lib/store/transaction-id.ts";
import { engines } from "#lib/testing/engines.ts";
import { at, identity, keyOf, Ledger, native, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { applyBlocks, identify } from "./ledger.ts";
import { revertTo } from "./revert.ts";
import { isLandmark } from "./runs.ts";

const [BLOCKS, TRANSACTIONS, LATE] = [160, 70, 80];
const rare = tokenOf("rare");

/** Each transaction creates an output of one address, few with a token. Most are spent soon, some late and some never. */
function busyChain(): Ledger {
  const ledger = new Ledger();
  // The first transaction is a landmark: then no touch would be before the first run.
  ledger.block();
  for (let height = 1; height < BLOCKS; height++) {
    const plans = Array.from({ length: TRANSACTIONS }, (_, index) => {
      const age = (height + index) % 9 === 0 ? LATE : 3;
      const older = index % 7 === 0 || height <= age ? undefined : ledger.blocks[height - age];
      // One that is spent late must not have been spent soon.
      const isFree = older && ((older.height + age + index) % 9 === 0) === (age === LATE);
      const isTaken = older && age === 3 && (older.height + LATE + index) % 9 === 0;
      return {
        spend: isFree && !isTaken ? [at(older, index, 0)] : [],
        create: [index % 15 === 0 ? { to: "ann", token: rare, amount: 1n } : { to: "ann" }],
      };
    });
    ledger.block(plans);
  }
  return ledger;
}
const { blocks } = busyChain();

/** Out points that were live after the block at each height, in chain order. */
const liveAt = (() => {
  const live = new Set<string>();
  return blocks.map(({ transactions }) => {
    for (const { hash, inputs } of transactions) {
      for (const outPoint of inputs) live.delete(outPointText(outPoint));
      live.add(outPointText({ transactionHash: hash, outputIndex: 0 }));
    }
    return [...live];
  });
})();

const ofRare = new Set(
  blocks.flatMap(({ transactions }) =>
    transactions.filter(({ outputs }) => outputs[0]!.token).map(({ hash }) => `${hash}:0`),
  ),
);

async function listed(
  store: Store,
  height: number,
  filters: Pick<UtxoQuery, "order" | "token" | "limit">,
): Promise<string[]> {
  const found: string[] = [];
  for (let after: Position | undefined; ; ) {
    const query = { addressKey: keyOf("ann"), at: { height }, after, ...filters };
    const page = await store.query(utxosOfAddress, query);
    found.push(...page.rows.map(outPointText));
    if (!page.hasNext) return found;
    after = page.last!;
  }
}

async function expectRight(store: Store, tip: number): Promise<void> {
  expect(await verifyStore(store)).toEqual([]);
  for (const height of [0, 20, LATE - 1, 99, 130, tip - 1, tip].filter((height) => height <= tip)) {
    const expected = liveAt[height]!;
    expect(await listed(store, height, { order: "asc", limit: 200 })).toEqual(expected);
    // More landmarks than PostgreSQL looks for in its first part.
    expect(await listed(store, height, { order: "desc", limit: 1000 })).toEqual(expected.toReversed());
    const rareOnes = expected.filter((outPoint) => ofRare.has(outPoint));
    expect(await listed(store, height, { order: "asc", token: rare.id, limit: 100 })).toEqual(rareOnes);
    const newest = await listed(store, height, { order: "desc", token: rare.id, limit: 100 });
    expect(newest).toEqual(rareOnes.toReversed());
  }
}

describe.each(engines)("runs of touches in $name", ({ open }) => {
  test("follow blocks that come in order, are reverted and come again", async () => {
    const places = blocks.flatMap(({ height, transactions }) =>
      transactions.map((_, index) => transactionId(height, index)),
    );
    expect(places.filter(isLandmark).length).toBeGreaterThan(4);
    const store = await open();
    await store.write(identify, identity);
    for (let from = 0; from < BLOCKS; from += 40) await storeBlocks(store, blocks.slice(from, from + 40));
    await expectRight(store, BLOCKS - 1);
    await store.write(revertTo, 110);
    await expectRight(store, 110);
    await storeBlocks(store, blocks.slice(111));
    await expectRight(store, BLOCKS - 1);
    await store.close();
  });

  test("are the same whatever comes first", async () => {
    const store = await open();
    await store.write(identify, identity);
    const outputs = new Map(
      blocks.flatMap(({ transactions }) =>
        transactions.map(({ hash, outputs }) => {
          return [outPointText({ transactionHash: hash, outputIndex: 0 }), outputs[0]!] as const;
        }),
      ),
    );
    for (const [from, to] of [
      [120, 160],
      [40, 80],
      [80, 120],
      [0, 40],
    ]) {
      const resolved = await resolveBlocks(blocks.slice(from, to), store, native.id, async () => outputs);
      await store.write(applyBlocks, resolved, { extendTip: false });
      expect(await verifyStore(store)).toEqual([]);
    }
    await expectRight(store, BLOCKS - 1);
    await store.close();
  });
});
