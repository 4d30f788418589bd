/** `npm start`. */
import next from "next";
import { getService } from "#lib/api/service.ts";
import { databaseName } from "#lib/config.ts";
import { logConsole } from "./console-log.ts";
import { readKnownPaths } from "./known-paths.ts";
import { createServer } from "./server.ts";

const MINIMUM_NODE = 24;
if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE) {
  console.error(`Node ${MINIMUM_NODE} is needed, this is ${process.versions.node}: start with npm start`);
  process.exit(1);
}

async function main(): Promise<void> {
  const service = await getService();
  const { HOST, PORT, DATABASE_URL } = service.config;
  const app = next({ dev: false, dir: process.cwd(), hostname: HOST, port: PORT });
  await app.prepare();
  logConsole(service.log);

  const server = createServer(service, app.getRequestHandler(), readKnownPaths(process.cwd()));
  server.once("error", fail);
  server.listen(PORT, HOST, () => {
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : PORT;
    service.log.info({ database: databaseName(DATABASE_URL), node: process.versions.node }, "ready");
    console.log(`Listening on http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`);
  });

  const stop = () => {
    server.close(async () => {
      await app.close();
      await service.store.close();
      process.exit(0);
    });
    server.closeIdleConnections();
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
