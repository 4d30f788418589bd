import { type Output, outPointText, type TokenReference } from "#lib/contract/ledger.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import { alreadyStored } from "#lib/store/outputs.ts";
import type { ResolvedBlock, ResolvedInput, Tip } from "#lib/store/rows.ts";
import { heightOf, transactionId } from "#lib/store/transaction-id.ts";
import type { ClaimRow, Held, OutputRow, PlacedOutput, TrackedOutput, TransactionRecord } from "./rows.ts";
import { Sums } from "./sums.ts";
import { Touches } from "./touches.ts";

export const hasMoved = ({ id, storedId }: TransactionRecord): boolean =>
  storedId !== undefined && storedId !== id;

/**
 * Blocks to be stored. The stored blocks next to them, the outputs that they spend and those outputs' transactions are loaded
 * from the tables first. Then `add` fits the blocks together in memory.
 */
export class Batch {
  readonly blocks: ResolvedBlock[] = [];
  readonly transactions = new Map<string, TransactionRecord>();
  readonly addresses = new Map<string, { text: string; firstHeight: number }>();
  readonly references = new Map<string, TokenReference>();
  readonly claims: ClaimRow[] = [];
  readonly sums: Sums;
  readonly touches = new Touches();
  /** The lowest id of a transaction in the database. */
  lowestId = 0;
  readonly #nativeId: string;
  readonly #byId = new Map<number, TransactionRecord>();
  readonly #blocksAt = new Map<number, { hash: string; parentHash: string }>();
  /** Undefined if the blocks need not follow the tip. */
  #tip: Tip | null | undefined;

  constructor(chain: { nativeId: string; tip: Tip | null | undefined }) {
    this.#nativeId = chain.nativeId;
    this.#tip = chain.tip;
    this.sums = new Sums(chain.nativeId);
  }

  loadBlock(height: number, hash: string, parentHash: string): void {
    this.#blocksAt.set(height, { hash, parentHash });
  }

  holds({ height, hash }: ResolvedBlock): boolean {
    return this.#blocksAt.get(height)?.hash === hash;
  }

  loadTransaction(hash: string, id: number): void {
    if (this.transactions.has(hash)) return;
    this.#byId.set(id, this.#addRecord(hash, id, id));
  }

  loadOutput(row: OutputRow): void {
    track(this.#byId.get(row.transactionId)!, row.outputIndex, row, row, true);
  }

  /** Skips a block that is stored already. Throws ChainConflictError if it contradicts the tables or the batch. */
  add(block: ResolvedBlock): void {
    if (this.holds(block)) return;
    this.#checkPlace(block);
    this.#blocksAt.set(block.height, { hash: block.hash, parentHash: block.parentHash });
    if (this.#tip !== undefined) this.#tip = { height: block.height, hash: block.hash };
    this.blocks.push(block);
    const { height, transactions } = block;
    // `forEach` skips the holes in the sparse arrays of a remnant.
    transactions.forEach(({ hash, outputs, claims, minted }, index) => {
      const id = transactionId(height, index);
      this.#create(hash, outputs, id, height);
      for (const { assetId, outputIndex, name, symbol, decimals } of claims) {
        this.claims.push({ assetId, transactionId: id, outputIndex, name, symbol, decimals });
      }
      for (const assetId of minted) this.sums.mint(assetId, height);
    });
    // This needs a second pass: if a block's transactions are sorted by hash, an input may spend a later one.
    transactions.forEach(({ inputs }, index) => {
      const id = transactionId(height, index);
      for (let place = 0; place < inputs.length; place++) this.#spend(inputs[place]!, id, place, height);
    });
  }

  /** Outputs that the tables do not hold with their transaction's id yet. Those of one transaction follow each other. */
  *addedOutputs(): Generator<PlacedOutput> {
    for (const transaction of this.transactions.values()) {
      const { created, tracked } = transaction;
      for (let index = 0; index < created.length; index++) {
        const output = created[index];
        if (output && !tracked?.has(index)) yield place(transaction, index, this.#held(output), UNSPENT);
      }
      if (!tracked) continue;
      for (const [index, output] of tracked) {
        if (output.stored && !hasMoved(transaction)) continue;
        yield place(transaction, index, output.held, output);
      }
    }
  }

  /** Outputs that the tables hold as live, and that the batch spends. */
  *spentOutputs(): Generator<PlacedOutput> {
    for (const transaction of this.transactions.values()) {
      if (!transaction.tracked || hasMoved(transaction)) continue;
      for (const [index, output] of transaction.tracked) {
        if (output.stored && output.spentNow) yield place(transaction, index, output.held, output);
      }
    }
  }

  #checkPlace({ height, hash, parentHash }: ResolvedBlock): void {
    const here = this.#blocksAt.get(height);
    if (here) {
      throw new ChainConflictError(
        `Block ${hash} cannot be stored: height ${height} already holds ${here.hash}`,
      );
    }
    const below = this.#blocksAt.get(height - 1);
    if (below && below.hash !== parentHash) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) names ${parentHash} as its parent, but height ${height - 1} holds ${below.hash}`,
      );
    }
    const above = this.#blocksAt.get(height + 1);
    if (above && above.parentHash !== hash) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) is not the parent that the stored block ${height + 1} names`,
      );
    }
    const tip = this.#tip;
    if (tip && (tip.height !== height - 1 || tip.hash !== parentHash)) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) does not follow the tip, block ${tip.height} (${tip.hash})`,
      );
    }
  }

  #create(hash: string, outputs: readonly Output[], id: number, height: number): void {
    const record = this.#place(hash, id);
    record.created = outputs;
    // An iterator would create a pair for each output, a third of all objects here.
    for (let index = 0; index < outputs.length; index++) {
      const output = outputs[index];
      if (!output) continue;
      this.#mention(output, height);
      const spent = record.tracked?.get(index);
      this.touches.create(output.address.key, id);
      if (spent) {
        confirm(id, index, spent, this.#held(output));
        this.touches.end(output.address.key, id, spent.spentBy!);
      } else if (output.spendable === false) {
        track(record, index, this.#held(output), { spentBy: id, spentInput: null }, false);
        this.touches.end(output.address.key, id, id);
      } else this.sums.add(this.#held(output));
    }
  }

  /** The transaction's record, now with its place. It may have existed before: indexed blocks spend from it. */
  #place(hash: string, id: number): TransactionRecord {
    const record = this.transactions.get(hash);
    if (!record) return this.#addRecord(hash, id, undefined);
    if (record.id >= 0) throw alreadyStored(hash, record.id);
    record.id = id;
    return record;
  }

  #addRecord(hash: string, id: number, storedId: number | undefined): TransactionRecord {
    const record = { hash, id, storedId, created: NONE, tracked: undefined };
    this.transactions.set(hash, record);
    return record;
  }

  #spend(input: ResolvedInput, spentBy: number, spentInput: number, height: number): void {
    const { transactionHash, outputIndex } = input.outPoint;
    let creator = this.transactions.get(transactionHash);
    const tracked = creator?.tracked?.get(outputIndex);
    const created = creator?.created[outputIndex];
    if (tracked ? tracked.spentBy !== null : creator && creator.id >= 0 && !created) {
      const fault = !tracked
        ? "does not exist"
        : tracked.spentBy === creator!.id
          ? "cannot be spent"
          : "is already spent";
      throw new ChainConflictError(`Block ${height}: output ${outPointText(input.outPoint)} ${fault}`);
    }
    if (!creator) {
      this.lowestId = Math.min(this.lowestId, 0) - 1;
      creator = this.#addRecord(transactionHash, this.lowestId, undefined);
    }
    if (creator.id >= 0) this.touches.end(input.output.address.key, creator.id, spentBy);
    if (tracked) {
      this.sums.remove(tracked.held);
      tracked.spentBy = spentBy;
      tracked.spentInput = spentInput;
      tracked.spentNow = true;
      return;
    }
    const held = this.#held(created ?? input.output);
    // An output from outside the indexed blocks was never live here, and no block before this one mentions it.
    if (created) this.sums.remove(held);
    else this.#mention(input.output, height);
    track(creator, outputIndex, held, { spentBy, spentInput }, false);
  }

  #held({ address, token, amount, capacity, kind }: Output): Held {
    return {
      addressKey: address.key,
      assetId: token ? token.id : this.#nativeId,
      amount: token ? amount : null,
      capacity,
      kind,
    };
  }

  #mention({ address, token }: Output, height: number): void {
    const mentioned = this.addresses.get(address.key);
    if (mentioned) {
      if (height < mentioned.firstHeight) mentioned.firstHeight = height;
    } else this.addresses.set(address.key, { text: address.text, firstHeight: height });
    if (token && !this.references.has(token.id)) this.references.set(token.id, token);
    this.sums.see(token ? token.id : this.#nativeId, height);
  }
}

const NONE: readonly Output[] = [];
type Spending = Pick<OutputRow, "spentBy" | "spentInput">;
const UNSPENT: Spending = { spentBy: null, spentInput: null };

/** `stored`: the tables hold the output; otherwise the batch spends it. */
function track(
  transaction: TransactionRecord,
  index: number,
  held: Held,
  { spentBy, spentInput }: Spending,
  stored: boolean,
): void {
  transaction.tracked ??= new Map();
  transaction.tracked.set(index, { held, spentBy, spentInput, stored, spentNow: !stored });
}

/** Copies field by field, because spreading objects costs several times as much. */
function place(
  { hash, id }: TransactionRecord,
  outputIndex: number,
  { addressKey, assetId, amount, capacity, kind }: Held,
  { spentBy, spentInput }: Spending,
): PlacedOutput {
  return {
    transactionHash: hash,
    transactionId: id,
    outputIndex,
    addressKey,
    assetId,
    amount,
    capacity,
    kind,
    spentBy,
    spentInput,
  };
}

/** Throws ChainConflictError unless an output, except for its kind, is what was supplied when it was spent. */
function confirm(transactionId: number, outputIndex: number, spent: TrackedOutput, output: Held): void {
  const { held, spentBy } = spent;
  const same =
    held.addressKey === output.addressKey &&
    held.assetId === output.assetId &&
    held.amount === output.amount &&
    held.capacity === output.capacity;
  if (same && spentBy !== null && spentBy > transactionId) {
    spent.held = output;
    return;
  }
  const fault = same
    ? "comes after the block that spends it"
    : "differs from the output that was supplied when it was spent";
  throw new ChainConflictError(
    `Block ${heightOf(transactionId)}: output ${outputIndex} of a transaction ${fault}`,
  );
}
