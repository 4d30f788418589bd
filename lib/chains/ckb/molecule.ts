/**
 * Molecule, the serialisation that CKB hashes and stores. Integers are little-endian. A table, or a vector of items
 * of different sizes, starts with its total size and an offset for each item. A vector of items of one size starts
 * with their count. Source: RFC 8 and the node's `blockchain.mol`.
 */
import { byteLength, bytesToHex, writeHex } from "./hex.ts";
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
  type NodeUncle,
} from "./schema.ts";

const hashTypes = new Map([...hashTypeBytes].map(([type, byte]) => [byte, type]));

/** Null if no script can have this byte. */
export function hashTypeOfByte(byte: number): HashType | null {
  return hashTypes.get(byte) ?? null;
}

/** Thrown by the readers below if the bytes do not have the expected form. */
export class MoleculeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MoleculeError";
  }
}

/** Appends bytes to a buffer that grows. */
class Writer {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity);
  }

  #reserve(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(this.#length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
    }
    return start;
  }

  byte(value: number): void {
    const start = this.#reserve(1);
    this.#bytes[start] = value;
  }

  uint32(value: number): void {
    const start = this.#reserve(4);
    this.#bytes.writeUInt32LE(value, start);
  }

  /** A `0x` integer of at most `size` bytes. */
  integer(hex: string, size: 4 | 8 | 16): void {
    const start = this.#reserve(size);
    for (let index = 0, end = hex.length; index < size && end > 2; index++, end -= 2) {
      this.#bytes[start + index] = Number.parseInt(hex.slice(Math.max(2, end - 2), end), 16);
    }
  }

  /** The bytes of a `0x` text. */
  hex(text: string): void {
    const start = this.#reserve(byteLength(text));
    writeHex(text, this.#bytes, start);
  }

  /** The length of a `0x` text in bytes, then its bytes. */
  sizedHex(text: string): void {
    this.uint32(byteLength(text));
    this.hex(text);
  }

  /** Starts a table, or a vector of items of different sizes. */
  begin(items: number): number {
    return this.#reserve(4 + 4 * items);
  }

  /** Starts an item of the table or vector at `start`. */
  item(start: number, index: number): void {
    this.#bytes.writeUInt32LE(this.#length - start, start + 4 + 4 * index);
  }

  end(start: number): void {
    this.#bytes.writeUInt32LE(this.#length - start, start);
  }

  fixedVector<T>(items: readonly T[], write: (writer: Writer, item: T) => void): void {
    this.uint32(items.length);
    for (const item of items) write(this, item);
  }

  dynamicVector<T>(items: readonly T[], write: (writer: Writer, item: T) => void): void {
    const start = this.begin(items.length);
    for (let index = 0; index < items.length; index++) {
      this.item(start, index);
      write(this, items[index]!);
    }
    this.end(start);
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

function serialized<T>(write: (writer: Writer, value: T) => void, value: T, capacity: number): Buffer {
  const writer = new Writer(capacity);
  write(writer, value);
  return writer.finish();
}

const writeHex32 = (writer: Writer, text: string) => writer.hex(text);
const writeBytes = (writer: Writer, text: string) => writer.sizedHex(text);

function writeScript(writer: Writer, script: NodeScript): void {
  const start = writer.begin(3);
  writer.item(start, 0);
  writer.hex(script.code_hash);
  writer.item(start, 1);
  writer.byte(hashTypeBytes.get(script.hash_type)!);
  writer.item(start, 2);
  writer.sizedHex(script.args);
  writer.end(start);
}

function writeOutPoint(writer: Writer, outPoint: NodeOutPoint): void {
  writer.hex(outPoint.tx_hash);
  writer.integer(outPoint.index, 4);
}

function writeCellInput(writer: Writer, input: NodeCellInput): void {
  writer.integer(input.since, 8);
  writeOutPoint(writer, input.previous_output);
}

function writeCellOutput(writer: Writer, output: NodeCellOutput): void {
  const start = writer.begin(3);
  writer.item(start, 0);
  writer.integer(output.capacity, 8);
  writer.item(start, 1);
  writeScript(writer, output.lock);
  writer.item(start, 2);
  if (output.type !== null) writeScript(writer, output.type);
  writer.end(start);
}

function writeCellDep(writer: Writer, dep: NodeCellDep): void {
  writeOutPoint(writer, dep.out_point);
  writer.byte(dep.dep_type === "code" ? 0 : 1);
}

function writeRawTransaction(writer: Writer, transaction: NodeTransaction): void {
  const start = writer.begin(6);
  writer.item(start, 0);
  writer.integer(transaction.version, 4);
  writer.item(start, 1);
  writer.fixedVector(transaction.cell_deps, writeCellDep);
  writer.item(start, 2);
  writer.fixedVector(transaction.header_deps, writeHex32);
  writer.item(start, 3);
  writer.fixedVector(transaction.inputs, writeCellInput);
  writer.item(start, 4);
  writer.dynamicVector(transaction.outputs, writeCellOutput);
  writer.item(start, 5);
  writer.dynamicVector(transaction.outputs_data, writeBytes);
  writer.end(start);
}

function writeTransaction(writer: Writer, transaction: NodeTransaction): void {
  const start = writer.begin(2);
  writer.item(start, 0);
  writeRawTransaction(writer, transaction);
  writer.item(start, 1);
  writer.dynamicVector(transaction.witnesses, writeBytes);
  writer.end(start);
}

function writeHeader(writer: Writer, header: NodeHeader): void {
  writer.integer(header.version, 4);
  writer.integer(header.compact_target, 4);
  writer.integer(header.timestamp, 8);
  writer.integer(header.number, 8);
  writer.integer(header.epoch, 8);
  writer.hex(header.parent_hash);
  writer.hex(header.transactions_root);
  writer.hex(header.proposals_hash);
  writer.hex(header.extra_hash);
  writer.hex(header.dao);
  writer.integer(header.nonce, 16);
}

function writeUncleBlock(writer: Writer, uncle: NodeUncle): void {
  const start = writer.begin(2);
  writer.item(start, 0);
  writeHeader(writer, uncle.header);
  writer.item(start, 1);
  writer.fixedVector(uncle.proposals, writeHex32);
  writer.end(start);
}

/** Table `Script`. Like all serialisers here, it expects a value that passed its schema. */
export function serializeScript(script: NodeScript): Buffer {
  return serialized(writeScript, script, 53 + byteLength(script.args));
}

/** Struct `OutPoint`: 36 bytes. */
export function serializeOutPoint(outPoint: NodeOutPoint): Buffer {
  return serialized(writeOutPoint, outPoint, 36);
}

/** Struct `CellInput`: 44 bytes. */
export function serializeCellInput(input: NodeCellInput): Buffer {
  return serialized(writeCellInput, input, 44);
}

/** Table `CellOutput`. */
export function serializeCellOutput(output: NodeCellOutput): Buffer {
  return serialized(writeCellOutput, output, 256);
}

/** Struct `CellDep`: 37 bytes. */
export function serializeCellDep(dep: NodeCellDep): Buffer {
  return serialized(writeCellDep, dep, 37);
}

/** Table `RawTransaction`: what a transaction's hash covers. */
export function serializeRawTransaction(transaction: NodeTransaction): Buffer {
  return serialized(writeRawTransaction, transaction, 1024);
}

/** Table `Transaction`: the raw transaction and its witnesses. */
export function serializeTransaction(transaction: NodeTransaction): Buffer {
  return serialized(writeTransaction, transaction, 2048);
}

/** Struct `Header`: the raw header and its nonce, 208 bytes. */
export function serializeHeader(header: NodeHeader): Buffer {
  return serialized(writeHeader, header, 208);
}

/** Table `UncleBlock`. */
export function serializeUncleBlock(uncle: NodeUncle): Buffer {
  return serialized(writeUncleBlock, uncle, 224 + 10 * uncle.proposals.length);
}

/**
 * The fields of a table, or the items of a vector of items of different sizes, as views into `bytes`. Throws
 * MoleculeError if the sizes do not add up to exactly these bytes.
 */
export function readTable(bytes: Buffer): Buffer[] {
  if (bytes.length < 4) throw new MoleculeError("Expected 4 bytes of total size");
  if (bytes.readUInt32LE(0) !== bytes.length)
    throw new MoleculeError("The total size is not the number of bytes");
  if (bytes.length === 4) return [];
  if (bytes.length < 8) throw new MoleculeError("Expected 4 bytes of offset");
  const first = bytes.readUInt32LE(4);
  if (first % 4 !== 0 || first < 8 || first > bytes.length)
    throw new MoleculeError("The first offset is out of bounds");
  const fields: Buffer[] = [];
  let start = first;
  for (let place = 8; place <= first; place += 4) {
    const end = place === first ? bytes.length : bytes.readUInt32LE(place);
    if (end < start || end > bytes.length) throw new MoleculeError("An offset is out of bounds");
    fields.push(bytes.subarray(start, end));
    start = end;
  }
  return fields;
}

/**
 * The items of a vector of items of `size` bytes, concatenated, as a view into `bytes`. Throws MoleculeError if the
 * count does not match the bytes.
 */
export function readFixedVector(bytes: Buffer, size: number): Buffer {
  if (bytes.length < 4) throw new MoleculeError("Expected 4 bytes of count");
  if (4 + bytes.readUInt32LE(0) * size !== bytes.length)
    throw new MoleculeError("The count does not account for the bytes after it");
  return bytes.subarray(4);
}

/** The fields of a table that must have `count` of them; `what` names it in the error. */
export function readFields(bytes: Buffer, count: number, what: string): Buffer[] {
  const fields = readTable(bytes);
  if (fields.length !== count)
    throw new MoleculeError(`${what} has ${fields.length} fields, expected ${count}`);
  return fields;
}

export function expectLength(bytes: Buffer, length: number, what: string): Buffer {
  if (bytes.length !== length)
    throw new MoleculeError(`${what} has ${bytes.length} bytes, expected ${length}`);
  return bytes;
}

/** Where a serialised script has its hash type: after the table's size, three offsets and the code hash. */
const HASH_TYPE_OFFSET = 48;

/** The byte of a script that `readScript` can read. */
export const hashTypeByteOf = (script: Buffer): number => script[HASH_TYPE_OFFSET]!;

/** Table `Script`. */
export function readScript(bytes: Buffer): NodeScript {
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

/** The content of a `Bytes`, as a view into it. Throws MoleculeError if its count is not the number of bytes after it. */
export function readBytes(bytes: Buffer): Buffer {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== bytes.length - 4) {
    throw new MoleculeError("The count is not the number of bytes after it");
  }
  return bytes.subarray(4);
}

/** The content of a `BytesOpt`; null if it is absent, which takes no bytes. */
export function readOptionalBytes(bytes: Buffer): Buffer | null {
  return bytes.length === 0 ? null : readBytes(bytes);
}

/** Null if `read` throws MoleculeError. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof MoleculeError) return null;
    throw error;
  }
}
