/** `npm start`. */
import { readBuild } from "./build.ts";
import { startService } from "./start.ts";
import { exit } from "./stop.ts";

const MINIMUM_NODE = 24;
if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE) {
  console.error(`Node ${MINIMUM_NODE} is needed, this is ${process.versions.node}: start with npm start`);
  process.exit(1);
}

startService(async ({ config: { BASE_PATH, HOST, PORT }, log }) => {
  const build = readBuild(process.cwd());
  if (build.basePath !== BASE_PATH) {
    throw new Error(
      `BASE_PATH is "${BASE_PATH}", but the pages were built for "${build.basePath}": run npm run build with the same BASE_PATH`,
    );
  }
  const [{ default: next }, { logConsole }, { Framework }] = await Promise.all([
    import("next"),
    import("./console-log.ts"),
    import("./framework.ts"),
  ]);
  const app = next({ dev: false, dir: process.cwd(), hostname: HOST, port: PORT });
  await app.prepare();
  logConsole(log);
  return { framework: new Framework(app.getRequestHandler()), build, close: () => app.close() };
}).catch(exit);
