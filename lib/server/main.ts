/** `npm start`. */
import { setTimeout } from "node:timers/promises";
import next from "next";
import { getService, type Service } from "#lib/api/service.ts";
import { databaseName } from "#lib/config.ts";
import { logConsole } from "./console-log.ts";
import { readKnownPaths } from "./known-paths.ts";
import type { ServerMetrics } from "./metrics.ts";
import { createServer } from "./server.ts";
import { stopServer } from "./stop.ts";

/** For closing the framework and the database: a server that does not answer keeps its connections open. */
const CLOSING_MS = 2_000;

const MINIMUM_NODE = 24;
if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE) {
  console.error(`Node ${MINIMUM_NODE} is needed, this is ${process.versions.node}: start with npm start`);
  process.exit(1);
}

async function main(): Promise<void> {
  const service = await getService();
  const { HOST, PORT, DATABASE_URL, SHUTDOWN_SECONDS } = service.config;
  const app = next({ dev: false, dir: process.cwd(), hostname: HOST, port: PORT });
  await app.prepare();
  logConsole(service.log);

  const metrics = await startMetrics(service);
  const server = createServer(
    service,
    app.getRequestHandler(),
    readKnownPaths(process.cwd()),
    metrics ?? undefined,
  );
  server.once("error", fail);
  server.listen(PORT, HOST, () => {
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : PORT;
    service.log.info({ database: databaseName(DATABASE_URL), node: process.versions.node }, "ready");
    console.log(`Listening on http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`);
  });

  const stop = async () => {
    const { log, stopping, store } = service;
    // npm passes on a Ctrl-C that the terminal has sent to this process already.
    if (stopping.signal.aborted) return;
    log.info({ seconds: SHUTDOWN_SECONDS }, "stopping");
    const cut = await stopServer(server, stopping, SHUTDOWN_SECONDS);
    if (cut > 0) log.warn({ connections: cut }, "connections were cut");
    await Promise.race([Promise.all([app.close(), store.close()]), setTimeout(CLOSING_MS)]);
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop().catch(fail));
}

/** Null unless they are wanted: they cost memory. */
async function startMetrics(service: Service): Promise<ServerMetrics | null> {
  const { HOST, METRICS_PORT } = service.config;
  if (METRICS_PORT === undefined) return null;
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import("./metrics.ts"),
    import("#lib/metrics/serve.ts"),
  ]);
  const metrics = createMetrics(service);
  const port = await serveMetrics(metrics.registry, HOST, METRICS_PORT);
  service.log.info({ port }, "metrics are served");
  return metrics;
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
