/**
 * Blocks in molecule, the form that their hashes cover, and in which a node gives them at verbosity 0. It names
 * no hashes; the ones in the results are computed. Source: the node's `blockchain.mol` (`Block`, and `BlockV1`
 * with an extension after it).
 *
 * What nothing here reads (dependencies, witnesses) is covered by the hashes, and not looked into.
 */

import {
  type Block,
  InvalidChainDataError,
  type OutPoint,
  outPointText,
  type Transaction,
} from "#lib/contract/ledger.ts";
import {
  ckbHash,
  extraHashOf,
  type HashedTransaction,
  hashTransaction,
  proposalsHashOf,
  transactionsRootOf,
} from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import type { Network } from "./known-scripts.ts";
import {
  expectLength,
  MoleculeError,
  readBytes,
  readFields,
  readFixedVector,
  readTable,
} from "./molecule.ts";
import { readCells } from "./tokens.ts";

/** Far above any height the chain can reach in a lifetime, and room for a position in one 64-bit integer. */
const heightLimit = 2 ** 33;
const headerLength = 208;
const proposalIdLength = 10;
const inputLength = 44;

/** A block in parts, each in molecule; of proposals, the ids one after the other. */
export interface SerializedBlock {
  header: Buffer;
  uncles: { header: Buffer; proposals: Buffer }[];
  transactions: HashedTransaction[];
  proposals: Buffer;
  extension: Buffer | null;
}

/** Offsets in a header. */
const headerPlaces = {
  timestamp: 8,
  number: 16,
  parent_hash: 32,
  transactions_root: 64,
  proposals_hash: 96,
  extra_hash: 128,
} as const;
type HashPlace = "parent_hash" | "transactions_root" | "proposals_hash" | "extra_hash";

const hashIn = (header: Buffer, place: HashPlace): Buffer =>
  header.subarray(headerPlaces[place], headerPlaces[place] + 32);

export function invalid(where: string, message: string): InvalidChainDataError {
  return new InvalidChainDataError(`${where}: ${message}`);
}

/** @throws InvalidChainDataError with both of them, where they differ */
export function checkHash(where: string, place: string, claimed: string, actual: string): void {
  if (claimed !== actual) throw invalid(where, `${place} is ${claimed}, but the contents hash to ${actual}`);
}

/** The same of hashes that need no text as long as they agree. */
function checkBytes(where: string, place: string, claimed: Buffer, actual: Buffer): void {
  if (!claimed.equals(actual)) checkHash(where, place, bytesToHex(claimed), bytesToHex(actual));
}

/**
 * The block in a node's answer at verbosity 0, with the checks of `readBlock`. Its hash is computed: whether
 * it is the block that was asked for is for the caller to compare.
 * @param hex `0x` hex of a `Block` or a `BlockV1`
 * @throws InvalidChainDataError naming `where`
 */
export function parseSerializedBlock(hex: string, network: Network, where: string): Block {
  return naming(where, () => readBlock(splitBlock(hexToBytes(hex)), network, where));
}

function naming<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MoleculeError || error instanceof RangeError) throw invalid(where, error.message);
    throw error;
  }
}

function splitBlock(bytes: Buffer): SerializedBlock {
  const fields = readTable(bytes);
  if (fields.length !== 4 && fields.length !== 5) {
    throw new MoleculeError(`A block has ${fields.length} fields, expected 4 or 5`);
  }
  const [header, uncles, transactions, proposals, extension] = fields;
  return {
    header: expectLength(header!, headerLength, "A header"),
    uncles: readTable(uncles!).map((uncle) => {
      const [header, proposals] = readFields(uncle, 2, "An uncle");
      return {
        header: expectLength(header!, headerLength, "A header"),
        proposals: readFixedVector(proposals!, proposalIdLength),
      };
    }),
    transactions: readTable(transactions!).map(hashTransaction),
    proposals: readFixedVector(proposals!, proposalIdLength),
    extension: extension === undefined ? null : readBytes(extension),
  };
}

/**
 * The facts of a block, once its header's hashes were found to be those of its contents.
 * @throws InvalidChainDataError naming `where`, the place, and for a hash both of its values
 */
export function readBlock(block: SerializedBlock, network: Network, where: string): Block {
  const { header, uncles, transactions, proposals, extension } = block;
  for (const [index, uncle] of uncles.entries()) {
    const place = `uncles[${index}].header.proposals_hash`;
    checkBytes(where, place, hashIn(uncle.header, "proposals_hash"), proposalsHashOf(uncle.proposals));
  }
  const check = (place: HashPlace, actual: Buffer) =>
    checkBytes(where, `header.${place}`, hashIn(header, place), actual);
  check("transactions_root", transactionsRootOf(transactions));
  check("proposals_hash", proposalsHashOf(proposals));
  check(
    "extra_hash",
    extraHashOf(
      uncles.map((uncle) => ckbHash(uncle.header)),
      extension,
    ),
  );
  return {
    height: readWithin(header, "number", heightLimit - 1, "height", where),
    hash: bytesToHex(ckbHash(header)),
    parentHash: bytesToHex(hashIn(header, "parent_hash")),
    timestamp: readWithin(header, "timestamp", Number.MAX_SAFE_INTEGER, "time", where),
    transactions: naming(where, () => readTransactions(transactions, network, where)),
  };
}

function readWithin(
  header: Buffer,
  place: "number" | "timestamp",
  most: number,
  what: string,
  where: string,
): number {
  const value = header.readBigUInt64LE(headerPlaces[place]);
  if (value <= BigInt(most)) return Number(value);
  throw invalid(where, `header.${place} is 0x${value.toString(16)}, beyond the highest supported ${what}`);
}

const NO_CELLBASE = "transactions[0] is not a cellbase";

/** The first transaction, and no other, is the cellbase: it has one input, which stands for the reward. */
function readTransactions(
  transactions: readonly HashedTransaction[],
  network: Network,
  where: string,
): Transaction[] {
  const seen = new Map<string, number>();
  const spent = new Map<string, string>();
  if (transactions.length === 0) throw invalid(where, NO_CELLBASE);
  return transactions.map(({ raw, hash: hashBytes }, index) => {
    const { inputs, outputs, outputsData } = readRawTransaction(raw);
    const hash = bytesToHex(hashBytes);
    const place = `transactions[${index}]`;
    if (index === 0 && !(inputs.length === inputLength && isRewardInput(inputs, 0))) {
      throw invalid(where, NO_CELLBASE);
    }
    const earlier = seen.get(hash);
    if (earlier !== undefined) throw invalid(where, `${place} is transactions[${earlier}] again: ${hash}`);
    seen.set(hash, index);
    return {
      hash,
      inputs: index === 0 ? [] : readInputs(inputs, place, spent, where),
      ...readCells(outputs, outputsData, network),
    };
  });
}

interface RawTransaction {
  /** One after the other: eight bytes of `since` and an out point each. */
  inputs: Buffer;
  outputs: Buffer[];
  outputsData: Buffer[];
}

function readRawTransaction(bytes: Buffer): RawTransaction {
  const [, , , inputs, outputs, outputsData] = readFields(bytes, 6, "A raw transaction");
  const cells = readTable(outputs!);
  const data = readTable(outputsData!);
  if (cells.length !== data.length) {
    throw new MoleculeError("A transaction has more or fewer data than outputs");
  }
  return {
    inputs: readFixedVector(inputs!, inputLength),
    outputs: cells,
    outputsData: data.map(readBytes),
  };
}

const rewardOutPoint = Buffer.concat([Buffer.alloc(32), Buffer.alloc(4, 0xff)]);

function isRewardInput(inputs: Buffer, start: number): boolean {
  return rewardOutPoint.equals(inputs.subarray(start + 8, start + inputLength));
}

/** @param spent where the block's earlier inputs stand, by out point */
function readInputs(inputs: Buffer, place: string, spent: Map<string, string>, where: string): OutPoint[] {
  const outPoints: OutPoint[] = [];
  for (let start = 0; start < inputs.length; start += inputLength) {
    const inputPlace = `${place}.inputs[${outPoints.length}]`;
    if (isRewardInput(inputs, start)) {
      throw invalid(where, `${inputPlace} is a cellbase's, which only transactions[0] may have`);
    }
    const outPoint = {
      transactionHash: bytesToHex(inputs.subarray(start + 8, start + 40)),
      outputIndex: inputs.readUInt32LE(start + 40),
    };
    const key = outPointText(outPoint);
    const earlier = spent.get(key);
    if (earlier !== undefined)
      throw invalid(where, `${inputPlace} spends ${key}, which ${earlier} spends already`);
    spent.set(key, inputPlace);
    outPoints.push(outPoint);
  }
  return outPoints;
}
