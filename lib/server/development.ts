/** `npm run dev`: the same server, with pages that reload when their code changes. */
import next from "next";
import { Framework } from "./framework.ts";
import { startService } from "./processes.ts";
import { exit } from "./stop.ts";

/** Paths of the framework's own scripts, such as compiled code and the sources of errors. */
const TOOLS = /^\/(_next|__nextjs)/;

/** Milliseconds for a page, which is compiled at its first request. A busy machine takes minutes. */
const COMPILING_MS = 600_000;

startService(async ({ config: { HOST, PORT, BASE_PATH } }) => {
  const app = next({ dev: true, dir: process.cwd(), hostname: HOST, port: PORT });
  await app.prepare();
  const handle = app.getRequestHandler();
  return {
    framework: new Framework(handle, { scripts: "'unsafe-eval'", pageMs: COMPILING_MS }),
    extend(server) {
      // Code changes arrive over a WebSocket.
      app.options.httpServer = server;
      const listener = server.listeners("request")[0]!;
      server.removeAllListeners("request").on("request", (request, response) => {
        if (TOOLS.test(request.url!.slice(BASE_PATH.length))) void handle(request, response);
        else listener.call(server, request, response);
      });
    },
    close: () => app.close(),
  };
}).catch(exit);
