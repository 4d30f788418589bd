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
import { type HashedTransaction, hashTransaction, ZERO_HASH } from "#lib/chains/ckb/hashes.ts";
import { bytesToHex } from "#lib/chains/ckb/hex.ts";
import { serializeScript, serializeTransaction, sized, table } from "#lib/chains/ckb/molecule.ts";
import type * as Node from "#lib/chains/ckb/schema.ts";
import { type Effect, headerOf, LiveCells, transactionOf } from "#lib/chains/ckb/testing/block-parts.ts";
import {
  account,
  amountData,
  amountOf,
  BLANK_WITNESS,
  type CellSpec,
  CKB,
  capacityOf,
  clusterType,
  DAO,
  DEFAULT_CELL_DEP,
  fields,
  hex,
  INSCRIPTION_INFO,
  inputOf,
  isPlain,
  keyOf,
  type LiveCell,
  leastCapacity,
  littleEndian,
  maximum,
  placed,
  scriptKey,
  sporeData,
  sporeType,
  sumOf,
  type TokenText,
  toCell,
  tokenId,
  treasury,
  typeId,
  UNIQUE,
  type UnplacedCell,
  uint64,
  uniqueData,
} from "#lib/chains/ckb/testing/cells.ts";
import { extraHash } from "#lib/chains/ckb/testing/node-hashes.ts";
import { inscribedTokens } from "#lib/chains/ckb/tokens.ts";

type Script = Node.NodeScript;

/** A transaction for the next block, and the cells that it creates. */
interface Made {
  hash: string;
  transaction: Node.NodeTransaction;
  cells: LiveCell[];
}

const defaults = {
  /** The time of the block at a height, in milliseconds since the Unix epoch. */
  timeOf: (height: number) => Date.UTC(2026, 0, 1) + height * 10_000,
  /** The cells of block 0. */
  genesis: Array.from({ length: 10 }, (): CellSpec => ({ lock: treasury, capacity: 10n ** 9n * CKB })),
  /** Shannons that a block's miner gets in addition to the fees. */
  reward: 100n * CKB,
  miner: account("miner"),
  /** The first height with a reward; on CKB's public networks it is 12. */
  rewardFrom: 1,
  /** Length of an epoch in blocks. */
  epochLength: 1000,
};

interface BlockOptions {
  /** Transactions made elsewhere, for example on another branch, to add after the waiting ones. */
  transactions?: readonly Node.NodeTransaction[];
  timestamp?: number;
  miner?: Script;
  /** `0x` hex; none by default. */
  extension?: string;
  /** Short ids, `0x` and 20 hex digits. */
  proposals?: string[];
  uncles?: Node.NodeUncle[];
}

interface Waiting extends Effect {
  transaction: Node.NodeTransaction;
  hashes: HashedTransaction;
  /** Capacity of the inputs minus capacity of the outputs, in shannons. */
  fee: bigint;
}

const FEE = 1000n;

/** Builds a chain block by block; see the top of this file. */
export class ChainBuilder {
  readonly #options: typeof defaults;
  /** The blocks from `#lowest` to the tip, like `#effects`. */
  #chain: Node.NodeBlock[] = [];
  #lowest = 0;
  /** The changes of each block, with the shannons issued up to it. */
  #effects: (Effect & { issued: bigint })[] = [];
  #live = new LiveCells();
  #waiting: Waiting[] = [];
  /** Distinguishes the blocks of branches that are otherwise the same. */
  #branch = 0;
  #branches = { count: 1 };

  constructor(options: Partial<typeof defaults> = {}) {
    this.#options = { ...defaults, ...options };
    this.#seal(this.#options.miner, this.#options.genesis.map(toCell), {});
  }

  /** The blocks from height 0, or from the lowest one that is still here, to the tip. */
  get blocks(): readonly Node.NodeBlock[] {
    return this.#chain;
  }

  get tip(): Node.NodeBlock {
    return this.#chain.at(-1)!;
  }

  get height(): number {
    return this.#lowest + this.#chain.length - 1;
  }

  /** The live cells of one owner or of all, including those of waiting transactions; oldest first. */
  liveCells(owner?: Script): LiveCell[] {
    return [...(owner ? this.#live.of(owner) : this.#live.all())];
  }

  *#tokenCells(owner: Script, token: Script): Generator<LiveCell> {
    const key = scriptKey(token);
    for (const cell of this.#live.of(owner)) {
      if (cell.output.type && scriptKey(cell.output.type) === key) yield cell;
    }
  }

  balance(owner: Script, token: Script): bigint {
    let sum = 0n;
    for (const cell of this.#tokenCells(owner, token)) sum += amountOf(cell);
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
    other.#live = this.#live.copy();
    for (const { spent, made } of [...this.#effects.slice(kept), ...this.#waiting].reverse()) {
      // A cell created and spent by one effect must be gone at the end: restore first, then remove.
      other.#live.change([], spent);
      other.#live.change(made, []);
    }
    other.#branches = this.#branches;
    other.#branch = this.#branches.count++;
    return other;
  }

  /** Forgets all but the newest `count` blocks, so that a chain can grow for long. The cells stay. */
  keep(count: number): void {
    const excess = Math.max(0, this.#chain.length - count);
    for (const list of [this.#chain, this.#effects]) list.splice(0, excess);
    this.#lowest += excess;
  }

  /**
   * Makes a transaction of exactly these inputs and outputs. The rest after the fee goes to `change`, or to the fee
   * without it. Throws if an input is not live, or if the outputs exceed the inputs' capacity. Tokens need not add up.
   */
  transaction(spec: {
    inputs: readonly LiveCell[];
    outputs: readonly CellSpec[];
    change?: Script | undefined;
    /** Cells that the transaction refers to without spending them. */
    references?: readonly LiveCell[] | undefined;
    /** `0x` hex; by default one with room for a signature. */
    witnesses?: string[];
  }): Made {
    const { inputs, change, references = [], witnesses = [BLANK_WITNESS] } = spec;
    const outputs = spec.outputs.map(toCell);
    const rest = sumOf(inputs) - sumOf(outputs) - FEE;
    if (change && rest >= leastCapacity({ lock: change }))
      outputs.push(toCell({ lock: change, capacity: rest }));
    const referred = references.map(({ outPoint }) => ({ dep_type: "code" as const, out_point: outPoint }));
    const transaction = transactionOf(inputs.map(inputOf), outputs, witnesses, [
      DEFAULT_CELL_DEP,
      ...referred,
    ]);
    return this.#admit(transaction, inputs, outputs);
  }

  /**
   * Moves CKB or a token: `amount` is in shannons or in the token's smallest unit. By default, the treasury sends the
   * minimum capacity of a cell. `payer` pays for capacity and fee: the treasury for tokens, the sender for CKB.
   */
  transfer(spec: {
    to: Script;
    from?: Script | undefined;
    amount?: bigint | undefined;
    token?: Script | undefined;
    payer?: Script | undefined;
  }): Made {
    const { to, from = treasury, amount, token } = spec;
    if (token) return this.#moveToken({ ...spec, token, amount: amount ?? 1n }, to);
    return this.#funded([], [{ lock: to, capacity: amount }], spec.payer ?? from);
  }

  /**
   * Mints an amount of a token. `info` adds a Unique cell that names the token, for its first mint. The issuer, or
   * whoever mints from an inscription, spends a cell of its own, as the scripts require.
   */
  mint(spec: {
    token: Script;
    to: Script | readonly { lock: Script; amount: bigint }[];
    amount?: bigint;
    info?: TokenText | undefined;
    /** The Unique cell's data, for malformed ones. */
    infoData?: string | undefined;
    issuer?: Script;
  }): Made {
    const { token: type, to, amount = 1n, info, issuer: lock = treasury } = spec;
    const data = spec.infoData ?? (info && uniqueData(info));
    const outputs = ("args" in to ? [{ lock: to, amount }] : to).map(
      (each): CellSpec => ({ lock: each.lock, type, data: amountData(each.amount) }),
    );
    if (data === undefined) return this.#funded([], outputs, lock);
    // A Unique cell's args are the first 20 bytes of a type id.
    const unique = (first: LiveCell) => ({ ...UNIQUE, args: typeId(first, outputs.length).slice(0, 42) });
    return this.#funded([], (first) => [...outputs, { lock, type: unique(first), data }], lock);
  }

  /** Makes an inscription's info cell, which names the inscription's token; returns the token's type script, too. */
  inscription(
    spec: TokenText & { supply: bigint; mintLimit: bigint; owner?: Script | undefined },
  ): Made & { token: Script } {
    const { owner: lock = treasury, supply, mintLimit } = spec;
    const tokenOf = (type: Script) => inscribedTokens(type, "testnet")[0]!;
    const limits = littleEndian(supply, 16) + littleEndian(mintLimit, 16);
    const info = (first: LiveCell) => {
      const type = { ...INSCRIPTION_INFO, args: typeId(first, 0) };
      return [{ lock, type, data: `${uniqueData(spec)}${tokenId(tokenOf(type)).slice(2)}${limits}00` }];
    };
    const made = this.#funded([], info, lock);
    return { ...made, token: tokenOf(made.cells[0]!.output.type!) };
  }

  burn(spec: { token: Script; amount: bigint; from?: Script; payer?: Script }): Made {
    return this.#moveToken(spec);
  }

  /** Makes a Spore; returns its id too. */
  spore(spec: SporeSpec & { content?: string | Uint8Array } = {}): Made & { id: string } {
    const made = this.spores({ ...spec, contents: [spec.content ?? "a spore"] });
    return { ...made, id: made.cells[0]!.output.type!.args };
  }

  /** Makes several Spores in one transaction. */
  spores(spec: SporeSpec & { contents: readonly (string | Uint8Array)[] }): Made {
    const { to: lock = treasury, contentType = "text/plain", cluster, payer } = spec;
    const data = spec.contents.map((each) => sporeData(contentType, each, cluster?.output.type?.args));
    const outputs = (first: LiveCell) =>
      data.map((each, index) => ({ lock, type: sporeType(typeId(first, index)), data: each }));
    return this.#funded([], outputs, payer, cluster && [cluster]);
  }

  /** Makes a cluster (version 2); returns its cell for Spores to refer to. */
  cluster(spec: {
    name: string;
    description?: string;
    owner?: Script;
    payer?: Script;
  }): Made & { cell: LiveCell } {
    const { name, description = "", owner: lock = treasury, payer } = spec;
    const data = fields(name, description, undefined);
    const made = this.#funded([], (first) => [{ lock, type: clusterType(typeId(first, 0)), data }], payer);
    return { ...made, cell: made.cells[0]! };
  }

  /** Makes cells; `payer` pays for them. */
  create(cells: readonly CellSpec[], payer?: Script): Made {
    return this.#funded([], cells, payer);
  }

  /** Puts capacity into the Nervos DAO. */
  deposit({ owner: lock, capacity, payer }: { owner: Script; capacity: bigint; payer?: Script }): Made {
    return this.create([{ lock, type: DAO, data: `0x${uint64(0n)}`, capacity }], payer);
  }

  /** Asks for a deposit back, which the chain then pays at the end of its period. `payer` pays the fee. */
  withdraw(spec: { deposit: LiveCell; depositedAt: number; payer?: Script }): Made {
    const { output, capacity } = spec.deposit;
    const data = `0x${uint64(BigInt(spec.depositedAt))}`;
    return this.#funded([spec.deposit], [{ ...output, data, capacity }], spec.payer);
  }

  /** Moves cells unchanged to another owner; `payer` pays the fee. */
  move({ cells, to: lock, payer }: { cells: readonly LiveCell[]; to: Script; payer?: Script }): Made {
    const outputs = cells.map(({ output: { type }, data, capacity }) => {
      const moved = { lock, type, data };
      return { ...moved, capacity: maximum(capacity, leastCapacity(moved)) };
    });
    return this.#funded(cells, outputs, payer);
  }

  /** Destroys the contents of cells; their capacity goes to `to`. */
  melt({ cells, to }: { cells: readonly LiveCell[]; to?: Script }): Made {
    return this.transaction({ inputs: cells, outputs: [], change: to ?? cells[0]?.output.lock });
  }

  /** Adds a transaction of another branch to the next block of this one. Throws if an input is not live here. */
  include(transaction: Node.NodeTransaction): Made {
    const wanted = new Set(transaction.inputs.map((input) => keyOf(input.previous_output)));
    const found = new Map<string, LiveCell>();
    for (const cell of this.#live.all()) {
      const key = keyOf(cell.outPoint);
      if (wanted.has(key)) found.set(key, cell);
    }
    const inputs = transaction.inputs.map(({ previous_output }) => {
      const key = keyOf(previous_output);
      const cell = found.get(key);
      if (!cell) throw new Error(`${key} is not live on this branch`);
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
  block(options: BlockOptions = {}): Node.NodeBlock {
    for (const transaction of options.transactions ?? []) this.include(transaction);
    const { reward, rewardFrom } = this.#options;
    const lock = options.miner ?? this.#options.miner;
    const capacity = maximum(reward + this.#fees(), leastCapacity({ lock }));
    return this.#seal(lock, this.height + 1 < rewardFrom ? [] : [toCell({ lock, capacity })], options);
  }

  /** Makes `count` blocks that contain only their reward. */
  emptyBlocks(count: number): void {
    for (let made = 0; made < count; made++) this.block();
  }

  #fees(): bigint {
    return this.#waiting.reduce((sum, { fee }) => sum + fee, 0n);
  }

  #seal(miner: Script, cells: readonly UnplacedCell[], options: BlockOptions): Node.NodeBlock {
    const height = this.height + 1;
    const previous = { tx_hash: ZERO_HASH, index: "0xffffffff" };
    const witness = table([serializeScript(miner), sized(Buffer.from(`branch ${this.#branch}`))]);
    const cellbase = transactionOf([{ previous_output: previous, since: hex(height) }], cells, [
      bytesToHex(witness),
    ]);
    const hashes = hashTransaction(serializeTransaction(cellbase));
    cellbase.hash = bytesToHex(hashes.hash);
    const made = placed(cellbase.hash, cells);
    this.#live.change([], made);

    const { uncles = [], proposals = [], extension } = options;
    const issued = (this.#effects.at(-1)?.issued ?? 0n) + sumOf(cells) - this.#fees();
    const header = headerOf({
      height,
      timestamp: options.timestamp ?? this.#options.timeOf(height),
      parent: this.#chain.at(-1)?.header.hash ?? ZERO_HASH,
      transactions: [hashes, ...this.#waiting.map((each) => each.hashes)],
      proposals,
      extra: extraHash(uncles, extension),
      issued,
      epochLength: this.#options.epochLength,
      nonce: this.#branch,
    });
    const transactions = [cellbase, ...this.#waiting.map(({ transaction }) => transaction)];
    const block: Node.NodeBlock = { header, uncles, proposals, transactions };
    if (extension !== undefined) block.extension = extension;

    this.#chain.push(block);
    this.#effects.push({
      spent: this.#waiting.flatMap(({ spent }) => spent),
      made: [...made, ...this.#waiting.flatMap((waiting) => waiting.made)],
      issued,
    });
    this.#waiting = [];
    return block;
  }

  #admit(
    transaction: Node.NodeTransaction,
    spent: readonly LiveCell[],
    outputs: readonly UnplacedCell[],
  ): Made {
    if (spent.length === 0) throw new Error("a transaction needs an input");
    const keys = new Set<string>();
    for (const cell of spent) {
      const key = keyOf(cell.outPoint);
      if (!this.#live.has(cell) || keys.has(key)) throw new Error(`${key} is not live`);
      keys.add(key);
    }
    const fee = sumOf(spent) - sumOf(outputs);
    if (fee < 0n) throw new Error(`the outputs have ${-fee} shannons more than the inputs`);

    const hashes = hashTransaction(serializeTransaction(transaction));
    transaction.hash = bytesToHex(hashes.hash);
    const cells = placed(transaction.hash, outputs);
    this.#live.change(spent, cells);
    this.#waiting.push({ transaction, hashes, fee, spent: [...spent], made: cells });
    return { hash: transaction.hash, transaction, cells };
  }

  /**
   * Makes a transaction that the payer's plain cells fund; the rest returns to the payer. The outputs can depend on
   * the first input.
   */
  #funded(
    inputs: readonly LiveCell[],
    outputs: readonly CellSpec[] | ((first: LiveCell) => readonly CellSpec[]),
    payer = treasury,
    references?: readonly LiveCell[],
  ): Made {
    const chosen = [...inputs];
    const taken = new Set(inputs.map(({ outPoint }) => keyOf(outPoint)));
    let have = sumOf(inputs);
    let all: readonly CellSpec[] | undefined;
    let wanted = FEE + leastCapacity({ lock: payer });
    const isPaid = () => {
      const [first] = chosen;
      if (first && !all) {
        all = typeof outputs === "function" ? outputs(first) : outputs;
        wanted = all.reduce((sum, spec) => sum + capacityOf(spec), wanted);
      }
      return all !== undefined && have >= wanted;
    };
    for (const cell of this.#live.of(payer)) {
      if (isPaid()) break;
      if (!isPlain(cell) || taken.has(keyOf(cell.outPoint))) continue;
      chosen.push(cell);
      have += cell.capacity;
    }
    if (!isPaid()) throw new Error(`the payer has too little: ${have} of ${wanted} shannons`);
    return this.transaction({ inputs: chosen, outputs: all!, change: payer, references });
  }

  /** An amount without a receiver is burnt. */
  #moveToken(
    spec: { token: Script; amount: bigint; from?: Script | undefined; payer?: Script | undefined },
    to?: Script,
  ): Made {
    const { token: type, amount, from = treasury, payer } = spec;
    const inputs: LiveCell[] = [];
    let have = 0n;
    for (const cell of this.#tokenCells(from, type)) {
      if (have >= amount && inputs.length > 0) break;
      inputs.push(cell);
      have += amountOf(cell);
    }
    if (have < amount) throw new Error(`the sender has too little of the token: ${have} of ${amount}`);
    const outputs = to ? [{ lock: to, type, data: amountData(amount) }] : [];
    if (have > amount) outputs.push({ lock: from, type, data: amountData(have - amount) });
    return this.#funded(inputs, outputs, payer);
  }
}

interface SporeSpec {
  to?: Script | undefined;
  contentType?: string;
  cluster?: LiveCell | undefined;
  payer?: Script | undefined;
}
