/** Bytes as `0x` hex text and back, without anything that only a server has. */

const noDigit = 255;
const digitValues = new Uint8Array(128).fill(noDigit);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  digitValues[digit.charCodeAt(0)] = value;
  digitValues[digit.toUpperCase().charCodeAt(0)] = value;
}
const byteTexts = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** How many bytes a `0x` hex text holds. */
export function byteLength(hex: string): number {
  return (hex.length - 2) >> 1;
}

/**
 * Writes the bytes of a `0x` hex text into `target`, from `offset` on; returns how many they were.
 * @throws RangeError where the text is not `0x` and an even number of hex digits, or does not fit.
 */
export function writeHex(hex: string, target: Uint8Array, offset: number): number {
  const length = byteLength(hex);
  if (!hex.startsWith("0x") || hex.length % 2 !== 0)
    throw new RangeError("Expected 0x and pairs of hex digits");
  if (offset + length > target.length) throw new RangeError("The bytes do not fit");
  // Looked at once after the loop: a code beyond ASCII, or a value that is no digit's.
  let codes = 0;
  let values = 0;
  for (let index = 0, place = 2; index < length; index++, place += 2) {
    const highCode = hex.charCodeAt(place);
    const lowCode = hex.charCodeAt(place + 1);
    const high = digitValues[highCode & 127]!;
    const low = digitValues[lowCode & 127]!;
    codes |= highCode | lowCode;
    values |= high | low;
    target[offset + index] = (high << 4) | low;
  }
  if (codes > 127 || values > 15) throw new RangeError("Expected 0x and pairs of hex digits");
  return length;
}

/**
 * The bytes of a `0x` hex text, its digits in either case.
 * @throws RangeError where the text is anything else.
 */
export function hexToBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, byteLength(hex)));
  writeHex(hex, bytes, 0);
  return bytes;
}

/** Lower-case `0x` hex. */
export function bytesToHex(bytes: Uint8Array): string {
  if (bytes.length > longLength) return longBytesToHex(bytes);
  let text = "0x";
  for (let index = 0; index < bytes.length; index++) text += byteTexts[bytes[index]!]!;
  return text;
}

/** Joining many short texts costs more than writing their characters into one buffer. */
const longLength = 512;
const digitCodes = new TextEncoder().encode("0123456789abcdef");
const decoder = new TextDecoder();

function longBytesToHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(2 * bytes.length);
  for (let index = 0, place = 0; index < bytes.length; index++, place += 2) {
    const byte = bytes[index]!;
    codes[place] = digitCodes[byte >> 4]!;
    codes[place + 1] = digitCodes[byte & 15]!;
  }
  return `0x${decoder.decode(codes)}`;
}
