/** The server of `npm start` without the pages, for tests and benchmarks that start it as a process: `node api-server.ts`. */
import { startService } from "#lib/server/start.ts";

await startService(async () => ({
  handle: async (_request, response) => void response.writeHead(404).end(),
  close: async () => {},
}));
