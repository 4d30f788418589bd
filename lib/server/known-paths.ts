import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether the framework has something at a decoded path. */
export type KnownPath = (path: string) => boolean;

/** As far as it is read, of the framework's `routes-manifest.json`. */
interface RoutesManifest {
  staticRoutes: Route[];
  dynamicRoutes: Route[];
}

interface Route {
  page: string;
  regex: string;
}

/**
 * The routes and files of the build. The framework would render a page for every other path that a stranger makes up,
 * and remember it.
 */
export function readKnownPaths(folder: string): KnownPath {
  const build = join(folder, ".next");
  const text = readFileSync(join(build, "routes-manifest.json"), "utf8");
  const { staticRoutes, dynamicRoutes } = JSON.parse(text) as RoutesManifest;
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
