/** The server of `npm start` without the pages, for tests and benchmarks that start it as a process: `node api-server.ts`. */
import { Framework } from "#lib/server/framework.ts";
import { startService } from "#lib/server/processes.ts";

await startService(async () => ({
  framework: new Framework(async (_request, response) => void response.writeHead(404).end()),
  close: async () => {},
}));
