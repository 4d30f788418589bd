/** Hashes of scripts, transactions and blocks: `calc_hash.rs` of the node, RFC 6 (Merkle tree), RFC 31 (extra hash). */
import blake2b from "blake2b-wasm";
import { bytesToHex } from "./hex.ts";
import { readFields, serializeScript } from "./molecule.ts";
import type { NodeScript } from "./schema.ts";

await blake2b.ready();

const PERSONALISATION = Buffer.from("ckb-default-hash");

/**
 * BLAKE2b with CKB's personalisation: 32 bytes. A WebAssembly module for this one function would save a sync 5 to 9 % of
 * its processor time; JavaScript alone is ten times as slow.
 */
export const ckbHash = (bytes: Uint8Array): Buffer =>
  blake2b(32, null, null, PERSONALISATION, true).update(bytes).digest(Buffer.allocUnsafe(32));

/** The hash in place of nothing. */
export const ZERO_HASH = `0x${"0".repeat(64)}`;

export const scriptHash = (script: NodeScript): string => bytesToHex(ckbHash(serializeScript(script)));

/** A transaction in molecule, and its hashes. */
export interface HashedTransaction {
  /** Table `RawTransaction`: all but the witnesses. */
  raw: Buffer;
  hash: Buffer;
  witnessHash: Buffer;
}

/** @param bytes table `Transaction`; throws InvalidChainDataError if they are not one */
export function hashTransaction(bytes: Buffer): HashedTransaction {
  const [raw] = readFields(bytes, 2, "A transaction");
  return { raw: raw!, hash: ckbHash(raw!), witnessHash: ckbHash(bytes) };
}

const HASH_LENGTH = 32;
const NO_HASH = Buffer.alloc(HASH_LENGTH);

/** Root of the complete binary Merkle tree over the hashes; all zero if there are none. */
export function merkleRoot(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return NO_HASH;
  // The tree in one array: the leaves at its end, the parent of 2i+1 and 2i+2 at i.
  const count = hashes.length;
  const nodes = Buffer.alloc((2 * count - 1) * HASH_LENGTH);
  for (let index = 0; index < count; index++) nodes.set(hashes[index]!, (count - 1 + index) * HASH_LENGTH);
  for (let index = count - 2; index >= 0; index--) {
    const pair = nodes.subarray((2 * index + 1) * HASH_LENGTH, (2 * index + 3) * HASH_LENGTH);
    nodes.set(ckbHash(pair), index * HASH_LENGTH);
  }
  return nodes.subarray(0, HASH_LENGTH);
}

/** Combines the tree of the transaction hashes with the tree of the witness hashes, both in block order. */
export function transactionsRoot(hashes: readonly HashedTransaction[]): Buffer {
  return merkleRoot([
    merkleRoot(hashes.map((each) => each.hash)),
    merkleRoot(hashes.map((each) => each.witnessHash)),
  ]);
}

/** Hash of the proposed transactions' short ids, concatenated; all zero if there are none. */
export const proposalsHash = (ids: Buffer): Buffer => (ids.length === 0 ? NO_HASH : ckbHash(ids));

/** Hash over the uncles' hashes, all zero if there are none; combined with the extension's hash if there is one. */
export function extraHash(uncleHashes: readonly Buffer[], extension: Buffer | null): Buffer {
  const unclesHash = uncleHashes.length === 0 ? NO_HASH : ckbHash(Buffer.concat(uncleHashes));
  return extension === null ? unclesHash : ckbHash(Buffer.concat([unclesHash, ckbHash(extension)]));
}
