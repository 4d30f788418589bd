/** The server of `npm start` without the pages, for tests that start it as a process: `node api-server.ts`. */
import cluster from "node:cluster";
import { createLog } from "#lib/api/log.ts";
import { readConfig } from "#lib/config.ts";
import { runServer } from "#lib/server/run.ts";
import { superviseWorkers } from "#lib/server/workers.ts";

const config = readConfig();
if (cluster.isPrimary && config.WEB_CONCURRENCY > 1) {
  await superviseWorkers(config, createLog(config.LOG_LEVEL));
} else {
  await runServer(async () => ({
    handle: async (_request, response) => void response.writeHead(404).end(),
    close: async () => {},
  }));
}
