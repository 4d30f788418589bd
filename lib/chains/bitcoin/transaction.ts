/** A serialised transaction: `primitives/transaction.h` of Bitcoin Core, BIP 144; of Litecoin Core with MWEB's flag. */
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { ByteReader } from "./bytes.ts";
import { sha256d, toName } from "./hashes.ts";
import type { Currency } from "./networks.ts";

export interface RawTransaction {
  /** The hash that names it, as its bytes are, and the one that covers its witnesses, too. */
  id: Buffer;
  witnessId: Buffer;
  hasWitness: boolean;
  /** The last one of a block with an extension. It moves what is pegged in. */
  isHogEx: boolean;
  /** Null in place of the input that pays a block's reward. */
  inputs: (OutPoint | null)[];
  outputs: { amount: bigint; script: Buffer }[];
  /** What proves the first input, and its script. */
  witness: Buffer[];
  firstScript: Buffer;
}

const WITNESS_FLAG = 1;
const MWEB_FLAG = 8;
const NO_OUTPUT = 0xffff_ffff;
const NO_TRANSACTION = `0x${"0".repeat(64)}`;
const LEAST_TRANSACTION = 60;
/** Of an input with an empty script, and of an output with one. */
const LEAST_INPUT = 41;
const LEAST_OUTPUT = 9;

/** All transactions of a block, after its header. */
export function readTransactions(reader: ByteReader, currency: Currency): RawTransaction[] {
  const count = reader.count(LEAST_TRANSACTION);
  if (count === 0) throw reader.fault("a block without transactions");
  return Array.from({ length: count }, () => readTransaction(reader, currency));
}

export function readTransaction(reader: ByteReader, { maxAmount, mweb }: Currency): RawTransaction {
  const beginning = reader.skip(4);
  const version = reader.since(beginning);
  let flags = 0;
  // No transaction has no inputs: a zero in that place is the marker before the flags.
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
  if (hasWitness && isEmpty)
    throw reader.fault("a transaction whose flag tells of witnesses that it does not have");
  const witnesses = reader.since(witnessStart);
  const isHogEx = (flags & MWEB_FLAG) !== 0;
  // Blocks hold no other transaction of the extension: its own are in its part of the block.
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
