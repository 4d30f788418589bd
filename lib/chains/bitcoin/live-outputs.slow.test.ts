import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { sync } from "#lib/indexer/sync.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { sha256d, toName } from "./hashes.ts";
import { type ComparedNode, ComparedOutputs } from "./live-outputs.ts";
import { litecoin } from "./networks.ts";
import { BitcoinNode } from "./node.ts";
import { hasLitecoind, Litecoind, NO_LITECOIND, WITHOUT_MWEB } from "./testing/litecoind.ts";
import { PAYER, SCRIPTS, SUBSIDY, signed } from "./testing/payments.ts";
import type { RawTransaction } from "./transaction.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

const MATURITY = 100;

describe.skipIf(!hasLitecoind)(`the live outputs of a node${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`, () => {
  let node: Litecoind;
  let source: BitcoinNode;
  const mine = async (blocks: number) =>
    node.call<string[]>("generatetodescriptor", blocks, await node.descriptorOf(PAYER));
  const tipOf = async () => ({
    height: await node.call<number>("getblockcount"),
    hash: `0x${await node.call<string>("getbestblockhash")}`,
  });
  let paid = 0;
  /** Spends the next reward on outputs of every kind, some of which nobody can spend. */
  const pay = async () => {
    const hash = await node.call<string>("getblockhash", ++paid);
    const { tx } = await node.call<{ tx: string[] }>("getblock", hash);
    const outputs = SCRIPTS.map(([, , script]) => ({ amount: 1_000n, script }));
    const change = { amount: SUBSIDY - 1_000n * BigInt(outputs.length), script: PAYER };
    const coin = { txid: tx[0]!, vout: 0, script: PAYER, amount: SUBSIDY };
    const raw = await signed(node, [coin], [...outputs, change]);
    await node.call("generateblock", await node.descriptorOf(PAYER), [raw]);
  };
  beforeAll(async () => {
    node = await Litecoind.start(WITHOUT_MWEB, "txindex=1");
    source = new BitcoinNode(litecoin, node.url, { cookie: node.cookie });
    await mine(MATURITY + 5);
    await pay();
  }, 60_000);
  afterAll(() => node[Symbol.asyncDispose]());

  describe.each(engines)("and $name", ({ open }) => {
    let store: Store;
    const follow = () => sync(store, source, { once: true, sleep: async () => {} });
    const verify = () => verifyStore(store, { node: { source, sample: 0 } });
    beforeEach(async () => {
      store = await open();
      await follow();
      return () => store.close();
    });

    test("are the same, also if the node has got further blocks", async () => {
      expect(await verify()).toEqual([]);
      await pay();
      await mine(1);
      expect(await verify()).toEqual([]);
    });

    test("differ if one is missing, is another one, or is not the node's", async () => {
      const all = source.liveOutputs.bind(source);
      const tip = await tipOf();
      for (const change of [
        (list: Parameters<ReturnType<typeof all>["add"]>[1]) => list.slice(1),
        (list: Parameters<ReturnType<typeof all>["add"]>[1]) => [...list, { ...list[0]!, outputIndex: 77 }],
        (list: Parameters<ReturnType<typeof all>["add"]>[1]) =>
          list.map((each) => ({ ...each, output: { ...each.output, capacity: each.output.capacity + 1n } })),
      ]) {
        const liveOutputs = vi.spyOn(source, "liveOutputs").mockImplementation(() => {
          const live = all();
          const add = live.add.bind(live);
          vi.spyOn(live, "add").mockImplementation((block, list) =>
            add(block, block.height === tip.height ? change(list) : list),
          );
          return live;
        });
        expect(await verify()).toEqual([
          expect.stringMatching(
            new RegExp(
              `^the \\d+ live outputs as of block ${tip.height} have the hash 0x.{64}, the node's \\d+ have 0x`,
            ),
          ),
        ]);
        liveOutputs.mockRestore();
      }
    });

    test("are not compared if the index does not begin with the first block", async () => {
      const part = await open();
      await sync(part, source, { once: true, from: 103, sleep: async () => {} });
      expect(await verifyStore(part, { node: { source, sample: 0 } })).toEqual([]);
      await part.close();
    });

    test("are not compared if the node does not have the tip", async () => {
      const { height, hash } = await tipOf();
      await node.call("invalidateblock", hash.slice(2));
      const behind = await tipOf();
      const fault = `the live outputs were not compared: the index ends with block ${height} (${hash}), the node's live outputs are those of block ${behind.height} (${behind.hash})`;
      expect(await verify()).toEqual([fault]);
      await node.call("setmocktime", 1_700_000_000 + 1_000 + height);
      await mine(2);
      expect(await verify()).toEqual([expect.stringMatching(/^the live outputs were not compared: /)]);
      await follow();
      expect(await verify()).toEqual([]);
    });
  });
});

test("the hash of newer nodes covers each output by itself, with height and reward", async () => {
  const id = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
  const other = Buffer.alloc(32, 7);
  const tip = { height: 300, hash: `0x${"ab".repeat(32)}` };
  const record = (of: Buffer, n: string, origin: string, amount: string, script: string) =>
    Buffer.concat([of, Buffer.from(n + origin + amount + script, "hex")]);
  const expected = sha256d(
    record(id, "01000000", "59020000", "e803000000000000", "0151"),
    record(id, "02000000", "59020000", "0100000000000000", "0152"),
    record(other, "00000000", "58020000", "ffffffff00000000", `fdfd00${"51".repeat(253)}`),
  );
  const node: ComparedNode = {
    hashAt: async () => tip.hash,
    transactionsOf: async () => [{ isHogEx: false }] as RawTransaction[],
    outputSetInfo: async () => ({
      height: tip.height,
      bestblock: tip.hash.slice(2),
      txouts: 3,
      hash_serialized_3: toName(expected).slice(2),
    }),
  };
  using live = new ComparedOutputs(litecoin, node);
  const output = (script: string, capacity: bigint) => ({
    ...{ address: { key: "", text: `script:${script}` }, token: null, kind: "script" },
    ...{ amount: capacity, capacity },
  });
  await live.add(tip, [
    {
      transactionHash: toName(other),
      outputIndex: 0,
      output: output("51".repeat(253), 0xffff_ffffn),
      isReward: false,
    },
    { transactionHash: toName(id), outputIndex: 2, output: output("52", 1n), isReward: true },
    { transactionHash: toName(id), outputIndex: 1, output: output("51", 1_000n), isReward: true },
  ]);
  expect(await live.difference(tip)).toBeNull();
});
