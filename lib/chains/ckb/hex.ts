/** Bytes as `0x` hex text and back. */

export const byteLength = (hex: string): number => (hex.length - 2) >> 1;

/** The bytes of a `0x` hex text with digits in either case. Throws RangeError for any other text. */
export function hexToBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex.slice(2), "hex");
  // The decoder stops at the first character that is not a digit, and takes the lowest byte of one beyond ASCII.
  const isHex = hex.startsWith("0x") && hex.length === 2 + 2 * bytes.length;
  if (!isHex || Buffer.byteLength(hex) !== hex.length) {
    throw new RangeError("Expected 0x and pairs of hex digits");
  }
  return bytes;
}

/** Lower-case `0x` hex. */
export function bytesToHex(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return `0x${buffer.toString("hex")}`;
}
