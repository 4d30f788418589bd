import { createHash, hash, scryptSync } from "node:crypto";

export const sha256 = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer");

/** SHA-256 of the SHA-256 of the parts, one after the other: names of blocks and transactions, and the Merkle tree. */
export function sha256d(...parts: Uint8Array[]): Buffer {
  const inner = createHash("sha256");
  for (const part of parts) inner.update(part);
  return sha256(inner.digest());
}

/** Litecoin's proof of work: scrypt of the header with itself as salt (`crypto/scrypt.cpp` of Litecoin Core). */
export const scryptHash = (header: Uint8Array): Buffer =>
  scryptSync(header, header, 32, { N: 1024, r: 1, p: 1 });

/** A hash as the chain's users write it: in reverse, here after `0x`. */
export const toName = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).reverse().toString("hex")}`;
