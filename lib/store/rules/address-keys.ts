/** Several keys of addresses in one value: 32 bytes each, without separators. */

const DIGITS = 64;

export const joinKeys = (keys: Iterable<string>): string =>
  `0x${Array.from(keys, (key) => key.slice(2)).join("")}`;

export function splitKeys(joined: string): string[] {
  const keys: string[] = [];
  for (let at = 2; at < joined.length; at += DIGITS) keys.push(`0x${joined.slice(at, at + DIGITS)}`);
  return keys;
}
