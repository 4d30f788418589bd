import { type Output, outPointText, type TokenReference } from "#lib/contract/ledger.ts";
import {
  ChainConflictError,
  type ResolvedBlock,
  type ResolvedInput,
  type ResolvedTransaction,
  type Tip,
} from "#lib/store/store.ts";
import { heightOf, transactionId } from "#lib/store/transaction-id.ts";
import { type Held, Sums } from "./sums.ts";
import type { ClaimRow, OutputRow } from "./tables.ts";

export interface TransactionRecord {
  hash: string;
  /** Its place in the chain; negative if its block is not indexed. */
  id: number;
  /** The id under which the database holds it, if it does. */
  storedId: number | undefined;
  /** Those that the batch creates or spends; all of them if the batch brings the transaction itself. */
  outputs: Map<number, OutputRecord>;
}

export interface OutputRecord extends Held {
  transaction: TransactionRecord;
  index: number;
  spentBy: number | null;
  spentInput: number | null;
  /** The database holds it. */
  stored: boolean;
  /** The batch spends it. */
  spentNow: boolean;
}

/**
 * Blocks that are about to be stored: fitted together in memory, one after another, with what the tables hold of their
 * neighbours, transactions and spent outputs.
 */
export class Batch {
  /** The blocks that are new. */
  readonly blocks: ResolvedBlock[] = [];
  readonly transactions = new Map<string, TransactionRecord>();
  readonly addresses = new Map<string, { text: string; firstHeight: number }>();
  readonly references = new Map<string, TokenReference>();
  readonly claims: ClaimRow[] = [];
  /** Assets whose name may have changed. */
  readonly touched = new Set<string>();
  readonly sums: Sums;
  /** Of any transaction in the database. */
  lowestId = 0;
  readonly #nativeId: string;
  readonly #byId = new Map<number, TransactionRecord>();
  readonly #known = new Map<number, { hash: string; parentHash: string }>();
  /** Undefined: the blocks need not follow it. */
  #tip: Tip | null | undefined;

  constructor(chain: { nativeId: string; tip: Tip | null | undefined }) {
    this.#nativeId = chain.nativeId;
    this.#tip = chain.tip;
    this.sums = new Sums(chain.nativeId);
  }

  knowBlock(height: number, hash: string, parentHash: string): void {
    this.#known.set(height, { hash, parentHash });
  }

  knowTransaction(hash: string, id: number): void {
    if (this.transactions.has(hash)) return;
    const record: TransactionRecord = { hash, id, storedId: id, outputs: new Map() };
    this.transactions.set(hash, record);
    this.#byId.set(id, record);
  }

  knowOutput({ transactionId, outputIndex, ...row }: OutputRow): void {
    const transaction = this.#byId.get(transactionId)!;
    transaction.outputs.set(outputIndex, {
      ...row,
      transaction,
      index: outputIndex,
      stored: true,
      spentNow: false,
    });
  }

  /** Skips a block that is stored already; throws ChainConflictError if it contradicts what is known. */
  add(block: ResolvedBlock): void {
    if (!this.#fits(block)) return;
    this.#known.set(block.height, { hash: block.hash, parentHash: block.parentHash });
    if (this.#tip !== undefined) this.#tip = { height: block.height, hash: block.hash };
    this.blocks.push(block);
    for (const [index, transaction] of block.transactions.entries()) {
      this.#addTransaction(transaction, transactionId(block.height, index), block.height);
    }
  }

  #fits({ height, hash, parentHash }: ResolvedBlock): boolean {
    const here = this.#known.get(height);
    if (here?.hash === hash) return false;
    if (here) {
      throw new ChainConflictError(
        `Block ${hash} cannot be stored: height ${height} already holds ${here.hash}`,
      );
    }
    const below = this.#known.get(height - 1);
    if (below && below.hash !== parentHash) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) names ${parentHash} as its parent, but height ${height - 1} holds ${below.hash}`,
      );
    }
    const above = this.#known.get(height + 1);
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
    return true;
  }

  #addTransaction(transaction: ResolvedTransaction, id: number, height: number): void {
    const record = this.#place(transaction.hash, id);
    for (const [index, output] of transaction.outputs.entries()) {
      this.#mention(output, height);
      const known = record.outputs.get(index);
      if (known) confirm(known, output, this.#nativeId);
      else {
        const fresh = this.#record(record, index, output);
        record.outputs.set(index, fresh);
        this.sums.add(fresh);
      }
    }
    for (const [inputIndex, input] of transaction.inputs.entries()) {
      this.#mention(input.output, height);
      this.#spend(input, id, inputIndex, height);
    }
    for (const { assetId, outputIndex, name, symbol, decimals } of transaction.claims) {
      this.claims.push({ assetId, transactionId: id, outputIndex, name, symbol, decimals });
      this.touched.add(assetId);
    }
    for (const assetId of transaction.minted) this.sums.mint(assetId, height);
  }

  /** The transaction's record at its place. One that indexed blocks spend from may have been known before it. */
  #place(hash: string, id: number): TransactionRecord {
    const known = this.transactions.get(hash);
    if (!known) {
      const record: TransactionRecord = { hash, id, storedId: undefined, outputs: new Map() };
      this.transactions.set(hash, record);
      return record;
    }
    if (known.id >= 0) {
      throw new ChainConflictError(`Transaction ${hash} is already stored, in block ${heightOf(known.id)}`);
    }
    known.id = id;
    return known;
  }

  #spend(input: ResolvedInput, spentBy: number, spentInput: number, height: number): void {
    const { outPoint, output } = input;
    let creator = this.transactions.get(outPoint.transactionHash);
    const known = creator?.outputs.get(outPoint.outputIndex);
    if (known && known.spentBy === null) {
      known.spentBy = spentBy;
      known.spentInput = spentInput;
      known.spentNow = true;
      this.sums.remove(known);
      return;
    }
    if (known || (creator && creator.id >= 0)) {
      const fault = known ? "is already spent" : "does not exist";
      throw new ChainConflictError(`Block ${height}: output ${outPointText(outPoint)} ${fault}`);
    }
    if (!creator) {
      this.lowestId = Math.min(this.lowestId, 0) - 1;
      creator = {
        hash: outPoint.transactionHash,
        id: this.lowestId,
        storedId: undefined,
        outputs: new Map(),
      };
      this.transactions.set(outPoint.transactionHash, creator);
    }
    const record = this.#record(creator, outPoint.outputIndex, output);
    creator.outputs.set(outPoint.outputIndex, { ...record, spentBy, spentInput, spentNow: true });
  }

  #record(transaction: TransactionRecord, index: number, output: Output): OutputRecord {
    const { token, amount, capacity } = output;
    return {
      transaction,
      index,
      addressKey: output.address.key,
      assetId: this.#assetOf(output),
      amount: token ? amount : null,
      capacity,
      spentBy: null,
      spentInput: null,
      stored: false,
      spentNow: false,
    };
  }

  /** Every output holds the native asset, so each mention is one of it too. */
  #mention({ address, token }: Output, height: number): void {
    const known = this.addresses.get(address.key);
    if (known) known.firstHeight = Math.min(known.firstHeight, height);
    else this.addresses.set(address.key, { text: address.text, firstHeight: height });
    if (token && !this.references.has(token.id)) this.references.set(token.id, token);
    this.sums.see(this.#nativeId, height);
    if (token) this.sums.see(token.id, height);
  }

  #assetOf(output: Output): string {
    return output.token?.id ?? this.#nativeId;
  }
}

/** An output whose spending was stored before its creation must be what it was said to be. */
function confirm(known: OutputRecord, output: Output, nativeId: string): void {
  const { transaction, index, spentBy } = known;
  const same =
    known.addressKey === output.address.key &&
    known.assetId === (output.token?.id ?? nativeId) &&
    (known.amount ?? known.capacity) === output.amount &&
    known.capacity === output.capacity;
  if (same && spentBy !== null && spentBy > transaction.id) return;
  const fault = same
    ? "comes after the transaction that spends it"
    : "differs from what was given for it when it was spent";
  throw new ChainConflictError(
    `Block ${heightOf(transaction.id)}: output ${index} of a transaction ${fault}`,
  );
}
