import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { addressOf, encodeAddress } from "#lib/chains/ckb/address.ts";
import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, CKB, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { type FailureKind, StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { abandonedBlock, blockHeights, chainIdentity, chainTip, storedHorizon } from "#lib/queries/chain.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { StoreLostError } from "#lib/store/errors.ts";
import { openStore } from "#lib/store/open.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { someEngines } from "#lib/testing/engines.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { resolveBlocks } from "./resolve.ts";
import { DeepForkError } from "./stray-blocks.ts";
import { type Progress, type SyncOptions, sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

const ann = account("ann");
const token = udt(ann);
const POLL = 2_000;

/** Grows a chain whose every block pays ann, and every third moves a token that ann issues. */
function grow(chain: ChainBuilder, blocks: number): ChainBuilder {
  for (let i = 0; i < blocks; i++) {
    chain.transfer({ to: ann, amount: 500n * CKB });
    if (chain.height % 3 === 0) chain.mint({ token, issuer: ann, to: account("bob"), amount: 7n });
    chain.block();
  }
  return chain;
}

const hashAt = (chain: ChainBuilder, height: number): string => chain.blocks[height]!.header.hash;

const grown = grow(new ChainBuilder(), 40);
const dumps = new Map<string, string>();

/** The contents of a fresh store with only these blocks. They are the same on every engine, so it uses the fastest. */
async function dumpOf(blocks: readonly NodeBlock[]): Promise<string> {
  const ends = [blocks[0]!, blocks.at(-1)!].map(({ header }) => header.hash).join();
  const known = dumps.get(ends);
  if (known) return known;
  const fresh = await openStore("sqlite::memory:");
  const node = await StandInNode.start({ blocks });
  try {
    await sync(fresh, new CkbNode(node.url), { once: true, from: Number(blocks[0]!.header.number) });
    const dump = await canonicalDump(fresh);
    dumps.set(ends, dump);
    return dump;
  } finally {
    await node.close();
    await fresh.close();
  }
}

describe.each(someEngines)("following a node into $name", (engine) => {
  const { open } = engine;
  let store: Store;
  let node: StandInNode;
  let chain: ChainBuilder;
  let log: string[];
  let sleeps: number[];
  let extra: Store[];

  beforeEach(async () => {
    store = await open();
    node = await StandInNode.start();
    chain = grown.fork(40);
    node.setChain(chain.blocks);
    log = [];
    sleeps = [];
    extra = [];
  });

  afterEach(async () => {
    await node.close();
    for (const each of [store, ...extra]) await each.close();
  });

  const options = (overrides: SyncOptions = {}): SyncOptions => ({
    once: true,
    log: (message) => log.push(message),
    sleep: async (milliseconds) => void sleeps.push(milliseconds),
    ...overrides,
  });

  const follow = (overrides: SyncOptions = {}) => sync(store, new CkbNode(node.url), options(overrides));

  /** The store holds exactly what a fresh one would that saw only these blocks. */
  async function expectOnly(blocks: readonly NodeBlock[]): Promise<void> {
    expect(await verifyStore(store)).toEqual([]);
    expect(await canonicalDump(store)).toBe(await dumpOf(blocks));
  }

  test("catches up to its tip, several blocks a transaction, and one by one near the tip", async () => {
    const heights: number[] = [];
    const progress = await follow({ onProgress: ({ height }) => heights.push(height) });
    expect(progress).toMatchObject({ height: 40, nodeHeight: 40, blocks: 41 });
    expect(heights).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
    expect(progress.outputs).toBe((await store.query(dataStatus)).counts.outputs);
    expect([log, sleeps]).toEqual([[], []]);
    await expectOnly(chain.blocks);
  });

  test("continues past scripts of future hash types, and warns of each once", async () => {
    const later = { ...ann, hash_type: "data3" as const };
    for (let i = 0; i < 3; i++) {
      chain.transfer({ to: later, amount: 500n * CKB });
      chain.block();
    }
    chain.transfer({ to: ann, amount: 200n * CKB, from: later });
    chain.block();
    node.setChain(chain.blocks);
    expect(await follow()).toMatchObject({ height: 44, blocks: 45 });
    expect(log).toEqual([
      expect.stringMatching(/^block 41: Scripts have hash type 6 .* upgrade the service/),
    ]);
    await expectOnly(chain.blocks);
    const { text } = addressOf(later, "testnet");
    expect(await verifyStore(store, { parseAddress: ckb.parseAddress })).toEqual([]);
    const { rows } = await store.query(utxosOfAddress, {
      addressKey: ckb.parseAddress(text, "testnet").key,
      order: "asc",
      limit: 10,
    });
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.every(({ token }) => token.id === NATIVE_ASSET.id)).toBe(true);
  });

  test("resumes where it stopped, and asks for nothing that is stored", async () => {
    await follow();
    grow(chain, 5);
    node.setChain(chain.blocks);
    node.requests.length = 0;
    expect(await follow()).toMatchObject({ height: 45, blocks: 5 });
    const asked = node.requests.filter(({ method }) => method === "get_block_by_number");
    expect(asked.map(({ params }) => Number(params[0]))).toEqual([41, 42, 43, 44, 45]);
    expect(await follow()).toMatchObject({ height: 45, blocks: 0 });
  });

  test("waits at the tip for more blocks until it is stopped", async () => {
    const stop = new AbortController();
    const progress = await follow({
      once: false,
      signal: stop.signal,
      async sleep(milliseconds) {
        sleeps.push(milliseconds);
        if (sleeps.length === 3) return stop.abort();
        grow(chain, 1);
        node.setChain(chain.blocks);
      },
    });
    expect(progress).toMatchObject({ height: 42, blocks: 43 });
    expect(sleeps).toEqual([POLL, POLL, POLL]);
    await expectOnly(chain.blocks);
  });

  test("from a height on, requests only the outputs of older transactions, each once a batch", async () => {
    expect(await follow({ from: 30 })).toMatchObject({ height: 40, blocks: 11 });
    expect((await store.query(blockHeights, {}))[0]).toBe(30);
    const asked = node.requests.filter(({ method }) => method === "get_transaction");
    const older = new Set(
      chain.blocks.slice(0, 30).flatMap((block) => block.transactions.map((t) => t.hash)),
    );
    const wanted = new Set(
      chain.blocks
        .slice(30)
        .flatMap((block) => block.transactions.slice(1))
        .flatMap((transaction) => transaction.inputs.map((input) => input.previous_output.tx_hash))
        .filter((hash) => older.has(hash)),
    );
    expect(asked.map(({ params }) => params[0]).sort()).toEqual([...wanted].sort());
    expect(wanted.size).toBeGreaterThan(0);
    expect(await verifyStore(store)).toEqual([]);
    expect(await follow({ from: 10 })).toMatchObject({ height: 40, blocks: 0 });
    expect(log).toEqual(["this database starts at block 30: --from 10 applies to an empty database only"]);
  });

  test("reports an output that not even the node knows, and tries again", async () => {
    node.setChain(chain.blocks.slice(30));
    const stop = new AbortController();
    await follow({ from: 30, signal: stop.signal, sleep: async () => stop.abort() });
    expect(log).toEqual([expect.stringMatching(/spends an unknown output: 0x.*; trying again/)]);
    expect(await store.query(chainTip)).toBeNull();
  });

  describe("through a reorganisation", () => {
    test.each([1, 2, 7, 25])("of %i blocks, gives what the new branch alone would", async (depth) => {
      await follow();
      const other = grow(chain.fork(40 - depth), depth + 1);
      node.setChain(other.blocks);
      expect(await follow()).toMatchObject({ height: 41, blocks: depth + 1 });
      expect(log).toEqual([expect.stringContaining(`${depth} blocks above ${40 - depth} reverted`)]);
      expect(await store.query(abandonedBlock, hashAt(chain, 40))).toMatchObject({
        replacedBy: hashAt(other, 40),
      });
      await expectOnly(other.blocks);
    });

    test("to a shorter chain follows it", async () => {
      await follow();
      const other = grow(chain.fork(20), 3);
      node.setChain(other.blocks);
      expect(await follow()).toMatchObject({ height: 23 });
      expect(await store.query(chainTip)).toEqual({ height: 23, hash: hashAt(other, 23) });
      await expectOnly(other.blocks);
    });

    test("twice, and back to the first branch, forgets that it was abandoned", async () => {
      await follow();
      const other = grow(chain.fork(30), 12);
      const third = grow(other.fork(35), 9);
      for (const branch of [other, third]) {
        node.setChain(branch.blocks);
        await follow();
        await expectOnly(branch.blocks);
      }
      expect(await store.query(abandonedBlock, hashAt(chain, 40))).not.toBeNull();
      node.setChain(grow(chain, 1).blocks);
      await follow();
      await expectOnly(chain.blocks);
      expect(await store.query(abandonedBlock, hashAt(chain, 40))).toBeNull();
      expect(await store.query(abandonedBlock, hashAt(third, 44))).toMatchObject({ replacedBy: null });
    });

    test("in the midst of catching up follows the new branch", async () => {
      const other = grow(chain.fork(10), 45);
      let blocksAsked = 0;
      const stop = node.onRequest((method) => {
        if (method === "get_block_by_number") blocksAsked += 1;
        if (blocksAsked === 25) {
          stop();
          node.setChain(other.blocks);
        }
      });
      expect(await follow()).toMatchObject({ height: 55 });
      await expectOnly(other.blocks);
    });

    test("at the moment of reading the new branch follows the node's last branch", async () => {
      await follow();
      const other = grow(chain.fork(30), 11);
      const third = grow(chain.fork(25), 17);
      node.setChain(other.blocks);
      const stop = node.onRequest((method) => {
        if (method !== "get_block_by_number") return;
        stop();
        node.setChain(third.blocks);
      });
      expect(await follow()).toMatchObject({ height: 42 });
      await expectOnly(third.blocks);
    });

    test("that breaks off halfway leaves the old branch as it was", async () => {
      await follow({ from: 30 });
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(32), 11).blocks);
      // Outputs from before block 30 that the new branch spends are requested before the old branch is reverted.
      node.failNext({ kind: "http-500", method: "get_transaction", count: 2 });
      const during: string[] = [];
      const progress = await follow({ sleep: async () => void during.push(await canonicalDump(store)) });
      expect(during).toEqual([before, before]);
      expect(progress).toMatchObject({ height: 43 });
      expect(await verifyStore(store)).toEqual([]);
    });

    test("far below the node's tip asks for little at once, and for the rest as usual", async () => {
      await follow();
      const other = grow(chain.fork(20), 200);
      node.setChain(other.blocks);
      node.requests.length = 0;
      expect(await follow()).toMatchObject({ height: 220, blocks: 200 });
      expect(log).toEqual(["reorganisation: 20 blocks above 20 reverted, 21 of the new branch stored"]);
      const asked = node.requests.filter(({ method }) => method === "get_block_by_number");
      const atOnce = Map.groupBy(asked, ({ httpRequest }) => httpRequest);
      expect(Math.max(...[...atOnce.values()].map((calls) => calls.length))).toBe(16);
      await expectOnly(other.blocks);
    });

    test("asks the node for nothing while it keeps others from writing", async () => {
      await follow({ from: 30 });
      const atomically = store.atomically.bind(store);
      let inside = 0;
      vi.spyOn(store, "atomically").mockImplementation(async (work) => {
        inside += 1;
        try {
          return await atomically(work);
        } finally {
          inside -= 1;
        }
      });
      const whileAsked: number[] = [];
      node.onRequest(() => whileAsked.push(inside));
      node.setChain(grow(chain.fork(32), 11).blocks);
      expect(await follow()).toMatchObject({ height: 43 });
      expect(node.requests.some(({ method }) => method === "get_transaction")).toBe(true);
      expect(new Set(whileAsked)).toEqual(new Set([0]));
    });

    test("is not believed of a lower node that stands on a replaced block for a moment", async () => {
      await follow();
      node.setChain(grow(chain.fork(29), 1).blocks);
      const progress = await follow({
        maxReorganisation: 5,
        async sleep(milliseconds) {
          sleeps.push(milliseconds);
          if (sleeps.length === 3) node.setChain(grow(chain, 2).blocks);
        },
      });
      expect(progress).toMatchObject({ height: 42, blocks: 2 });
      expect(log).toEqual([
        expect.stringMatching(
          /^the node is behind, on another branch: at block 30 \(0x.*\), we are at 40; trying again$/,
        ),
        "the node answers again",
      ]);
      await expectOnly(chain.blocks);
    });

    test("deeper than allowed, ends with an error that says so, and changes nothing", async () => {
      await follow();
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(30), 11).blocks);
      await expect(follow({ maxReorganisation: 9 })).rejects.toThrow(DeepForkError);
      await expect(follow({ maxReorganisation: 9 })).rejects.toThrow(
        /more than 9 blocks below our tip, block 40/,
      );
      expect(await canonicalDump(store)).toBe(before);
      expect(await follow({ maxReorganisation: 10 })).toMatchObject({ height: 41 });
    });

    test("to a chain that has none of ours, ends with an error and changes nothing", async () => {
      await follow({ from: 30 });
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(20), 30).blocks);
      await expect(follow()).rejects.toThrow(/has none of the blocks stored here, from 30 to 40/);
      expect(await canonicalDump(store)).toBe(before);
    });
  });

  describe("with a limited history", () => {
    const short = { history: 8, maxReorganisation: 8 };
    const spentUpTo = () => store.query(storedHorizon);
    const annAt = (from: Store, height: number) => {
      const { key } = ckb.parseAddress(addressOf(ann, "testnet").text, "testnet");
      return from.query(utxosOfAddress, { addressKey: key, order: "asc", limit: 1_000, at: { height } });
    };

    /** Checks that the store has the same lists as one with the whole history, at each height from the horizon on. */
    async function expectWhole(blocks: readonly NodeBlock[]): Promise<void> {
      expect(await verifyStore(store)).toEqual([]);
      const whole = await openStore("sqlite::memory:");
      extra.push(whole);
      node.setChain(blocks);
      await sync(whole, new CkbNode(node.url), { once: true });
      for (let height = await spentUpTo(); height < blocks.length; height++) {
        expect(await annAt(store, height)).toEqual(await annAt(whole, height));
      }
    }

    test("removes outputs spent further below the tip, follows a reorganisation as deep, and does not restore them", async () => {
      await follow(short);
      expect(await spentUpTo()).toBe(32);
      await expectWhole(chain.blocks);
      await expect(annAt(store, 31)).rejects.toMatchObject({
        code: "NOT_FOUND",
        issues: [{ message: expect.stringContaining("spent up to block 32 are not kept") }],
      });
      const other = grow(chain.fork(32), 9);
      node.setChain(other.blocks);
      expect(await follow(short)).toMatchObject({ height: 41, blocks: 9 });
      expect(await spentUpTo()).toBe(33);
      await expectWhole(other.blocks);
      grow(other, 5);
      node.setChain(other.blocks);
      await follow();
      expect(await spentUpTo()).toBe(33);
      await expectWhole(other.blocks);
    });

    test("follows two reorganisations in a row that lower the tip, each of half the history, and no deeper one", async () => {
      await follow({ history: 16 });
      for (const [fork, deeper] of [
        [32, 31],
        [25, 24],
      ] as const) {
        node.setChain(grow(chain.fork(deeper), 1).blocks);
        await expect(follow({ history: 16 })).rejects.toThrow(/more than 8 blocks below our tip/);
        chain = grow(chain.fork(fork), 1);
        node.setChain(chain.blocks);
        expect(await follow({ history: 16 })).toMatchObject({ height: fork + 1 });
        expect(await spentUpTo()).toBe(24);
      }
      // A third one is no deeper, but would need outputs that were removed.
      node.setChain(grow(chain.fork(20), 1).blocks);
      await expect(follow({ history: 16 })).rejects.toThrow(
        "Blocks cannot be taken back down to 20: outputs spent up to block 24 are not kept. Start a new database",
      );
      await expectWhole(chain.blocks);
    });

    test("begins to remove outputs in a complete database, continues after a failure, and leaves none in between", async () => {
      await follow();
      const { counts } = await store.query(dataStatus);
      const write = store.write.bind(store);
      let steps = 0;
      const failing = vi.spyOn(store, "write").mockImplementation((work, ...args) => {
        if (work.name !== "raiseHorizon") return write(work, ...args);
        steps += 1;
        // A step that is cut off leaves no trace, as a process that is killed does not.
        return write(
          function* (tables, ...given) {
            yield* work(tables, ...given);
            throw new Error("cut off");
          },
          ...args,
        );
      });
      await expect(follow(short)).rejects.toThrow("cut off");
      failing.mockRestore();
      expect([steps, await spentUpTo()]).toEqual([1, -1]);
      expect((await store.query(dataStatus)).counts).toEqual(counts);
      expect(await store.write(raiseHorizon, 10)).toBe(10);
      await expectWhole(chain.blocks);
      await follow(short);
      expect(await spentUpTo()).toBe(32);
      expect((await store.query(dataStatus)).counts.outputs).toBeLessThan(counts.outputs);
      await expectWhole(chain.blocks);
    });

    test("refuses a deeper reorganisation and earlier blocks, and stays as it was", async () => {
      await follow(short);
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(30), 12).blocks);
      await expect(follow({ maxReorganisation: 100 })).rejects.toThrow(
        "Blocks cannot be taken back down to 30: outputs spent up to block 32 are not kept",
      );
      expect(await canonicalDump(store)).toBe(before);
    });

    test("forgets nothing near a gap, where the node may still replace blocks, until it is filled", async () => {
      node.setChain(grow(chain.fork(19), 1).blocks);
      await follow();
      const late = verifyBlock(chain.blocks[39]!, "testnet", "here");
      node.setChain(chain.blocks);
      const source = new CkbNode(node.url);
      const resolved = await resolveBlocks([late], store, source.native.id, (wanted) =>
        source.outputs(wanted),
      );
      await store.write(applyBlocks, resolved, { extendTip: false });
      node.setChain(chain.blocks.slice(0, 16));
      await follow(short);
      expect(await spentUpTo()).toBe(12);
      node.setChain(chain.blocks);
      await follow(short);
      expect(log).toContainEqual(expect.stringMatching(/^dropped 1 blocks from block 20 /));
      expect(await spentUpTo()).toBe(32);
      await expectWhole(chain.blocks);
    });
  });

  describe("with blocks that others stored", () => {
    /** Stores blocks like an import. */
    async function put(blocks: readonly NodeBlock[]): Promise<void> {
      const source = new CkbNode(node.url);
      const facts = blocks.map((block) => verifyBlock(block, "testnet", "here"));
      const resolved = await resolveBlocks(facts, store, source.native.id, (wanted) =>
        source.outputs(wanted),
      );
      await store.write(applyBlocks, resolved, { extendTip: false });
    }

    test("fills the gap below them first", async () => {
      node.setChain(chain.blocks.slice(0, 21));
      await follow();
      node.setChain(chain.blocks);
      await put([chain.blocks[30]!, chain.blocks[35]!]);
      expect(await follow()).toMatchObject({ height: 40, blocks: 18 });
      expect(log).toEqual([
        "blocks 21 to 29 are missing below the tip: they come first",
        "blocks 31 to 34 are missing below the tip: they come first",
      ]);
      await expectOnly(chain.blocks);
    });

    test("notices those that come below its first block while it runs", async () => {
      const stop = new AbortController();
      const progress = await follow({
        from: 30,
        once: false,
        signal: stop.signal,
        async sleep() {
          sleeps.push(0);
          if (sleeps.length === 1) await put([chain.blocks[25]!]);
          else stop.abort();
        },
      });
      expect(progress).toMatchObject({ height: 40, blocks: 15 });
      expect(log).toEqual(["blocks 26 to 29 are missing below the tip: they come first"]);
      expect((await store.query(blockHeights, {}))[0]).toBe(25);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("reverts them if the node's chain has others", async () => {
      node.setChain(chain.blocks.slice(0, 21));
      await follow();
      node.setChain(chain.blocks);
      await put([chain.blocks[30]!]);
      const other = grow(chain.fork(18), 20);
      node.setChain(other.blocks);
      expect(await follow()).toMatchObject({ height: 38 });
      await expectOnly(other.blocks);
    });
  });

  describe("with imported blocks of another branch", () => {
    function emptyFrom(height: number): ChainBuilder {
      const branch = chain.fork(height - 1);
      branch.emptyBlocks(1);
      return branch;
    }

    /** Stores blocks of a branch that the node does not follow. */
    async function putFrom(branch: ChainBuilder, heights: number[]): Promise<void> {
      const own = await StandInNode.start({ blocks: branch.blocks });
      const source = new CkbNode(own.url);
      for (const height of heights) {
        const block = verifyBlock(branch.blocks[height]!, "testnet", "here");
        const resolved = await resolveBlocks([block], store, source.native.id, (wanted) =>
          source.outputs(wanted),
        );
        await store.write(applyBlocks, resolved, { extendTip: false });
      }
      await own.close();
    }

    test("between its own drops them, once the node's contradict them, and keeps those above", async () => {
      node.setChain(chain.blocks.slice(0, 21));
      await follow();
      await putFrom(grow(chain.fork(23), 4), [24, 25]);
      await putFrom(chain, [30, 31]);
      node.setChain(chain.blocks);
      expect(await follow()).toMatchObject({ height: 40 });
      expect(log).toContainEqual(
        expect.stringMatching(
          /^dropped 2 blocks from block 24 \(0x[0-9a-f]{64}\) on: they contradict the node's chain$/,
        ),
      );
      expect(sleeps).toEqual([]);
      await expectOnly(chain.blocks);
    });

    test("below its first block drops them, and stores the others again without asking for them", async () => {
      await follow({ from: 30 });
      await putFrom(emptyFrom(10), [10]);
      const before = new Set(await store.query(blockHeights, {}));
      node.requests.length = 0;
      expect(await follow()).toMatchObject({ height: 40 });
      expect(await store.query(blockHeights, {})).toEqual([...before].filter((height) => height !== 10));
      const asked = node.requests.filter(({ method }) => method === "get_block_by_number");
      expect(asked.every(({ params }) => Number(params[0]) < 30)).toBe(true);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("below more blocks than it may take back ends with an error that says how to drop them", async () => {
      await follow({ from: 30 });
      await putFrom(emptyFrom(10), [10]);
      await expect(follow({ maxReorganisation: 11 })).rejects.toThrow(
        /^Block 10 \(0x.*\) is not on the node's chain, and more than 11 blocks .* `aqs revert 9`\.$/,
      );
      expect(await follow({ maxReorganisation: 12 })).toMatchObject({ height: 40 });
    });
  });

  test("is verified with any form of an address as its text, but with no other address's", async () => {
    const long = { ...ann, args: `0x${"5a".repeat(1000)}` };
    const verified = async (text: string) => {
      const own = await open();
      extra.push(own);
      await own.write(identify, identity);
      await storeBlocks(own, [
        new Ledger().block([{ create: [{ to: { key: addressOf(long, "testnet").key, text } }] }]),
      ]);
      return verifyStore(own, { parseAddress: ckb.parseAddress });
    };
    // The full address is longer than a text may be.
    expect(await verified(encodeAddress(long, "testnet"))).toEqual([]);
    expect(await verified(addressOf(long, "testnet").text)).toEqual([]);
    expect(await verified(addressOf(ann, "testnet").text)).toEqual([
      expect.stringMatching(/names the key 0x.*, but its outputs are stored under 0x/),
    ]);
  });

  test("says that it waits for the block that it is to begin at", async () => {
    expect(await follow({ from: 50 })).toMatchObject({ height: -1, blocks: 0 });
    expect(log).toEqual(["the node is at block 40: waiting for block 50"]);
  });

  test("that gives no block decides nothing: the database still takes any chain", async () => {
    await follow({
      from: 50,
      between: () => store.write(loadPrices, [{ assetId: NATIVE_ASSET.id, time: 0, usd: 10n ** 18n }]),
    });
    expect(await store.query(chainIdentity)).toBeNull();
    node.failNext({ kind: "json-rpc-error", count: 1000, method: "get_block_by_number" });
    const stop = new AbortController();
    await follow({ signal: stop.signal, sleep: async () => stop.abort() });
    expect(log).toContainEqual(expect.stringMatching(/a requested failure; trying again/));
    expect(await store.query(chainIdentity)).toBeNull();
    node.failNone();
    await follow();
    expect(await store.query(chainIdentity)).toEqual({
      network: "testnet",
      native: NATIVE_ASSET,
      demo: false,
    });
    expect(await verifyStore(store)).toEqual([]);
  });

  test("of another network is refused, and nothing is stored of it", async () => {
    await follow();
    const mainnet = await StandInNode.start({ chain: "ckb", blocks: chain.blocks });
    try {
      // A generated chain is not mainnet, whatever its node says.
      await expect(sync(store, new CkbNode(mainnet.url), options())).rejects.toThrow(/says it is mainnet/);
    } finally {
      await mainnet.close();
    }
    const fresh = await open();
    extra.push(fresh);
    await fresh.write(identify, { ...(await store.query(chainIdentity))!, network: "mainnet" });
    await expect(sync(fresh, new CkbNode(node.url), options())).rejects.toThrow(
      "This database holds mainnet; testnet cannot be mixed into it",
    );
    expect(await fresh.query(chainTip)).toBeNull();
  });

  describe("that fails", () => {
    const kinds: Record<FailureKind, RegExp> = {
      "http-500": /HTTP 500: internal error; trying again/,
      truncate: /http.*(terminated|aborted|other side closed|fetch failed).*; trying again/,
      garbage: /the response is not JSON: .*; trying again/,
      "wrong-types": /; trying again/,
      "wrong-hash": /; trying again/,
      tampered: /transactions_root is 0x.*, but the contents hash to 0x.*; trying again/,
      hang: /no response within 2 s; trying again/,
      reset: /fetch failed: .*; trying again/,
      "json-rpc-error": /a requested failure; trying again/,
      refused: /\d+ calls at once: too many calls; trying again/,
      endless: /the response is longer than 33554432 bytes; trying again/,
    };
    const impatient = (kind: FailureKind) =>
      new CkbNode(node.url, undefined, kind === "hang" ? 2_000 : undefined);

    test.each(Object.keys(kinds) as FailureKind[])(
      "with %s at a block is asked again, later and later, and leaves nothing half-written",
      async (kind) => {
        await sync(store, impatient(kind), options());
        node.setChain(grow(chain, 20).blocks);
        node.failNext({ kind, count: 4, method: "get_block_by_number" });
        const tips: unknown[] = [];
        const progress = await sync(
          store,
          impatient(kind),
          options({
            async sleep(milliseconds) {
              sleeps.push(milliseconds);
              tips.push((await store.query(chainTip))!.height);
              expect(await verifyStore(store)).toEqual([]);
            },
          }),
        );
        expect(progress).toMatchObject({ height: 60, blocks: 20 });
        expect(sleeps.length).toBeGreaterThanOrEqual(2);
        expect(sleeps).toEqual([500, 1000, 2000, 4000].slice(0, sleeps.length));
        expect(tips).toEqual(tips.map(() => 40));
        expect(log[0]).toMatch(kinds[kind]);
        expect(log[0]).toContain(node.url);
        expect(log.at(-1)).toBe("the node answers again");
        await expectOnly(chain.blocks);
      },
    );

    test.each(Object.keys(kinds) as FailureKind[])(
      "with %s at the tip, a hash or its identity is asked again",
      async (kind) => {
        const ways = ["get_blockchain_info", "get_tip_header", "get_block_hash", "get_tip_header"];
        for (const [i, method] of ways.entries()) {
          node.setChain(grow(chain, 2).blocks);
          node.failNext({ kind, method });
          expect(await sync(store, impatient(kind), options())).toMatchObject({ height: 42 + 2 * i });
        }
        await expectOnly(chain.blocks);
      },
    );

    test.each(Object.keys(kinds) as FailureKind[])(
      "with %s at an older transaction is asked again",
      async (kind) => {
        node.failNext({ kind, method: "get_transaction", count: 2 });
        expect(await sync(store, impatient(kind), options({ from: 35 }))).toMatchObject({ height: 40 });
        expect(log.length).toBeGreaterThan(0);
        expect(await verifyStore(store)).toEqual([]);
        expect(await canonicalDump(store)).not.toContain("undefined");
      },
    );

    test("by sending another block than the announced tip is asked again", async () => {
      const other = grow(chain.fork(39), 1);
      const stop = node.onRequest((method) => {
        node.setChain(method === "get_block_by_number" && sleeps.length === 0 ? other.blocks : chain.blocks);
      });
      expect(await follow()).toMatchObject({ height: 40 });
      stop();
      expect(log).toEqual([
        `block 40 (${hashAt(other, 40)}) is not the announced tip, ${hashAt(chain, 40)}; trying again`,
        "the node answers again",
      ]);
      await expectOnly(chain.blocks);
    });

    test("by announcing another hash for its tip than the block there has is not followed", async () => {
      await follow();
      node.failNext({ kind: "wrong-hash", method: "get_tip_header" });
      expect(await follow()).toMatchObject({ height: 40, blocks: 0 });
      expect(log).toEqual([
        "the node contradicts itself about block 40; trying again",
        "the node answers again",
      ]);
    });

    test("waits up to half a minute between attempts, and starts over after a success", async () => {
      await follow();
      node.failNext({ kind: "http-500", count: 9 });
      await follow();
      expect(sleeps).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
      node.failNext({ kind: "http-500" });
      await follow();
      expect(sleeps.at(-1)).toBe(500);
    });

    test("names a fault once, however often it comes, and then that it is over", async () => {
      await follow();
      log.length = 0;
      node.failNext({ kind: "http-500", count: 3 });
      await follow();
      expect(log).toEqual([expect.stringContaining("HTTP 500"), "the node answers again"]);
    });

    test("by not sending blocks that it announces is asked again with back-off", async () => {
      node.withhold(21);
      const progress = await follow({
        async sleep(milliseconds) {
          sleeps.push(milliseconds);
          if (sleeps.length === 5) node.withhold(Number.POSITIVE_INFINITY);
        },
      });
      expect(progress).toMatchObject({ height: 40, blocks: 41 });
      expect(sleeps).toEqual([500, 1000, 2000, 4000, 8000]);
      expect(log).toEqual([
        "the node has no block 21, though its tip is block 40; trying again",
        "the node answers again",
      ]);
      await expectOnly(chain.blocks);
    });

    test("by announcing a tip that no chain can have gets few requests beyond the existing blocks", async () => {
      const source = new CkbNode(node.url);
      vi.spyOn(source, "tip").mockResolvedValueOnce({ height: 2 ** 50, hash: hashAt(chain, 40) });
      expect(await sync(store, source, options())).toMatchObject({ height: 40, blocks: 41 });
      expect(node.requests.length).toBeLessThan(1500);
      await expectOnly(chain.blocks);
    });

    test("by taking long over each block is asked for fewer at once, until it gets through", async () => {
      node.slowBlocks(40);
      const slow = new CkbNode(node.url, undefined, 500);
      expect(await sync(store, slow, options())).toMatchObject({ height: 40, blocks: 41 });
      // On a busy machine, more requests may be late.
      const late = log.filter((line) => /no response within 0\.5 s/.test(line));
      expect(late.length).toBeGreaterThan(0);
      expect(new Set(log)).toEqual(new Set([...late, "the node answers again"]));
      await expectOnly(chain.blocks);
    });

    test("is down for a while is asked again", async () => {
      await follow();
      await node.close();
      const stop = new AbortController();
      await follow({
        signal: stop.signal,
        // The first attempt may find the connection of before, and see it end.
        sleep: async (milliseconds) => void (milliseconds === 1000 && stop.abort()),
      });
      expect(log.at(-1)).toMatch(/fetch failed: .*ECONNREFUSED.*; trying again/);
      expect(log.at(-1)).toContain(node.url);
      expect(await verifyStore(store)).toEqual([]);
    });
  });

  test("that lags behind is waited for, and nothing is reverted", async () => {
    await follow();
    const before = await canonicalDump(store);
    node.lag(10);
    expect(await follow()).toMatchObject({ height: 40, blocks: 0 });
    expect(log).toEqual(["the node is behind: at block 30, we are at 40"]);
    expect(await canonicalDump(store)).toBe(before);
    node.lag(0);
    node.setChain(grow(chain, 1).blocks);
    expect(await follow()).toMatchObject({ height: 41, blocks: 1 });
  });

  test("that answers now from one branch, now from another, is asked again with back-off", async () => {
    await follow();
    const other = grow(chain.fork(35), 10);
    grow(chain, 5);
    node.setChain(chain.blocks);
    // Blocks come from a node with another branch than the one whose tip and hashes were read.
    const stop = node.onRequest((method) => {
      node.setChain(method === "get_block_by_number" && sleeps.length < 3 ? other.blocks : chain.blocks);
    });
    expect(await follow()).toMatchObject({ height: 45 });
    stop();
    expect(sleeps).toEqual([500, 1000, 2000]);
    expect(log[0]).toMatch(/do not fit: .* `aqs verify`\); trying again/);
    await expectOnly(chain.blocks);
  });

  /** Makes the next `count` attempts to store blocks fail. */
  function failApplying(times: number, error: Error): void {
    let left = times;
    const { write }: Store = Object.getPrototypeOf(store);
    vi.spyOn(store, "write").mockImplementation(async (steps, ...args) => {
      if ((steps as unknown) === applyBlocks && left-- > 0) throw error;
      return write.call(store, steps, ...args) as never;
    });
  }

  test("waits for a database that others keep busy", async () => {
    failApplying(2, Object.assign(new Error("database is locked"), { errcode: 5 }));
    expect(await follow()).toMatchObject({ height: 40, blocks: 41 });
    expect(sleeps).toEqual([500, 1000]);
    expect(log).toEqual(["database is locked; trying again", "the database answers again"]);
    await expectOnly(chain.blocks);
  });

  test("retries for a while if the database looks damaged, and then ends", async () => {
    const malformed = Object.assign(new Error("a.db: damaged, or not read"), { errcode: 11 });
    failApplying(3, malformed);
    expect(await follow()).toMatchObject({ height: 40, blocks: 41 });
    expect(log).toEqual([
      expect.stringContaining("a.db: damaged, or not read"),
      "the database answers again",
    ]);
    failApplying(Number.POSITIVE_INFINITY, malformed);
    node.setChain(grow(chain, 1).blocks);
    await expect(follow()).rejects.toThrow("a.db: damaged, or not read");
    expect(sleeps).toEqual([500, 1000, 2000, 500, 1000, 2000]);
  });

  test("ends when the files of the database are lost, which waiting cannot heal", async () => {
    failApplying(1, new StoreLostError("a.db was removed"));
    await expect(follow()).rejects.toThrow("a.db was removed");
    expect(sleeps).toEqual([]);
  });

  test("passes on the store's notices to the operator", async () => {
    const notices = ["a.db-wal grows"];
    store.notice = () => notices.pop() ?? null;
    await follow();
    expect(log).toEqual(["a.db-wal grows"]);
  });

  test("ends after the transaction under way when it is stopped", async () => {
    const stop = new AbortController();
    const progress = await follow({
      signal: stop.signal,
      onProgress: ({ height }) => {
        if (height === 35) stop.abort();
      },
    });
    expect(progress).toMatchObject({ height: 35, blocks: 36 });
    expect(await store.query(chainTip)).toEqual({ height: 35, hash: hashAt(chain, 35) });
    await expectOnly(chain.blocks.slice(0, 36));
    await follow();
    await expectOnly(chain.blocks);
  });

  test("ends at once if it is stopped while it waits for a response", async () => {
    await follow();
    grow(chain, 1);
    node.setChain(chain.blocks);
    node.failNext({ kind: "hang" });
    const stop = new AbortController();
    const ended = sync(store, new CkbNode(node.url, stop.signal), options({ signal: stop.signal }));
    await vi.waitFor(() => expect(node.requests.at(-1)?.method).toBe("get_block_hash"), EVENT_TIMEOUT);
    stop.abort();
    expect(await ended).toMatchObject({ blocks: 0 });
    expect(log).toEqual([]);
    expect(await verifyStore(store)).toEqual([]);
  });

  test("hides no fault of our own, not even when it is stopped", async () => {
    const stop = new AbortController();
    const failing = follow({
      signal: stop.signal,
      async between() {
        stop.abort();
        throw new Error("disk full");
      },
    });
    await expect(failing).rejects.toThrow("disk full");
  });

  describe("while it catches up", () => {
    /** Blocks 15, 31 and 47 each fill what is stored at once, and the node is asked for 16 blocks at a time. */
    const long = new Ledger();
    for (let height = 0; height < 60; height++) {
      long.block(
        height % 16 === 15 ? [{ create: Array.from({ length: 20_000 }, () => ({ to: "ann" })) }] : [],
      );
    }

    /** Follows that chain. `blocksFrom`: what the node does before it gives blocks from a height on. */
    async function catchUp(blocksFrom: (height: number) => Promise<void>, overrides: SyncOptions = {}) {
      const source: ChainSource = {
        native: NATIVE_ASSET,
        identity: async () => identity,
        tip: async () => long.tip!,
        hashAt: async (height) => long.blocks[height]!.hash,
        blocks: async (from, to) => {
          await blocksFrom(from);
          return long.blocks.slice(from, to + 1);
        },
        outputs: async () => new Map(),
      };
      const heights: number[] = [];
      await sync(store, source, options({ onProgress: ({ height }) => heights.push(height), ...overrides }));
      expect((await store.query(dataStatus)).counts).toMatchObject({ blocks: 60, outputs: 60_000 });
      return heights;
    }

    test("stores all blocks that are ready in one transaction", async () => {
      const [first] = await catchUp(async () => {});
      expect(first).toBeGreaterThan(15);
    });

    test("commits within 18 seconds, and pauses for other writers", async () => {
      let time = 0;
      vi.spyOn(performance, "now").mockImplementation(() => time);
      const write = store.write.bind(store);
      vi.spyOn(store, "write").mockImplementation((...writing) => {
        time += 10_000;
        return write(...writing);
      });
      try {
        expect(await catchUp(async () => {})).toEqual(expect.arrayContaining([15, 31, 47]));
        expect(sleeps).toContain(250);
      } finally {
        vi.restoreAllMocks();
      }
    });

    test("commits its blocks before it waits for the node", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const onProgress = ({ height }: Progress) => {
        if (height === 31) resolve();
      };
      await catchUp((height) => (height === 32 ? promise : Promise.resolve()), { onProgress });
    });

    test("loses no block from before a fault of the node", async () => {
      let faults = 1;
      const heights = await catchUp(async (height) => {
        if (height === 32 && faults-- > 0) throw new SourceError("the node is overloaded");
      });
      expect(heights).toContain(31);
      expect(log[0]).toBe("the node is overloaded; trying again");
    });
  });

  test("makes other writes between transactions only", async () => {
    let calls = 0;
    await follow({
      async between() {
        calls += 1;
        await store.write(loadPrices, [{ assetId: "0x80000135", time: calls, usd: BigInt(calls) }]);
      },
    });
    expect(calls).toBe(11);
    expect((await store.query(dataStatus)).counts.prices).toBe(11);
  });
});
