import type { Block } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import type { Tip } from "#lib/store/rows.ts";

/** Limits of the read-ahead: small blocks keep coming during a long write, and large ones do not fill the memory. */
const LEAST_REQUESTS = 3;
const MAX_REQUESTS = 64;
export const OUTPUTS_AHEAD = 20_000;
const BYTES_AHEAD = 16 * 1024 * 1024;

/** Limits of one request, which has at least one block. */
const MAX_BLOCKS = 16;
const MAX_BYTES = 4 * 1024 * 1024;
/** Number of successes in a row after which requests grow again. */
const STEADY_RESPONSES = 16;

/** Size and number of requests: smaller after a failure or large blocks, and larger after a series of successes. */
export class Pace {
  requests = MAX_REQUESTS;
  #most = MAX_BLOCKS;
  #fitting = MAX_BLOCKS;
  #responses = 0;

  get blocks(): number {
    return Math.min(this.#most, this.#fitting);
  }

  /** Awaits a response, and adapts to its size or failure. */
  async observe(response: Promise<Block[]>): Promise<Block[]> {
    try {
      const blocks = await response;
      this.#responses += 1;
      if (this.#responses % STEADY_RESPONSES === 0) {
        this.#most = Math.min(this.#most * 2, MAX_BLOCKS);
        this.requests = Math.min(this.requests * 2, MAX_REQUESTS);
      }
      const largest = Math.max(1, ...blocks.map(({ bytes = 1 }) => bytes));
      this.#fitting = Math.max(1, Math.floor(MAX_BYTES / largest));
      return blocks;
    } catch (error) {
      if (error instanceof SourceError) {
        this.#responses = 0;
        this.#most = Math.ceil(this.blocks / 2);
        // The node's thread works on four requests at once, and queues the others.
        this.requests = Math.ceil(Math.min(this.requests, 8) / 2);
      }
      throw error;
    }
  }
}

/**
 * Fetches a range of blocks ahead of its reader, in order, up to the last one that the node has. Throws SourceError if a
 * block does not follow the one below it, or is not the announced tip.
 * @param announced the node's tip, whose hash no block above it confirms; null if unknown
 */
export async function* fetchBlocks(
  source: ChainSource,
  from: number,
  to: number,
  announced: Tip | null,
  pace: Pace,
): AsyncGenerator<Block, void> {
  let next = from;
  let most = LEAST_REQUESTS;
  let below: Block | undefined;
  const pending: { count: number; blocks: Promise<Block[]>; end: AbortController }[] = [];
  const fill = () => {
    while (pending.length < Math.min(most, pace.requests) && next <= to) {
      const last = Math.min(next + pace.blocks - 1, to);
      const end = new AbortController();
      const blocks = source.blocks(next, last, end.signal);
      // It may fail before anyone awaits it, which must not become an unhandled rejection.
      blocks.catch(() => {});
      pending.push({ count: last - next + 1, blocks, end });
      next = last + 1;
    }
  };
  try {
    fill();
    for (let request = pending.shift(); request; request = pending.shift()) {
      const blocks = await pace.observe(request.blocks);
      // This request may have fewer blocks than the next ones.
      const share = Math.max(1, blocks.length) / pace.blocks;
      const bytes = blocks.reduce((sum, block) => sum + (block.bytes ?? 0), 0);
      const fitting = Math.min(
        (OUTPUTS_AHEAD * share) / Math.max(1, countOutputs(blocks)),
        (BYTES_AHEAD * share) / Math.max(1, bytes),
      );
      most = Math.max(LEAST_REQUESTS, Math.min(Math.floor(fitting), MAX_REQUESTS));
      const isEnd = blocks.length < request.count;
      if (!isEnd) fill();
      for (const block of blocks) {
        const { height, hash, parentHash } = block;
        if (below && parentHash !== below.hash) {
          throw new SourceError(`block ${height} (${hash}) does not follow ${below.hash}`);
        }
        if (announced?.height === height && announced.hash !== hash) {
          throw new SourceError(`block ${height} (${hash}) is not the announced tip, ${announced.hash}`);
        }
        yield block;
        below = block;
      }
      if (isEnd) return;
    }
  } finally {
    for (const { end } of pending) end.abort();
  }
}

export const countOutputs = (
  blocks: readonly { transactions: { outputs: readonly unknown[] }[] }[],
): number =>
  blocks.reduce(
    (sum, { transactions }) => sum + transactions.reduce((n, { outputs }) => n + outputs.length, 0),
    0,
  );
