import { Worker } from "node:worker_threads";
import type { Block } from "#lib/contract/ledger.ts";
import { type NodeConnection, SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";

/** Fewer blocks, near the tip, are read without the thread. */
const MANY_BLOCKS = 8;

export interface BlocksRequest {
  id: number;
  from: number;
  to: number;
}
/** A message to the thread: a request, or the id of one to cancel. */
export type BlocksMessage = BlocksRequest | { givenUp: number };
/** `ofSource`: true if the fault is the node's, not a bug in the thread. */
export type BlocksResponse = { id: number } & ({ blocks: Block[] } | { fault: string; ofSource: boolean });

/** Fetches, hashes and decodes blocks in a thread, while the caller stores earlier ones. `close` ends the thread. */
export class CkbNodeThread extends CkbNode implements NodeConnection {
  readonly #url: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<Block[]>>();
  #worker: Worker | undefined;
  #nextId = 0;

  constructor(url: string, signal?: AbortSignal) {
    super(url, signal);
    this.#url = url;
    signal?.addEventListener("abort", () => this.#end(signal.reason), { once: true });
  }

  override blocks(from: number, to: number, signal?: AbortSignal): Promise<Block[]> {
    if (to - from < MANY_BLOCKS) return super.blocks(from, to, signal);
    const id = this.#nextId++;
    const waiting = Promise.withResolvers<Block[]>();
    this.#waiting.set(id, waiting);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id, from, to } satisfies BlocksMessage);
    signal?.addEventListener("abort", () => this.#giveUp(id, signal.reason), { once: true });
    return waiting.promise;
  }

  close(): void {
    this.#end(new Error("The node's thread was closed"));
  }

  #start(): Worker {
    const worker = new Worker(new URL("./node-worker.ts", import.meta.url), {
      workerData: this.#url,
      // Nearly everything that it allocates dies young, so more room would not help.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    worker.on("message", (response: BlocksResponse) => {
      const waiting = this.#waiting.get(response.id);
      this.#waiting.delete(response.id);
      if ("blocks" in response) waiting?.resolve(response.blocks);
      else waiting?.reject(response.ofSource ? new SourceError(response.fault) : new Error(response.fault));
    });
    worker.on("error", (error) => this.#end(error));
    return worker;
  }

  #giveUp(id: number, reason: unknown): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    waiting.reject(reason);
    this.#worker?.postMessage({ givenUp: id } satisfies BlocksMessage);
  }

  #end(reason: unknown): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
