import { type Block, InvalidChainDataError, type OutPoint } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import { blockHashAt, chainIdentity, chainTip, firstGap, storedHorizon } from "#lib/queries/chain.ts";
import { dataCoverage } from "#lib/queries/coverage.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import type { ChainIdentity, ResolvedBlock, Tip } from "#lib/store/rows.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { countOutputs, fetchBlocks, OUTPUTS_AHEAD, Pace } from "./block-queue.ts";
import { type OutsideOutputs, resolveBlocks } from "./resolve.ts";
import { isInterruption, type Outage, Retry, sleep } from "./retry.ts";
import { dropStrayBlocks } from "./stray-blocks.ts";

/** Limits of a batch while catching up, to bound memory. The blocks fetched while one is written make up the next. */
const BATCH_BLOCKS = 10_000;
const BATCH_OUTPUTS = OUTPUTS_AHEAD;
/** Duration of a transaction in milliseconds. A longer one writes each index page less often, but other writers wait. */
const COMMIT_AFTER = 18_000;
/** SQLite's page cache, which should hold the pages that a transaction changes. */
export const CACHE_MB = 512;
/** Maximum time that an open transaction waits for the node, in milliseconds. */
const READY_WITHIN = 500;
/** Pause for other writers after a long transaction, in milliseconds. Waiting for SQLite, they try every 100 ms. */
const PAUSE_FOR_WRITERS = 250;
/** Maximum time spent on removing old outputs before the next blocks are stored, in milliseconds. */
const FORGET_FOR = 18_000;
/** Closer to the node's tip than this, each block is stored in its own transaction. */
const NEAR_TIP = 10;

const POLL = 2_000;
/** A lower branch that was seen more often is followed: at the sixth attempt, 15.5 seconds after the first. */
const FOLLOWED_AFTER = 5;

export interface SyncOptions {
  /** Height of the first block in an empty database. */
  from?: number | undefined;
  /** Stop at the node's tip instead of waiting for more. */
  once?: boolean | undefined;
  /** The most blocks that a reorganisation may revert; see `reorganisationLimit` for the default. */
  maxReorganisation?: number | undefined;
  /** Spent outputs are kept for this many blocks below the tip. */
  history?: number | undefined;
  /** Ends the sync after the current transaction. */
  signal?: AbortSignal | undefined;
  /** Replaces the timer in tests. Resolves early if the signal aborts. */
  sleep?(milliseconds: number, signal: AbortSignal): Promise<void>;
  log?(message: string): void;
  /** Called after each transaction. */
  onProgress?(progress: Progress): void;
  /** Called each time that both tips were read, even if there is no block to store. */
  onTips?: ((progress: Progress) => void) | undefined;
  /** Called after a reorganisation with the number of blocks that it reverted. */
  onReorganisation?(depth: number): void;
  /** Called when an outage begins, and with null when it ends. */
  onOutage?: ((outage: Outage | null) => void) | undefined;
  /** Called regularly while no transaction is open, for other writes. */
  between?(): Promise<void>;
}

export interface Progress {
  /** The height of our tip. */
  height: number;
  /** The height of the block that was stored last. While a gap is filled, it is below the tip. */
  storedHeight: number;
  nodeHeight: number;
  /** Blocks stored since the sync began. */
  blocks: number;
  outputs: number;
}

/** The node's blocks contradict stored ones. */
class MisfitError extends SourceError {}

/** A transaction cannot continue without these outputs, which only the node has. */
class OutsideOutputsNeeded extends Error {
  readonly outPoints: OutPoint[];

  constructor(outPoints: OutPoint[]) {
    super("Outputs of older blocks are needed");
    this.outPoints = outPoints;
  }
}

/**
 * Follows a node: stores its blocks from the store's tip on, fills gaps between stored blocks, and reverts blocks that
 * the node no longer has. Retries after faults of the node, and while the database is busy, unreachable or read-only.
 * Throws for a wrong network, too deep a fork, and a lost sync lock.
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

export const MAX_REORGANISATION = 1000;

/** The default limit, in blocks: half of a limited history, so that the outputs for a second reorganisation remain. */
const reorganisationLimit = (history = Number.POSITIVE_INFINITY): number =>
  Math.min(MAX_REORGANISATION, Math.floor(history / 2));

async function refuse(outPoints: OutPoint[]): Promise<never> {
  throw new OutsideOutputsNeeded(outPoints);
}

const isNear = (height: number, nodeTip: Tip): boolean => nodeTip.height - height < NEAR_TIP;

class SyncRun {
  readonly signal: AbortSignal;
  readonly progress: Progress = { height: -1, storedHeight: -1, nodeHeight: -1, blocks: 0, outputs: 0 };
  readonly #store: Store;
  readonly #source: ChainSource;
  readonly #options: SyncOptions;
  readonly #maxReorganisation: number;
  readonly #sleep: NonNullable<SyncOptions["sleep"]>;
  readonly #log: (message: string) => void;
  readonly #pace = new Pace();
  readonly #retry: Retry;
  /** The identity to store with the first blocks: a sync that stores no block must not decide the database's chain. */
  #newChain: ChainIdentity | undefined;
  #isNoted = false;
  readonly #warned = new Set<string>();
  /** The node's tip if it is lower than ours and on another branch, and how often it was seen in a row. */
  #lowerTip: { hash: string; seen: number } | null = null;

  constructor(store: Store, source: ChainSource, options: SyncOptions) {
    this.#store = store;
    this.#source = source;
    this.#options = options;
    this.signal = options.signal ?? new AbortController().signal;
    this.#maxReorganisation = options.maxReorganisation ?? reorganisationLimit(options.history);
    this.#sleep = options.sleep ?? sleep;
    this.#log = options.log ?? (() => {});
    const { onOutage } = options;
    this.#retry = new Retry({ signal: this.signal, sleep: this.#sleep, log: this.#log, onOutage });
  }

  async follow(): Promise<void> {
    await this.#retry.run(async () => {
      this.progress.height = (await this.#store.query(chainTip))?.height ?? -1;
      const chain = await this.#source.identity().catch((fault) => this.#leaveTime(fault));
      if (await this.#store.query(chainIdentity)) await this.#store.write(identify, chain);
      else this.#newChain = chain;
    });
    await this.#retry.run(() => this.#reportStart());
    while (!this.signal.aborted) {
      const atTip = await this.#retry.run(() => this.#advance().catch((fault) => this.#dropStray(fault)));
      const isRaised = await this.#retry.run(() => this.#raiseHorizon());
      if (!atTip || !isRaised) continue;
      await this.#retry.run(() => this.#betweenTransactions());
      if (this.#options.once) return;
      await this.#sleep(POLL, this.signal);
    }
  }

  async #reportStart(): Promise<void> {
    const { from } = this.#options;
    if (from === undefined) return;
    const { lowestHeight } = await this.#store.query(dataCoverage);
    if (lowestHeight === null || from === lowestHeight) return;
    this.#log(
      `this database starts at block ${lowestHeight}: --from ${from} applies to an empty database only`,
    );
  }

  /** Logs why the sync waits, once until there is progress. */
  #note(message: string): void {
    if (!this.#isNoted) this.#log(message);
    this.#isNoted = true;
  }

  async #betweenTransactions(): Promise<void> {
    await this.#options.between?.();
    const notice = this.#store.notice?.();
    if (notice) this.#log(notice);
  }

  /** Advances from the store's tip towards the node's. Resolves to true once it is there. */
  async #advance(): Promise<boolean> {
    const nodeTip = await this.#source.tip();
    this.progress.nodeHeight = nodeTip.height;
    const tip = await this.#store.query(chainTip);
    this.progress.height = tip?.height ?? -1;
    this.#options.onTips?.(this.progress);
    if (tip && (await this.#hasForked(tip, nodeTip))) {
      await this.#reorganise(tip, nodeTip);
      return false;
    }
    // An import can store blocks above those of a sync.
    const gap = tip && (await this.#store.query(firstGap, 0));
    if (gap) this.#note(`blocks ${gap.from} to ${gap.to} are missing below the tip: they come first`);
    const next = gap?.from ?? (tip ? tip.height + 1 : (this.#options.from ?? 0));
    const last = Math.min(gap?.to ?? nodeTip.height, nodeTip.height);
    if (!tip && last < next) this.#note(`the node is at block ${nodeTip.height}: waiting for block ${next}`);
    if (last < next) return true;
    const stored = await this.#appendRange(next, last, nodeTip, gap === null);
    if (stored === 0) {
      throw new SourceError(`the node has no block ${next}, though its tip is block ${nodeTip.height}`);
    }
    return gap === null && this.progress.height >= nodeTip.height;
  }

  /** Stores the node's blocks from one height to another, as many as it has; returns how many. */
  async #appendRange(from: number, to: number, nodeTip: Tip, extendTip: boolean): Promise<number> {
    const before = this.progress.blocks;
    const batches = this.#batches(from, to, nodeTip);
    const take = () => {
      const batch = batches.next();
      // It may fail before anyone awaits it, which must not become an unhandled rejection.
      batch.catch(() => {});
      return batch;
    };
    let next = take();
    try {
      for (let batch = await next; !batch.done; batch = await next) {
        this.signal.throwIfAborted();
        const first = await this.#resolve(batch.value, this.#source.outputs.bind(this.#source));
        const stored = { height: -1, blocks: 0, outputs: 0 };
        let now = performance.now();
        const end = now + COMMIT_AFTER;
        let isLong = false;
        await this.#store.atomically(async () => {
          for (let blocks: ResolvedBlock[] | null = first; blocks; ) {
            await this.#save(blocks, extendTip);
            stored.height = blocks.at(-1)!.height;
            stored.blocks += blocks.length;
            stored.outputs += countOutputs(blocks);
            next = take();
            const before = now;
            now = performance.now();
            // The next batch may take as long as this one.
            isLong = now + (now - before) > end;
            const isOver = this.signal.aborted || isLong || isNear(stored.height, nodeTip);
            blocks = isOver ? null : await this.#resolveAtOnce(next);
          }
        });
        if (extendTip) this.progress.height = stored.height;
        this.#reportProgress(stored);
        await this.#raiseHorizon();
        await this.#betweenTransactions();
        if (isLong) await this.#sleep(PAUSE_FOR_WRITERS, this.signal);
      }
    } finally {
      batches.return().catch(() => {});
    }
    return this.progress.blocks - before;
  }

  /** Removes outputs spent before `history`, for at most FORGET_FOR. Resolves to true once none is left. */
  async #raiseHorizon(): Promise<boolean> {
    const { history } = this.#options;
    if (history === undefined) return true;
    const tip = await this.#store.query(chainTip);
    if (!tip) return true;
    // Blocks that fill a gap create outputs that blocks above it spent, and may replace blocks below it.
    const gap = await this.#store.query(firstGap, 0);
    const target = (gap ? gap.from - 1 : tip.height) - history;
    const end = performance.now() + FORGET_FOR;
    let reached = await this.#store.query(storedHorizon);
    while (reached < target) {
      if (this.signal.aborted) return false;
      if (performance.now() > end) {
        this.#log(`outputs spent up to block ${reached} are removed; those up to block ${target} follow`);
        return false;
      }
      reached = await this.#store.write(raiseHorizon, target);
      if (reached < target) await this.#sleep(PAUSE_FOR_WRITERS, this.signal);
    }
    return true;
  }

  /** The node's blocks in the groups that are stored together. */
  async *#batches(from: number, to: number, nodeTip: Tip): AsyncGenerator<Block[], void> {
    let batch: Block[] = [];
    let outputs = 0;
    for await (const block of fetchBlocks(this.#source, from, to, nodeTip, this.#pace)) {
      this.signal.throwIfAborted();
      batch.push(block);
      outputs += countOutputs([block]);
      const isFull = batch.length >= BATCH_BLOCKS || outputs >= BATCH_OUTPUTS;
      if (!isFull && !isNear(block.height, nodeTip)) continue;
      yield batch;
      batch = [];
      outputs = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /**
   * Resolves the next batch if the node need not be waited for; otherwise to null, and the open transaction ends. Also
   * null if the batch is at fault, so that the transaction commits: the batch fails again at the start of the next one.
   */
  async #resolveAtOnce(next: Promise<IteratorResult<Block[], void>>): Promise<ResolvedBlock[] | null> {
    const late = Promise.withResolvers<null>();
    using _timer = setTimeout(late.resolve, READY_WITHIN, null);
    const batch = await Promise.race([next.catch(() => null), late.promise]);
    if (!batch?.value) return null;
    return this.#resolve(batch.value, refuse).catch((error: unknown) => {
      if (error instanceof SourceError || error instanceof OutsideOutputsNeeded) return null;
      // After a fault of the database, the transaction cannot commit.
      throw error;
    });
  }

  /** True if the node's chain does not have our tip. A node that is only behind has not forked. */
  async #hasForked(tip: Tip, nodeTip: Tip): Promise<boolean> {
    if (nodeTip.height < tip.height) return this.#isLowerBranch(tip, nodeTip);
    this.#lowerTip = null;
    const theirs = nodeTip.height === tip.height ? nodeTip.hash : await this.#source.hashAt(tip.height);
    if (theirs === null)
      throw new SourceError(`the node has no block ${tip.height}, though its tip is above it`);
    return theirs !== tip.hash;
  }

  /** A lower node on another branch may still be catching up, so it is followed only if it stays there. */
  async #isLowerBranch(tip: Tip, nodeTip: Tip): Promise<boolean> {
    const ours = await this.#store.query(blockHashAt, nodeTip.height);
    if (ours === null || ours === nodeTip.hash) {
      this.#lowerTip = null;
      this.#note(`the node is behind: at block ${nodeTip.height}, we are at ${tip.height}`);
      return false;
    }
    const seen = this.#lowerTip?.hash === nodeTip.hash ? this.#lowerTip.seen + 1 : 1;
    this.#lowerTip = { hash: nodeTip.hash, seen };
    if (seen > FOLLOWED_AFTER) return true;
    throw new SourceError(
      `the node is behind, on another branch: at block ${nodeTip.height} (${nodeTip.hash}), we are at ${tip.height}`,
    );
  }

  /** Call it once the blocks are committed. */
  #reportProgress({ height, blocks, outputs }: Pick<Progress, "height" | "blocks" | "outputs">): void {
    this.#newChain = undefined;
    this.#isNoted = false;
    this.progress.storedHeight = height;
    this.progress.blocks += blocks;
    this.progress.outputs += outputs;
    this.#options.onProgress?.(this.progress);
  }

  #resolve(blocks: Block[], outsideOutputs: OutsideOutputs): Promise<ResolvedBlock[]> {
    return this.#fitting(() => resolveBlocks(blocks, this.#store, this.#source.native.id, outsideOutputs));
  }

  async #save(blocks: ResolvedBlock[], extendTip: boolean): Promise<void> {
    await this.#fitting(() => this.#store.write(applyBlocks, blocks, { extendTip, chain: this.#newChain }));
    for (const { height, warnings = [] } of blocks) {
      for (const warning of warnings) {
        if (!this.#warned.has(warning)) this.#log(`block ${height}: ${warning}`);
        this.#warned.add(warning);
      }
    }
  }

  async #fitting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The blocks' own hashes are right, so either the node's chain or the database is inconsistent.
      if (error instanceof InvalidChainDataError || error instanceof ChainConflictError) {
        throw new MisfitError(
          `the node's blocks do not fit: ${error.message} (if that stays so, check the database with \`aqs verify\`)`,
        );
      }
      throw error;
    }
  }

  /** Reverts our branch and stores the node's in one transaction, so that no reader sees a gap. */
  async #reorganise(tip: Tip, nodeTip: Tip): Promise<void> {
    const ancestor = await this.#commonAncestor(tip, nodeTip);
    const depth = tip.height - ancestor;
    if (depth === 0 || ancestor >= nodeTip.height) {
      throw new SourceError(`the node contradicts itself about block ${ancestor}`);
    }
    // Up to this height, the branch is stored in the same transaction: readers must see no lower tip than the node's.
    const last = Math.min(nodeTip.height, tip.height + 1);
    const branch = await Array.fromAsync(fetchBlocks(this.#source, ancestor + 1, last, nodeTip, this.#pace));
    const base = await this.#store.query(blockHashAt, ancestor);
    if (branch.at(-1)?.height !== last || branch[0]!.parentHash !== base) {
      throw new SourceError("the node changed its chain again while it was read");
    }
    await this.#replaceBy(branch, ancestor);
    this.#log(
      `reorganisation: ${depth} blocks above ${ancestor} reverted, ${branch.length} of the new branch stored`,
    );
    this.#options.onReorganisation?.(depth);
    this.progress.height = last;
    this.#reportProgress({ height: last, blocks: branch.length, outputs: countOutputs(branch) });
  }

  /** Requests outputs from before our first block between two attempts: a transaction must not wait for the node. */
  async #replaceBy(branch: Block[], ancestor: number): Promise<void> {
    const attempt = (outsideOutputs: OutsideOutputs) =>
      this.#store.atomically(async () => {
        await this.#store.write(revertTo, ancestor);
        await this.#save(await this.#resolve(branch, outsideOutputs), true);
      });
    try {
      await attempt(refuse);
    } catch (error) {
      if (!(error instanceof OutsideOutputsNeeded)) throw error;
      const outputs = await this.#source.outputs(error.outPoints);
      await attempt(async () => outputs);
    }
  }

  /** Lets others write to the database of a chain before a fault of the node is retried. Then throws the fault. */
  async #leaveTime(fault: unknown): Promise<never> {
    if (fault instanceof SourceError && (await this.#store.query(chainIdentity)))
      await this.#betweenTransactions();
    throw fault;
  }

  /** The node's blocks may not fit because stray blocks were imported. Resolves to false once those are dropped. */
  async #dropStray(fault: unknown): Promise<false> {
    const isMisfit = fault instanceof MisfitError;
    const dropped = isMisfit && (await dropStrayBlocks(this.#store, this.#source, this.#maxReorganisation));
    if (!dropped) return this.#leaveTime(fault);
    this.#log(dropped);
    return false;
  }

  /** Height of the highest block that both chains have. Throws ChainConflictError. */
  async #commonAncestor(tip: Tip, nodeTip: Tip): Promise<number> {
    const lowest = (await this.#store.query(dataCoverage)).lowestHeight ?? tip.height;
    for (let height = Math.min(tip.height, nodeTip.height); ; height--) {
      if (tip.height - height > this.#maxReorganisation) {
        throw new ChainConflictError(
          `The node's chain leaves ours more than ${this.#maxReorganisation} blocks below our tip, block ${tip.height} (${tip.hash}). ` +
            "Is it the right node? To follow it anyway, raise --max-reorganisation, revert blocks with " +
            "`aqs revert`, or start a new database.",
        );
      }
      if (height < lowest) {
        throw new ChainConflictError(
          `The node's chain has none of the blocks stored here, from ${height + 1} to ${tip.height}: start a new database.`,
        );
      }
      const ours = await this.#store.query(blockHashAt, height);
      if (ours !== null && (await this.#source.hashAt(height)) === ours) return height;
    }
  }
}
