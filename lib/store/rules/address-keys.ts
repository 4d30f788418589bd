/** Keys of addresses as they are kept together in one value: 32 bytes each, without anything between them. */

const DIGITS = 64;

/** `0x` hex of the bytes. */
export const joinKeys = (keys: Iterable<string>): string =>
  `0x${Array.from(keys, (key) => key.slice(2)).join("")}`;

export function splitKeys(joined: string): string[] {
  const keys: string[] = [];
  for (let at = 2; at < joined.length; at += DIGITS) keys.push(`0x${joined.slice(at, at + DIGITS)}`);
  return keys;
}
