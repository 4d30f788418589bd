/** The thread behind CkbNodeThread. */
import { parentPort, workerData } from "node:worker_threads";
import { SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";
import type { BlocksReply, BlocksRequest } from "./node-thread.ts";

const port = parentPort!;
const node = new CkbNode(workerData as string);

port.on("message", async ({ id, from, to }: BlocksRequest) => {
  let reply: BlocksReply;
  try {
    reply = { id, blocks: await node.blocks(from, to) };
  } catch (error) {
    const ofSource = error instanceof SourceError;
    const { message, stack } = error as Error;
    reply = { id, fault: ofSource ? message : (stack ?? message), ofSource };
  }
  port.postMessage(reply);
});
