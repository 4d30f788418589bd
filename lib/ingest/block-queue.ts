import type { Block } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import type { Tip } from "#lib/store/store.ts";

/**
 * Limits of the requests whose blocks wait to be taken. Between them, about OUTPUTS_AHEAD outputs are ready: small blocks
 * keep coming during a long write, and large ones do not fill the memory.
 */
const LEAST_REQUESTS = 3;
const MOST_REQUESTS = 64;
const OUTPUTS_AHEAD = 10_000;

const MOST_BLOCKS = 16;
/** After this many successes in a row, the requests grow again. */
const STEADY_ANSWERS = 16;

/** How much is requested at once: half as much after each failure, down to one block; more after a series of successes. */
export class Pace {
  /** Blocks of one request. */
  blocks = MOST_BLOCKS;
  /** Requests at once. */
  requests = MOST_REQUESTS;
  #answers = 0;

  slower(): void {
    this.#answers = 0;
    this.blocks = Math.ceil(this.blocks / 2);
    // The node's thread works on four requests at once; the others wait there.
    this.requests = Math.ceil(Math.min(this.requests, 8) / 2);
  }

  answered(): void {
    this.#answers += 1;
    if (this.#answers % STEADY_ANSWERS !== 0) return;
    this.blocks = Math.min(this.blocks * 2, MOST_BLOCKS);
    this.requests = Math.min(this.requests * 2, MOST_REQUESTS);
  }
}

interface PendingRequest {
  count: number;
  blocks: Promise<Block[]>;
  end: AbortController;
}

/**
 * Fetches a range of blocks ahead of its reader, in order, up to the last one that the node has. Throws SourceError if a
 * block does not follow the one below it, or is not the announced tip.
 */
export class BlockQueue implements AsyncIterable<Block> {
  readonly #source: ChainSource;
  readonly #to: number;
  readonly #announced: Tip | null;
  readonly #pace: Pace;
  #next: number;
  #pending: PendingRequest[] = [];
  #requests = LEAST_REQUESTS;
  #closed = false;

  /** @param announced the node's tip, whose block has none above it that would name its hash; null if it is not read */
  constructor(source: ChainSource, from: number, to: number, announced: Tip | null, pace: Pace) {
    this.#source = source;
    this.#next = from;
    this.#to = to;
    this.#announced = announced;
    this.#pace = pace;
  }

  /** Sends no more requests, and cancels the open ones. */
  close(): void {
    this.#closed = true;
    for (const { end } of this.#pending.splice(0)) end.abort();
  }

  #fill(): void {
    const most = Math.min(this.#requests, this.#pace.requests);
    while (!this.#closed && this.#pending.length < most && this.#next <= this.#to) {
      const last = Math.min(this.#next + this.#pace.blocks - 1, this.#to);
      const end = new AbortController();
      const blocks = this.#source.blocks(this.#next, last, end.signal);
      // It may fail before its turn, or after the queue was closed: that is no unhandled rejection.
      blocks.catch(() => {});
      this.#pending.push({ count: last - this.#next + 1, blocks, end });
      this.#next = last + 1;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Block> {
    let below: Block | undefined;
    this.#fill();
    for (;;) {
      const request = this.#pending.shift();
      if (!request) return;
      const blocks = await this.#answerOf(request);
      const fitting = Math.floor(OUTPUTS_AHEAD / Math.max(1, countOutputs(blocks)));
      this.#requests = Math.max(LEAST_REQUESTS, Math.min(fitting, MOST_REQUESTS));
      if (blocks.length === request.count) this.#fill();
      else this.close();
      for (const block of blocks) {
        if (below && block.parentHash !== below.hash) {
          throw new SourceError(`block ${block.height} (${block.hash}) does not follow ${below.hash}`);
        }
        const announced = this.#announced;
        if (announced?.height === block.height && announced.hash !== block.hash) {
          throw new SourceError(
            `block ${block.height} (${block.hash}) is not the tip that the node told of, ${announced.hash}`,
          );
        }
        yield block;
        below = block;
      }
    }
  }

  async #answerOf({ blocks }: PendingRequest): Promise<Block[]> {
    try {
      const answer = await blocks;
      this.#pace.answered();
      return answer;
    } catch (error) {
      if (error instanceof SourceError) this.#pace.slower();
      throw error;
    }
  }
}

export const countOutputs = (blocks: Block[]): number =>
  blocks.reduce(
    (sum, { transactions }) => sum + transactions.reduce((n, { outputs }) => n + outputs.length, 0),
    0,
  );
