import { type Block, InvalidChainDataError, type OutPoint, type Output } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import {
  blockHashAt,
  blockHeights,
  chainIdentity,
  chainTip,
  firstGap,
  storedHorizon,
} from "#lib/queries/chain.ts";
import { dataCoverage } from "#lib/queries/coverage.ts";
import { storedBlock } from "#lib/queries/stored.ts";
import { ChainConflictError } from "#lib/store/errors.ts";
import type { ChainIdentity, ResolvedBlock, Tip } from "#lib/store/rows.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { countOutputs, fetchBlocks, OUTPUTS_AHEAD, Pace } from "./block-queue.ts";
import { type ForeignOutputs, resolveBlocks, toBlock } from "./resolve.ts";
import { isInterruption, type Outage, Retry, sleep } from "./retry.ts";

/**
 * While catching up, a batch has this many blocks or outputs, whichever is reached first: more would need more memory. What is
 * fetched while one is written makes the next one.
 */
const BATCH_BLOCKS = 10_000;
const BATCH_OUTPUTS = OUTPUTS_AHEAD;
/**
 * A transaction takes the batches that come in this time, in milliseconds. In a longer one, more rows share each page of an
 * index that it writes, but other writers wait.
 */
const COMMIT_AFTER = 18_000;
/** SQLite's memory for pages, which should hold those that a transaction changes. */
export const CACHE_MB = 512;
/** How long an open transaction waits for the node, in milliseconds. */
const READY_WITHIN = 500;
/** After such a transaction, and between steps that forget, others may write for so long: a program that waits for SQLite looks again every 100 ms. */
const TURN_OF_OTHERS = 250;
/** So long outputs are forgotten before the next blocks are stored, in milliseconds. */
const FORGET_FOR = 18_000;
/** Closer to the node's tip than this, each block is stored in its own transaction. */
const NEAR_TIP = 10;

const POLL = 2_000;
/** Attempts before a lower branch is followed; the fifth comes 15 seconds after the first. */
const FOLLOWED_AFTER = 5;

export interface SyncOptions {
  /** Height of the first block in an empty database. */
  from?: number | undefined;
  /** Stop at the node's tip instead of waiting for more. */
  once?: boolean | undefined;
  /** How many blocks a reorganisation may revert; see `reorganisationLimit`. */
  maxReorganisation?: number | undefined;
  /** Outputs that blocks further than this below the tip spent are forgotten. */
  history?: number | undefined;
  /** Ends the sync after the current transaction. */
  signal?: AbortSignal | undefined;
  /** Waits; tests replace it. Resolves early if the signal aborts. */
  sleep?(milliseconds: number, signal: AbortSignal): Promise<void>;
  log?(message: string): void;
  /** After each transaction. */
  onProgress?(progress: Progress): void;
  /** After a reorganisation that took back so many blocks. */
  onReorganisation?(depth: number): void;
  /** Hears what does not answer whenever that begins, and null when it ends. */
  onOutage?: ((of: Outage | null) => void) | undefined;
  /** Called regularly while no transaction is open, for other writes. */
  between?(): Promise<void>;
}

export interface Progress {
  height: number;
  nodeHeight: number;
  /** Since the sync began. */
  blocks: number;
  outputs: number;
}

/** A fork is deeper than the sync may revert. */
export class DeepForkError extends ChainConflictError {}

/** The node's blocks contradict stored ones. */
class MisfitError extends SourceError {}

/** Ends an attempt that needs these outputs first. */
class ForeignOutputsNeeded extends Error {
  readonly outPoints: OutPoint[];

  constructor(outPoints: OutPoint[]) {
    super("Outputs of older blocks are needed");
    this.outPoints = outPoints;
  }
}

/**
 * Follows a node: stores its blocks from the store's tip on, fills gaps between stored blocks, and reverts blocks that
 * the node no longer has. Retries after faults of the node, and while the database is busy, away or read-only. Throws
 * for a wrong network, too deep a fork, another sync in its place, and our own bugs.
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
/**
 * How many blocks a reorganisation may revert, unless the operator says otherwise. Of a limited history, one may take only half:
 * it can lower the tip, and what the next one needs from further down does not come back.
 */
const reorganisationLimit = (history = Number.POSITIVE_INFINITY): number =>
  Math.min(MAX_REORGANISATION, Math.floor(history / 2));

const defaults = {
  sleep,
  log(_message: string): void {},
  onProgress(_progress: Progress): void {},
  onReorganisation(_depth: number): void {},
  async between(): Promise<void> {},
};

async function refuse(outPoints: OutPoint[]): Promise<never> {
  throw new ForeignOutputsNeeded(outPoints);
}

const isNear = (height: number, nodeTip: Tip): boolean => nodeTip.height - height < NEAR_TIP;

type Counts = Pick<Progress, "height" | "blocks" | "outputs">;

class SyncRun {
  readonly signal: AbortSignal;
  readonly progress: Progress = { height: -1, nodeHeight: -1, blocks: 0, outputs: 0 };
  readonly #store: Store;
  readonly #source: ChainSource;
  readonly #options: SyncOptions & typeof defaults & { maxReorganisation: number };
  readonly #pace = new Pace();
  readonly #retry: Retry;
  /** Of a database that has none: it comes with the first blocks, so that a sync that stores nothing decides nothing. */
  #newChain: ChainIdentity | undefined;
  #isNoted = false;
  readonly #warned = new Set<string>();
  /** The node's tip if it is lower than ours and on another branch, and how often it was seen in a row. */
  #lowerTip: { hash: string; seen: number } | null = null;

  constructor(store: Store, source: ChainSource, options: SyncOptions) {
    this.#store = store;
    this.#source = source;
    this.signal = options.signal ?? new AbortController().signal;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const maxReorganisation = reorganisationLimit(options.history);
    this.#options = { ...defaults, maxReorganisation, ...Object.fromEntries(given) };
    this.#retry = new Retry({ ...this.#options, signal: this.signal });
  }

  async follow(): Promise<void> {
    await this.#retry.run(async () => {
      this.progress.height = (await this.#store.query(chainTip))?.height ?? -1;
      const chain = await this.#source.identity();
      if (await this.#store.query(chainIdentity)) await this.#store.write(identify, chain);
      else this.#newChain = chain;
    });
    await this.#retry.run(() => this.#reportStart());
    while (!this.signal.aborted) {
      const atTip = await this.#retry.run(() => this.#advance().catch((error) => this.#dropStray(error)));
      const isRaised = await this.#retry.run(() => this.#raiseHorizon());
      if (!atTip || !isRaised) continue;
      await this.#retry.run(() => this.#options.between());
      this.#passNotice();
      if (this.#options.once) return;
      await this.#options.sleep(POLL, this.signal);
    }
  }

  async #reportStart(): Promise<void> {
    const { from } = this.#options;
    if (from === undefined) return;
    const { lowestHeight } = await this.#store.query(dataCoverage);
    if (lowestHeight === null || from === lowestHeight) return;
    this.#options.log(
      `this database starts at block ${lowestHeight}: --from ${from} applies to an empty database only`,
    );
  }

  /** Logs why nothing happens, once until there is progress. */
  #note(message: string): void {
    if (!this.#isNoted) this.#options.log(message);
    this.#isNoted = true;
  }

  /** Advances from the store's tip to the node's current tip. True if it is there. */
  async #advance(): Promise<boolean> {
    const nodeTip = await this.#source.tip();
    this.progress.nodeHeight = nodeTip.height;
    const tip = await this.#store.query(chainTip);
    this.progress.height = tip?.height ?? -1;
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
      // It may fail before its turn, or when nobody waits for it any more: that is no unhandled rejection.
      batch.catch(() => {});
      return batch;
    };
    let next = take();
    try {
      for (let batch = await next; !batch.done; batch = await next) {
        this.signal.throwIfAborted();
        const first = await this.#resolve(batch.value, this.#source.outputs.bind(this.#source));
        const stored: Counts = { height: -1, blocks: 0, outputs: 0 };
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
        this.#reportProgress(stored);
        await this.#raiseHorizon();
        await this.#options.between();
        this.#passNotice();
        if (isLong) await this.#options.sleep(TURN_OF_OTHERS, this.signal);
      }
    } finally {
      batches.return().catch(() => {});
    }
    return this.progress.blocks - before;
  }

  /** Forgets what `history` leaves out, for a while. True if nothing of it is left. */
  async #raiseHorizon(): Promise<boolean> {
    const { history } = this.#options;
    const tip = history === undefined ? null : await this.#store.query(chainTip);
    if (history === undefined || !tip) return true;
    // Blocks that come into a gap create outputs that blocks above it spent, and may replace those below it.
    const gap = await this.#store.query(firstGap, 0);
    const target = (gap ? gap.from - 1 : tip.height) - history;
    const end = performance.now() + FORGET_FOR;
    let reached = await this.#store.query(storedHorizon);
    while (reached < target) {
      if (this.signal.aborted) return false;
      if (performance.now() > end) {
        this.#options.log(`outputs spent up to block ${reached} are forgotten, up to ${target} they will be`);
        return false;
      }
      reached = await this.#store.write(raiseHorizon, target);
      if (reached < target) await this.#options.sleep(TURN_OF_OTHERS, this.signal);
    }
    return true;
  }

  /** The node's blocks as they are stored together. */
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
   * Null if the transaction would stay open while the node is asked: for the batch, or for outputs that it spends. Null also if
   * that fails, and so not at the cost of the transaction: it fails again when the batch begins the next one.
   */
  async #resolveAtOnce(next: Promise<IteratorResult<Block[], void>>): Promise<ResolvedBlock[] | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, READY_WITHIN, null);
    });
    const batch = await Promise.race([next.catch(() => null), late]);
    clearTimeout(timer);
    return batch?.value ? this.#resolve(batch.value, refuse).catch(() => null) : null;
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

  /** A lower node on another branch may still be catching up. It is followed once it has stayed there. */
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

  #passNotice(): void {
    const notice = this.#store.notice?.();
    if (notice) this.#options.log(notice);
  }

  #passOnWarnings(blocks: ResolvedBlock[]): void {
    for (const { height, warnings = [] } of blocks) {
      for (const warning of warnings) {
        if (!this.#warned.has(warning)) this.#options.log(`block ${height}: ${warning}`);
        this.#warned.add(warning);
      }
    }
  }

  /** To be called once they are committed. */
  #reportProgress({ height, blocks, outputs }: Counts): void {
    this.#newChain = undefined;
    this.#isNoted = false;
    this.progress.height = height;
    this.progress.blocks += blocks;
    this.progress.outputs += outputs;
    this.#options.onProgress(this.progress);
  }

  #resolve(blocks: Block[], foreign: ForeignOutputs): Promise<ResolvedBlock[]> {
    return this.#fitting(() => resolveBlocks(blocks, this.#store, this.#source.native.id, foreign));
  }

  async #save(blocks: ResolvedBlock[], extendTip: boolean): Promise<void> {
    await this.#fitting(() => this.#store.write(applyBlocks, blocks, { extendTip, chain: this.#newChain }));
    this.#passOnWarnings(blocks);
  }

  async #fitting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The blocks' own hashes are right, so the node's view of the chain is inconsistent, or the database is.
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
      throw new SourceError(`the node gave contradictory answers about block ${ancestor}`);
    }
    // However deep the fork is, readers see no lower tip than the node's.
    const last = Math.min(nodeTip.height, tip.height + 1);
    const branch = await Array.fromAsync(fetchBlocks(this.#source, ancestor + 1, last, nodeTip, this.#pace));
    const base = await this.#store.query(blockHashAt, ancestor);
    if (branch.at(-1)?.height !== last || branch[0]!.parentHash !== base) {
      throw new SourceError("the node changed its chain again while it was read");
    }
    await this.#replaceBy(branch, ancestor);
    this.#options.log(
      `reorganisation: ${depth} blocks above ${ancestor} reverted, ${branch.length} of the new branch stored`,
    );
    this.#options.onReorganisation(depth);
    this.#reportProgress({ height: last, blocks: branch.length, outputs: countOutputs(branch) });
  }

  /**
   * Requests outputs from before our first block between two attempts: within the transaction, the database would be
   * locked while the node answers.
   */
  async #replaceBy(branch: Block[], ancestor: number): Promise<void> {
    const attempt = (foreign: ForeignOutputs) =>
      this.#store.atomically(async () => {
        await this.#store.write(revertTo, ancestor);
        await this.#save(await this.#resolve(branch, foreign), true);
      });
    try {
      await attempt(refuse);
    } catch (error) {
      if (!(error instanceof ForeignOutputsNeeded)) throw error;
      const known = await this.#source.outputs(error.outPoints);
      await attempt(async () => known);
    }
  }

  /**
   * Imported blocks of another branch, which end below a gap, may be why the node's blocks do not fit. Drops the lowest run
   * of them, stores what is above it again, and resolves to false.
   */
  async #dropStray(misfit: unknown): Promise<false> {
    if (!(misfit instanceof MisfitError)) throw misfit;
    const { maxReorganisation } = this.#options;
    for (
      let gap = await this.#store.query(firstGap, 0);
      gap;
      gap = await this.#store.query(firstGap, gap.to)
    ) {
      const last = gap.from - 1;
      let below = last;
      while (last - below <= maxReorganisation && (await this.#isStray(below))) below -= 1;
      if (below === last) continue;
      const first = { height: below + 1, hash: await this.#store.query(blockHashAt, below + 1) };
      const above = await this.#store.query(blockHeights, { after: below, limit: maxReorganisation + 1 });
      if (above.length > maxReorganisation) {
        throw new DeepForkError(
          `Block ${first.height} (${first.hash}) is not on the node's chain, and more than ${maxReorganisation} blocks are ` +
            `stored from it on. To drop it, raise --max-reorganisation, restore a backup, or take all of them back with \`aqs revert ${below}\`.`,
        );
      }
      await this.#drop(below, last);
      this.#options.log(
        `dropped ${last - below} blocks from block ${first.height} (${first.hash}) on: they contradict the node's chain`,
      );
      return false;
    }
    throw misfit;
  }

  /** True if we have a block at this height, and the node another one. */
  async #isStray(height: number): Promise<boolean> {
    const ours = await this.#store.query(blockHashAt, height);
    const theirs = ours === null ? null : await this.#source.hashAt(height);
    return theirs !== null && theirs !== ours;
  }

  /** Takes back the blocks above `below` up to `last` in one transaction, which stores those above them again. */
  async #drop(below: number, last: number): Promise<void> {
    await this.#store.atomically(async () => {
      const spent = new Map<string, Output>();
      const kept: Block[] = [];
      for (const height of await this.#store.query(blockHeights, { after: last })) {
        kept.push(toBlock(await this.#store.query(storedBlock, height), spent));
      }
      await this.#store.write(revertTo, below);
      const resolved = await resolveBlocks(kept, this.#store, this.#source.native.id, async () => spent);
      await this.#store.write(applyBlocks, resolved, { extendTip: false });
    });
  }

  async #commonAncestor(tip: Tip, nodeTip: Tip): Promise<number> {
    const { maxReorganisation } = this.#options;
    const lowest = (await this.#store.query(dataCoverage)).lowestHeight ?? tip.height;
    for (let height = Math.min(tip.height, nodeTip.height); ; height--) {
      if (tip.height - height > maxReorganisation) {
        throw new DeepForkError(
          `The node's chain leaves ours more than ${maxReorganisation} blocks below our tip, block ${tip.height} (${tip.hash}). ` +
            "Is it the right node? To follow it all the same, raise --max-reorganisation, take blocks back with " +
            "`aqs revert`, or start a new database.",
        );
      }
      if (height < lowest) {
        throw new DeepForkError(
          `The node's chain has none of the blocks stored here, from ${height + 1} to ${tip.height}: start a new database.`,
        );
      }
      const ours = await this.#store.query(blockHashAt, height);
      if (ours !== null && (await this.#source.hashAt(height)) === ours) return height;
    }
  }
}
