/**
 * The hashes that identify scripts, transactions and blocks. Source: the node's `calc_hash.rs`, RFC 6 (the
 * Merkle tree), RFC 31 (the extra hash).
 */
import { blake2b256 } from "./blake2b.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import {
  readFields,
  serializeHeader,
  serializeRawTransaction,
  serializeScript,
  serializeTransaction,
} from "./molecule.ts";
import type { NodeHeader, NodeScript, NodeTransaction, NodeUncle } from "./schema.ts";

/** BLAKE2b with CKB's personalisation: 32 bytes. */
export const ckbHash: (bytes: Uint8Array) => Buffer = blake2b256("ckb-default-hash");

/** What stands for the hash of nothing. */
export const ZERO_HASH = `0x${"0".repeat(64)}`;

function hashText(bytes: Uint8Array): string {
  return bytesToHex(ckbHash(bytes));
}

/** A lock hash or a type hash. */
export function scriptHash(script: NodeScript): string {
  return hashText(serializeScript(script));
}

/** Covers everything but the witnesses. */
export function transactionHash(transaction: NodeTransaction): string {
  return hashText(serializeRawTransaction(transaction));
}

/** Covers the witnesses too. */
export function witnessHash(transaction: NodeTransaction): string {
  return hashText(serializeTransaction(transaction));
}

/** A transaction in molecule, and its hashes. */
export interface HashedTransaction {
  /** Table `RawTransaction`: all but the witnesses. */
  raw: Buffer;
  hash: Buffer;
  witnessHash: Buffer;
}

/**
 * @param bytes table `Transaction`
 * @throws MoleculeError where they are none
 */
export function hashTransaction(bytes: Buffer): HashedTransaction {
  const [raw] = readFields(bytes, 2, "A transaction");
  return { raw: raw!, hash: ckbHash(raw!), witnessHash: ckbHash(bytes) };
}

export function headerHash(header: NodeHeader): string {
  return hashText(serializeHeader(header));
}

const hashLength = 32;
const noHash = Buffer.alloc(hashLength);

/** Root of the complete binary Merkle tree over the hashes; all zero over none. */
export function merkleRoot(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return noHash;
  // The tree in one array: the leaves at its end, the parent of 2i+1 and 2i+2 at i.
  const count = hashes.length;
  const nodes = Buffer.alloc((2 * count - 1) * hashLength);
  for (let index = 0; index < count; index++) nodes.set(hashes[index]!, (count - 1 + index) * hashLength);
  for (let index = count - 2; index >= 0; index--) {
    const pair = nodes.subarray((2 * index + 1) * hashLength, (2 * index + 3) * hashLength);
    nodes.set(ckbHash(pair), index * hashLength);
  }
  return nodes.subarray(0, hashLength);
}

/** Joins the tree over the transactions' hashes with the one over their witness hashes, both in block order. */
export function transactionsRootOf(hashes: readonly HashedTransaction[]): Buffer {
  return merkleRoot([
    merkleRoot(hashes.map((each) => each.hash)),
    merkleRoot(hashes.map((each) => each.witnessHash)),
  ]);
}

export function transactionsRoot(transactions: readonly NodeTransaction[]): string {
  return bytesToHex(
    transactionsRootOf(transactions.map((transaction) => hashTransaction(serializeTransaction(transaction)))),
  );
}

/** Of the proposed transactions' short ids, one after the other; all zero for none. */
export function proposalsHashOf(ids: Buffer): Buffer {
  return ids.length === 0 ? noHash : ckbHash(ids);
}

export function proposalsHash(proposals: readonly string[]): string {
  return bytesToHex(proposalsHashOf(Buffer.concat(proposals.map(hexToBytes))));
}

/** The hash over the uncles' hashes, all zero for none; joined with the extension's hash where there is one. */
export function extraHashOf(uncleHashes: readonly Buffer[], extension: Buffer | null): Buffer {
  const unclesHash = uncleHashes.length === 0 ? noHash : ckbHash(Buffer.concat(uncleHashes));
  return extension === null ? unclesHash : ckbHash(Buffer.concat([unclesHash, ckbHash(extension)]));
}

export function extraHash(uncles: readonly NodeUncle[], extension: string | null | undefined): string {
  const uncleHashes = uncles.map((uncle) => ckbHash(serializeHeader(uncle.header)));
  const bytes = extension === null || extension === undefined ? null : hexToBytes(extension);
  return bytesToHex(extraHashOf(uncleHashes, bytes));
}
