import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether the framework has something at a decoded path. */
export type KnownPath = (path: string) => boolean;

/** As far as it is read, of the framework's `routes-manifest.json`. */
interface RoutesManifest {
  basePath: string;
  staticRoutes: Route[];
  dynamicRoutes: Route[];
}

interface Route {
  page: string;
  regex: string;
}

const readManifest = (folder: string): RoutesManifest =>
  JSON.parse(readFileSync(join(folder, ".next", "routes-manifest.json"), "utf8")) as RoutesManifest;

/** The path that the pages of the build were made for. */
export const readBasePath = (folder: string): string => readManifest(folder).basePath;

/**
 * The routes and files of the build, below its base path. The framework would render a page for every other path that a stranger makes up,
 * and remember it.
 */
export function readKnownPaths(folder: string): KnownPath {
  const build = join(folder, ".next");
  const { staticRoutes, dynamicRoutes } = readManifest(folder);
  // Those with an underscore are what the framework shows instead of a page.
  const routes = [...staticRoutes, ...dynamicRoutes].filter(({ page }) => !page.startsWith("/_"));
  const patterns = routes.map(({ regex }) => new RegExp(regex));
  const filesIn = (cwd: string, prefix: string) =>
    globSync("**/*.*", { cwd }).map((file) => `${prefix}/${file.replaceAll("\\", "/")}`);
  const files = new Set([
    ...filesIn(join(build, "static"), "/_next/static"),
    ...filesIn(join(folder, "public"), ""),
  ]);
  return (path) => files.has(path) || patterns.some((pattern) => pattern.test(path));
}
