/** The thread behind FrameworkThread. */
import { parentPort } from "node:worker_threads";
import next from "next";
import sharp from "sharp";
import { logConsole } from "#lib/api/log.ts";
import { getService } from "#lib/api/service.ts";
import { Framework } from "./framework.ts";
import type { RenderRequest, RenderResponse } from "./framework-thread.ts";
import { nameFailures } from "./rendered-request.ts";

const port = parentPort!;
// The framework draws share images with it, and no two are alike.
sharp.cache(false);
const { config, log, store } = await getService();
nameFailures(store);
const app = next({ dev: false, dir: process.cwd(), hostname: config.HOST, port: config.PORT });
await app.prepare();
logConsole(log);
const framework = new Framework(app.getRequestHandler());

const send = (response: RenderResponse, bytes: ArrayBuffer[] = []) => port.postMessage(response, bytes);

port.on("message", async (request: RenderRequest) => {
  if (request === null) {
    await app.close();
    await store.close();
    process.exit();
  }
  const { id, args } = request;
  try {
    const rendered = await framework.render(...args);
    const { body } = rendered;
    // The bytes move to the other thread, which a part of a shared buffer cannot.
    const own = body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
    send({ id, rendered: { ...rendered, body: own } }, [own.buffer as ArrayBuffer]);
  } catch (error) {
    send({ id, error: error as Error });
  }
});
send(null);
