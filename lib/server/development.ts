/** `npm run dev`: the same server, with pages that change with their code. */
import next from "next";
import { Framework } from "./framework.ts";
import { startService } from "./processes.ts";
import { exit } from "./stop.ts";

/** What the framework's own scripts ask for: compiled code, the sources of errors. */
const TOOLS = /^\/(_next|__nextjs)/;

/** Milliseconds for a page, which is compiled when it is first asked for. A busy machine takes minutes. */
const COMPILING_MS = 600_000;

startService(async ({ config: { HOST, PORT, BASE_PATH } }) => {
  const app = next({ dev: true, dir: process.cwd(), hostname: HOST, port: PORT });
  await app.prepare();
  const handle = app.getRequestHandler();
  return {
    framework: new Framework(handle, { scripts: "'unsafe-eval'", pageMs: COMPILING_MS }),
    extend(server) {
      // Changes of code come over a WebSocket.
      app.options.httpServer = server;
      const answer = server.listeners("request")[0]!;
      server.removeAllListeners("request").on("request", (request, response) => {
        // Pages for readers without cookies would be kept as they are now.
        request.headers.cookie ??= "";
        if (TOOLS.test(request.url!.slice(BASE_PATH.length))) void handle(request, response);
        else answer.call(server, request, response);
      });
    },
    close: () => app.close(),
  };
}).catch(exit);
