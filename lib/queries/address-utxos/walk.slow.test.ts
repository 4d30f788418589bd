import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { CKB } from "#lib/chains/ckb/testing/cells.ts";
import type { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { type Deed, factsOf, growth, owners, RandomTree } from "#lib/chains/ckb/testing/random-tree.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { blockHashAt } from "#lib/queries/chain.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { type Ask, asker } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { storeBlocks } from "#lib/testing/ledger.ts";

type Event =
  | { do: "read"; pageSize: number }
  /** The followed chain grows. With `fork`, a new branch from that height replaces it. */
  | { do: "grow"; fork: number | null; blocks: Deed[][] }
  /** The store follows another branch from now on. */
  | { do: "switch"; branch: number };

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant("read" as const), pageSize: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("grow" as const),
        fork: fc.option(fc.nat({ max: 5 })),
        blocks: growth,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("switch" as const), branch: fc.nat({ max: 4 }) }),
    },
  ),
  { minLength: 6, maxLength: 20, size: "max" },
);

const owner = owners[0]!;
const addresses = owners.map((each) => encodeAddress(each, "testnet"));
const [address = ""] = addresses;

/** The lists to walk: the first owner's, and all owners'. */
const lists = [
  {
    of: [owner],
    named: "an address",
    page: (ask: Ask, search: Record<string, string>) => ask("addressUtxos", { address }, search),
  },
  {
    of: owners,
    named: "several addresses",
    page: (ask: Ask, search: Record<string, string>) =>
      ask("utxos", {}, [
        ...addresses.map((each): [string, string] => ["address", each]),
        ...Object.entries(search),
      ]),
  },
];
const walks = lists.flatMap((list) => (["asc", "desc"] as const).map((order) => ({ ...list, order })));

/** The owners' live outputs, as the chain builder counts them. */
const liveOn = (chain: ChainBuilder, of: typeof owners): Set<string> =>
  new Set(
    of
      .flatMap((each) => chain.liveCells(each))
      .map(({ outPoint }) => `${outPoint.tx_hash}:${Number(outPoint.index)}`),
  );

/** Makes the store follow this chain, in one transaction. Returns whether it reverted blocks. */
async function follow(store: Store, chain: ChainBuilder): Promise<boolean> {
  let common = -1;
  while (common < chain.height) {
    if ((await store.query(blockHashAt, common + 1)) !== chain.blocks[common + 1]!.header.hash) break;
    common += 1;
  }
  return store.atomically(async () => {
    const reverted = await store.write(revertTo, common);
    const blocks = chain.blocks.slice(common + 1).map(factsOf);
    await storeBlocks(store, blocks);
    return reverted > 0;
  });
}

describe.each(engines)("walking outputs in $name while the chain moves", ({ name, open }) => {
  // A new database costs the server far more than a walk.
  const numRuns = (name === "SQLite" ? 40 : 4) * MORE;

  test.each(walks)(
    "of $named, $order, lists all that were live from start to end, and none twice without a reorganisation",
    async ({ of, page: pageOf, order }) => {
      let reorganisations = 0;
      await fc.assert(
        fc.asyncProperty(growth, events, async (before, plan) => {
          const store = await open();
          try {
            await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
            const ask = await asker(store);
            const tree = new RandomTree();
            let chain = tree.branch(0);
            tree.grow(chain, before);
            await follow(store, chain);

            let lived = liveOn(chain, of);
            let reorganised = false;
            const seen: string[] = [];
            let cursor = "";
            let hasNext = true;
            const read = async (pageSize: number) => {
              const page = await pageOf(ask, { cursor, order, pageSize: `${pageSize}` });
              seen.push(...page.result.map((entry: { outPoint: string }) => entry.outPoint));
              ({ lastCursor: cursor, hasNext } = page);
            };

            for (const event of plan) {
              if (!hasNext) break;
              if (event.do === "read") {
                await read(event.pageSize);
                continue;
              }
              if (event.do === "switch") {
                chain = tree.branch(event.branch);
                chain.block();
              } else {
                if (event.fork !== null) chain = tree.fork(chain, event.fork);
                tree.grow(chain, event.blocks);
              }
              reorganised = (await follow(store, chain)) || reorganised;
              lived = lived.intersection(liveOn(chain, of));
            }
            while (hasNext) await read(3);

            if (reorganised) reorganisations += 1;
            expect([...lived.difference(new Set(seen))]).toEqual([]);
            if (!reorganised) expect(new Set(seen).size).toBe(seen.length);
          } finally {
            await store.close();
          }
        }),
        { numRuns },
      );
      // Without reorganisations the property would prove nothing.
      if (numRuns >= 40) expect(reorganisations).toBeGreaterThan(0);
    },
  );

  test("starts again where a gap hides how far a reorganisation went", async () => {
    const store = await open();
    try {
      await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
      const ask = await asker(store);
      const chain = new RandomTree().branch(0);
      for (let i = 0; i < 6; i++) {
        chain.transfer({ from: owner, to: owners[1]!, amount: 200n * CKB });
        chain.block();
      }
      const late = chain.blocks[6]!.transactions[1]!;
      const apply = async (blocks: readonly NodeBlock[]) => {
        const outputs = new Map(
          chain.blocks
            .map(factsOf)
            .flatMap(({ transactions }) => transactions)
            .flatMap(({ hash, outputs }) => outputs.map((output, i) => [`${hash}:${i}`, output] as const)),
        );
        const resolved = await resolveBlocks(
          blocks.map(factsOf),
          store,
          NATIVE_ASSET.id,
          async () => outputs,
        );
        await store.write(applyBlocks, resolved, { extendTip: false });
      };
      // Block 4 is missing.
      await apply([...chain.blocks.slice(0, 4), ...chain.blocks.slice(5)]);
      const read = (cursor: string, pageSize: string) =>
        ask("addressUtxos", { address }, { cursor, pageSize });
      const all = (await read("", "1000")).result as { outPoint: string; blockHeight: number }[];
      const before = all.filter(({ blockHeight }) => blockHeight < 6).length;
      const { lastCursor } = await read("", `${before}`);

      // The outputs of block 6 move to block 2 of the new branch, below the gap.
      const other = chain.fork(1);
      other.include(late);
      other.block();
      await store.write(revertTo, 1);
      await apply(other.blocks.slice(2));
      const rest = (await read(lastCursor, "1000")).result as { outPoint: string }[];
      const made = late.outputs.findIndex(({ lock }) => lock.args === owner.args);
      expect(rest.map(({ outPoint }) => outPoint)).toContain(`${late.hash}:${made}`);
    } finally {
      await store.close();
    }
  });
});
