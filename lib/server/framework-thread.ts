import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { Worker } from "node:worker_threads";
import type { Rendered, Renderer } from "./framework.ts";

/** A request to the thread; null ends it. */
export type RenderRequest = { id: number; args: Parameters<Renderer["render"]> } | null;
/** A message from the thread; null once it can render. */
export type RenderResponse = { id: number; rendered: Rendered } | { id: number; error: Error } | null;

/** Runs the framework in a thread, because rendering takes long. If the thread fails, so does the process. */
export class FrameworkThread implements Renderer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<Rendered>>();
  #nextId = 0;
  #isClosed = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (response: NonNullable<RenderResponse>) => {
      const waiting = this.#waiting.get(response.id);
      this.#waiting.delete(response.id);
      if ("rendered" in response) waiting?.resolve(response.rendered);
      else waiting?.reject(response.error);
    });
    worker.once("exit", () => {
      if (!this.#isClosed) throw new Error("The framework's thread has ended");
    });
  }

  static async start(
    code: URL = new URL("./framework-worker.ts", import.meta.url),
  ): Promise<FrameworkThread> {
    // Rendering produces much garbage. A small young generation takes less memory, and hardly more time.
    const worker = new Worker(code, { resourceLimits: { maxYoungGenerationSizeMb: 6 } });
    await once(worker, "message");
    return new FrameworkThread(worker);
  }

  render(method: string, path: string, headers: IncomingHttpHeaders): Promise<Rendered> {
    const id = this.#nextId++;
    const waiting = Promise.withResolvers<Rendered>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, args: [method, path, headers] } satisfies RenderRequest);
    return waiting.promise;
  }

  async heapBytes(): Promise<number | undefined> {
    try {
      return (await this.#worker.getHeapStatistics()).used_heap_size;
    } catch (error) {
      if (this.#isClosed) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = once(this.#worker, "exit");
    this.#worker.postMessage(null satisfies RenderRequest);
    await ended;
  }
}
