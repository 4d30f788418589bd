import { describe, expect, test } from "vitest";
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { merkleRoot, parseBlock } from "./block.ts";
import { sha256d } from "./hashes.ts";
import { bitcoin, litecoin } from "./networks.ts";
import { hasRecordedBlocks, readRecorded } from "./testing/recorded-blocks.ts";

interface RecordedBlock {
  currency: string;
  network: string;
  height: number;
  hash: string;
  transactions: string[];
  hex: string;
}

/** Blocks of the public chains, with their hashes and their transactions' as nodes gave them. */
const recorded = (hasRecordedBlocks ? JSON.parse(readRecorded("blocks.json")) : []) as RecordedBlock[];

function parse(block: RecordedBlock, bytes: Buffer = Buffer.from(block.hex, "hex")) {
  const currency = [bitcoin, litecoin].find(({ name }) => name === block.currency)!;
  const network = currency.networks.find(({ name }) => name === block.network)!;
  return parseBlock(bytes, { currency, network, height: block.height, where: "the block" });
}

const changed = (block: RecordedBlock, at: number): Buffer => {
  const bytes = Buffer.from(block.hex, "hex");
  bytes[at]! ^= 1;
  return bytes;
};

describe.each(recorded)("block $height of $currency", (block) => {
  test("has the hashes that nodes give", () => {
    const { hash, transactions, bytes } = parse(block);
    expect(hash).toBe(`0x${block.hash}`);
    expect(bytes).toBe(block.hex.length / 2);
    expect(transactions.map((transaction) => transaction.hash.slice(2)).toSorted()).toEqual(
      block.transactions.toSorted(),
    );
  });

  test("is refused if any byte of a sample differs, is missing or added", () => {
    const size = block.hex.length / 2;
    // Only the extension's own header covers its body, which is not read.
    const end = block.height === 2_265_985 ? coveredBytes(block) : size;
    const step = Math.max(1, Math.floor(end / 300));
    for (let at = 0; at < end; at += step) {
      expect(() => parse(block, changed(block, at)), `byte ${at}`).toThrow(InvalidChainDataError);
    }
    const whole = Buffer.from(block.hex, "hex");
    for (let length = 0; length < end; length += step) {
      expect(() => parse(block, whole.subarray(0, length)), `${length} bytes`).toThrow(InvalidChainDataError);
    }
    if (end === size) {
      expect(() => parse(block, Buffer.concat([whole, Buffer.of(0)]))).toThrow(/1 bytes too many/);
    }
  });
});

/** Up to where the body of the extension begins. Of its header, the numbers have at least a byte each. */
function coveredBytes({ hex }: RecordedBlock): number {
  const endOfTransactions = "00" + "00000000" + "01";
  return (hex.lastIndexOf(endOfTransactions) + endOfTransactions.length) / 2 + 3 + 5 * 32;
}

test.skipIf(!hasRecordedBlocks)(
  "the reward of Bitcoin's first block cannot be spent, and belongs to a public key",
  () => {
    const { transactions, parentHash, timestamp } = parse(recorded[0]!);
    expect(parentHash).toBe(`0x${"0".repeat(64)}`);
    expect(new Date(timestamp).toISOString()).toBe("2009-01-03T18:15:05.000Z");
    const [reward] = transactions[0]!.outputs;
    expect(transactions[0]!.inputs).toEqual([]);
    expect(reward).toMatchObject({ kind: "coinbase@0", capacity: 5_000_000_000n, spendable: false });
    expect(reward!.address.text).toMatch(/^script:4104678afdb0fe.*ac$/);
  },
);

test.skipIf(!hasRecordedBlocks)(
  "a block with an extension pegs in and out, and what stays in the extension is no amount of it",
  () => {
    const { transactions } = parse(recorded.find(({ height }) => height === 2_265_985)!);
    const last = transactions.at(-1)!;
    const [pool, ...pegOuts] = last.outputs;
    expect(pool).toMatchObject({ kind: "mweb", capacity: 0n, amount: 0n, spendable: false });
    expect(pool!.address.text).toMatch(/^ltc1g/);
    expect(pegOuts.filter(({ spendable }) => spendable === false)).toEqual([]);
    expect(last.inputs).toEqual([]);
    const others = transactions.slice(0, -1).flatMap(({ outputs }) => outputs);
    const pegIns = others.filter(({ address }) => address.text.startsWith("ltc1f"));
    const lost = others.filter(({ spendable }) => spendable === false);
    expect(lost.map(({ kind }) => kind).toSorted()).toEqual(["data", ...pegIns.map(() => "mweb")]);
  },
);

test.skipIf(!hasRecordedBlocks)("a block whose node leaves its extension out is refused", () => {
  const block = recorded.find(({ height }) => height === 2_265_985)!;
  const { hex } = block;
  const end = hex.lastIndexOf("00" + "00000000" + "01");
  const start = hex.lastIndexOf("02000000" + "0008", end);
  // The version, without marker and flag, then the rest, without the mark before the lock time.
  const last = `02000000${hex.slice(start + 12, end)}00000000`;
  const stripped = Buffer.from(hex.slice(0, start) + last, "hex");
  expect(() => parse(block, stripped)).toThrow(/extension was left out: remove rpcserialversion/);
});

test("a Merkle tree repeats its last leaf, and reports if the leaves already do", () => {
  const [one, two, three] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
  const odd = merkleRoot([one, two, three]);
  const even = merkleRoot([one, two, three, three]);
  expect(odd.root).toEqual(even.root);
  expect([odd.repeats, even.repeats]).toEqual([false, true]);
  expect(merkleRoot([one])).toEqual({ root: one, repeats: false });
});

describe("a block made for a test network", () => {
  const ZERO = Buffer.alloc(32);
  const transaction = (spent: Buffer, index: number, script: Buffer, amounts = [7n]): Buffer => {
    const output = (amount: bigint) => {
      const bytes = Buffer.alloc(9 + script.length);
      bytes.writeBigUInt64LE(amount);
      bytes.writeUInt8(script.length, 8);
      script.copy(bytes, 9);
      return bytes;
    };
    const bytes = Buffer.alloc(47);
    bytes.writeUInt32LE(2, 0);
    bytes.writeUInt8(1, 4);
    spent.copy(bytes, 5);
    bytes.writeUInt32LE(index, 37);
    bytes.writeUInt8(amounts.length, 46);
    return Buffer.concat([bytes, ...amounts.map(output), Buffer.alloc(4)]);
  };
  const reward = (tag: number) => transaction(ZERO, 0xffff_ffff, Buffer.of(0x51, tag));
  const payment = transaction(Buffer.alloc(32, 9), 1, Buffer.of(0x51));
  const other = transaction(Buffer.alloc(32, 9), 2, Buffer.of(0x51));

  /** Tries nonces until the hash meets the target, which every second one does. */
  const regtest = bitcoin.networks.find(({ name }) => name === "regtest")!;
  function mined(
    transactions: Buffer[],
    { bits = 0x207f_ffff, named = transactions, network = regtest } = {},
  ) {
    const header = Buffer.alloc(80);
    merkleRoot(named.map((each) => sha256d(each))).root.copy(header, 36);
    header.writeUInt32LE(1_700_000_000, 68);
    header.writeUInt32LE(bits, 72);
    for (let nonce = 0; sha256d(header)[31]! > 0x7e; nonce++) header.writeUInt32LE(nonce, 76);
    const bytes = Buffer.concat([header, Buffer.of(transactions.length), ...transactions]);
    return () => parseBlock(bytes, { currency: bitcoin, network, height: 3, where: "the block" });
  }

  test("is read, and its reward is of a kind that says its height", () => {
    const [first, second] = mined([reward(1), payment])().transactions;
    expect(first!.outputs[0]).toMatchObject({ kind: "coinbase@3", capacity: 7n });
    expect(second!.inputs).toEqual([{ transactionHash: `0x${"09".repeat(32)}`, outputIndex: 1 }]);
    expect(second!.outputs[0]!.address.text).toBe("script:51");
  });

  test("whose reward a later one of the same name overwrites names it otherwise, and it is never spent", () => {
    const block = mined([reward(1), payment])();
    const [overwritten, other] = mined([reward(1), payment], {
      network: { ...regtest, overwritten: [block.hash] },
    })().transactions;
    expect(overwritten!.hash).not.toBe(block.transactions[0]!.hash);
    expect(overwritten!.outputs).toEqual([{ ...block.transactions[0]!.outputs[0], spendable: false }]);
    expect(other).toEqual(block.transactions[1]);
  });

  test("of a currency that forked is refused at the fork's height", () => {
    const { hash } = mined([reward(1)])();
    const fork = (height: number) => ({ ...regtest, other: { name: "Other Cash", height, hash } });
    expect(mined([reward(1)], { network: fork(3) })).toThrow(/the block.* is a block of Other Cash/);
    expect(mined([reward(1)], { network: fork(4) })().hash).toBe(hash);
  });

  test("is refused without a reward, with two, and with transactions twice", () => {
    expect(mined([payment])).toThrow(/transaction 0 does not pay the block's reward/);
    expect(mined([reward(1), reward(2)])).toThrow(/transaction 1 pays the block's reward/);
    expect(mined([reward(1), other, payment, payment], { named: [reward(1), other, payment] })).toThrow(
      /repeated/,
    );
    expect(mined([reward(1), payment], { named: [reward(1)] })).toThrow(/Merkle root/);
  });

  test("is refused if a transaction pays out more than all coins, in one output or in several", () => {
    const all = 21_000_000n * 100_000_000n;
    const rewards = (...amounts: bigint[]) => [transaction(ZERO, 0xffff_ffff, Buffer.of(0x51, 1), amounts)];
    expect(mined(rewards(all - 1n, 1n))().transactions[0]!.outputs).toHaveLength(2);
    for (const amounts of [[all + 1n], [all, 1n], [2n ** 63n, 2n ** 63n], [1n, 2n ** 64n - 1n]]) {
      expect(mined(rewards(...amounts))).toThrow(/pays out \d+, more than there can be/);
    }
  });

  test("is refused with a target that is easier than the network's, negative or zero", () => {
    for (const bits of [0x2100_ffff, 0x20ff_ffff, 0x2000_0000, 0x0100_0001, 0xff7f_ffff]) {
      expect(mined([reward(1)], { bits })).toThrow(/target/);
    }
  });
});
