/** Bytes as `0x` hex text and back. */

/** How many bytes a `0x` hex text holds. */
export function byteLength(hex: string): number {
  return (hex.length - 2) >> 1;
}

/** The decoder itself would take a character beyond ASCII for the digit that its lowest byte is. */
function checkForm(hex: string): void {
  if (!hex.startsWith("0x") || hex.length % 2 !== 0 || Buffer.byteLength(hex) !== hex.length)
    throw new RangeError("Expected 0x and pairs of hex digits");
}

/**
 * Writes the bytes of a `0x` hex text into `target`, from `offset` on; returns how many they were.
 * @throws RangeError where the text is not `0x` and an even number of hex digits, or does not fit.
 */
export function writeHex(hex: string, target: Buffer, offset: number): number {
  checkForm(hex);
  const length = byteLength(hex);
  if (offset + length > target.length) throw new RangeError("The bytes do not fit");
  // The decoder ends at the first character that is no digit.
  if (target.write(hex.slice(2), offset, "hex") !== length)
    throw new RangeError("Expected 0x and pairs of hex digits");
  return length;
}

/**
 * The bytes of a `0x` hex text, its digits in either case.
 * @throws RangeError where the text is anything else.
 */
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
