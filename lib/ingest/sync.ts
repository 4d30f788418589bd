import { type Block, InvalidChainDataError } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import { ChainConflictError, type Store, type Tip } from "#lib/store/store.ts";
import { BlockQueue, countOutputs } from "./block-queue.ts";
import { resolveBlocks } from "./resolve.ts";

/** Blocks of one transaction while catching up: until there are this many, or this many outputs. */
const BATCH_BLOCKS = 2_000;
const BATCH_OUTPUTS = 10_000;
/** Closer to the node's tip than this, blocks are stored one by one, as they come. */
const NEAR_TIP = 10;

const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;
const POLL = 2_000;

export interface SyncOptions {
  /** Height to start at in an empty database. */
  from?: number | undefined;
  /** Stop at the node's tip instead of waiting for more. */
  once?: boolean | undefined;
  /** Blocks that a reorganisation may take back. */
  maxReorganisation?: number | undefined;
  /** Ends the sync after the transaction under way. */
  signal?: AbortSignal | undefined;
  /** Waits; tests set it. Resolves early when the signal aborts. */
  sleep?(milliseconds: number, signal: AbortSignal): Promise<void>;
  log?(message: string): void;
  /** After each transaction. */
  onProgress?(progress: Progress): void;
  /** Called where no transaction is open, now and then: a place for other writes. */
  between?(): Promise<void>;
}

export interface Progress {
  height: number;
  nodeHeight: number;
  /** Since the sync began. */
  blocks: number;
  outputs: number;
}

/** A fork lies deeper than the sync may take back. */
export class DeepForkError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DeepForkError";
  }
}

/**
 * Follows a node: stores its chain block by block from where the store stands, and takes back what the node
 * no longer has. Whatever the node does wrong is logged and tried again; only a wrong network, a fork too
 * deep or a fault of our own ends it with an error.
 */
export async function sync(store: Store, source: ChainSource, options: SyncOptions = {}): Promise<Progress> {
  const run = new SyncRun(store, source, options);
  try {
    await run.follow();
  } catch (error) {
    if (!run.signal.aborted || !isInterruption(error)) throw error;
  }
  return run.progress;
}

class SyncRun {
  readonly signal: AbortSignal;
  readonly progress: Progress = { height: -1, nodeHeight: -1, blocks: 0, outputs: 0 };
  readonly #store: Store;
  readonly #source: ChainSource;
  readonly #options: Required<
    Pick<SyncOptions, "maxReorganisation" | "sleep" | "log" | "onProgress" | "between">
  > &
    SyncOptions;
  #retryIn = FIRST_RETRY;
  #lastFault = "";

  constructor(store: Store, source: ChainSource, options: SyncOptions) {
    this.#store = store;
    this.#source = source;
    this.signal = options.signal ?? new AbortController().signal;
    this.#options = {
      ...options,
      maxReorganisation: options.maxReorganisation ?? 1000,
      sleep: options.sleep ?? sleep,
      log: options.log ?? (() => {}),
      onProgress: options.onProgress ?? (() => {}),
      between: options.between ?? (async () => {}),
    };
  }

  async follow(): Promise<void> {
    await this.#persistently(async () => {
      await this.#store.identify(await this.#source.identity());
    });
    while (!this.signal.aborted) {
      const atTip = await this.#persistently(() => this.#advance());
      if (!atTip) continue;
      await this.#options.between();
      if (this.#options.once) return;
      await this.#options.sleep(POLL, this.signal);
    }
  }

  /** Repeats until the source behaves. Back-off doubles, and starts anew after each success. */
  async #persistently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        if (this.#lastFault !== "") this.#options.log("the node answers again");
        this.#lastFault = "";
        this.#retryIn = FIRST_RETRY;
        return result;
      } catch (error) {
        if (!(error instanceof SourceError) || this.signal.aborted) throw error;
        if (error.message !== this.#lastFault) this.#options.log(`${error.message}; trying again`);
        this.#lastFault = error.message;
        await this.#options.sleep(this.#retryIn, this.signal);
        this.signal.throwIfAborted();
        this.#retryIn = Math.min(this.#retryIn * 2, LAST_RETRY);
      }
    }
  }

  /** Goes from where the store stands to the node's tip, as it is now. True when there. */
  async #advance(): Promise<boolean> {
    const nodeTip = await this.#source.tip();
    this.progress.nodeHeight = nodeTip.height;
    const tip = await this.#store.tip();
    this.progress.height = tip?.height ?? -1;
    const next = tip ? tip.height + 1 : (this.#options.from ?? 0);
    if (tip && (await this.#hasForked(tip, nodeTip))) {
      await this.#reorganise(tip, nodeTip);
      return false;
    }
    if (nodeTip.height < next) return true;

    const queue = new BlockQueue(this.#source, next, nodeTip.height);
    try {
      let batch: Block[] = [];
      let outputs = 0;
      for await (const block of queue) {
        this.signal.throwIfAborted();
        batch.push(block);
        outputs += countOutputs([block]);
        const full = batch.length >= BATCH_BLOCKS || outputs >= BATCH_OUTPUTS;
        if (!full && nodeTip.height - block.height >= NEAR_TIP) continue;
        await this.#append(batch, outputs);
        batch = [];
        outputs = 0;
      }
      if (batch.length > 0) await this.#append(batch, outputs);
    } finally {
      queue.close();
    }
    return this.progress.height >= nodeTip.height;
  }

  /** The node's chain no longer has our tip. A node that is only behind is left to catch up. */
  async #hasForked(tip: Tip, nodeTip: Tip): Promise<boolean> {
    if (nodeTip.height === tip.height) return nodeTip.hash !== tip.hash;
    if (nodeTip.height > tip.height) {
      const theirs = await this.#source.hashAt(tip.height);
      if (theirs === null)
        throw new SourceError(`the node has no block ${tip.height}, though its tip is above it`);
      return theirs !== tip.hash;
    }
    const ours = await this.#store.blockHashAt(nodeTip.height);
    if (ours !== null && ours !== nodeTip.hash) return true;
    this.#options.log(`the node is behind: at block ${nodeTip.height}, we are at ${tip.height}`);
    return false;
  }

  async #append(blocks: Block[], outputs: number): Promise<void> {
    await this.#apply(blocks);
    this.progress.height = blocks.at(-1)!.height;
    this.progress.blocks += blocks.length;
    this.progress.outputs += outputs;
    this.#options.onProgress(this.progress);
    await this.#options.between();
  }

  async #apply(blocks: Block[]): Promise<void> {
    const foreign = this.#source.outputs.bind(this.#source);
    try {
      const resolved = await resolveBlocks(blocks, this.#store, this.#source.native.id, foreign);
      await this.#store.applyBlocks(resolved, { extendTip: true });
    } catch (error) {
      // The blocks' own hashes are right, so what does not fit together is the node's telling of the chain.
      if (error instanceof InvalidChainDataError || error instanceof ChainConflictError) {
        throw new SourceError(`the node's blocks do not fit: ${error.message}`);
      }
      throw error;
    }
  }

  /** Takes back our branch and stores the node's, in one transaction, so that no reader sees a gap. */
  async #reorganise(tip: Tip, nodeTip: Tip): Promise<void> {
    const ancestor = await this.#commonAncestor(tip, nodeTip);
    const depth = tip.height - ancestor;
    if (depth === 0 || ancestor >= nodeTip.height) {
      throw new SourceError(`the node contradicts itself about block ${ancestor}`);
    }
    const branch = await this.#source.blocks(ancestor + 1, Math.min(nodeTip.height, ancestor + BATCH_BLOCKS));
    const base = await this.#store.blockHashAt(ancestor);
    if (branch.length === 0 || (base !== null && branch[0]!.parentHash !== base)) {
      throw new SourceError("the node changed its chain again while it was read");
    }
    await this.#store.atomically(async () => {
      await this.#store.revertTo(ancestor);
      await this.#apply(branch);
    });
    this.#options.log(
      `reorganisation: ${depth} blocks above ${ancestor} taken back, ${branch.length} of the new branch stored`,
    );
    this.progress.height = branch.at(-1)!.height;
    this.progress.blocks += branch.length;
    this.progress.outputs += countOutputs(branch);
    this.#options.onProgress(this.progress);
  }

  async #commonAncestor(tip: Tip, nodeTip: Tip): Promise<number> {
    const { maxReorganisation } = this.#options;
    for (let height = Math.min(tip.height, nodeTip.height); ; height--) {
      if (tip.height - height > maxReorganisation) {
        throw new DeepForkError(
          `The node's chain leaves ours more than ${maxReorganisation} blocks below our tip, block ${tip.height} (${tip.hash}). ` +
            "Is it the right node? To follow it all the same, raise --max-reorganisation or start a new database.",
        );
      }
      const ours = await this.#store.blockHashAt(height);
      if (ours === null) {
        throw new DeepForkError(
          `The node's chain has none of the blocks stored here, from ${height + 1} to ${tip.height}: start a new database.`,
        );
      }
      if ((await this.#source.hashAt(height)) === ours) return height;
    }
  }
}

/** What ends a sync that was asked to end: the request under way is given up, or failed as it was. */
const isInterruption = (error: unknown): boolean =>
  error instanceof SourceError || (error instanceof Error && error.name === "AbortError");

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
