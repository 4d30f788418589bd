/** `npm start`. */
import { readConfig } from "#lib/config.ts";
import { readBuild } from "./build.ts";
import { FrameworkThread } from "./framework-thread.ts";
import { startService } from "./processes.ts";
import { exit } from "./stop.ts";

const MINIMUM_NODE = 24;
if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE) {
  console.error(`Node ${MINIMUM_NODE} is needed, this is ${process.versions.node}: start with npm start`);
  process.exit(1);
}

async function start(): Promise<void> {
  const { BASE_PATH } = readConfig();
  const build = readBuild(process.cwd());
  if (build.basePath !== BASE_PATH) {
    throw new Error(
      `BASE_PATH is "${BASE_PATH}", but the pages were built for "${build.basePath}": build them with the same BASE_PATH`,
    );
  }
  await startService(async () => {
    const framework = await FrameworkThread.start();
    return { framework, build, close: () => framework.close() };
  });
}

start().catch(exit);
