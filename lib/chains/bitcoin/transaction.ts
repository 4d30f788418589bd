/** Reads serialised transactions (`primitives/transaction.h` of Bitcoin Core and Litecoin Core, BIP 144). */
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { ByteReader } from "./bytes.ts";
import { sha256d, toName } from "./hashes.ts";
import type { Currency } from "./networks.ts";

export interface RawTransaction {
  /** The transaction's hash, not reversed. */
  id: Buffer;
  /** The hash that also covers the witnesses. */
  witnessId: Buffer;
  hasWitness: boolean;
  /** True for the last transaction of a block with an extension, which moves the pegged-in coins. */
  isHogEx: boolean;
  /** The input of a block's reward is null. */
  inputs: (OutPoint | null)[];
  outputs: { amount: bigint; script: Buffer }[];
  /** The first input's witness. */
  witness: Buffer[];
  /** The first input's script. */
  firstScript: Buffer;
}

const WITNESS_FLAG = 1;
const MWEB_FLAG = 8;
const NO_OUTPUT = 0xffff_ffff;
const NO_TRANSACTION = `0x${"0".repeat(64)}`;
/** Least sizes in bytes. */
const LEAST_TRANSACTION = 60;
const LEAST_INPUT = 41;
const LEAST_OUTPUT = 9;

/** Reads all transactions of a block, after its header. */
export function readTransactions(reader: ByteReader, currency: Currency): RawTransaction[] {
  const count = reader.count(LEAST_TRANSACTION);
  if (count === 0) throw reader.fault("a block without transactions");
  return Array.from({ length: count }, () => readTransaction(reader, currency));
}

export function readTransaction(reader: ByteReader, { maxAmount, mweb }: Currency): RawTransaction {
  const beginning = reader.skip(4);
  const version = reader.since(beginning);
  let flags = 0;
  // Every transaction has inputs, so a count of zero is the marker before the flags.
  if (reader.bytes[reader.at] === 0) {
    reader.uint8();
    flags = reader.uint8();
    const known = mweb ? WITNESS_FLAG | MWEB_FLAG : WITNESS_FLAG;
    if (flags === 0 || (flags & ~known) !== 0)
      throw reader.fault(`a transaction with the unknown flags ${flags}`);
  }
  const start = reader.at;
  let firstScript: Buffer | undefined;
  const inputs = Array.from({ length: reader.count(LEAST_INPUT) }, () => {
    const outPoint = readOutPoint(reader);
    const script = reader.counted();
    firstScript ??= script;
    reader.skip(4);
    return outPoint;
  });
  let total = 0n;
  const outputs = Array.from({ length: reader.count(LEAST_OUTPUT) }, () => {
    const amount = reader.uint64();
    total += amount;
    if (total > maxAmount) throw reader.fault(`a transaction pays out ${total}, more than there can be`);
    return { amount, script: reader.counted() };
  });
  if (!firstScript || outputs.length === 0) {
    throw reader.fault("a transaction without inputs or outputs");
  }
  const body = reader.since(start);
  const witnessStart = reader.at;
  const hasWitness = (flags & WITNESS_FLAG) !== 0;
  const witness: Buffer[] = [];
  let isEmpty = true;
  for (let i = 0; hasWitness && i < inputs.length; i++) {
    for (let items = reader.count(1); items > 0; items--) {
      const item = reader.counted();
      isEmpty = false;
      if (i === 0) witness.push(item);
    }
  }
  if (hasWitness && isEmpty) throw reader.fault("a transaction with the flag of witnesses, but without any");
  const witnesses = reader.since(witnessStart);
  const isHogEx = (flags & MWEB_FLAG) !== 0;
  // The extension's own transactions are in its part of the block.
  if (isHogEx && reader.uint8() !== 0) throw reader.fault("a transaction of the extension outside it");
  const lockTime = reader.take(4);

  const whole = reader.since(beginning);
  const id = flags === 0 ? sha256d(whole) : sha256d(version, body, lockTime);
  const witnessId = !hasWitness
    ? id
    : flags === WITNESS_FLAG
      ? sha256d(whole)
      : sha256d(version, Buffer.of(0, WITNESS_FLAG), body, witnesses, lockTime);
  return { id, witnessId, hasWitness, isHogEx, inputs, outputs, witness, firstScript };
}

function readOutPoint(reader: ByteReader): OutPoint | null {
  const transactionHash = toName(reader.take(32));
  const outputIndex = reader.uint32();
  return outputIndex === NO_OUTPUT && transactionHash === NO_TRANSACTION
    ? null
    : { transactionHash, outputIndex };
}
