/** Blocks of a test network as full as a main chain's. They pass all checks of a block, and are the same in each run. */
import { Random } from "#lib/demo/ckb/random.ts";
import { merkleRoot } from "../block.ts";
import { scryptHash, sha256, sha256d } from "../hashes.ts";
import { heightScript } from "../heights.ts";
import type { Currency } from "../networks.ts";
import { p2pkhScript, p2shScript, witnessScript } from "../script.ts";

/** Outputs of the first block for each transaction of a next one, which spends them. */
const FUNDED = 15;
/** Inputs and outputs of a transaction: 2.5 and 2.7 in the mean, as Bitcoin's have had. */
const INPUTS = [1, 1, 1, 1, 2, 2, 2, 3, 4, 8];
const OUTPUTS = [1, 1, 2, 2, 2, 2, 2, 2, 3, 10];
/** Addresses that get a fifth of the outputs. Two fifths go to new ones, the rest to recent ones. */
const BUSY = 500;
const OF_LATE = 100_000;
const COIN = 100_000_000;
const FIRST_HEIGHT = 1_000;
const TARGET = 0x207f_ffff;

type Lock = "p2wpkh" | "p2tr" | "p2pkh" | "p2sh" | "p2wsh" | "p2pk";
/** Twenty, by how often they occur. */
const LOCKS: readonly Lock[] = (
  [
    ["p2wpkh", 8],
    ["p2tr", 4],
    ["p2pkh", 4],
    ["p2sh", 2],
    ["p2wsh", 1],
    ["p2pk", 1],
  ] as const
).flatMap(([lock, times]) => Array<Lock>(times).fill(lock));

/** Sizes of the script that spends each, and of its witnesses. Their contents are not checked. */
const PROOFS: Record<Lock, { script: number; witness: readonly number[] }> = {
  p2wpkh: { script: 0, witness: [72, 33] },
  p2tr: { script: 0, witness: [64] },
  p2pkh: { script: 107, witness: [] },
  p2sh: { script: 23, witness: [72, 33] },
  p2wsh: { script: 0, witness: [0, 72, 72, 105] },
  p2pk: { script: 73, witness: [] },
};

interface Coin {
  id: Buffer;
  index: number;
  lock: Lock;
  amount: number;
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const count = (value: number): Buffer =>
  value < 0xfd
    ? Buffer.of(value)
    : value <= 0xffff
      ? Buffer.of(0xfd, value & 0xff, value >> 8)
      : Buffer.concat([Buffer.of(0xfe), uint32(value)]);
const counted = (bytes: Buffer): Buffer => Buffer.concat([count(bytes.length), bytes]);

const NOISE = Buffer.concat(Array.from({ length: 32 }, (_, i) => sha256(Buffer.of(i))));
const ZERO = Buffer.alloc(32);

function scriptOf(owner: number): { lock: Lock; script: Buffer } {
  const lock = LOCKS[owner % LOCKS.length]!;
  const hash = sha256(uint32(owner));
  const short = hash.subarray(0, 20);
  if (lock === "p2pkh") return { lock, script: p2pkhScript(short) };
  if (lock === "p2sh") return { lock, script: p2shScript(short) };
  if (lock === "p2pk") return { lock, script: Buffer.concat([Buffer.of(33, 2), hash, Buffer.of(0xac)]) };
  const program = lock === "p2wpkh" ? short : hash;
  return { lock, script: witnessScript(lock === "p2tr" ? 1 : 0, program) };
}

/** The first block pays thousands of owners; each one after it has `transactions` transactions. */
export function* fullBlocks(
  currency: Currency,
  transactions: number,
): Generator<{ height: number; bytes: Buffer }> {
  const random = new Random(7);
  const live: Coin[] = [];
  let owners = BUSY;
  let parent: Buffer = ZERO;

  const output = (amount: number) => {
    const bytes = Buffer.alloc(8);
    // One of forty carries data.
    if (random.below(40) === 0) {
      const data = Buffer.concat([Buffer.of(0x6a, 32), ZERO]);
      return { lock: null, amount: 0, bytes: Buffer.concat([bytes, counted(data)]) };
    }
    const chance = random.below(5);
    const late = () => owners - 1 - random.below(Math.min(owners, OF_LATE));
    const owner = chance === 0 ? random.below(BUSY) : chance < 3 ? owners++ : late();
    bytes.writeBigUInt64LE(BigInt(amount));
    const { lock, script } = scriptOf(owner);
    return { lock, amount, bytes: Buffer.concat([bytes, counted(script)]) };
  };
  /** Random parts of a sum, and the last one without the fee. */
  const outputs = (length: number, sum: number) => {
    let left = sum;
    return Array.from({ length }, (_, i) => {
      const amount = i === length - 1 ? Math.floor(left * 0.999) : random.below(Math.floor(left / 2) + 1);
      left -= amount;
      return output(amount);
    });
  };
  /** Half of them are among the newest ones. */
  const spend = (): Coin => {
    const at =
      live.length - 1 - random.below(random.below(2) === 0 ? Math.min(20_000, live.length) : live.length);
    const coin = live[at]!;
    live[at] = live.at(-1)!;
    live.pop();
    return coin;
  };
  const create = (id: Buffer, made: ReturnType<typeof outputs>) => {
    for (const [index, { lock, amount }] of made.entries()) if (lock) live.push({ id, index, lock, amount });
  };
  const noise = (length: number): Buffer => {
    const start = random.below(NOISE.length - length);
    return NOISE.subarray(start, start + length);
  };
  const join = (list: readonly Buffer[]) => Buffer.concat([count(list.length), ...list]);

  const payment = (): { id: Buffer; witnessId: Buffer; bytes: Buffer } => {
    const coins = Array.from({ length: random.pick(INPUTS) }, spend);
    const sum = coins.reduce((total, { amount }) => total + amount, 0);
    const made = outputs(random.pick(OUTPUTS), sum);
    const version = uint32(2);
    const inputs = coins.map(({ id, index, lock }) =>
      Buffer.concat([id, uint32(index), counted(noise(PROOFS[lock].script)), uint32(0xffff_fffd)]),
    );
    const body = Buffer.concat([join(inputs), join(made.map(({ bytes }) => bytes))]);
    const id = sha256d(version, body, uint32(0));
    create(id, made);
    if (coins.every(({ lock }) => PROOFS[lock].witness.length === 0)) {
      return { id, witnessId: id, bytes: Buffer.concat([version, body, uint32(0)]) };
    }
    const witnesses = coins.map(({ lock }) => join(PROOFS[lock].witness.map((size) => counted(noise(size)))));
    const bytes = Buffer.concat([version, Buffer.of(0, 1), body, ...witnesses, uint32(0)]);
    return { id, witnessId: sha256d(bytes), bytes };
  };

  for (let height = FIRST_HEIGHT; ; height++) {
    const isFirst = height === FIRST_HEIGHT;
    const payments = Array.from({ length: isFirst ? 0 : transactions - 1 }, payment);
    const { root: witnessRoot } = merkleRoot([ZERO, ...payments.map(({ witnessId }) => witnessId)]);
    const commitment = Buffer.concat([Buffer.from("6a24aa21a9ed", "hex"), sha256d(witnessRoot, ZERO)]);
    const made = isFirst
      ? Array.from({ length: FUNDED * transactions }, () => output(COIN))
      : outputs(1, 50 * COIN);
    const body = Buffer.concat([
      Buffer.of(1),
      ZERO,
      uint32(0xffff_ffff),
      counted(heightScript(height)),
      uint32(0xffff_ffff),
      join([...made.map(({ bytes }) => bytes), Buffer.concat([Buffer.alloc(8), counted(commitment)])]),
    ]);
    const id = sha256d(uint32(2), body, uint32(0));
    create(id, made);
    const reward = [uint32(2), Buffer.of(0, 1), body, join([counted(ZERO)]), uint32(0)];
    const header = Buffer.alloc(80);
    header.writeUInt32LE(0x2000_0000, 0);
    parent.copy(header, 4);
    merkleRoot([id, ...payments.map((each) => each.id)]).root.copy(header, 36);
    header.writeUInt32LE(1_700_000_000 + 600 * (height - FIRST_HEIGHT), 68);
    header.writeUInt32LE(TARGET, 72);
    const work = currency.proofOfWork === "scrypt" ? scryptHash : (bytes: Buffer) => sha256d(bytes);
    // Every second hash meets the target.
    for (let nonce = 0; work(header)[31]! > 0x7e; nonce++) header.writeUInt32LE(nonce, 76);
    parent = sha256d(header);
    const all = [header, count(payments.length + 1), ...reward, ...payments.map(({ bytes }) => bytes)];
    yield { height, bytes: Buffer.concat(all) };
  }
}
