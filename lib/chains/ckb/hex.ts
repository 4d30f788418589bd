/** Bytes as `0x` hex text and back. */

/** How many bytes a `0x` hex text holds. */
export function byteLength(hex: string): number {
  return (hex.length - 2) >> 1;
}

/** The decoder would read a character beyond ASCII as the digit in its lowest byte. */
function checkForm(hex: string): void {
  if (!hex.startsWith("0x") || hex.length % 2 !== 0 || Buffer.byteLength(hex) !== hex.length)
    throw new RangeError("Expected 0x and pairs of hex digits");
}

/**
 * Writes the bytes of a `0x` hex text into `target` at `offset`; returns how many it wrote. Throws RangeError if the
 * text is not `0x` and an even number of hex digits, or does not fit.
 */
export function writeHex(hex: string, target: Buffer, offset: number): number {
  checkForm(hex);
  const length = byteLength(hex);
  if (offset + length > target.length) throw new RangeError("The bytes do not fit");
  // The decoder stops at the first character that is not a digit.
  if (target.write(hex.slice(2), offset, "hex") !== length)
    throw new RangeError("Expected 0x and pairs of hex digits");
  return length;
}

/** The bytes of a `0x` hex text with digits in either case. Throws RangeError for any other text. */
export function hexToBytes(hex: string): Buffer {
  checkForm(hex);
  const bytes = Buffer.from(hex.slice(2), "hex");
  if (bytes.length !== byteLength(hex)) throw new RangeError("Expected 0x and pairs of hex digits");
  return bytes;
}

/** Lower-case `0x` hex. */
export function bytesToHex(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return `0x${buffer.toString("hex")}`;
}
