import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { loadDemo } from "#lib/demo/load.ts";
import {
  accessTokenByHash,
  createAccessToken,
  listedTokens,
  revokeAccessToken,
} from "#lib/queries/access-tokens.ts";
import { blockHeights, storedHorizon } from "#lib/queries/chain.ts";
import { operatorData } from "#lib/queries/operator-data.ts";
import { pricesAfter } from "#lib/queries/prices.ts";
import { storedBlock } from "#lib/queries/stored.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines, MORE, someEngines } from "#lib/testing/engines.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { copyStore } from "./copy.ts";
import { verifyStore } from "./verify.ts";

const pairs = engines.flatMap((from) =>
  engines.map((to) => ({ from, to, name: `${from.name} to ${to.name}` })),
);

/** Pairs of engines. `npm run test:full` tests all of them, also with a horizon. */
const sources = engines.flatMap(({ name, open }) =>
  (MORE > 1 ? [-1, 300] : [-1]).map((horizon) => ({
    open,
    horizon,
    name: horizon < 0 ? name : `${name}, of what is kept above block ${horizon}`,
    targets: engines.filter((to) => MORE > 1 || engines.length === 1 || to.name !== name),
  })),
);

describe.each(sources)("a copy from $name", (source) => {
  const demo = demoLedger(demoChain({ liveOutputs: 450 }));
  let from: Store;
  let dump: string;

  beforeAll(async () => {
    from = await source.open();
    // More than two batches of blocks.
    await loadDemo(from, { ...demo, blocks: demo.blocks.slice(0, 410), fork: [], forkHeight: 400 });
    while ((await from.query(storedHorizon)) < source.horizon) await from.write(raiseHorizon, source.horizon);
    expect(await verifyStore(from)).toEqual([]);
    dump = await canonicalDump(from);
  });
  afterAll(() => from.close());

  test.each(source.targets)(
    "to $name holds what the first does, and resumes where it stopped",
    async ({ open }) => {
      const to = await open();
      try {
        const ask = vi.spyOn(from, "query");
        const stop = copyStore(from, to, (done) => {
          if (done >= 400) throw new Error("cut off");
        });
        await expect(stop).rejects.toThrow("cut off");
        // The number of heights in memory does not grow with the chain.
        const asked: unknown[][] = ask.mock.calls;
        expect(asked.filter(([query]) => query === blockHeights)).toEqual([
          [blockHeights, { after: -1, limit: 200 }],
          [blockHeights, { after: 199, limit: 200 }],
        ]);
        ask.mockRestore();
        expect(await copyStore(from, to)).toBe(10);
        expect(await copyStore(from, to)).toBe(0);
        expect(await verifyStore(to)).toEqual([]);
        expect(await canonicalDump(to)).toBe(dump);
        expect(await to.query(operatorData)).toEqual(await from.query(operatorData));
        expect(await to.query(storedHorizon)).toBe(source.horizon);
      } finally {
        await to.close();
      }
    },
  );
});

test.each(someEngines)(
  "a copy to $name goes on with all that was kept, but not below it",
  async ({ open }) => {
    const demo = demoLedger(demoChain({ liveOutputs: 450 }));
    const [from, all, some, early] = [await open(), await open(), await open(), await open()];
    const own = early.write.bind(early);
    try {
      await loadDemo(from, { ...demo, blocks: demo.blocks.slice(0, 410), fork: [], forkHeight: 400 });
      const upTo = (blocks: number) => (done: number) => {
        if (done >= blocks) throw new Error("cut off");
      };
      await expect(copyStore(from, all, upTo(400))).rejects.toThrow("cut off");
      await expect(copyStore(from, some, upTo(200))).rejects.toThrow("cut off");
      const dump = await canonicalDump(from);
      while ((await from.query(storedHorizon)) < 300) await from.write(raiseHorizon, 300);
      expect(await copyStore(from, all)).toBe(10);
      expect(await canonicalDump(all)).toBe(dump);
      await some.write(replaceRegistry, []);
      const before = await some.query(operatorData);
      await expect(copyStore(from, some)).rejects.toThrow(
        "no outputs that were spent up to block 300, and the second has no block 200: copy into an empty one",
      );
      expect(await verifyStore(some)).toEqual([]);
      expect(await some.query(operatorData)).toEqual(before);

      // Cut off between the tokens that removed outputs mentioned and the first blocks.
      let writes = 0;
      const write = vi.spyOn(early, "write").mockImplementation((...args) => {
        writes += 1;
        if (writes > 2) throw new Error("cut off");
        return own(...args);
      });
      await expect(copyStore(from, early)).rejects.toThrow("cut off");
      expect(await early.query(storedHorizon)).toBe(300);
      write.mockRestore();
      expect(await copyStore(from, early)).toBe(410);
      expect(await canonicalDump(early)).toBe(await canonicalDump(from));
    } finally {
      for (const store of [from, all, some, early]) await store.close();
    }
  },
);

test.each(someEngines)(
  "a copy to $name ends if a sync forgets meanwhile what it copies",
  async ({ open }) => {
    const demo = demoLedger(demoChain({ liveOutputs: 450 }));
    const [from, to] = [await open(), await open()];
    try {
      await loadDemo(from, { ...demo, blocks: demo.blocks.slice(0, 410), fork: [], forkHeight: 400 });
      const forget = async () => {
        while ((await from.query(storedHorizon)) < 300) await from.write(raiseHorizon, 300);
      };
      const ask = from.query.bind(from);
      let asked = 0;
      vi.spyOn(from, "query").mockImplementation(async (query, input) => {
        if ((query as unknown) === storedBlock && (input as number) === 250) {
          asked += 1;
          await forget();
        }
        return ask(query, input);
      });
      await expect(copyStore(from, to)).rejects.toThrow("stop the sync of the first database");
      expect(asked).toBe(1);
      expect(await verifyStore(to)).toEqual([]);
      expect((await to.query(blockHeights, { after: 199, limit: 1 })).length).toBe(0);
    } finally {
      for (const store of [from, to]) await store.close();
    }
  },
);

test.each(someEngines)("a copy to $name writes few blocks at once if they are large", async ({ open }) => {
  const [from, to] = [await open(), await open()];
  try {
    const ledger = new Ledger();
    for (let height = 0; height < 3; height++) {
      const create = Array.from({ length: 10_000 }, () => ({ to: "ann" }));
      ledger.block([{ create }]);
    }
    await from.write(identify, identity);
    await storeBlocks(from, ledger.blocks);
    const done: number[] = [];
    expect(await copyStore(from, to, (count) => done.push(count))).toBe(3);
    expect(done).toEqual([2, 3]);
    expect(await canonicalDump(to)).toBe(await canonicalDump(from));
  } finally {
    for (const store of [from, to]) await store.close();
  }
});

test.each(someEngines)("a copy to $name is refused if the first lacks its tip", async ({ open }) => {
  const [from, to, early] = [await open(), await open(), await open()];
  try {
    const ledger = new Ledger();
    for (let height = 0; height < 10; height++) ledger.block([{ create: [{ to: "ann" }] }]);
    await from.write(identify, identity);
    await storeBlocks(from, ledger.blocks);
    expect(await copyStore(from, to)).toBe(10);
    await from.write(revertTo, 7);
    await expect(copyStore(from, to)).rejects.toThrow(
      /^The second database ends with block 9 \(0x.*\), which the first does not have: /,
    );
    expect(await to.query(blockHeights, {})).toHaveLength(10);

    await from.write(raiseHorizon, 3);
    const write = vi.spyOn(early, "record").mockRejectedValue(new Error("cut off"));
    await expect(copyStore(from, early)).rejects.toThrow("cut off");
    write.mockRestore();
    await from.write(raiseHorizon, 4);
    await expect(copyStore(from, early)).rejects.toThrow(/up to block 3 .* up to block 4 are: copy into an/);
  } finally {
    for (const store of [from, to, early]) await store.close();
  }
});

const token = (name: string, revokedAt: number | null = null) => ({
  id: name,
  name,
  hash: createHash("sha256").update(name).digest(),
  scopes: [],
  hint: "abcd",
  ratePerMinute: null,
  createdAt: 1,
  expiresAt: null,
  revokedAt,
});

test.each(pairs)(
  "a copy from $name before there is a chain takes tokens, registry and prices",
  async (pair) => {
    const from = await pair.from.open();
    const to = await pair.to.open();
    try {
      await from.record(createAccessToken, token("reader"));
      await from.write(replaceRegistry, [{ id: "0x01", name: "One" }]);
      await from.write(loadPrices, [{ assetId: "0x01", time: 1, usd: 5n }]);
      expect(await copyStore(from, to)).toBe(0);
      expect((await to.query(operatorData)).registry).toEqual((await from.query(operatorData)).registry);
      const { hash } = token("reader");
      expect(await to.query(accessTokenByHash, hash)).toEqual(await from.query(accessTokenByHash, hash));
      expect(await to.query(pricesAfter, { price: null, limit: 10 })).toEqual(
        await from.query(pricesAfter, { price: null, limit: 10 }),
      );
      await to.write(identify, identity);
      await expect(copyStore(from, to)).rejects.toThrow(/holds no chain, the second does/);
    } finally {
      await from.close();
      await to.close();
    }
  },
);

test.each(pairs)(
  "a second copy from $name keeps tokens made on the target, and every revocation",
  async (pair) => {
    const from = await pair.from.open();
    const to = await pair.to.open();
    try {
      for (const name of ["kept", "revoked here", "revoked there"])
        await from.record(createAccessToken, token(name));
      await copyStore(from, to);
      await to.record(createAccessToken, token("made there"));
      await to.record(revokeAccessToken, "revoked there", 7);
      await from.record(revokeAccessToken, "revoked here", 8);
      await from.record(createAccessToken, token("made here"));
      await copyStore(from, to);
      const found = new Map((await to.query(listedTokens)).map(({ id, revokedAt }) => [id, revokedAt]));
      expect(found).toEqual(
        new Map([
          ["kept", null],
          ["made here", null],
          ["made there", null],
          ["revoked here", 8],
          ["revoked there", 7],
        ]),
      );
    } finally {
      await from.close();
      await to.close();
    }
  },
);
