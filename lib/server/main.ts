/** `npm start`. */
import { readBuild } from "./build.ts";
import { FrameworkThread } from "./framework-thread.ts";
import { startService } from "./start.ts";
import { exit } from "./stop.ts";

const MINIMUM_NODE = 24;
if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE) {
  console.error(`Node ${MINIMUM_NODE} is needed, this is ${process.versions.node}: start with npm start`);
  process.exit(1);
}

startService(async ({ config: { BASE_PATH } }) => {
  const build = readBuild(process.cwd());
  if (build.basePath !== BASE_PATH) {
    throw new Error(
      `BASE_PATH is "${BASE_PATH}", but the pages were built for "${build.basePath}": run npm run build with the same BASE_PATH`,
    );
  }
  const framework = await FrameworkThread.start();
  return { framework, build, close: () => framework.close() };
}).catch(exit);
