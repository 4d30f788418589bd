/**
 * The state of cells as of a block. `tokens.ts` gives their state when they are created. Later, rewards mature, time locks
 * end, and deposits in the Nervos DAO earn.
 */
import type { OutputStates } from "#lib/contract/chain.ts";
import { type AddressText, type BlockFacts, kindWord, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import { lockOf } from "./address.ts";
import { LATEST_TIME, REWARD } from "./constants.ts";
import { ZERO_HASH } from "./hashes.ts";
import { byteLength, bytesToHex, hexToBytes } from "./hex.ts";
import { depositBlock, WITHDRAWAL } from "./output-kinds.ts";
import type { NodeScript } from "./schema.ts";

/** A time of the chain: an epoch's number, and the part of it that has passed, `index / length`, which is less than 1. */
interface Epoch {
  number: number;
  index: number;
  length: number;
}

/** Normalises an epoch: the index may be anything in a lock's args, and the length 0 there and in the genesis block. */
const epoch = (number: number, index: number, length: number): Epoch =>
  length === 0
    ? { number, index: 0, length: 1 }
    : { number: number + Math.floor(index / length), index: index % length, length };

/** Unpacks an epoch from a header or an RFC 17 value. */
const unpackedEpoch = (packed: bigint): Epoch =>
  epoch(Number(packed & 0xffffffn), Number((packed >> 24n) & 0xffffn), Number((packed >> 40n) & 0xffffn));

const sumOf = (a: Epoch, b: Epoch): Epoch =>
  epoch(a.number + b.number, a.index * b.length + b.index * a.length, a.length * b.length);

const compare = (a: Epoch, b: Epoch): number =>
  a.number - b.number || a.index * b.length - b.index * a.length;

/** The parts of a header that the state of cells depends on: epoch (8 bytes) and `dao` (32 bytes). */
export const headerFactsOf = (epoch: Buffer, dao: Buffer): string => bytesToHex(Buffer.concat([epoch, dao]));

const bytesOf = (block: BlockFacts | undefined): Buffer | null =>
  block ? hexToBytes(block.headerFacts) : null;

function epochOf(block: BlockFacts | undefined): Epoch | null {
  const bytes = bytesOf(block);
  return bytes && unpackedEpoch(bytes.readBigUInt64LE(0));
}

/** The accumulated rate, the second number of the `dao` field (RFC 23); 0 if unknown. */
const rateOf = (block: BlockFacts | undefined): bigint => bytesOf(block)?.readBigUInt64LE(16) ?? 0n;

/** The time from which a cell can be spent. */
type Bound = { epoch: Epoch } | { height: number } | { time: number } | "never";

function isReached(bound: Bound, by: BlockFacts | undefined): boolean {
  if (bound === "never" || by === undefined) return false;
  if ("height" in bound) return by.height >= bound.height;
  // The chain compares the median time of 37 blocks, which is some minutes behind.
  if ("time" in bound) return by.timestamp >= bound.time;
  const epoch = epochOf(by);
  return epoch !== null && compare(epoch, bound.epoch) >= 0;
}

function textOf(bound: Bound): string {
  if (bound === "never") return bound;
  if ("height" in bound) return `block ${bound.height}`;
  if ("time" in bound) return new Date(bound.time).toISOString();
  const { number, index, length } = bound.epoch;
  return index === 0 ? `epoch ${number}` : `epoch ${number}+${index}/${length}`;
}

/** The locks whose args may end with a `since`: ckb-system-scripts' `secp256k1_blake160_multisig_all.c`. */
const timeLocks: readonly string[] = [
  "0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8/type",
  "0x36c971b8d41fbd94aabca77dc75e826729ac98447b46f91e00796155dddb0d29/data1",
  "0xd1a9f877aed3f5e07cb9c52b61ab96d06f250ae6883cc7f0a2423db0976fc821/type",
  "0x765b3ed6ae264b335d07e73ac332bf2c0f38f8d3340ed521cb447b4c42dd5f09/type",
];
const TIME_LOCK_ARGS = 28;

/** The `since` in a lock's args; 0 if there is none. */
function sinceOf(lock: NodeScript | null): bigint {
  const mayHaveOne =
    lock !== null &&
    timeLocks.includes(`${lock.code_hash}/${lock.hash_type}`) &&
    byteLength(lock.args) === TIME_LOCK_ARGS;
  return mayHaveOne ? hexToBytes(lock.args).readBigUInt64LE(20) : 0n;
}

const isRelative = (since: bigint): boolean => since >> 63n === 1n;

/**
 * Reads a `since` as RFC 17 does. The multisig script is less strict in comparing epochs and relative values.
 * @param made the block that created the cell
 */
function boundOf(since: bigint, made: BlockFacts | undefined): Bound | null {
  if (since === 0n) return null;
  const value = since & 0xff_ffff_ffff_ffffn;
  const from = isRelative(since) ? made : { height: 0, timestamp: 0 };
  if (from === undefined) return null;
  switch (Number((since >> 56n) & 0x7fn)) {
    case 0x00: {
      const height = from.height + Number(value);
      return Number.isSafeInteger(height) ? { height } : "never";
    }
    case 0x20: {
      if (!isRelative(since)) return { epoch: unpackedEpoch(value) };
      const begun = epochOf(made);
      return begun && { epoch: sumOf(begun, unpackedEpoch(value)) };
    }
    case 0x40: {
      const time = from.timestamp + Number(value) * 1000;
      return time <= LATEST_TIME ? { time } : "never";
    }
    // No input may have such a value.
    default:
      return "never";
  }
}

/** Time until a block's reward can be spent (ckb's `MaturityVerifier`). Block 0 is exempt. */
const MATURITY: Epoch = { number: 4, index: 0, length: 1 };
/** Length of the longest epoch of the public chains, in blocks: four hours with a block every eight seconds. */
const LONGEST_EPOCH = 1_800;

function maturityOf(made: BlockFacts | undefined): Bound | null {
  const begun = epochOf(made);
  return begun && { epoch: sumOf(begun, MATURITY) };
}

/** A deposit leaves the DAO after a multiple of this many epochs (RFC 23). */
const DAO_PERIOD = 180;

/** @param withdrawn the block in which the owner requested the withdrawal */
function daoBound(deposited: BlockFacts | undefined, withdrawn: BlockFacts | undefined): Bound | null {
  const from = epochOf(deposited);
  const to = epochOf(withdrawn);
  if (from === null || to === null) return null;
  const begun = to.index * from.length > from.index * to.length ? 1 : 0;
  const periods = Math.ceil((to.number - from.number + begun) / DAO_PERIOD);
  return { epoch: { ...from, number: from.number + periods * DAO_PERIOD } };
}

const SHANNONS_PER_BYTE = 10n ** 8n;
/** Bytes of a DAO deposit besides its args: capacity, two scripts, data. `dao.c` refuses a type script with args. */
const DEPOSIT_BYTES = 8 + 2 * (32 + 1) + 8;

/** A deposit's compensation (RFC 23), in shannons; "" if unknown. */
function earned(capacity: bigint, occupied: bigint | null, from: bigint, to: bigint): string {
  if (occupied === null) return "";
  const counted = capacity - occupied;
  if (counted < 0n || from === 0n || to < from) return "";
  return ((counted * to) / from - counted).toString();
}

export function outputStates(address: AddressText): OutputStates {
  // Null for a very long lock, of which only the hash is known.
  const lock = lockOf(address);
  const since = sinceOf(lock);
  // No code can have this hash.
  const isBurnt = lock?.code_hash === ZERO_HASH;
  const occupied = lock && BigInt(DEPOSIT_BYTES + byteLength(lock.args)) * SHANNONS_PER_BYTE;
  return {
    changing: isRelative(since)
      ? { kinds: [PLAIN_OUTPUT, REWARD], rewardsOnly: false, blocks: Number.POSITIVE_INFINITY }
      : { kinds: [REWARD], rewardsOnly: true, blocks: MATURITY.number * LONGEST_EPOCH },
    heightsFor({ kind, height }, asOf) {
      const deposit = depositBlock(kind, height);
      if (kind !== REWARD && deposit === null && since === 0n) return [];
      return [asOf, height, deposit ?? height];
    },
    stateOf({ kind, height, capacity }, asOf, blockAt) {
      const at = blockAt(asOf);
      const made = blockAt(height);
      const deposit = depositBlock(kind, height);
      const deposited = deposit === null ? undefined : blockAt(deposit);
      const isWithdrawn = kindWord(kind) === WITHDRAWAL;
      const bounds: [kind: string, Bound | null][] = [
        ["burnt", isBurnt ? "never" : null],
        ["locked", boundOf(since, made)],
        ["immature", kind === REWARD ? maturityOf(made) : null],
        [kind, isWithdrawn ? daoBound(deposited, made) : null],
      ];
      const [held, bound] = bounds.find((each) => each[1] !== null && !isReached(each[1], at)) ?? [];
      const isPlain = kind === PLAIN_OUTPUT || kind === REWARD;
      return {
        // The kind includes a deposit's block, but not the hash of a type script.
        kind: isPlain ? (held ?? PLAIN_OUTPUT) : isWithdrawn ? kind : kindWord(kind),
        until: bound ? textOf(bound) : "",
        compensation: deposited
          ? earned(BigInt(capacity), occupied, rateOf(deposited), rateOf(isWithdrawn ? made : at))
          : "",
      };
    },
  };
}
