/**
 * Reads a serialised block, as a node's `getblock` returns it at verbosity 0. All hashes are recomputed: the header meets
 * its own target, and commits to the transactions and to their witnesses.
 */
import { blake3 } from "@noble/hashes/blake3.js";
import { type Block, InvalidChainDataError, type Output, outPointText } from "#lib/contract/ledger.ts";
import { addressOf } from "./address.ts";
import { ByteReader } from "./bytes.ts";
import { scryptHash, sha256d, toName } from "./hashes.ts";
import { checkHeightSaid } from "./heights.ts";
import { type Currency, HEADER_BYTES, type Network } from "./networks.ts";
import { PEG_OUT, REWARD } from "./output-states.ts";
import { formOf, isUnspendable } from "./script.ts";
import { type RawTransaction, readTransactions } from "./transaction.ts";

export interface BlockPlace {
  currency: Currency;
  network: Network;
  /** Most blocks do not state their height, so the caller has to know it. */
  height: number;
  where: string;
}

/** Start of the script that commits to the witnesses, in a block's first transaction; the hash follows (BIP 141). */
const WITNESS_COMMITMENT = Buffer.from("6a24aa21a9ed", "hex");
/** Start of the script in the first output of a HogEx; the hash follows (LIP 3: witness version 8, 32 bytes). */
const MWEB_COMMITMENT = Buffer.from("5820", "hex");

/** Throws InvalidChainDataError if the bytes are no block, or a hash differs. */
export function parseBlock(bytes: Buffer, place: BlockPlace): Block {
  const { currency, network, height, where } = place;
  const reader = new ByteReader(bytes, where);
  const header = reader.take(HEADER_BYTES);
  checkWork(header, place);
  const transactions = readTransactions(reader, currency);
  checkReward(transactions, reader);
  checkHeightSaid(transactions[0]!.firstScript, height, network, where);
  checkMerkleRoot(transactions, header.subarray(36, 68), reader);
  checkWitnesses(transactions, reader);
  checkExtension(transactions, reader, place);
  if (reader.left > 0) throw reader.fault(`${reader.left} bytes too many`);
  const hash = sha256d(header);
  const { other } = network;
  if (height === other?.height && toName(hash).startsWith(other.hash)) {
    throw reader.fault(`is a block of ${other.name}`);
  }
  const isOverwritten = network.overwritten?.includes(toName(hash));
  const last = transactions.at(-1)!;
  const pegIns = new Set(
    last.isHogEx ? last.inputs.map((outPoint) => outPoint && outPointText(outPoint)) : [],
  );
  return {
    height,
    hash: toName(hash),
    parentHash: toName(header.subarray(4, 36)),
    timestamp: header.readUInt32LE(68) * 1_000,
    headerFacts: "0x",
    transactions: transactions.map((transaction, index) => {
      const { id, isHogEx } = transaction;
      const name = toName(index === 0 && isOverwritten ? sha256d(hash, id) : id);
      // Nodes do not count these rewards as unspent outputs.
      const isLost = index === 0 && (height === 0 || isOverwritten);
      const outputs = toOutputs(transaction, network, { height, isReward: index === 0 });
      return {
        hash: name,
        // Pegged-in outputs already count as gone when they are created (see `isPegIn`).
        inputs: isHogEx ? [] : transaction.inputs.filter((outPoint) => outPoint !== null),
        outputs: outputs.map((output, outputIndex) => {
          const isPegIn = pegIns.size > 0 && pegIns.has(outPointText({ transactionHash: name, outputIndex }));
          if (!isPegIn && !isLost) return output;
          return { ...output, ...(isPegIn && { kind: "mweb" }), spendable: false };
        }),
        claims: [],
      };
    }),
    bytes: bytes.length,
  };
}

/** Decodes a header's target: its highest 24 bits, and its length in bytes. Null if it is invalid. */
function targetOf(compact: number): bigint | null {
  const size = compact >>> 24;
  const digits = BigInt(compact & 0x7f_ffff);
  if (digits === 0n || (compact & 0x80_0000) !== 0 || size > 34) return null;
  return size <= 3 ? digits >> BigInt(8 * (3 - size)) : digits << BigInt(8 * (size - 3));
}

function checkWork(header: Buffer, { currency, network, where }: BlockPlace): void {
  const target = targetOf(header.readUInt32LE(72));
  if (target === null || target === 0n || target > network.easiestTarget) {
    throw new InvalidChainDataError(`${where}: its target is none of ${currency.name}'s ${network.name}`);
  }
  const work = currency.proofOfWork === "scrypt" ? scryptHash(header) : sha256d(header);
  if (BigInt(toName(work)) > target) {
    throw new InvalidChainDataError(`${where}: its hash does not meet its target`);
  }
}

function checkReward(transactions: RawTransaction[], reader: ByteReader): void {
  for (const [index, { inputs }] of transactions.entries()) {
    const paysReward = inputs.length === 1 && inputs[0] === null;
    if (index === 0 ? !paysReward : inputs.includes(null)) {
      throw reader.fault(`transaction ${index} ${index === 0 ? "does not pay" : "pays"} the block's reward`);
    }
  }
}

function checkMerkleRoot(transactions: RawTransaction[], root: Buffer, reader: ByteReader): void {
  const ids = transactions.map(({ id }) => id);
  const found = merkleRoot(ids);
  if (!found.root.equals(root))
    throw reader.fault("its transactions do not have the Merkle root of its header");
  // Repeating the last transactions would otherwise give another block with the same hash (CVE-2012-2459).
  if (found.repeats) throw reader.fault("its last transactions are repeated");
}

/** @returns `repeats`: true if two neighbours are equal where the tree would repeat one by itself */
export function merkleRoot(leaves: readonly Buffer[]): { root: Buffer; repeats: boolean } {
  let level = [...leaves];
  let repeats = false;
  const pair = Buffer.alloc(64);
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i]!;
      const right = level[i + 1];
      if (right?.equals(left)) repeats = true;
      left.copy(pair);
      (right ?? left).copy(pair, 32);
      above.push(sha256d(pair));
    }
    level = above;
  }
  return { root: level[0]!, repeats };
}

function checkWitnesses(transactions: RawTransaction[], reader: ByteReader): void {
  // Without witnesses, a commitment means nothing.
  if (!transactions.some(({ hasWitness }) => hasWitness)) return;
  const [reward, ...others] = transactions;
  const start = WITNESS_COMMITMENT.length;
  const commitment = reward!.outputs.findLast(
    ({ script }) => script.length >= start + 32 && script.subarray(0, start).equals(WITNESS_COMMITMENT),
  );
  const [reserved, ...more] = reward!.witness;
  if (!commitment || reserved?.length !== 32 || more.length > 0) {
    throw reader.fault("it has witnesses, but no commitment to them");
  }
  const { root } = merkleRoot([Buffer.alloc(32), ...others.map(({ witnessId }) => witnessId)]);
  if (!sha256d(root, reserved).equals(commitment.script.subarray(start, start + 32))) {
    throw reader.fault("its witnesses are not those that its first transaction commits to");
  }
}

/** Checks the header of Litecoin's extension, to which the last transaction commits. The body is hidden, so it is not read. */
function checkExtension(
  transactions: RawTransaction[],
  reader: ByteReader,
  { network: { extendedFrom = Number.POSITIVE_INFINITY }, height }: BlockPlace,
): void {
  const last = transactions.at(-1)!;
  if (transactions.slice(0, -1).some(({ isHogEx }) => isHogEx)) {
    throw reader.fault("a transaction before the last one moves what is pegged in");
  }
  if (!last.isHogEx) {
    // No hash covers the mark of the last transaction, which some nodes leave out with the extension.
    if (height < extendedFrom) return;
    throw reader.fault("its extension was left out: remove rpcserialversion from the node's settings");
  }
  if (reader.uint8() !== 1) throw reader.fault("its extension is missing");
  const start = reader.at;
  skipVarint(reader);
  // The roots of outputs, kernels and unspent outputs, and two offsets.
  reader.take(5 * 32);
  skipVarint(reader);
  skipVarint(reader);
  const { script } = last.outputs[0]!;
  const hash = blake3(reader.since(start));
  if (!script.equals(Buffer.concat([MWEB_COMMITMENT, hash]))) {
    throw reader.fault("its extension is not the one that its last transaction commits to");
  }
  reader.take(reader.left);
}

/** Skips a number of seven bits a byte, the last one below 128 (`VARINT` of `serialize.h`). */
function skipVarint(reader: ByteReader): void {
  for (let bytes = 1; reader.uint8() >= 0x80; bytes++) {
    if (bytes === 10) throw reader.fault("a number of its extension has more than ten bytes");
  }
}

/**
 * The outputs of a transaction. Each block's HogEx moves all coins of Litecoin's extension to its first output. Here, that
 * output holds nothing and is in no list, so that blocks do not seem to move those coins. Its other outputs are pegged out.
 * @param place null if unknown; then no output has a kind that matures
 */
export function toOutputs(
  { isHogEx, outputs }: RawTransaction,
  network: Network,
  place: { height: number; isReward: boolean } | null,
): Output[] {
  const maturing = place?.isReward ? REWARD : isHogEx ? PEG_OUT : null;
  return outputs.map((raw, index) => {
    const output = outputOf(raw, network);
    if (isHogEx && index === 0)
      return { ...output, amount: 0n, capacity: 0n, kind: "mweb", spendable: false };
    if (place === null || maturing === null || output.kind === "data") return output;
    return { ...output, kind: `${maturing}@${place.height}` };
  });
}

export function outputOf({ amount, script }: { amount: bigint; script: Buffer }, network: Network): Output {
  const form = formOf(script);
  const address = addressOf(script, network, form);
  const output = { address, token: null, amount, capacity: amount, kind: form.kind };
  return isUnspendable(script) ? { ...output, spendable: false } : output;
}
