import cluster from "node:cluster";
import { createLog } from "#lib/api/log.ts";
import { readConfig } from "#lib/config.ts";
import { requirePorts } from "#lib/util/free-port.ts";
import type { runServer } from "./lifecycle.ts";
import { superviseWorkers } from "./workers.ts";

/** Starts the service with these pages, in this process or in `WEB_CONCURRENCY` workers. */
export async function startService(...pages: Parameters<typeof runServer>): Promise<void> {
  const config = readConfig();
  const { HOST, PORT, METRICS_PORT, WEB_CONCURRENCY, LOG_LEVEL } = config;
  // A worker listens through the first process.
  if (cluster.isPrimary) await requirePorts(HOST, { PORT, METRICS_PORT });
  if (cluster.isPrimary && WEB_CONCURRENCY > 1) return superviseWorkers(config, createLog(LOG_LEVEL));
  // The first of several processes serves nothing, and need not load this.
  const { runServer } = await import("./lifecycle.ts");
  await runServer(...pages);
}
