/** The thread behind CkbNodeThread. */
import { parentPort, workerData } from "node:worker_threads";
import pLimit from "p-limit";
import { SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";
import type { BlocksMessage, BlocksRequest, BlocksResponse } from "./node-thread.ts";

const port = parentPort!;
const node = new CkbNode(workerData as string);

/** More responses would only wait in memory for this thread to decode them. */
const limit = pLimit(4);
const open = new Map<number, AbortController>();

port.on("message", (message: BlocksMessage) => {
  if ("givenUp" in message) {
    open.get(message.givenUp)?.abort();
  } else {
    const end = new AbortController();
    open.set(message.id, end);
    void limit(respond, message, end.signal).finally(() => open.delete(message.id));
  }
});

async function respond({ id, from, to }: BlocksRequest, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let response: BlocksResponse;
  try {
    response = { id, blocks: await node.blocks(from, to, signal) };
  } catch (error) {
    if (signal.aborted) return;
    const ofSource = error instanceof SourceError;
    const { message, stack } = error as Error;
    response = { id, fault: ofSource ? message : (stack ?? message), ofSource };
  }
  port.postMessage(response);
}
