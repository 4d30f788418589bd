/**
 * Molecule, the serialisation that CKB hashes and stores. Integers are little-endian. A table, or a vector of items
 * of different sizes, starts with its total size and an offset for each item. A vector of items of one size starts
 * with their count. Source: RFC 8 and the node's `blockchain.mol`.
 */
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import {
  type HashType,
  hashTypeBytes,
  type NodeCellDep,
  type NodeCellInput,
  type NodeCellOutput,
  type NodeHeader,
  type NodeOutPoint,
  type NodeScript,
  type NodeTransaction,
} from "./schema.ts";

const hashTypes = new Map([...hashTypeBytes].map(([type, byte]) => [byte, type]));

export function hashTypeOfByte(byte: number): HashType | null {
  return hashTypes.get(byte) ?? null;
}

/** A `0x` integer of at most `size` bytes, little-endian. */
const integer = (hex: string, size: 4 | 8 | 16): Buffer =>
  hexToBytes(`0x${hex.slice(2).padStart(2 * size, "0")}`).reverse();

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A `Bytes`: the length, then the content. */
export const sized = (content: Uint8Array): Buffer => Buffer.concat([uint32(content.length), content]);
const sizedHex = (hex: string): Buffer => sized(hexToBytes(hex));

const fixedVector = (items: readonly Buffer[]): Buffer => Buffer.concat([uint32(items.length), ...items]);

/** A table, or a vector of items of different sizes. */
export function table(fields: readonly Uint8Array[]): Buffer {
  const head = Buffer.allocUnsafe(4 + 4 * fields.length);
  let size = head.length;
  for (const [index, field] of fields.entries()) {
    head.writeUInt32LE(size, 4 + 4 * index);
    size += field.length;
  }
  head.writeUInt32LE(size);
  return Buffer.concat([head, ...fields], size);
}

/** Table `Script`. Like all serialisers here, it expects a value that passed its schema. */
export const serializeScript = ({ code_hash, hash_type, args }: NodeScript): Buffer =>
  table([hexToBytes(code_hash), Buffer.of(hashTypeBytes.get(hash_type)!), sizedHex(args)]);

/** Struct `OutPoint`: 36 bytes. */
export const serializeOutPoint = ({ tx_hash, index }: NodeOutPoint): Buffer =>
  Buffer.concat([hexToBytes(tx_hash), integer(index, 4)]);

/** Struct `CellInput`: 44 bytes. */
export const serializeCellInput = ({ since, previous_output }: NodeCellInput): Buffer =>
  Buffer.concat([integer(since, 8), serializeOutPoint(previous_output)]);

/** Table `CellOutput`. */
export const serializeCellOutput = ({ capacity, lock, type }: NodeCellOutput): Buffer =>
  table([integer(capacity, 8), serializeScript(lock), type ? serializeScript(type) : Buffer.alloc(0)]);

/** Struct `CellDep`: 37 bytes. */
export const serializeCellDep = ({ out_point, dep_type }: NodeCellDep): Buffer =>
  Buffer.concat([serializeOutPoint(out_point), Buffer.of(dep_type === "code" ? 0 : 1)]);

/** Table `Transaction`: the table `RawTransaction`, which a transaction's hash covers, and the witnesses. */
export function serializeTransaction(transaction: NodeTransaction): Buffer {
  const raw = table([
    integer(transaction.version, 4),
    fixedVector(transaction.cell_deps.map(serializeCellDep)),
    fixedVector(transaction.header_deps.map(hexToBytes)),
    fixedVector(transaction.inputs.map(serializeCellInput)),
    table(transaction.outputs.map(serializeCellOutput)),
    table(transaction.outputs_data.map(sizedHex)),
  ]);
  return table([raw, table(transaction.witnesses.map(sizedHex))]);
}

/** Struct `Header`: the raw header and its nonce, 208 bytes. */
export const serializeHeader = (header: NodeHeader): Buffer =>
  Buffer.concat([
    integer(header.version, 4),
    integer(header.compact_target, 4),
    integer(header.timestamp, 8),
    integer(header.number, 8),
    integer(header.epoch, 8),
    hexToBytes(header.parent_hash),
    hexToBytes(header.transactions_root),
    hexToBytes(header.proposals_hash),
    hexToBytes(header.extra_hash),
    hexToBytes(header.dao),
    integer(header.nonce, 16),
  ]);

/**
 * The fields of a table, or the items of a vector of items of different sizes, as views into `bytes`. Throws
 * InvalidChainDataError if the sizes do not add up to exactly these bytes.
 */
export function readTable(bytes: Buffer): Buffer[] {
  if (bytes.length < 4) throw new InvalidChainDataError("Expected 4 bytes of total size");
  if (bytes.readUInt32LE(0) !== bytes.length)
    throw new InvalidChainDataError("The total size is not the number of bytes");
  if (bytes.length === 4) return [];
  if (bytes.length < 8) throw new InvalidChainDataError("Expected 4 bytes of offset");
  const first = bytes.readUInt32LE(4);
  if (first % 4 !== 0 || first < 8 || first > bytes.length)
    throw new InvalidChainDataError("The first offset is out of bounds");
  const fields: Buffer[] = [];
  let start = first;
  for (let place = 8; place <= first; place += 4) {
    const end = place === first ? bytes.length : bytes.readUInt32LE(place);
    if (end < start || end > bytes.length) throw new InvalidChainDataError("An offset is out of bounds");
    fields.push(bytes.subarray(start, end));
    start = end;
  }
  return fields;
}

/** The items of a vector, `size` bytes each, as one view. Throws InvalidChainDataError if the count is wrong. */
export function readFixedVector(bytes: Buffer, size: number): Buffer {
  if (bytes.length < 4) throw new InvalidChainDataError("Expected 4 bytes of count");
  if (4 + bytes.readUInt32LE(0) * size !== bytes.length)
    throw new InvalidChainDataError("The count does not account for the bytes after it");
  return bytes.subarray(4);
}

/** The fields of a table that must have `count` of them; `what` names it in the error. */
export function readFields(bytes: Buffer, count: number, what: string): Buffer[] {
  const fields = readTable(bytes);
  if (fields.length !== count)
    throw new InvalidChainDataError(`${what} has ${fields.length} fields, expected ${count}`);
  return fields;
}

export function expectLength(bytes: Buffer, length: number, what: string): Buffer {
  if (bytes.length !== length)
    throw new InvalidChainDataError(`${what} has ${bytes.length} bytes, expected ${length}`);
  return bytes;
}

/** Offset of a serialised script's hash type, after the table's size, three offsets and the code hash. */
const HASH_TYPE_OFFSET = 48;

/** The hash type byte of a valid script. */
export const hashTypeByteOf = (script: Buffer): number => script[HASH_TYPE_OFFSET]!;

export function readScript(bytes: Buffer): NodeScript {
  const [codeHash, hashTypeByte, args] = readFields(bytes, 3, "A script");
  const byte = expectLength(hashTypeByte!, 1, "A hash type")[0]!;
  const hashType = hashTypeOfByte(byte);
  if (hashType === null) throw new InvalidChainDataError(`Unknown hash type ${byte}`);
  return {
    code_hash: bytesToHex(expectLength(codeHash!, 32, "A code hash")),
    hash_type: hashType,
    args: bytesToHex(readBytes(args!)),
  };
}

/** The content of a `Bytes`, as a view into it. Throws InvalidChainDataError if its count is wrong. */
export function readBytes(bytes: Buffer): Buffer {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== bytes.length - 4) {
    throw new InvalidChainDataError("The count is not the number of bytes after it");
  }
  return bytes.subarray(4);
}

/** The content of a `BytesOpt`; null if it is absent, which takes no bytes. */
export function readOptionalBytes(bytes: Buffer): Buffer | null {
  return bytes.length === 0 ? null : readBytes(bytes);
}

/** Returns null if `read` throws InvalidChainDataError. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidChainDataError) return null;
    throw error;
  }
}
