/** The hashes of a block's parts in a node's JSON form, as `0x` hex. */
import * as hashes from "#lib/chains/ckb/hashes.ts";
import { bytesToHex, hexToBytes } from "#lib/chains/ckb/hex.ts";
import { serializeHeader, serializeTransaction } from "#lib/chains/ckb/molecule.ts";
import type { NodeHeader, NodeTransaction, NodeUncle } from "#lib/chains/ckb/schema.ts";

const hashed = (transaction: NodeTransaction) => hashes.hashTransaction(serializeTransaction(transaction));

/** Covers everything but the witnesses. */
export const transactionHash = (transaction: NodeTransaction): string => bytesToHex(hashed(transaction).hash);

/** Covers the witnesses too. */
export const witnessHash = (transaction: NodeTransaction): string =>
  bytesToHex(hashed(transaction).witnessHash);

export const headerHash = (header: NodeHeader): string => bytesToHex(hashes.ckbHash(serializeHeader(header)));

export const transactionsRoot = (transactions: readonly NodeTransaction[]): string =>
  bytesToHex(hashes.transactionsRoot(transactions.map(hashed)));

export const proposalsHash = (proposals: readonly string[]): string =>
  bytesToHex(hashes.proposalsHash(Buffer.concat(proposals.map(hexToBytes))));

export function extraHash(uncles: readonly NodeUncle[], extension: string | null | undefined): string {
  const uncleHashes = uncles.map(({ header }) => hashes.ckbHash(serializeHeader(header)));
  return bytesToHex(
    hashes.extraHash(uncleHashes, typeof extension === "string" ? hexToBytes(extension) : null),
  );
}
