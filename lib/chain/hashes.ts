/**
 * The hashes that identify scripts, transactions and blocks. Source: the node's `calc_hash.rs`, RFC 6 (the
 * Merkle tree), RFC 31 (the extra hash).
 */
import { blake2b256 } from "#lib/chain/blake2b.ts";
import { bytesToHex, hexToBytes, writeHex } from "#lib/chain/hex.ts";
import {
  serializeHeader,
  serializeRawTransaction,
  serializeScript,
  serializeTransaction,
} from "#lib/chain/molecule.ts";
import type { NodeHeader, NodeScript, NodeTransaction, NodeUncle } from "#lib/chain/schema.ts";

/** BLAKE2b with CKB's personalisation: 32 bytes. */
export const ckbHash: (bytes: Uint8Array) => Uint8Array = blake2b256("ckb-default-hash");

/** What stands for the hash of nothing. */
export const ZERO_HASH = `0x${"0".repeat(64)}`;

function hashText(bytes: Uint8Array): string {
  return bytesToHex(ckbHash(bytes));
}

/** Hash of hex texts, one after the other. */
function hashOfTexts(texts: readonly string[], size: number): string {
  const bytes = new Uint8Array(texts.length * size);
  for (let index = 0; index < texts.length; index++) writeHex(texts[index]!, bytes, index * size);
  return hashText(bytes);
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

export interface TransactionHashes {
  hash: string;
  witnessHash: string;
}

/** Of a serialised `Transaction`, whose raw part begins it, after a size and two offsets. */
export function serializedTransactionHashes(bytes: Uint8Array): TransactionHashes {
  const rawEnd = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  return { hash: hashText(bytes.subarray(12, rawEnd)), witnessHash: hashText(bytes) };
}

export function headerHash(header: NodeHeader): string {
  return hashText(serializeHeader(header));
}

/** Root of the complete binary Merkle tree over the hashes; all zero over none. */
export function merkleRoot(hashes: readonly string[]): string {
  if (hashes.length === 0) return ZERO_HASH;
  // The tree in one array: the leaves at its end, the parent of 2i+1 and 2i+2 at i.
  const count = hashes.length;
  const nodes = new Uint8Array((2 * count - 1) * 32);
  for (let index = 0; index < count; index++) writeHex(hashes[index]!, nodes, (count - 1 + index) * 32);
  for (let index = count - 2; index >= 0; index--) {
    nodes.set(ckbHash(nodes.subarray((2 * index + 1) * 32, (2 * index + 3) * 32)), index * 32);
  }
  return bytesToHex(nodes.subarray(0, 32));
}

/** Joins the tree over the transactions' hashes with the one over their witness hashes, both in block order. */
export function transactionsRootOf(hashes: readonly string[], witnessHashes: readonly string[]): string {
  return merkleRoot([merkleRoot(hashes), merkleRoot(witnessHashes)]);
}

export function transactionsRoot(transactions: readonly NodeTransaction[]): string {
  return transactionsRootOf(transactions.map(transactionHash), transactions.map(witnessHash));
}

/** Of the proposed transactions' short ids; all zero for none. */
export function proposalsHash(proposals: readonly string[]): string {
  return proposals.length === 0 ? ZERO_HASH : hashOfTexts(proposals, 10);
}

/** The hash over the uncles, all zero for none; joined with the extension's hash where there is one. */
export function extraHash(uncles: readonly NodeUncle[], extension: string | null | undefined): string {
  const headerHashes = uncles.map((uncle) => headerHash(uncle.header));
  const unclesHash = headerHashes.length === 0 ? ZERO_HASH : hashOfTexts(headerHashes, 32);
  if (extension === null || extension === undefined) return unclesHash;
  return hashOfTexts([unclesHash, hashText(hexToBytes(extension))], 32);
}
