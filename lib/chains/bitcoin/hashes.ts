import { hash, scryptSync } from "node:crypto";

export const sha256 = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer");

const inner = Buffer.alloc(32);

/** SHA-256 of the SHA-256 of the parts. Digests are passed as text, because allocating buffers takes twice as long. */
export function sha256d(...parts: Uint8Array[]): Buffer {
  inner.write(hash("sha256", parts.length === 1 ? parts[0]! : Buffer.concat(parts)), "hex");
  return Buffer.from(hash("sha256", inner), "hex");
}

/** Litecoin's proof of work: scrypt of the header with itself as salt (`crypto/scrypt.cpp` of Litecoin Core). */
export const scryptHash = (header: Uint8Array): Buffer =>
  scryptSync(header, header, 32, { N: 1024, r: 1, p: 1 });

const reversed = Buffer.alloc(32);

/** Writes a hash as the chain's users do, in reverse, after `0x`. */
export function toName(bytes: Uint8Array): string {
  for (let i = 0; i < 32; i++) reversed[31 - i] = bytes[i]!;
  return `0x${reversed.toString("hex")}`;
}
