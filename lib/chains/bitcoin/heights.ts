/** The height that a block states: since BIP 34, its reward begins with it. */
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { ByteReader } from "./bytes.ts";
import { type Currency, HEADER_BYTES, type Network } from "./networks.ts";
import { readTransaction } from "./transaction.ts";

const OP_1 = 0x51;
const OP_16 = 0x60;
/** Tolerated deviation from a network's pace, in blocks: the first blocks were fast, and difficulty lags. */
const SLACK = 4032;

/** Start of the reward's script in a block of this height (`CScript() << nHeight` of Bitcoin Core). */
export function heightScript(height: number): Buffer {
  if (height === 0) return Buffer.of(0);
  if (height <= OP_16 - OP_1 + 1) return Buffer.of(OP_1 + height - 1);
  const bytes: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  // The highest bit is a sign.
  if (bytes.at(-1)! >= 0x80) bytes.push(0);
  return Buffer.of(bytes.length, ...bytes);
}

/** Reads the height at the start of a reward's script; null if there is none. */
function heightInScript(script: Buffer): number | null {
  const length = script[0] ?? 0;
  if (length >= OP_1 && length <= OP_16) return length - OP_1 + 1;
  if (length < 1 || length > 4 || script.length <= length) return null;
  const height = script.readUIntLE(1, length);
  const shortest = heightScript(height);
  return shortest.equals(script.subarray(0, shortest.length)) ? height : null;
}

/** Reads the height that a block states; null below the height from which blocks must state it. */
export function heightSaid(bytes: Buffer, currency: Currency, network: Network, where: string) {
  const reader = new ByteReader(bytes, where);
  const header = reader.take(HEADER_BYTES);
  if (header.readInt32LE(0) < 2) return null;
  reader.count(1);
  const height = heightInScript(readTransaction(reader, currency).firstScript);
  if (height === null || height < network.heightsSaidFrom) return null;
  return implausibility(height, header, network) === null ? height : null;
}

/** Throws InvalidChainDataError if the reward of a block must begin with its height, and does not. */
export function checkHeightSaid(script: Buffer, height: number, network: Network, where: string): void {
  if (height < network.heightsSaidFrom) return;
  const expected = heightScript(height);
  if (script.subarray(0, expected.length).equals(expected)) return;
  const said = heightInScript(script);
  throw new InvalidChainDataError(
    `${where}: it cannot be block ${height}, because its reward ${said === null ? "says no height" : `says height ${said}`}`,
  );
}

/** Describes why a block with this header cannot have the height, or returns null. */
export function implausibility(height: number, header: Buffer, { name, born, pace }: Network): string | null {
  const seconds = header.readUInt32LE(68) - born;
  const most = Math.floor(seconds / pace[0]) + SLACK;
  const least = Math.max(0, Math.ceil(seconds / pace[1]) - SLACK);
  if (height >= least && height <= most) return null;
  return `it cannot be block ${height}: by the time that it says, ${name} had ${least} to ${most} blocks`;
}
