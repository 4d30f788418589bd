/** The thread behind CkbNodeThread. */
import { parentPort, workerData } from "node:worker_threads";
import { SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";
import type { BlocksGivenUp, BlocksReply, BlocksRequest } from "./node-thread.ts";

const port = parentPort!;
const node = new CkbNode(workerData as string);

/** Responses to more requests would only wait in memory for this thread to decode them. */
const AT_ONCE = 4;
let waiting: BlocksRequest[] = [];
const active = new Map<number, AbortController>();

port.on("message", (message: BlocksRequest | BlocksGivenUp) => {
  if ("givenUp" in message) {
    waiting = waiting.filter(({ id }) => id !== message.givenUp);
    active.get(message.givenUp)?.abort();
  } else {
    waiting.push(message);
    next();
  }
});

function next(): void {
  if (active.size >= AT_ONCE) return;
  const request = waiting.shift();
  if (!request) return;
  const end = new AbortController();
  active.set(request.id, end);
  void answer(request, end.signal).finally(() => {
    active.delete(request.id);
    next();
  });
}

async function answer({ id, from, to }: BlocksRequest, signal: AbortSignal): Promise<void> {
  let reply: BlocksReply;
  try {
    reply = { id, blocks: await node.blocks(from, to, signal) };
  } catch (error) {
    if (signal.aborted) return;
    const ofSource = error instanceof SourceError;
    const { message, stack } = error as Error;
    reply = { id, fault: ofSource ? message : (stack ?? message), ofSource };
  }
  port.postMessage(reply);
}
