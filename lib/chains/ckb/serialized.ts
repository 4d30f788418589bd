/**
 * Reads blocks in molecule (`Block` and `BlockV1` of the node's `blockchain.mol`): nodes return them at verbosity 0, and
 * their hashes cover this form. Dependencies and witnesses are hashed, but not read.
 */
import {
  type Block,
  InvalidChainDataError,
  type OutPoint,
  outPointText,
  PLAIN_OUTPUT,
  type Transaction,
} from "#lib/contract/ledger.ts";
import { LATEST_TIME, REWARD } from "./constants.ts";
import {
  ckbHash,
  extraHash,
  type HashedTransaction,
  hashTransaction,
  proposalsHash,
  transactionsRoot,
} from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import type { Network } from "./known-scripts.ts";
import { expectLength, readBytes, readFields, readFixedVector, readTable } from "./molecule.ts";
import { headerFactsOf } from "./output-states.ts";
import { readCells } from "./tokens.ts";

/** Far above any height that the chain can reach; below it, a position in the chain fits into a 64-bit integer. */
const HEIGHT_LIMIT = 2 ** 33;
const HEADER_LENGTH = 208;
const PROPOSAL_ID_LENGTH = 10;
const INPUT_LENGTH = 44;

/** A block in parts, each in molecule. Proposals are their ids, concatenated. */
export interface SerializedBlock {
  header: Buffer;
  uncles: { header: Buffer; proposals: Buffer }[];
  transactions: HashedTransaction[];
  proposals: Buffer;
  extension: Buffer | null;
}

const HEADER_OFFSETS = {
  timestamp: 8,
  number: 16,
  epoch: 24,
  parent_hash: 32,
  transactions_root: 64,
  proposals_hash: 96,
  extra_hash: 128,
  dao: 160,
} as const;
type HashPlace = "parent_hash" | "transactions_root" | "proposals_hash" | "extra_hash" | "dao";

const hashIn = (header: Buffer, place: HashPlace): Buffer =>
  header.subarray(HEADER_OFFSETS[place], HEADER_OFFSETS[place] + 32);

/** Throws InvalidChainDataError with both hashes if they differ. */
export function checkHash(place: string, claimed: Buffer, actual: Buffer): void {
  if (claimed.equals(actual)) return;
  const [said, found] = [bytesToHex(claimed), bytesToHex(actual)];
  throw new InvalidChainDataError(`${place} is ${said}, but the contents hash to ${found}`);
}

/** Reads a `Block` or `BlockV1` in hex. The caller has to check its hash. Throws InvalidChainDataError. */
export function parseSerializedBlock(hex: string, network: Network, where: string): Block {
  return naming(where, () => readBlock(splitBlock(hexToBytes(hex)), network));
}

/** Reads a `Transaction` in hex. The caller has to check its hash. Throws InvalidChainDataError. */
export function parseSerializedTransaction(
  hex: string,
  network: Network,
  where: string,
): Pick<Transaction, "hash" | "outputs"> {
  return naming(where, () => {
    const { raw, hash } = hashTransaction(hexToBytes(hex));
    const { outputs, outputsData } = readRawTransaction(raw);
    return { hash: bytesToHex(hash), outputs: readCells(outputs, outputsData, network).outputs };
  });
}

/** Prefixes the place of a block to errors about it. */
export function naming<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError || error instanceof InvalidChainDataError) {
      throw new InvalidChainDataError(`${where}: ${error.message}`);
    }
    throw error;
  }
}

function splitBlock(bytes: Buffer): SerializedBlock {
  const fields = readTable(bytes);
  if (fields.length !== 4 && fields.length !== 5) {
    throw new InvalidChainDataError(`A block has ${fields.length} fields, expected 4 or 5`);
  }
  const readPart = (header: Buffer, proposals: Buffer) => ({
    header: expectLength(header, HEADER_LENGTH, "A header"),
    proposals: readFixedVector(proposals, PROPOSAL_ID_LENGTH),
  });
  const [header, uncles, transactions, proposals, extension] = fields;
  return {
    ...readPart(header!, proposals!),
    uncles: readTable(uncles!).map((uncle) => {
      const [header, proposals] = readFields(uncle, 2, "An uncle");
      return readPart(header!, proposals!);
    }),
    transactions: readTable(transactions!).map(hashTransaction),
    extension: extension === undefined ? null : readBytes(extension),
  };
}

/** Throws InvalidChainDataError, which names the place and both values, if a hash in a header is wrong. */
export function readBlock(block: SerializedBlock, network: Network): Block {
  const { header, uncles, transactions, proposals, extension } = block;
  for (const [index, uncle] of uncles.entries()) {
    const place = `uncles[${index}].header.proposals_hash`;
    checkHash(place, hashIn(uncle.header, "proposals_hash"), proposalsHash(uncle.proposals));
  }
  const check = (place: HashPlace, actual: Buffer) =>
    checkHash(`header.${place}`, hashIn(header, place), actual);
  const uncleHashes = uncles.map((uncle) => ckbHash(uncle.header));
  check("transactions_root", transactionsRoot(transactions));
  check("proposals_hash", proposalsHash(proposals));
  check("extra_hash", extraHash(uncleHashes, extension));
  const hashTypes = new Set<number>();
  const height = readWithin(header, "number", HEIGHT_LIMIT - 1, "height");
  const epoch = header.subarray(HEADER_OFFSETS.epoch, HEADER_OFFSETS.epoch + 8);
  const facts = {
    height,
    hash: bytesToHex(ckbHash(header)),
    parentHash: bytesToHex(hashIn(header, "parent_hash")),
    timestamp: readWithin(header, "timestamp", LATEST_TIME, "time"),
    headerFacts: headerFactsOf(epoch, hashIn(header, "dao")),
    transactions: readTransactions(transactions, network, hashTypes, height === 0 ? PLAIN_OUTPUT : REWARD),
  };
  return hashTypes.size === 0 ? facts : { ...facts, warnings: [...hashTypes].map(newHashType) };
}

const newHashType = (byte: number): string =>
  `Scripts have hash type ${byte} (data${byte / 2}), which is newer than this version of the service. Their ` +
  "addresses and capacities are right, but no token of theirs is recognised: upgrade the service.";

function readWithin(header: Buffer, place: "number" | "timestamp", most: number, what: string): number {
  const value = header.readBigUInt64LE(HEADER_OFFSETS[place]);
  if (value <= BigInt(most)) return Number(value);
  const hex = `0x${value.toString(16)}`;
  throw new InvalidChainDataError(`header.${place} is ${hex}, beyond the highest supported ${what}`);
}

/** Only the first transaction is a cellbase: its only input stands for the reward, and its outputs have the kind `reward`. */
function readTransactions(
  transactions: readonly HashedTransaction[],
  network: Network,
  hashTypes: Set<number>,
  reward: string,
): Transaction[] {
  const seen = new Map<string, number>();
  const spent = new Map<string, string>();
  if (transactions.length === 0) throw noCellbase();
  return transactions.map(({ raw, hash: hashBytes }, index): Transaction => {
    const { inputs, outputs, outputsData } = readRawTransaction(raw);
    const hash = bytesToHex(hashBytes);
    const place = `transactions[${index}]`;
    const earlier = seen.get(hash);
    if (index === 0 && !(inputs.length === INPUT_LENGTH && isRewardInput(inputs, 0))) throw noCellbase();
    if (earlier !== undefined)
      throw new InvalidChainDataError(`${place} is transactions[${earlier}] again: ${hash}`);
    seen.set(hash, index);
    return {
      hash,
      inputs: index === 0 ? [] : readInputs(inputs, place, spent),
      ...readCells(outputs, outputsData, network, hashTypes, index === 0 ? reward : PLAIN_OUTPUT),
    };
  });
}

const noCellbase = () => new InvalidChainDataError("transactions[0] is not a cellbase");

/** The inputs are concatenated: eight bytes of `since` and an out point each. */
function readRawTransaction(bytes: Buffer) {
  const [, , , inputs, outputs, outputsData] = readFields(bytes, 6, "A raw transaction");
  const cells = readTable(outputs!);
  const data = readTable(outputsData!);
  if (cells.length !== data.length) {
    throw new InvalidChainDataError("A transaction has a different number of data and outputs");
  }
  return { inputs: readFixedVector(inputs!, INPUT_LENGTH), outputs: cells, outputsData: data.map(readBytes) };
}

const REWARD_OUT_POINT = Buffer.concat([Buffer.alloc(32), Buffer.alloc(4, 0xff)]);

const isRewardInput = (inputs: Buffer, start: number): boolean =>
  REWARD_OUT_POINT.equals(inputs.subarray(start + 8, start + INPUT_LENGTH));

/** @param spent the places of the block's earlier inputs, by out point */
function readInputs(inputs: Buffer, place: string, spent: Map<string, string>): OutPoint[] {
  const outPoints: OutPoint[] = [];
  for (let start = 0; start < inputs.length; start += INPUT_LENGTH) {
    const inputPlace = `${place}.inputs[${outPoints.length}]`;
    if (isRewardInput(inputs, start)) {
      throw new InvalidChainDataError(`${inputPlace} is a cellbase's, which only transactions[0] may have`);
    }
    const outPoint = {
      transactionHash: bytesToHex(inputs.subarray(start + 8, start + 40)),
      outputIndex: inputs.readUInt32LE(start + 40),
    };
    const key = outPointText(outPoint);
    const earlier = spent.get(key);
    if (earlier !== undefined) {
      throw new InvalidChainDataError(`${inputPlace} spends ${key}, which ${earlier} spends already`);
    }
    spent.set(key, inputPlace);
    outPoints.push(outPoint);
  }
  return outPoints;
}
