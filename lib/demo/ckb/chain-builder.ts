/**
 * Builds blocks in a CKB node's JSON form, with real serialisation, hashes, parent links, scripts and cell data. It
 * leaves out proof of work, signatures and the chain-root extension, because no indexer checks them. Everything is
 * deterministic. A block contains all transactions made since the last one:
 *
 *     const chain = new ChainBuilder();
 *     const token = udt(treasury);
 *     chain.mint({ token, to: account("alice"), amount: 100n, info: { name: "T", symbol: "T", decimals: 2 } });
 *     chain.block();
 *     chain.transfer({ token, from: account("alice"), to: account("bob"), amount: 30n });
 *     chain.block();
 *     const other = chain.fork(1); // shares the blocks up to height 1
 */
import {
  ckbHash,
  type HashedTransaction,
  hashTransaction,
  scriptHash,
  transactionsRoot,
  ZERO_HASH,
} from "#lib/chains/ckb/hashes.ts";
import { byteLength, bytesToHex, hexToBytes } from "#lib/chains/ckb/hex.ts";
import {
  serializeCellInput,
  serializeScript,
  serializeTransaction,
  sized,
  table,
} from "#lib/chains/ckb/molecule.ts";
import type {
  NodeBlock,
  NodeCellInput,
  NodeCellOutput,
  NodeOutPoint,
  NodeScript,
  NodeTransaction,
  NodeUncle,
} from "#lib/chains/ckb/schema.ts";
import { inscribedTokens } from "#lib/chains/ckb/tokens.ts";
import { extraHash, headerHash, proposalsHash } from "./node-hashes.ts";

/** Shannons in a CKB, and the capacity that each byte of a cell needs. */
export const CKB = 100_000_000n;

/** The largest amount that a token cell can hold. */
export const MAXIMUM_AMOUNT = 2n ** 128n - 1n;

/** Code hashes of lock scripts on testnet for accounts, all with 20 bytes that identify the owner. */
export const lockKinds = {
  secp256k1: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
  multisig: "0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8",
  anyoneCanPay: "0x3419a1c09eb2567f6552ee7a8ecffd64155cffe0f1796e6e61ec088d740c1356",
  omnilock: "0xf329effd1c475a2978453c8600e1eaf0bc2087ee093c3ee64cc96ec6847752cb",
} as const;

/** Token standards on testnet, as type scripts without args. */
export const tokenStandards = {
  sudt: {
    code_hash: "0xc5e5dcf215925f7ef4dfaf5f4b4f105bc321c02776d6e7d52a1db3fcd9d011a4",
    hash_type: "type",
  },
  xudt: {
    code_hash: "0x25c29dc317811a6f6f3985a7a9ebc4838bd388d19d0feeecf0bcd60f6c0975bb",
    hash_type: "type",
  },
  xudtByData: {
    code_hash: "0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95",
    hash_type: "data1",
  },
  rusd: {
    code_hash: "0x1142755a044bf2ee358cba9f2da187ce928c91cd4dc8692ded0337efa677d21a",
    hash_type: "type",
  },
  usdi: {
    code_hash: "0xcc9dc33ef234e14bc788c43a4848556a5fb16401a04662fc55db9bb201987037",
    hash_type: "type",
  },
  ccbtc: {
    code_hash: "0x98701eaf939113606a8a70013fd2e8f27b8f1e234acdc329f3d71f9e9d3d3233",
    hash_type: "type",
  },
} as const;
export type TokenStandard = keyof typeof tokenStandards;

const UNIQUE = {
  code_hash: "0x8e341bcfec6393dcd41e635733ff2dca00a6af546949f70c57a706c0f344df8b",
  hash_type: "type",
} as const;
const INSCRIPTION_INFO = {
  code_hash: "0x50fdea2d0030a8d0b3d69f883b471cab2a29cae6f01923f19cecac0f27fdaaa6",
  hash_type: "type",
} as const;
const SPORE = {
  code_hash: "0x685a60219309029d01310311dba953d67029170ca4848a4ff638e57002130a0d",
  hash_type: "data1",
} as const;
const CLUSTER = {
  code_hash: "0x0bbe768b519d8ea7b96d58f1182eb7e6ef96c541fbd9526975077ee09f049058",
  hash_type: "data1",
} as const;

/** The testnet transaction that groups the code of the default lock script. */
const DEFAULT_CELL_DEP = {
  dep_type: "dep_group",
  out_point: {
    tx_hash: "0xf8de3bb47d055cdf460d93a2a6e1b05f7432f9777c8c474abf4eec1d4aee5d37",
    index: "0x0",
  },
} as const;

/** A `WitnessArgs` with room for a signature, left blank. */
const BLANK_WITNESS = `0x5500000010000000550000005500000041000000${"00".repeat(65)}`;

const encoder = new TextEncoder();

/** The lock script of a named account: the same name always gives the same script. */
export function account(name: string, kind: keyof typeof lockKinds = "secp256k1"): NodeScript {
  const owner = bytesToHex(ckbHash(encoder.encode(`account ${name}`)).subarray(0, 20)).slice(2);
  // Omnilock: authenticated by an Ethereum key (flag 0x12), with no mode switched on.
  const args = kind === "omnilock" ? `0x12${owner}00` : `0x${owner}`;
  return { code_hash: lockKinds[kind], hash_type: "type", args };
}

/** A multisig lock script that lets go at a time (RFC 17's `since`, 64 bits). */
export function timeLock(name: string, since: bigint): NodeScript {
  const lock = account(name, "multisig");
  return { ...lock, args: lock.args + uint64(since) };
}

/** Eight little-endian bytes, as hex digits. */
function uint64(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("hex");
}

/** Type script of a deposit in the Nervos DAO. */
export const DAO: NodeScript = {
  code_hash: "0x82d76d1b75fe2fd9a27dfbaa65a039221a380d76c926f378d3f81cf3e7e13f2e",
  hash_type: "type",
  args: "0x",
};

/** Owns the cells of block 0, and pays by default. */
export const treasury: NodeScript = account("treasury");

/**
 * The type script of a token that `issuer` may mint. Several tokens of one issuer and standard differ by `series`,
 * which follows the issuer's lock hash and xUDT's four flag bytes.
 */
export function udt(issuer: NodeScript, standard: TokenStandard = "xudt", series = 0): NodeScript {
  const suffix = series === 0 ? "" : `00000000${series.toString(16).padStart(8, "0")}`;
  return { ...tokenStandards[standard], args: scriptHash(issuer) + suffix };
}

/** The token id of a type script: its hash. */
export function tokenId(type: NodeScript): string {
  return scriptHash(type);
}

/** The first 16 bytes of a token cell's data. */
export function amountData(amount: bigint): string {
  if (amount < 0n || amount > MAXIMUM_AMOUNT) throw new RangeError(`no u128: ${amount}`);
  return bytesToHex(Buffer.from(amount.toString(16).padStart(32, "0"), "hex").reverse());
}

function amountOf(cell: LiveCell): bigint {
  const bytes = Buffer.from(cell.data.slice(2, 34), "hex").reverse();
  return bytes.length < 16 ? 0n : BigInt(bytesToHex(bytes));
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? encoder.encode(content) : content;
}

/** What a Unique cell says about a token. Bytes stand for text that is not UTF-8; at most 255 of them. */
export interface TokenText {
  name: string | Uint8Array;
  symbol: string | Uint8Array;
  decimals: number;
}

/** The data of a Unique cell: decimals, then name and symbol, each preceded by its length in one byte. */
function uniqueData(info: TokenText): string {
  const name = bytesOf(info.name);
  const symbol = bytesOf(info.symbol);
  if (name.length > 255 || symbol.length > 255)
    throw new RangeError("a name or symbol has at most 255 bytes");
  return bytesToHex(
    Buffer.concat([Buffer.of(info.decimals, name.length), name, Buffer.of(symbol.length), symbol]),
  );
}

/** The data of an inscription's info cell: a Unique cell's data, then token id, supply, mint limit and status. */
function inscriptionData(info: TokenText & { tokenId: string; supply: bigint; mintLimit: bigint }): string {
  return (
    uniqueData(info) +
    info.tokenId.slice(2) +
    amountData(info.supply).slice(2) +
    amountData(info.mintLimit).slice(2) +
    "00"
  );
}

/** The data of a Spore: the media type of its content, the content and, if it has one, its cluster. */
export function sporeData(contentType: string, content: string | Uint8Array, clusterId?: string): string {
  return bytesToHex(
    table([
      sized(encoder.encode(contentType)),
      sized(bytesOf(content)),
      clusterId === undefined ? new Uint8Array() : sized(hexToBytes(clusterId)),
    ]),
  );
}

/** The data of a cluster (version 2). */
function clusterData(name: string, description: string): string {
  return bytesToHex(
    table([sized(encoder.encode(name)), sized(encoder.encode(description)), new Uint8Array()]),
  );
}

/** The unique id of the output at `outputIndex` in the transaction with this first input. */
export function typeId(firstInput: LiveCell, outputIndex: number): string {
  const index = Buffer.alloc(8);
  index.writeUInt32LE(outputIndex);
  return bytesToHex(ckbHash(Buffer.concat([serializeCellInput(inputOf(firstInput)), index])));
}

export function sporeType(id: string): NodeScript {
  return { ...SPORE, args: id };
}

export function clusterType(id: string): NodeScript {
  return { ...CLUSTER, args: id };
}

export interface CellSpec {
  lock: NodeScript;
  type?: NodeScript | null | undefined;
  /** Shannons; by default, the minimum for a cell of this size. */
  capacity?: bigint | undefined;
  /** `0x` hex. */
  data?: string | undefined;
}

/** A cell that a transaction created; live until another spends it. */
export interface LiveCell {
  outPoint: NodeOutPoint;
  output: NodeCellOutput;
  data: string;
  /** Shannons. */
  capacity: bigint;
}

/** A transaction for the next block, and the cells that it creates. */
export interface Made {
  hash: string;
  transaction: NodeTransaction;
  cells: LiveCell[];
}

/** The minimum capacity of such a cell in shannons: one CKB for each byte (RFC 2). */
export function leastCapacity(cell: CellSpec): bigint {
  const script = (value: NodeScript) => 33 + byteLength(value.args);
  const size = 8 + script(cell.lock) + (cell.type ? script(cell.type) : 0) + byteLength(cell.data ?? "0x");
  return BigInt(size) * CKB;
}

function inputOf(cell: LiveCell): NodeCellInput {
  return { previous_output: cell.outPoint, since: "0x0" };
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function cellKey(outPoint: NodeOutPoint): string {
  return `${outPoint.tx_hash}:${outPoint.index}`;
}

function scriptKey(script: NodeScript): string {
  return script.args + script.hash_type + script.code_hash;
}

function sameScript(a: NodeScript, b: NodeScript): boolean {
  return a === b || scriptKey(a) === scriptKey(b);
}

function sumOf(cells: readonly { capacity: bigint }[]): bigint {
  return cells.reduce((sum, cell) => sum + cell.capacity, 0n);
}

/** How a block changed the live cells, so that a fork can undo it. */
interface Effect {
  spent: LiveCell[];
  made: LiveCell[];
}

class LiveCells {
  readonly #byOwner = new Map<string, Map<string, LiveCell>>();

  of(owner: NodeScript): Iterable<LiveCell> {
    return this.#byOwner.get(scriptKey(owner))?.values() ?? [];
  }

  get(cell: LiveCell): LiveCell | undefined {
    return this.#byOwner.get(scriptKey(cell.output.lock))?.get(cellKey(cell.outPoint));
  }

  add(cell: LiveCell): void {
    const owner = scriptKey(cell.output.lock);
    let cells = this.#byOwner.get(owner);
    if (!cells) {
      cells = new Map();
      this.#byOwner.set(owner, cells);
    }
    cells.set(cellKey(cell.outPoint), cell);
  }

  remove(cell: LiveCell): void {
    const owner = scriptKey(cell.output.lock);
    const cells = this.#byOwner.get(owner);
    cells?.delete(cellKey(cell.outPoint));
    if (cells?.size === 0) this.#byOwner.delete(owner);
  }

  *all(): Generator<LiveCell> {
    for (const cells of this.#byOwner.values()) yield* cells.values();
  }

  copy(): LiveCells {
    const copy = new LiveCells();
    for (const [owner, cells] of this.#byOwner) copy.#byOwner.set(owner, new Map(cells));
    return copy;
  }

  /** Undoes effects, the last one first. */
  undo(effects: readonly Effect[]): void {
    for (const { spent, made } of effects.toReversed()) {
      // A cell created and spent by one effect must be gone at the end: restore first, then remove.
      for (const cell of spent) this.add(cell);
      for (const cell of made) this.remove(cell);
    }
  }
}

export interface BuilderOptions {
  /** When the block of a height is made, in milliseconds since the Unix epoch; by default every 10 seconds from 2026 on. */
  timeOf?: ((height: number) => number) | undefined;
  /** The cells of block 0; by default, ten cells of 10^9 CKB for the treasury. */
  genesis?: readonly CellSpec[] | undefined;
  /** Shannons that a block's miner gets in addition to the fees; 100 CKB by default. */
  reward?: bigint | undefined;
  miner?: NodeScript | undefined;
  /** The first height with a reward, 1 by default; on CKB's public networks it is 12. */
  rewardFrom?: number | undefined;
  /** In blocks; 1,000 by default. */
  epochLength?: number | undefined;
}

export interface BlockOptions {
  /** Transactions made elsewhere, for example on another branch, to add after the waiting ones. */
  transactions?: readonly NodeTransaction[] | undefined;
  timestamp?: number | undefined;
  miner?: NodeScript | undefined;
  /** `0x` hex; none by default. */
  extension?: string | undefined;
  /** Short ids, `0x` and 20 hex digits. */
  proposals?: readonly string[] | undefined;
  uncles?: readonly NodeUncle[] | undefined;
}

interface Waiting {
  transaction: NodeTransaction;
  hashes: HashedTransaction;
  /** Capacity of the inputs minus capacity of the outputs, in shannons. */
  fee: bigint;
}

const FEE = 1000n;

/** Builds a chain block by block; see the top of this file. */
export class ChainBuilder {
  readonly #options: Required<Omit<BuilderOptions, "genesis">>;
  /** From block `#lowest` to the tip, like `#effects` and `#issued`. */
  #chain: NodeBlock[] = [];
  #lowest = 0;
  #effects: Effect[] = [];
  #live = new LiveCells();
  #waiting: Waiting[] = [];
  #waitingEffects: Effect[] = [];
  /** Shannons issued up to each block. */
  #issued: bigint[] = [];
  /** Distinguishes the blocks of branches that are otherwise the same. */
  #branch = 0;
  #branches = { count: 1 };

  constructor(options: BuilderOptions = {}) {
    this.#options = {
      timeOf: options.timeOf ?? ((height) => Date.UTC(2026, 0, 1) + height * 10_000),
      reward: options.reward ?? 100n * CKB,
      miner: options.miner ?? account("miner"),
      rewardFrom: options.rewardFrom ?? 1,
      epochLength: options.epochLength ?? 1000,
    };
    const gifts =
      options.genesis ?? Array.from({ length: 10 }, () => ({ lock: treasury, capacity: 10n ** 9n * CKB }));
    const cells = gifts.map(toCell);
    this.#seal(this.#cellbase(0, this.#options.miner, cells), cells, {});
  }

  /** From height 0, or from the lowest block kept, to the tip. */
  get blocks(): readonly NodeBlock[] {
    return this.#chain;
  }

  get tip(): NodeBlock {
    return this.#chain[this.#chain.length - 1]!;
  }

  get height(): number {
    return this.#lowest + this.#chain.length - 1;
  }

  /** The live cells of one owner or of all, including those of waiting transactions; oldest first. */
  liveCells(owner?: NodeScript): LiveCell[] {
    return [...(owner ? this.#live.of(owner) : this.#live.all())];
  }

  balance(owner: NodeScript, token: NodeScript): bigint {
    let sum = 0n;
    for (const cell of this.#live.of(owner)) {
      if (cell.output.type && sameScript(cell.output.type, token)) sum += amountOf(cell);
    }
    return sum;
  }

  /** A builder that shares the blocks up to `height` and has no waiting transactions. */
  fork(height: number): ChainBuilder {
    if (height < this.#lowest || height > this.height) throw new RangeError(`no block at height ${height}`);
    const other = new ChainBuilder({ ...this.#options, genesis: [] });
    const kept = height + 1 - this.#lowest;
    other.#lowest = this.#lowest;
    other.#chain = this.#chain.slice(0, kept);
    other.#effects = this.#effects.slice(0, kept);
    other.#issued = this.#issued.slice(0, kept);
    other.#live = this.#live.copy();
    other.#live.undo([...this.#effects.slice(kept), ...this.#waitingEffects]);
    other.#branches = this.#branches;
    other.#branch = this.#branches.count++;
    return other;
  }

  /** Forgets all but the newest `count` blocks, so that a chain can grow for long. The cells stay. */
  keep(count: number): void {
    const excess = this.#chain.length - count;
    if (excess <= 0) return;
    for (const list of [this.#chain, this.#effects, this.#issued]) list.splice(0, excess);
    this.#lowest += excess;
  }

  /**
   * Makes a transaction of exactly these inputs and outputs. The rest after the fee goes to `change`, or to the fee
   * without it. Throws if an input is not live, or if the outputs exceed the inputs' capacity. Tokens need not add up.
   */
  transaction(spec: {
    inputs: readonly LiveCell[];
    outputs: readonly CellSpec[];
    change?: NodeScript | undefined;
    /** Cells that the transaction refers to without spending them. */
    references?: readonly LiveCell[] | undefined;
    /** `0x` hex; by default one with room for a signature. */
    witnesses?: readonly string[] | undefined;
  }): Made {
    const outputs = spec.outputs.map(toCell);
    if (spec.change) {
      const rest = sumOf(spec.inputs) - sumOf(outputs) - FEE;
      if (rest >= leastCapacity({ lock: spec.change })) {
        outputs.push(toCell({ lock: spec.change, capacity: rest }));
      }
    }
    const transaction: NodeTransaction = {
      hash: ZERO_HASH,
      version: "0x0",
      cell_deps: [
        DEFAULT_CELL_DEP,
        ...(spec.references ?? []).map((cell) => ({ dep_type: "code" as const, out_point: cell.outPoint })),
      ],
      header_deps: [],
      inputs: spec.inputs.map(inputOf),
      outputs: outputs.map((cell) => cell.output),
      outputs_data: outputs.map((cell) => cell.data),
      witnesses: [...(spec.witnesses ?? [BLANK_WITNESS])],
    };
    return this.#admit(transaction, spec.inputs, outputs);
  }

  /**
   * Moves CKB or a token: `amount` is in shannons or in the token's smallest unit. By default, the treasury sends the
   * minimum capacity of a cell. `payer` pays for capacity and fee: the treasury for tokens, the sender for CKB.
   */
  transfer(spec: {
    to: NodeScript;
    from?: NodeScript | undefined;
    amount?: bigint | undefined;
    token?: NodeScript | undefined;
    payer?: NodeScript | undefined;
  }): Made {
    const from = spec.from ?? treasury;
    const payer = spec.payer ?? (spec.token ? treasury : from);
    if (!spec.token) return this.#funded([], [{ lock: spec.to, capacity: spec.amount }], payer);
    const amount = spec.amount ?? 1n;
    return this.#moveToken(
      from,
      spec.token,
      amount,
      [{ lock: spec.to, type: spec.token, data: amountData(amount) }],
      payer,
    );
  }

  /**
   * Mints an amount of a token. `info` adds a Unique cell that names the token, for its first mint. The issuer, or
   * whoever mints from an inscription, spends a cell of its own, as the scripts require.
   */
  mint(spec: {
    token: NodeScript;
    to: NodeScript | readonly { lock: NodeScript; amount: bigint }[];
    amount?: bigint | undefined;
    info?: TokenText | undefined;
    /** The Unique cell's data, for malformed ones. */
    infoData?: string | undefined;
    issuer?: NodeScript | undefined;
  }): Made {
    const issuer = spec.issuer ?? treasury;
    const receivers = "code_hash" in spec.to ? [{ lock: spec.to, amount: spec.amount ?? 1n }] : spec.to;
    const outputs: CellSpec[] = receivers.map(({ lock, amount }) => ({
      lock,
      type: spec.token,
      data: amountData(amount),
    }));
    const data = spec.infoData ?? (spec.info ? uniqueData(spec.info) : undefined);
    if (data === undefined) return this.#funded([], outputs, issuer);
    return this.#funded([], outputs, issuer, (first) => [
      // A Unique cell's args are the first 20 bytes of a type id.
      {
        lock: issuer,
        type: { ...UNIQUE, args: typeId(first, outputs.length).slice(0, 42) },
        data,
      },
    ]);
  }

  /** Makes an inscription's info cell, which names the inscription's token; returns the token's type script, too. */
  inscription(
    spec: TokenText & { supply: bigint; mintLimit: bigint; owner?: NodeScript | undefined },
  ): Made & { token: NodeScript } {
    const owner = spec.owner ?? treasury;
    let token: NodeScript | undefined;
    const made = this.#funded([], [], owner, (first) => {
      const type: NodeScript = { ...INSCRIPTION_INFO, args: typeId(first, 0) };
      token = inscribedTokens(type, "testnet")[0]!;
      return [{ lock: owner, type, data: inscriptionData({ ...spec, tokenId: tokenId(token) }) }];
    });
    return { ...made, token: token! };
  }

  burn(spec: {
    token: NodeScript;
    from?: NodeScript | undefined;
    amount: bigint;
    payer?: NodeScript | undefined;
  }): Made {
    return this.#moveToken(spec.from ?? treasury, spec.token, spec.amount, [], spec.payer ?? treasury);
  }

  /** Makes a Spore; returns its id too. */
  spore(
    spec: {
      to?: NodeScript | undefined;
      contentType?: string | undefined;
      content?: string | Uint8Array | undefined;
      cluster?: LiveCell | undefined;
      payer?: NodeScript | undefined;
    } = {},
  ): Made & { id: string } {
    const made = this.spores({ ...spec, contents: [spec.content ?? "a spore"] });
    return { ...made, id: made.ids[0]! };
  }

  /** Makes several Spores in one transaction. */
  spores(spec: {
    contents: readonly (string | Uint8Array)[];
    to?: NodeScript | undefined;
    contentType?: string | undefined;
    cluster?: LiveCell | undefined;
    payer?: NodeScript | undefined;
  }): Made & { ids: string[] } {
    const ids: string[] = [];
    const made = this.#funded(
      [],
      [],
      spec.payer ?? treasury,
      (first) =>
        spec.contents.map((content, index) => {
          const id = typeId(first, index);
          ids[index] = id;
          return {
            lock: spec.to ?? treasury,
            type: sporeType(id),
            data: sporeData(spec.contentType ?? "text/plain", content, spec.cluster?.output.type?.args),
          };
        }),
      spec.cluster ? [spec.cluster] : [],
    );
    return { ...made, ids };
  }

  /** Makes a cluster; returns its id too, and its cell for Spores to refer to. */
  cluster(spec: {
    name: string;
    description?: string | undefined;
    owner?: NodeScript | undefined;
    payer?: NodeScript | undefined;
  }): Made & { id: string; cell: LiveCell } {
    let id = "";
    const made = this.#funded([], [], spec.payer ?? treasury, (first) => {
      id = typeId(first, 0);
      return [
        {
          lock: spec.owner ?? treasury,
          type: clusterType(id),
          data: clusterData(spec.name, spec.description ?? ""),
        },
      ];
    });
    return { ...made, id, cell: made.cells[0]! };
  }

  /** Makes cells; `payer` pays for them. */
  create(cells: readonly CellSpec[], payer: NodeScript = treasury): Made {
    return this.#funded([], cells, payer);
  }

  /** Puts capacity into the Nervos DAO. */
  deposit(spec: { owner: NodeScript; capacity: bigint; payer?: NodeScript | undefined }): Made {
    const { owner: lock, capacity } = spec;
    return this.create([{ lock, type: DAO, data: `0x${uint64(0n)}`, capacity }], spec.payer);
  }

  /** Asks for a deposit back, which the chain then pays at the end of its period. `payer` pays the fee. */
  withdraw(spec: { deposit: LiveCell; depositedAt: number; payer?: NodeScript | undefined }): Made {
    const { output, capacity } = spec.deposit;
    const data = `0x${uint64(BigInt(spec.depositedAt))}`;
    const withdrawing = { lock: output.lock, type: output.type, data, capacity };
    return this.#funded([spec.deposit], [withdrawing], spec.payer ?? treasury);
  }

  /** Moves cells unchanged to another owner; `payer` pays the fee. */
  move(spec: { cells: readonly LiveCell[]; to: NodeScript; payer?: NodeScript | undefined }): Made {
    const outputs = spec.cells.map(({ output, data, capacity }) => {
      const least = leastCapacity({ lock: spec.to, type: output.type, data });
      return { lock: spec.to, type: output.type, data, capacity: maximum(capacity, least) };
    });
    return this.#funded(spec.cells, outputs, spec.payer ?? treasury);
  }

  /** Destroys the contents of cells; their capacity goes to `to`. */
  melt(spec: { cells: readonly LiveCell[]; to?: NodeScript | undefined }): Made {
    const to = spec.to ?? spec.cells[0]?.output.lock ?? treasury;
    return this.transaction({ inputs: spec.cells, outputs: [], change: to });
  }

  /** Adds a transaction of another branch to the next block of this one. Throws if an input is not live here. */
  include(transaction: NodeTransaction): Made {
    const wanted = new Set(transaction.inputs.map((input) => cellKey(input.previous_output)));
    const found = new Map<string, LiveCell>();
    for (const cell of this.#live.all()) {
      const key = cellKey(cell.outPoint);
      if (wanted.has(key)) found.set(key, cell);
    }
    const inputs = transaction.inputs.map((input) => {
      const cell = found.get(cellKey(input.previous_output));
      if (!cell) throw new Error(`${cellKey(input.previous_output)} is not live on this branch`);
      return cell;
    });
    const outputs = transaction.outputs.map((output, index) => ({
      output,
      data: transaction.outputs_data[index]!,
      capacity: BigInt(output.capacity),
    }));
    return this.#admit(transaction, inputs, outputs);
  }

  /** Makes a block of the miner's reward and the waiting transactions. It becomes the tip. */
  block(options: BlockOptions = {}): NodeBlock {
    for (const transaction of options.transactions ?? []) this.include(transaction);
    const height = this.height + 1;
    const fees = this.#waiting.reduce((sum, { fee }) => sum + fee, 0n);
    const miner = options.miner ?? this.#options.miner;
    const cells =
      height < this.#options.rewardFrom
        ? []
        : [
            toCell({
              lock: miner,
              capacity: maximum(this.#options.reward + fees, leastCapacity({ lock: miner })),
            }),
          ];
    return this.#seal(this.#cellbase(height, miner, cells), cells, options);
  }

  /** Makes `count` blocks that contain only their reward. */
  emptyBlocks(count: number): void {
    for (let made = 0; made < count; made++) this.block();
  }

  #cellbase(height: number, miner: NodeScript, cells: readonly UnplacedCell[]): NodeTransaction {
    return {
      hash: ZERO_HASH,
      version: "0x0",
      cell_deps: [],
      header_deps: [],
      inputs: [{ previous_output: { tx_hash: ZERO_HASH, index: "0xffffffff" }, since: hex(height) }],
      outputs: cells.map((cell) => cell.output),
      outputs_data: cells.map((cell) => cell.data),
      witnesses: [
        bytesToHex(table([serializeScript(miner), sized(encoder.encode(`branch ${this.#branch}`))])),
      ],
    };
  }

  #seal(cellbase: NodeTransaction, cells: readonly UnplacedCell[], options: BlockOptions): NodeBlock {
    const height = this.height + 1;
    const hashes = hashTransaction(serializeTransaction(cellbase));
    cellbase.hash = bytesToHex(hashes.hash);
    const made = placed(cellbase.hash, cells);
    for (const cell of made) this.#live.add(cell);

    const transactions = [cellbase, ...this.#waiting.map(({ transaction }) => transaction)];
    const uncles = [...(options.uncles ?? [])];
    const proposals = [...(options.proposals ?? [])];
    const burnt = this.#waiting.reduce((sum, { fee }) => sum + fee, 0n);
    const issued = (this.#issued.at(-1) ?? 0n) + sumOf(cells) - burnt;
    const parent = this.#chain.at(-1)?.header;
    const header: NodeBlock["header"] = {
      hash: ZERO_HASH,
      version: "0x0",
      compact_target: "0x20010000",
      timestamp: hex(options.timestamp ?? this.#options.timeOf(height)),
      number: hex(height),
      epoch: epochAt(height, this.#options.epochLength),
      parent_hash: parent?.hash ?? ZERO_HASH,
      transactions_root: bytesToHex(transactionsRoot([hashes, ...this.#waiting.map((each) => each.hashes)])),
      proposals_hash: proposalsHash(proposals),
      extra_hash: extraHash(uncles, options.extension),
      dao: daoField(issued, height),
      nonce: hex(this.#branch),
    };
    header.hash = headerHash(header);
    const block: NodeBlock = { header, uncles, proposals, transactions };
    if (options.extension !== undefined) block.extension = options.extension;

    this.#chain.push(block);
    this.#issued.push(issued);
    this.#effects.push({
      spent: this.#waitingEffects.flatMap(({ spent }) => spent),
      made: [...made, ...this.#waitingEffects.flatMap((effect) => effect.made)],
    });
    this.#waiting = [];
    this.#waitingEffects = [];
    return block;
  }

  #admit(transaction: NodeTransaction, inputs: readonly LiveCell[], outputs: readonly UnplacedCell[]): Made {
    if (inputs.length === 0) throw new Error("a transaction needs an input");
    const keys = new Set<string>();
    for (const input of inputs) {
      const key = cellKey(input.outPoint);
      if (!this.#live.get(input) || keys.has(key)) throw new Error(`${key} is not live`);
      keys.add(key);
    }
    const fee = sumOf(inputs) - sumOf(outputs);
    if (fee < 0n) throw new Error(`the outputs have ${-fee} shannons more than the inputs`);

    const hashes = hashTransaction(serializeTransaction(transaction));
    const hash = bytesToHex(hashes.hash);
    transaction.hash = hash;
    const cells = placed(hash, outputs);
    for (const input of inputs) this.#live.remove(input);
    for (const cell of cells) this.#live.add(cell);
    this.#waiting.push({ transaction, hashes, fee });
    this.#waitingEffects.push({ spent: [...inputs], made: cells });
    return { hash, transaction, cells };
  }

  /**
   * Makes a transaction that the payer's plain cells fund; the rest returns to the payer. The outputs of `more` can
   * depend on the first input.
   */
  #funded(
    inputs: readonly LiveCell[],
    outputs: readonly CellSpec[],
    payer: NodeScript,
    more: (first: LiveCell) => CellSpec[] = () => [],
    references: readonly LiveCell[] = [],
  ): Made {
    const chosen = [...inputs];
    let have = sumOf(inputs);
    const change = leastCapacity({ lock: payer });
    const needed = (specs: readonly CellSpec[]) =>
      specs.reduce((sum, spec) => sum + (spec.capacity ?? leastCapacity(spec)), 0n);
    let wanted = needed(outputs) + FEE + change;
    let all: readonly CellSpec[] | undefined;
    const complete = () => {
      const [first] = chosen;
      if (first && !all) {
        const added = more(first);
        all = [...outputs, ...added];
        wanted += needed(added);
      }
      return all !== undefined && have >= wanted;
    };
    if (!complete()) {
      const taken = new Set(inputs.map((cell) => cellKey(cell.outPoint)));
      for (const cell of this.#live.of(payer)) {
        if (cell.output.type !== null || cell.data !== "0x" || taken.has(cellKey(cell.outPoint))) continue;
        chosen.push(cell);
        have += cell.capacity;
        if (complete()) break;
      }
    }
    if (!all || have < wanted) throw new Error(`the payer has too little: ${have} of ${wanted} shannons`);
    return this.transaction({ inputs: chosen, outputs: all, change: payer, references });
  }

  #moveToken(
    from: NodeScript,
    token: NodeScript,
    amount: bigint,
    outputs: readonly CellSpec[],
    payer: NodeScript,
  ): Made {
    const inputs: LiveCell[] = [];
    let have = 0n;
    for (const cell of this.#live.of(from)) {
      if (have >= amount && inputs.length > 0) break;
      if (!cell.output.type || !sameScript(cell.output.type, token)) continue;
      inputs.push(cell);
      have += amountOf(cell);
    }
    if (have < amount) throw new Error(`the sender has too little of the token: ${have} of ${amount}`);
    const rest = have - amount;
    const change = rest > 0n ? [{ lock: from, type: token, data: amountData(rest) }] : [];
    return this.#funded(inputs, [...outputs, ...change], payer);
  }
}

type UnplacedCell = Omit<LiveCell, "outPoint">;

function toCell(spec: CellSpec): UnplacedCell {
  const capacity = spec.capacity ?? leastCapacity(spec);
  return {
    output: { capacity: hex(capacity), lock: spec.lock, type: spec.type ?? null },
    data: spec.data ?? "0x",
    capacity,
  };
}

function placed(hash: string, cells: readonly UnplacedCell[]): LiveCell[] {
  return cells.map((cell, index) => ({ ...cell, outPoint: { tx_hash: hash, index: hex(index) } }));
}

function maximum(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Number, index and length, packed as in RFC 17; all zero for block 0. */
function epochAt(height: number, length: number): string {
  if (height === 0) return "0x0";
  return hex(
    (BigInt(length) << 40n) | (BigInt(height % length) << 24n) | BigInt(Math.floor(height / length)),
  );
}

/** About what the accumulated rate grew by with each of mainnet's first blocks. */
const RATE_GROWTH = 10n ** 8n;

/** RFC 23's header field. Capacity that is occupied or not yet issued is not counted. */
function daoField(issued: bigint, height: number): string {
  return `0x${uint64(issued)}${uint64(10n ** 16n + BigInt(height) * RATE_GROWTH)}${uint64(0n)}${uint64(0n)}`;
}
