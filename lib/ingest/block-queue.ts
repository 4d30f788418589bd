import type { Block } from "#lib/contract/ledger.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";

const BLOCKS_A_REQUEST = 16;
/**
 * Requests under way or waiting to be taken: at least so many, and as many more as keep about so many
 * outputs ahead, so that small blocks keep coming during a long write, and large ones do not fill the memory.
 */
const LEAST_REQUESTS = 3;
const MOST_REQUESTS = 64;
const OUTPUTS_AHEAD = 10_000;

/**
 * Fetches a range of blocks ahead of whoever takes them, a bounded number of requests at a time, and hands
 * them out in order. Ends early where the node has no more; throws SourceError where a block does not
 * follow the one below it.
 */
export class BlockQueue implements AsyncIterable<Block> {
  readonly #source: ChainSource;
  readonly #to: number;
  #next: number;
  #pending: Promise<Block[]>[] = [];
  #requests = LEAST_REQUESTS;
  #closed = false;

  constructor(source: ChainSource, from: number, to: number) {
    this.#source = source;
    this.#next = from;
    this.#to = to;
  }

  /** Asks for no more. Requests under way end by themselves. */
  close(): void {
    this.#closed = true;
    this.#pending = [];
  }

  #fill(): void {
    while (!this.#closed && this.#pending.length < this.#requests && this.#next <= this.#to) {
      const last = Math.min(this.#next + BLOCKS_A_REQUEST - 1, this.#to);
      const request = this.#source.blocks(this.#next, last);
      // It may fail before its turn comes, or after nobody waits for it any more.
      request.catch(() => {});
      this.#pending.push(request);
      this.#next = last + 1;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Block> {
    let below: Block | undefined;
    let expected = this.#next;
    this.#fill();
    for (;;) {
      const request = this.#pending.shift();
      if (!request) return;
      const blocks = await request;
      const fitting = Math.floor(OUTPUTS_AHEAD / Math.max(1, countOutputs(blocks)));
      this.#requests = Math.max(LEAST_REQUESTS, Math.min(fitting, MOST_REQUESTS));
      this.#fill();
      for (const block of blocks) {
        if (block.height !== expected) return;
        if (below && block.parentHash !== below.hash) {
          throw new SourceError(`block ${block.height} (${block.hash}) does not follow ${below.hash}`);
        }
        yield block;
        below = block;
        expected += 1;
      }
    }
  }
}

export const countOutputs = (blocks: Block[]): number =>
  blocks.reduce(
    (sum, { transactions }) => sum + transactions.reduce((n, { outputs }) => n + outputs.length, 0),
    0,
  );
