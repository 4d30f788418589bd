/** The thread behind CkbNodeThread. */
import { parentPort, workerData } from "node:worker_threads";
import { SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";
import type { BlocksReply, BlocksRequest } from "./node-thread.ts";

const port = parentPort!;
const node = new CkbNode(workerData as string);

/** More at once would only wait for this one thread to decode them, in memory. */
const AT_ONCE = 4;
const waiting: BlocksRequest[] = [];
let active = 0;

port.on("message", (request: BlocksRequest) => {
  waiting.push(request);
  next();
});

function next(): void {
  if (active >= AT_ONCE) return;
  const request = waiting.shift();
  if (!request) return;
  active += 1;
  void answer(request).finally(() => {
    active -= 1;
    next();
  });
}

async function answer({ id, from, to }: BlocksRequest): Promise<void> {
  let reply: BlocksReply;
  try {
    reply = { id, blocks: await node.blocks(from, to) };
  } catch (error) {
    const ofSource = error instanceof SourceError;
    const { message, stack } = error as Error;
    reply = { id, fault: ofSource ? message : (stack ?? message), ofSource };
  }
  port.postMessage(reply);
}
