import { type Output, outPointText, type TokenReference } from "#lib/contract/ledger.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import { alreadyStored } from "#lib/store/outputs.ts";
import type { ResolvedBlock, ResolvedInput, Tip } from "#lib/store/rows.ts";
import { heightOf, transactionId } from "#lib/store/transaction-id.ts";
import type { ClaimRow, Held, KnownOutput, OutputRow, PlacedOutput, TransactionRecord } from "./rows.ts";
import { Sums } from "./sums.ts";
import { Touches } from "./touches.ts";

export const hasMoved = ({ id, storedId }: TransactionRecord): boolean =>
  storedId !== undefined && storedId !== id;

/** Blocks to be stored: fitted together in memory with what the tables hold of neighbours, transactions and spent outputs. */
export class Batch {
  readonly blocks: ResolvedBlock[] = [];
  readonly transactions = new Map<string, TransactionRecord>();
  readonly addresses = new Map<string, { text: string; firstHeight: number }>();
  readonly references = new Map<string, TokenReference>();
  readonly claims: ClaimRow[] = [];
  readonly sums: Sums;
  readonly touches = new Touches();
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

  holds({ height, hash }: ResolvedBlock): boolean {
    return this.#known.get(height)?.hash === hash;
  }

  knowTransaction(hash: string, id: number): void {
    if (this.transactions.has(hash)) return;
    this.#byId.set(id, this.#addRecord(hash, id, id));
  }

  knowOutput(row: OutputRow): void {
    know(this.#byId.get(row.transactionId)!, row.outputIndex, row, row, true);
  }

  /** Skips a block that is stored already; throws ChainConflictError if it contradicts what is known. */
  add(block: ResolvedBlock): void {
    if (this.holds(block)) return;
    this.#checkPlace(block);
    this.#known.set(block.height, { hash: block.hash, parentHash: block.parentHash });
    if (this.#tip !== undefined) this.#tip = { height: block.height, hash: block.hash };
    this.blocks.push(block);
    const { height, transactions } = block;
    // By `forEach`, which passes over the places of a remnant that are empty.
    transactions.forEach(({ hash, outputs, claims, minted }, index) => {
      const id = transactionId(height, index);
      this.#create(hash, outputs, id, height);
      for (const { assetId, outputIndex, name, symbol, decimals } of claims) {
        this.claims.push({ assetId, transactionId: id, outputIndex, name, symbol, decimals });
      }
      for (const assetId of minted) this.sums.mint(assetId, height);
    });
    // Afterwards: where a block's transactions are in order of hash, an input may spend a later one.
    transactions.forEach(({ inputs }, index) => {
      const id = transactionId(height, index);
      for (let place = 0; place < inputs.length; place++) this.#spend(inputs[place]!, id, place, height);
    });
  }

  /** Outputs that the tables do not hold at their place yet. Those of one transaction follow each other. */
  *addedOutputs(): Generator<PlacedOutput> {
    for (const transaction of this.transactions.values()) {
      const { created, known } = transaction;
      for (let index = 0; index < created.length; index++) {
        const output = created[index];
        if (output && !known?.has(index)) yield place(transaction, index, this.#held(output), null, null);
      }
      if (!known) continue;
      for (const [index, output] of known) {
        if (output.stored && !hasMoved(transaction)) continue;
        yield place(transaction, index, output, output.spentBy, output.spentInput);
      }
    }
  }

  /** Outputs that the tables hold as live at their place, and that the batch spends. */
  *spentOutputs(): Generator<PlacedOutput> {
    for (const transaction of this.transactions.values()) {
      if (!transaction.known || hasMoved(transaction)) continue;
      for (const [index, output] of transaction.known) {
        if (!output.stored || !output.spentNow) continue;
        yield place(transaction, index, output, output.spentBy, output.spentInput);
      }
    }
  }

  #checkPlace({ height, hash, parentHash }: ResolvedBlock): void {
    const here = this.#known.get(height);
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
  }

  #create(hash: string, outputs: readonly Output[], id: number, height: number): void {
    const record = this.#place(hash, id);
    record.created = outputs;
    // Counted, since an iterator over a pair each is a third of what this makes in memory.
    for (let index = 0; index < outputs.length; index++) {
      const output = outputs[index];
      if (!output) continue;
      this.#mention(output, height);
      const known = record.known?.get(index);
      this.touches.create(output.address.key, id);
      if (known) {
        confirm(id, index, known, this.#held(output));
        this.touches.end(output.address.key, id, known.spentBy!);
      } else if (output.spendable === false) {
        know(record, index, this.#held(output), { spentBy: id, spentInput: null }, false);
        this.touches.end(output.address.key, id, id);
      } else this.sums.add(this.#held(output));
    }
  }

  /** The transaction's record at its place. One that indexed blocks spend from may have been known before it. */
  #place(hash: string, id: number): TransactionRecord {
    const known = this.transactions.get(hash);
    if (!known) return this.#addRecord(hash, id, undefined);
    if (known.id >= 0) {
      throw alreadyStored(hash, known.id);
    }
    known.id = id;
    return known;
  }

  #addRecord(hash: string, id: number, storedId: number | undefined): TransactionRecord {
    const record = { hash, id, storedId, created: NONE, known: undefined };
    this.transactions.set(hash, record);
    return record;
  }

  #spend(input: ResolvedInput, spentBy: number, spentInput: number, height: number): void {
    const { transactionHash, outputIndex } = input.outPoint;
    let creator = this.transactions.get(transactionHash);
    const known = creator?.known?.get(outputIndex);
    const created = creator?.created[outputIndex];
    if (known ? known.spentBy !== null : creator && creator.id >= 0 && !created) {
      const fault = !known
        ? "does not exist"
        : known.spentBy === creator!.id
          ? "cannot be spent"
          : "is already spent";
      throw new ChainConflictError(`Block ${height}: output ${outPointText(input.outPoint)} ${fault}`);
    }
    if (!creator) {
      this.lowestId = Math.min(this.lowestId, 0) - 1;
      creator = this.#addRecord(transactionHash, this.lowestId, undefined);
    }
    if (creator.id >= 0) this.touches.end(input.output.address.key, creator.id, spentBy);
    if (known) {
      this.sums.remove(known);
      known.spentBy = spentBy;
      known.spentInput = spentInput;
      known.spentNow = true;
      return;
    }
    const held = this.#held(created ?? input.output);
    // One from outside the indexed blocks was never live here, and no block before this one mentions it.
    if (created) this.sums.remove(held);
    else this.#mention(input.output, height);
    know(creator, outputIndex, held, { spentBy, spentInput }, false);
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
    const known = this.addresses.get(address.key);
    if (known) {
      if (height < known.firstHeight) known.firstHeight = height;
    } else this.addresses.set(address.key, { text: address.text, firstHeight: height });
    if (token && !this.references.has(token.id)) this.references.set(token.id, token);
    this.sums.see(token ? token.id : this.#nativeId, height);
  }
}

const NONE: readonly Output[] = [];

/** `stored`: the tables hold it; otherwise the batch spends it. Field by field: copying objects costs several times as much. */
function know(
  transaction: TransactionRecord,
  index: number,
  { addressKey, assetId, amount, capacity, kind }: Held,
  { spentBy, spentInput }: Pick<KnownOutput, "spentBy" | "spentInput">,
  stored: boolean,
): void {
  transaction.known ??= new Map();
  transaction.known.set(index, {
    addressKey,
    assetId,
    amount,
    capacity,
    kind,
    spentBy,
    spentInput,
    stored,
    spentNow: !stored,
  });
}

function place(
  { hash, id }: TransactionRecord,
  outputIndex: number,
  { addressKey, assetId, amount, capacity, kind }: Held,
  spentBy: number | null,
  spentInput: number | null,
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

/** An output whose spending was stored before its creation must be what it was said to be. */
function confirm(transactionId: number, outputIndex: number, known: KnownOutput, output: Held): void {
  const same =
    known.addressKey === output.addressKey &&
    known.assetId === output.assetId &&
    known.amount === output.amount &&
    known.capacity === output.capacity;
  if (same && known.spentBy !== null && known.spentBy > transactionId) {
    known.kind = output.kind;
    return;
  }
  const fault = same
    ? "comes after the block that spends it"
    : "differs from the output that was supplied when it was spent";
  throw new ChainConflictError(
    `Block ${heightOf(transactionId)}: output ${outputIndex} of a transaction ${fault}`,
  );
}
