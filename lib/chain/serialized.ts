/**
 * A block or a transaction in the form in which a node gives it at verbosity 0: `0x` hex of its molecule
 * serialisation. It names no hashes; the ones in the results are computed from it. Source: the node's
 * `blockchain.mol` (`Block`, and `BlockV1` with an extension after it).
 */
import { verifyHashedBlock } from "#lib/chain/block.ts";
import { ckbHash, serializedTransactionHashes, type TransactionHashes } from "#lib/chain/hashes.ts";
import { bytesToHex, hexToBytes } from "#lib/chain/hex.ts";
import type { Network } from "#lib/chain/known-scripts.ts";
import { hashTypeOfByte, MoleculeError, readBytes, readFixedVector, readTable } from "#lib/chain/molecule.ts";
import type {
  NodeBlock,
  NodeCellDep,
  NodeCellInput,
  NodeCellOutput,
  NodeHeader,
  NodeOutPoint,
  NodeScript,
  NodeTransaction,
  NodeUncle,
} from "#lib/chain/schema.ts";
import { type Block, InvalidChainDataError } from "#lib/contract/ledger.ts";

const headerLength = 208;
const proposalIdLength = 10;
const outPointLength = 36;

/** A little-endian integer as `0x` hex without leading zeros. */
function integerText(bytes: Uint8Array): string {
  let top = bytes.length - 1;
  while (top > 0 && bytes[top] === 0) top--;
  let text = "0x" + bytes[top]!.toString(16);
  for (let index = top - 1; index >= 0; index--) text += bytes[index]!.toString(16).padStart(2, "0");
  return text;
}

function expectLength(bytes: Uint8Array, length: number, what: string): Uint8Array {
  if (bytes.length !== length)
    throw new MoleculeError(`${what} has ${bytes.length} bytes, expected ${length}`);
  return bytes;
}

function readFields(bytes: Uint8Array, count: number, what: string): Uint8Array[] {
  const fields = readTable(bytes);
  if (fields.length !== count)
    throw new MoleculeError(`${what} has ${fields.length} fields, expected ${count}`);
  return fields;
}

function readScript(bytes: Uint8Array): NodeScript {
  const [codeHash, hashTypeByte, args] = readFields(bytes, 3, "A script");
  const byte = expectLength(hashTypeByte!, 1, "A hash type")[0]!;
  const hashType = hashTypeOfByte(byte);
  if (hashType === null) throw new MoleculeError(`Unknown hash type ${byte}`);
  return {
    code_hash: bytesToHex(expectLength(codeHash!, 32, "A code hash")),
    hash_type: hashType,
    args: bytesToHex(readBytes(args!)),
  };
}

function readOutPoint(bytes: Uint8Array): NodeOutPoint {
  return {
    tx_hash: bytesToHex(bytes.subarray(0, 32)),
    index: integerText(bytes.subarray(32, outPointLength)),
  };
}

function readCellDep(bytes: Uint8Array): NodeCellDep {
  const kind = bytes[outPointLength]!;
  if (kind > 1) throw new MoleculeError(`Unknown kind of dependency ${kind}`);
  return { out_point: readOutPoint(bytes), dep_type: kind === 0 ? "code" : "dep_group" };
}

function readCellInput(bytes: Uint8Array): NodeCellInput {
  return { since: integerText(bytes.subarray(0, 8)), previous_output: readOutPoint(bytes.subarray(8)) };
}

function readCellOutput(bytes: Uint8Array): NodeCellOutput {
  const [capacity, lock, type] = readFields(bytes, 3, "An output");
  return {
    capacity: integerText(expectLength(capacity!, 8, "A capacity")),
    lock: readScript(lock!),
    type: type!.length === 0 ? null : readScript(type!),
  };
}

function readHeader(bytes: Uint8Array): NodeHeader {
  expectLength(bytes, headerLength, "A header");
  const integer = (start: number, length: number) => integerText(bytes.subarray(start, start + length));
  const hash = (start: number) => bytesToHex(bytes.subarray(start, start + 32));
  return {
    hash: bytesToHex(ckbHash(bytes)),
    version: integer(0, 4),
    compact_target: integer(4, 4),
    timestamp: integer(8, 8),
    number: integer(16, 8),
    epoch: integer(24, 8),
    parent_hash: hash(32),
    transactions_root: hash(64),
    proposals_hash: hash(96),
    extra_hash: hash(128),
    dao: hash(160),
    nonce: integer(192, 16),
  };
}

function readProposals(bytes: Uint8Array): string[] {
  return readFixedVector(bytes, proposalIdLength).map(bytesToHex);
}

function readUncle(bytes: Uint8Array): NodeUncle {
  const [header, proposals] = readFields(bytes, 2, "An uncle");
  return { header: readHeader(header!), proposals: readProposals(proposals!) };
}

/** The witnesses are most of a block, and of no use once they are hashed: `null` leaves them out. */
function readTransaction(
  bytes: Uint8Array,
  hash: string,
  readWitness: ((bytes: Uint8Array) => string) | null,
): NodeTransaction {
  const [raw, witnesses] = readFields(bytes, 2, "A transaction");
  const [version, cellDeps, headerDeps, inputs, outputs, outputsData] = readFields(
    raw!,
    6,
    "A raw transaction",
  );
  const transaction = {
    hash,
    version: integerText(expectLength(version!, 4, "A version")),
    cell_deps: readFixedVector(cellDeps!, outPointLength + 1).map(readCellDep),
    header_deps: readFixedVector(headerDeps!, 32).map(bytesToHex),
    inputs: readFixedVector(inputs!, outPointLength + 8).map(readCellInput),
    outputs: readTable(outputs!).map(readCellOutput),
    outputs_data: readTable(outputsData!).map(bytesText),
    witnesses: readWitness === null ? [] : readTable(witnesses!).map(readWitness),
  };
  if (transaction.outputs.length !== transaction.outputs_data.length) {
    throw new MoleculeError("A transaction has more or fewer data than outputs");
  }
  return transaction;
}

function bytesText(bytes: Uint8Array): string {
  return bytesToHex(readBytes(bytes));
}

function readBlock(
  bytes: Uint8Array,
  withWitnesses: boolean,
): { node: NodeBlock; hashes: TransactionHashes[] } {
  const fields = readTable(bytes);
  if (fields.length !== 4 && fields.length !== 5) {
    throw new MoleculeError(`A block has ${fields.length} fields, expected 4 or 5`);
  }
  const [header, uncles, transactions, proposals, extension] = fields;
  const pieces = readTable(transactions!);
  const hashes = pieces.map((piece) => {
    readFields(piece, 2, "A transaction");
    return serializedTransactionHashes(piece);
  });
  const node: NodeBlock = {
    header: readHeader(header!),
    uncles: readTable(uncles!).map(readUncle),
    transactions: pieces.map((piece, index) =>
      readTransaction(piece, hashes[index]!.hash, withWitnesses ? bytesText : null),
    ),
    proposals: readProposals(proposals!),
  };
  if (extension !== undefined) node.extension = bytesText(extension);
  return { node, hashes };
}

function decoded<T>(hex: string, where: string, read: (bytes: Uint8Array) => T): T {
  try {
    return read(hexToBytes(hex));
  } catch (error) {
    if (error instanceof MoleculeError || error instanceof RangeError) {
      throw new InvalidChainDataError(`${where}: ${error.message}`);
    }
    throw error;
  }
}

/**
 * The same block as a node's JSON would give it, its own hashes computed and the rest not yet checked.
 * @throws InvalidChainDataError naming `where`
 */
export function decodeSerializedBlock(hex: string, where: string): NodeBlock {
  return decoded(hex, where, (bytes) => readBlock(bytes, true).node);
}

/**
 * The transaction as a node's JSON would give it, its hash computed.
 * @throws InvalidChainDataError naming `where`
 */
export function decodeSerializedTransaction(hex: string, where: string): NodeTransaction {
  return decoded(hex, where, (bytes) => {
    readFields(bytes, 2, "A transaction");
    return readTransaction(bytes, serializedTransactionHashes(bytes).hash, bytesText);
  });
}

/**
 * The block, with all the checks of `parseBlock`. Its hash is computed: whether it is the block that was asked
 * for is for the caller to compare.
 * @throws InvalidChainDataError naming `where`
 */
export function parseSerializedBlock(hex: string, network: Network, where: string): Block {
  const { node, hashes } = decoded(hex, where, (bytes) => readBlock(bytes, false));
  return verifyHashedBlock(node, hashes, network, where);
}
