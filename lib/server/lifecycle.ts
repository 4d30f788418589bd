import cluster from "node:cluster";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { getService, type Service } from "#lib/api/service.ts";
import { databaseName } from "#lib/config.ts";
import type { Build } from "./build.ts";
import type { Renderer } from "./framework.ts";
import { health, readiness } from "./health.ts";
import { createServer } from "./server.ts";
import { exit, stopServer } from "./stop.ts";
import { RETIRE, SharedRequestCounts } from "./workers.ts";

/** Time for closing the framework and the database, which may wait for an unresponsive server. */
const CLOSING_MS = 2_000;

export interface Frontend {
  framework: Renderer;
  build?: Build;
  /** Lets the framework handle more of the server's requests, in development. */
  extend?(server: Server): void;
  close(): Promise<void>;
}

/** Serves requests until SIGTERM or SIGINT, then exits. The process is the whole service, or one of several workers. */
export async function runServer(open: (service: Service) => Promise<Frontend>): Promise<void> {
  const service = await getService(cluster.isWorker ? new SharedRequestCounts() : undefined);
  const { BASE_PATH, HOST, PORT, DATABASE_URL, MAX_CONNECTIONS, SHUTDOWN_SECONDS } = service.config;
  const pages = await open(service);
  const measured = await startMetrics(service, pages.framework);
  const server = createServer(service, pages.framework, pages.build, measured?.metrics);
  pages.extend?.(server);
  // Clients beyond the backlog must connect again after a second.
  server.listen({ port: PORT, host: HOST, backlog: MAX_CONNECTIONS });
  await once(server, "listening");
  service.log.info({ database: databaseName(DATABASE_URL), node: process.versions.node }, "ready");
  if (cluster.worker === undefined || cluster.worker.id === 1) {
    const { port } = server.address() as AddressInfo;
    console.log(`Listening on http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}${BASE_PATH}`);
  }

  const stop = async (isReplaced: boolean) => {
    const { log, stopping, store, tokenUses } = service;
    // npm forwards a Ctrl-C that the terminal has also sent to this process.
    if (stopping.signal.aborted) return;
    log.info({ seconds: SHUTDOWN_SECONDS }, "stopping");
    const cut = await stopServer(server, stopping, SHUTDOWN_SECONDS, { isReplaced });
    if (cut > 0) log.warn({ connections: cut }, "connections were cut");
    const saved = Promise.all([tokenUses.save(), measured?.end()]);
    const closed = Promise.all([pages.close(), saved.then(() => store.close())]);
    await Promise.race([closed, setTimeout(CLOSING_MS)]);
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(false).catch(exit));
  // Without a listener, this signal would end the process.
  process.on("SIGUSR2", () =>
    service.log.warn("SIGUSR2 is for the first process of several (WEB_CONCURRENCY)"),
  );
  if (cluster.isWorker) {
    process.on("message", (message: { type?: string }) => {
      if (message.type === RETIRE) stop(true).catch(exit);
    });
  }
}

/** Null unless configured, because metrics cost memory. The first of several processes serves those of its workers. */
async function startMetrics(service: Service, framework: Renderer) {
  const { HOST, METRICS_PORT } = service.config;
  if (METRICS_PORT === undefined) return null;
  const { createMetrics } = await import("./metrics.ts");
  const metrics = createMetrics(service, framework);
  if (cluster.isWorker) {
    const { reportMetrics } = await import("#lib/metrics/workers.ts");
    return { metrics, end: reportMetrics(metrics.registry) };
  }
  const { serveMetrics } = await import("#lib/metrics/serve.ts");
  const port = await serveMetrics(metrics.registry, HOST, METRICS_PORT, {
    "/healthz": async () => health(),
    "/readyz": () => readiness(service),
  });
  service.log.info({ port }, "metrics are served");
  return { metrics, end: async () => {} };
}
