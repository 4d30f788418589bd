import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { sync } from "#lib/indexer/sync.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { storedBlock, storedTokens } from "#lib/queries/stored.ts";
import { openStore } from "#lib/store/open.ts";
import { parseAddress } from "./address.ts";
import { parseBlock } from "./block.ts";
import { sha256 } from "./hashes.ts";
import { litecoin } from "./networks.ts";
import { BitcoinNode } from "./node.ts";
import { outputStates } from "./output-states.ts";
import { BEGINNING, hasLitecoind, Litecoind, NO_LITECOIND } from "./testing/litecoind.ts";
import { type NodeBlock, PAYER, SCRIPTS, SUBSIDY, signed, toLitoshis } from "./testing/payments.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

const network = litecoin.networks.find(({ name }) => name === "regtest")!;

describe.skipIf(!hasLitecoind)(`blocks of a node${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`, () => {
  let node: Litecoind;
  beforeAll(async () => {
    node = await Litecoind.start();
  });
  afterAll(() => node[Symbol.asyncDispose]());

  async function read(hash: string): Promise<{ block: Block; said: NodeBlock; bytes: Buffer }> {
    const said = await node.call<NodeBlock>("getblock", hash, 2);
    const bytes = Buffer.from(await node.call<string>("getblock", hash, 0), "hex");
    const block = parseBlock(bytes, { currency: litecoin, network, height: said.height, where: hash });
    return { block, said, bytes };
  }

  /** Compares the parsed block with everything that the node says about it. */
  async function compare(hash: string): Promise<Block> {
    const { block, said } = await read(hash);
    expect(block.hash).toBe(`0x${said.hash}`);
    expect(block.parentHash).toBe(`0x${said.previousblockhash ?? "0".repeat(64)}`);
    expect(block.timestamp).toBe(said.time * 1_000);
    const ids = said.tx.map(({ txid }) => txid);
    expect(block.transactions.map((each) => each.hash)).toEqual(ids.map((txid) => `0x${txid}`));
    for (const [i, { vin, vout }] of said.tx.entries()) {
      const { inputs, outputs } = block.transactions[i]!;
      const isHogEx = outputs[0]!.address.text.startsWith("rltc1g");
      expect(inputs).toEqual(
        vin.flatMap(({ txid, vout: outputIndex }) =>
          txid === undefined || isHogEx ? [] : [{ transactionHash: `0x${txid}`, outputIndex }],
        ),
      );
      expect(outputs.map(({ capacity }) => capacity)).toEqual(
        vout.map(({ value }, n) => (isHogEx && n === 0 ? 0n : toLitoshis(value))),
      );
      for (const [n, { scriptPubKey }] of vout.entries()) {
        const { address } = outputs[n]!;
        expect(address.key).toBe(`0x${sha256(Buffer.from(scriptPubKey.hex, "hex")).toString("hex")}`);
        const [text] = (scriptPubKey.addresses ?? []).length === 1 ? scriptPubKey.addresses! : [];
        // The node shows a bare key by the address of its hash, which is another script.
        if (text !== undefined && scriptPubKey.type !== "pubkey" && scriptPubKey.type !== "multisig") {
          expect(address.text).toBe(text);
          expect(parseAddress(text, litecoin, "regtest").key).toBe(address.key);
        }
        expect(parseAddress(address.text, litecoin, "regtest").key).toBe(address.key);
      }
    }
    return block;
  }

  test("are read as the node says, with outputs of every kind", async () => {
    const first = await compare(await node.call<string>("getblockhash", 0));
    expect(first.transactions[0]!.outputs[0]!.spendable).toBe(false);

    const payer = await node.descriptorOf(PAYER);
    const hashes = await node.call<string[]>("generatetodescriptor", 101, payer);
    await compare(hashes[0]!);
    const { said } = await read(hashes[0]!);
    const amount = 1_000n;
    const change = SUBSIDY - amount * BigInt(SCRIPTS.length);
    const raw = await signed(
      node,
      [{ txid: said.tx[0]!.txid, vout: 0, script: PAYER, amount: SUBSIDY }],
      [...SCRIPTS.map(([, , script]) => ({ amount, script })), { amount: change, script: PAYER }],
    );
    const { hash } = await node.call<{ hash: string }>("generateblock", payer, [raw]);
    const block = await compare(hash);
    const { said: paid } = await read(hash);
    expect(paid.tx[1]!.vout.slice(0, -1).map(({ scriptPubKey }) => scriptPubKey.type)).toEqual(
      SCRIPTS.map(([, type]) => type),
    );
    expect(block.transactions[1]!.outputs.slice(0, -1).map(({ kind }) => kind)).toEqual(
      SCRIPTS.map(([kind]) => kind),
    );
    expect(block.transactions[0]!.outputs.map(({ kind, spendable }) => [kind, spendable])).toEqual([
      ["coinbase@102", undefined],
      ["data", false],
    ]);
  });

  test("whose bytes differ anywhere are refused", async () => {
    const { bytes, said } = await read(await node.call<string>("getbestblockhash"));
    const place = { currency: litecoin, network, height: said.height, where: said.hash };
    // Only bytes after the header: with an easy target, a changed header may be a valid one.
    for (let at = 80; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x10;
      expect(() => parseBlock(changed, place), `byte ${at}`).toThrow();
    }
  });

  test("with an extension are read, with their peg-ins and peg-outs", async () => {
    await node.call("createwallet", "miner");
    const address = await node.call<string>("getnewaddress", "", "bech32");
    await node.call("generatetoaddress", 431 - (await node.call<number>("getblockcount")), address);
    const hidden = await node.call<string>("getnewaddress", "", "mweb");
    expect(() => parseAddress(hidden, litecoin, "regtest")).toThrow(/hidden/);
    await node.call("sendtoaddress", hidden, 10);
    const [pegIn, after] = await node.call<string[]>("generatetoaddress", 2, address);
    const texts = ({ transactions }: Block) =>
      transactions.flatMap(({ outputs }) => outputs.map((output) => output.address.text));
    expect(texts(await compare(pegIn!))).toContainEqual(expect.stringMatching(/^rltc1f/));
    await compare(after!);
    // The wallet has nothing else to spend, so it pays out of the extension.
    const unspent = await node.call<{ txid: string; vout?: number; address: string }[]>("listunspent", 1);
    const ordinary = unspent.filter((output) => output.address.startsWith("rltc1"));
    await node.call(
      "lockunspent",
      false,
      ordinary.map(({ txid, vout }) => ({ txid, vout })),
    );
    await node.call("sendtoaddress", address, 3);
    const [pegOut] = await node.call<string[]>("generatetoaddress", 1, address);
    const block = await compare(pegOut!);
    const hogEx = block.transactions.at(-1)!;
    expect(hogEx.outputs.map((output) => output.address.text)).toEqual([
      expect.stringMatching(/^rltc1g/),
      address,
    ]);
    expect(hogEx.outputs[1]).toMatchObject({ capacity: 300_000_000n, kind: `pegout@${block.height}` });
    const spending = await node.call<string>(
      "createrawtransaction",
      [{ txid: hogEx.hash.slice(2), vout: 1 }],
      { [address]: 2.999 },
    );
    const { hex } = await node.call<{ hex: string }>("signrawtransactionwithwallet", spending);
    const accepted = async () =>
      (await node.call<[{ allowed: boolean }]>("testmempoolaccept", [hex]))[0].allowed;
    const states = outputStates(litecoin, hogEx.outputs[1]!.address);
    const { kind } = hogEx.outputs[1]!;
    for (let asOf = block.height; asOf < block.height + 7; asOf++) {
      const { until } = states.stateOf(
        { kind: kind!, height: block.height, capacity: "1" },
        asOf,
        () => undefined,
      );
      expect([asOf, await accepted()]).toEqual([asOf, until === ""]);
      await node.call("generatetoaddress", 1, address);
    }
    await node.call("invalidateblock", await node.call<string>("getblockhash", block.height + 1));

    // No supply counts the extension's coins, and no block seems to move them.
    const store = await openStore("sqlite::memory:");
    const source = new BitcoinNode(litecoin, node.url, { cookie: node.cookie });
    const follow = async () => {
      await sync(store, source, { once: true, sleep: async () => {} });
      const tip = await compare(await node.call<string>("getbestblockhash"));
      const { said } = await read(tip.hash.slice(2));
      const { total_amount: all } = await node.call<{ total_amount: number }>("gettxoutsetinfo");
      const pool = toLitoshis(said.tx.at(-1)!.vout[0]!.value);
      const [native] = await store.query(storedTokens, {});
      expect(native!.totalSupply).toBe(String(toLitoshis(all) - pool));
      const { changes } = await store.query(storedBlock, said.height);
      return changes[0]!.amount;
    };
    // The reward with the fees, and the coins that were pegged out.
    expect(await follow()).toBe(block.transactions[0]!.outputs[0]!.capacity + 300_000_000n);
    // Another branch takes the block's place, above that of the first HogEx.
    await node.call("invalidateblock", block.hash.slice(2));
    await node.restart();
    await node.call("setmocktime", BEGINNING + 3_600);
    await node.call("generatetoaddress", 3, address);
    await follow();
    expect(await verifyStore(store, { node: { source } })).toEqual([]);
    await node.call("generatetoaddress", 2, address);
    expect(await verifyStore(store, { node: { source } })).toEqual([]);
    await store.close();
  });
});
