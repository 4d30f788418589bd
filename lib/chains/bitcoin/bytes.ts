import { InvalidChainDataError } from "#lib/contract/ledger.ts";

/** Reads a serialised block or transaction. Throws InvalidChainDataError, which names `where`, if it ends too early. */
export class ByteReader {
  readonly bytes: Buffer;
  readonly where: string;
  at = 0;

  constructor(bytes: Buffer, where: string) {
    this.bytes = bytes;
    this.where = where;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  fault(message: string): InvalidChainDataError {
    return new InvalidChainDataError(`${this.where}: ${message}`);
  }

  /** Skips `count` bytes, and returns their position. */
  skip(count: number): number {
    if (count > this.left)
      throw this.fault(`ends after ${this.bytes.length} bytes, in the middle of a field`);
    this.at += count;
    return this.at - count;
  }

  /** The next bytes, not copied. */
  take(count: number): Buffer {
    const start = this.skip(count);
    return this.bytes.subarray(start, this.at);
  }

  since(start: number): Buffer {
    return this.bytes.subarray(start, this.at);
  }

  uint8(): number {
    return this.bytes[this.skip(1)]!;
  }

  uint32(): number {
    return this.bytes.readUInt32LE(this.skip(4));
  }

  uint64(): bigint {
    return this.bytes.readBigUInt64LE(this.skip(8));
  }

  /** Reads a count in Bitcoin's compact form. Its limit is how many items of `least` bytes can follow. */
  count(least: number): number {
    const first = this.uint8();
    const [value, smallest] =
      first < 0xfd
        ? [first, 0]
        : first === 0xfd
          ? [this.bytes.readUInt16LE(this.skip(2)), 0xfd]
          : first === 0xfe
            ? [this.uint32(), 0x1_0000]
            : [Number(this.uint64()), 0x1_0000_0000];
    if (value < smallest) throw this.fault(`a count of ${value} is not in its shortest form`);
    if (value * least > this.left) throw this.fault(`${value} items do not fit into ${this.left} bytes`);
    return value;
  }

  /** Reads a count and as many bytes. */
  counted(): Buffer {
    return this.take(this.count(1));
  }
}
