/** Scripts, cell data and cells of a chain in testnet's form, for generated blocks. */
import { ckbHash, scriptHash } from "#lib/chains/ckb/hashes.ts";
import { byteLength, bytesToHex, hexToBytes } from "#lib/chains/ckb/hex.ts";
import { serializeCellInput, sized, table } from "#lib/chains/ckb/molecule.ts";
import type * as Node from "#lib/chains/ckb/schema.ts";

type Script = Node.NodeScript;

/** Shannons in a CKB, and the capacity that each byte of a cell needs. */
export const CKB = 100_000_000n;

/** The largest amount that a token cell can hold. */
export const MAXIMUM_AMOUNT = 2n ** 128n - 1n;

// --- scripts of the testnet ----------------------------------------------------------------------------

/** Code hashes of lock scripts for accounts, all with 20 bytes that identify the owner. */
export const lockKinds = {
  secp256k1: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
  multisig: "0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8",
  anyoneCanPay: "0x3419a1c09eb2567f6552ee7a8ecffd64155cffe0f1796e6e61ec088d740c1356",
  omnilock: "0xf329effd1c475a2978453c8600e1eaf0bc2087ee093c3ee64cc96ec6847752cb",
};

const code = (code_hash: string, hash_type: Node.HashType = "type") => ({ code_hash, hash_type });

/** Token standards, as type scripts without args. */
export const tokenStandards = {
  sudt: code("0xc5e5dcf215925f7ef4dfaf5f4b4f105bc321c02776d6e7d52a1db3fcd9d011a4"),
  xudt: code("0x25c29dc317811a6f6f3985a7a9ebc4838bd388d19d0feeecf0bcd60f6c0975bb"),
  xudtByData: code("0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95", "data1"),
  rusd: code("0x1142755a044bf2ee358cba9f2da187ce928c91cd4dc8692ded0337efa677d21a"),
  usdi: code("0xcc9dc33ef234e14bc788c43a4848556a5fb16401a04662fc55db9bb201987037"),
  ccbtc: code("0x98701eaf939113606a8a70013fd2e8f27b8f1e234acdc329f3d71f9e9d3d3233"),
};
export type TokenStandard = keyof typeof tokenStandards;

export const UNIQUE = code("0x8e341bcfec6393dcd41e635733ff2dca00a6af546949f70c57a706c0f344df8b");
export const INSCRIPTION_INFO = code("0x50fdea2d0030a8d0b3d69f883b471cab2a29cae6f01923f19cecac0f27fdaaa6");
const SPORE = code("0x685a60219309029d01310311dba953d67029170ca4848a4ff638e57002130a0d", "data1");
const CLUSTER = code("0x0bbe768b519d8ea7b96d58f1182eb7e6ef96c541fbd9526975077ee09f049058", "data1");

/** Type script of a deposit in the Nervos DAO. */
export const DAO: Script = {
  ...code("0x82d76d1b75fe2fd9a27dfbaa65a039221a380d76c926f378d3f81cf3e7e13f2e"),
  args: "0x",
};

/** The transaction that groups the code of the default lock script. */
export const DEFAULT_CELL_DEP: Node.NodeCellDep = {
  dep_type: "dep_group",
  out_point: {
    tx_hash: "0xf8de3bb47d055cdf460d93a2a6e1b05f7432f9777c8c474abf4eec1d4aee5d37",
    index: "0x0",
  },
};

/** A `WitnessArgs` with room for a signature, left blank. */
export const BLANK_WITNESS = `0x5500000010000000550000005500000041000000${"00".repeat(65)}`;

/** The lock script of a named account: the same name always gives the same script. */
export function account(name: string, kind: keyof typeof lockKinds = "secp256k1"): Script {
  const owner = ckbHash(Buffer.from(`account ${name}`)).toString("hex", 0, 20);
  // Omnilock: authenticated by an Ethereum key (flag 0x12), with no mode switched on.
  return { ...code(lockKinds[kind]), args: kind === "omnilock" ? `0x12${owner}00` : `0x${owner}` };
}

/** A multisig lock script with a time lock (RFC 17's `since`, 64 bits). */
export function timeLock(name: string, since: bigint): Script {
  const lock = account(name, "multisig");
  return { ...lock, args: lock.args + uint64(since) };
}

/** Owns the cells of block 0, and pays by default. */
export const treasury: Script = account("treasury");

/**
 * The type script of a token that `issuer` may mint. Several tokens of one issuer and standard differ by `series`,
 * which follows the issuer's lock hash and xUDT's four flag bytes.
 */
export function udt(issuer: Script, standard: TokenStandard = "xudt", series = 0): Script {
  const suffix = series === 0 ? "" : `00000000${series.toString(16).padStart(8, "0")}`;
  return { ...tokenStandards[standard], args: scriptHash(issuer) + suffix };
}

export const sporeType = (id: string): Script => ({ ...SPORE, args: id });
export const clusterType = (id: string): Script => ({ ...CLUSTER, args: id });

/** The token id of a type script: its hash. */
export const tokenId = scriptHash;

/** The unique id of the output at `outputIndex` in the transaction with this first input. */
export function typeId(firstInput: LiveCell, outputIndex: number): string {
  const input = serializeCellInput(inputOf(firstInput));
  return bytesToHex(ckbHash(Buffer.concat([input, Buffer.from(uint64(BigInt(outputIndex)), "hex")])));
}

// --- contents of cells ---------------------------------------------------------------------------------

/** A number's bytes, the lowest first, as hex digits. */
export function littleEndian(value: bigint, bytes: number): string {
  if (value < 0n || value >> BigInt(8 * bytes)) throw new RangeError(`no u${8 * bytes}: ${value}`);
  return Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex")
    .reverse()
    .toString("hex");
}
export const uint64 = (value: bigint): string => littleEndian(value, 8);

/** The first 16 bytes of a token cell's data. */
export const amountData = (amount: bigint): string => `0x${littleEndian(amount, 16)}`;

export function amountOf(cell: LiveCell): bigint {
  const bytes = Buffer.from(cell.data.slice(2, 34), "hex").reverse();
  return bytes.length < 16 ? 0n : BigInt(bytesToHex(bytes));
}

/** The description of a token in a Unique cell. Text that is not UTF-8 is given as bytes, at most 255. */
export interface TokenText {
  name: string | Uint8Array;
  symbol: string | Uint8Array;
  decimals: number;
}

const bytesOf = (content: string | Uint8Array): Buffer => Buffer.from(content as string);

/** The data of a Unique cell: decimals, then name and symbol, each preceded by its length in one byte. */
export function uniqueData({ name, symbol, decimals }: TokenText): string {
  const texts = [name, symbol].map(bytesOf);
  if (texts.some(({ length }) => length > 255))
    throw new RangeError("a name or symbol has at most 255 bytes");
  return bytesToHex(
    Buffer.concat([Buffer.of(decimals), ...texts.flatMap((text) => [Buffer.of(text.length), text])]),
  );
}

/** A table of such fields; undefined for one that is left out. */
export const fields = (...contents: (string | Uint8Array | undefined)[]): string =>
  bytesToHex(table(contents.map((each) => (each === undefined ? new Uint8Array() : sized(bytesOf(each))))));

/** The data of a Spore: the media type of its content, the content and, if it has one, its cluster. */
export const sporeData = (contentType: string, content: string | Uint8Array, clusterId?: string): string =>
  fields(contentType, content, clusterId && hexToBytes(clusterId));

// --- cells ---------------------------------------------------------------------------------------------

export interface CellSpec {
  lock: Script;
  type?: Script | null | undefined;
  /** Shannons; by default, the minimum for a cell of this size. */
  capacity?: bigint | undefined;
  /** `0x` hex. */
  data?: string | undefined;
}

/** A cell that a transaction created; live until another spends it. */
export interface LiveCell {
  outPoint: Node.NodeOutPoint;
  output: Node.NodeCellOutput;
  data: string;
  /** Shannons. */
  capacity: bigint;
}
export type UnplacedCell = Omit<LiveCell, "outPoint">;

/** The minimum capacity of such a cell in shannons: one CKB for each byte (RFC 2). */
export function leastCapacity({ lock, type, data = "0x" }: CellSpec): bigint {
  const script = (value: Script) => 33 + byteLength(value.args);
  return BigInt(8 + script(lock) + (type ? script(type) : 0) + byteLength(data)) * CKB;
}

export const capacityOf = (spec: CellSpec): bigint => spec.capacity ?? leastCapacity(spec);

export function toCell(spec: CellSpec): UnplacedCell {
  const { lock, type = null, data = "0x" } = spec;
  const capacity = capacityOf(spec);
  return { output: { capacity: hex(capacity), lock, type }, data, capacity };
}

export const placed = (hash: string, cells: readonly UnplacedCell[]): LiveCell[] =>
  cells.map((cell, index) => ({ ...cell, outPoint: { tx_hash: hash, index: hex(index) } }));

/** Holds capacity and nothing else. */
export const isPlain = ({ output, data }: LiveCell): boolean => output.type === null && data === "0x";

export const inputOf = ({ outPoint }: LiveCell): Node.NodeCellInput => ({
  previous_output: outPoint,
  since: "0x0",
});
export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const keyOf = ({ tx_hash, index }: Node.NodeOutPoint): string => `${tx_hash}:${index}`;
export const scriptKey = ({ code_hash, hash_type, args }: Script): string => args + hash_type + code_hash;
export const sumOf = (cells: readonly { capacity: bigint }[]): bigint =>
  cells.reduce((sum, { capacity }) => sum + capacity, 0n);
export const maximum = (a: bigint, b: bigint): bigint => (a > b ? a : b);
