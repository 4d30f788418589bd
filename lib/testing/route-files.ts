import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Handler = (request: Request) => Promise<Response>;
type RouteFile = Partial<Record<string, Handler>>;

const app = fileURLToPath(new URL("../../app", import.meta.url));

/** The paths of the route files under `app/v0`, as the framework writes them: `/v0/assets/[id]`. */
export const routeFiles = globSync("v0/**/route.ts", { cwd: app })
  .map((file) => `/${file}`.replace(/\/route\.ts$/, ""))
  .sort();

/** The framework's precedence: a fixed segment comes before a parameter, and the catch-all last. */
const patterns = routeFiles
  .toSorted((one, other) => rank(one) - rank(other))
  .map((path) => {
    const pattern = path.replace(/\/\[\[\.{3}\w+\]\]$/, "(?:/.*)?").replaceAll(/\[\w+\]/g, "[^/]+");
    return { path, matches: new RegExp(`^${pattern}/?$`) };
  });

function rank(path: string): number {
  return path.includes("[[") ? 1_000 : path.split("[").length;
}

/** Sends a request to the route file that the framework would choose. A file answers the methods that it exports. */
export async function askRouteFiles(request: Request, basePath = ""): Promise<Response> {
  const pathname = new URL(request.url).pathname.slice(basePath.length);
  const { path } = patterns.find(({ matches }) => matches.test(pathname))!;
  const file: RouteFile = await import(`${app}${path}/route.ts`);
  return file[request.method]!(request);
}
