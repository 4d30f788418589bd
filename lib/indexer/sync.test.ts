import { expect, test, vi } from "vitest";
import { addressOf, encodeAddress } from "#lib/chains/ckb/address.ts";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { CKB } from "#lib/chains/ckb/testing/cells.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { blockHeights, chainIdentity, chainTip } from "#lib/queries/chain.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import {
  ann,
  chain,
  describeFollowing,
  expectOnly,
  follow,
  grow,
  hashAt,
  log,
  node,
  openAnother,
  options,
  sleeps,
  store,
} from "#lib/testing/following.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { type Progress, sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

const POLL = 2_000;

describeFollowing(() => {
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

  test("is verified with any form of an address as its text, but with no other address's", async () => {
    const long = { ...ann, args: `0x${"5a".repeat(1000)}` };
    const verified = async (text: string) => {
      const own = await openAnother();
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
    const fresh = await openAnother();
    await fresh.write(identify, { ...(await store.query(chainIdentity))!, network: "mainnet" });
    await expect(sync(fresh, new CkbNode(node.url), options())).rejects.toThrow(
      "This database holds mainnet; testnet cannot be mixed into it",
    );
    expect(await fresh.query(chainTip)).toBeNull();
  });

  test("passes on the store's notices to the operator", async () => {
    const notices = ["a.db-wal grows"];
    store.notice = () => notices.pop() ?? null;
    await follow();
    expect(log).toEqual(["a.db-wal grows"]);
  });

  test("reports both tips from its start on, with nothing to store, and while it falls behind", async () => {
    await follow();
    const tips: string[] = [];
    const onTips = ({ height, nodeHeight }: Progress) => tips.push(`${height} of ${nodeHeight}`);
    await follow({ onTips });
    expect(tips).toEqual(["40 of 40"]);
    grow(chain, 30);
    node.setChain(chain.blocks);
    const failing = async () => {
      throw new Error("the disk is full");
    };
    await expect(follow({ onTips, between: failing })).rejects.toThrow("the disk is full");
    expect(tips.slice(1)).toEqual(["40 of 70"]);
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
