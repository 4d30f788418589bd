import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { PublicFile } from "./public-files.ts";

/** The output of `npm run build`. Paths are below the base path, with each segment percent-encoded. */
export interface Build {
  basePath: string;
  /** Whether the framework has a page at a path. For any other path it would render one, too, and cache it. */
  isPage(path: string): boolean;
  files: ReadonlyMap<string, PublicFile>;
}

/** The used part of the framework's `routes-manifest.json`. */
type Routes = Record<"staticRoutes" | "dynamicRoutes", { page: string; regex: string }[]>;

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export function readBuild(folder: string): Build {
  const build = join(folder, ".next");
  // It is written last.
  if (!existsSync(join(build, "BUILD_ID"))) throw new Error("The pages are not built: run `npm run build`");
  const manifest = readFileSync(join(build, "routes-manifest.json"), "utf8");
  const { basePath, staticRoutes, dynamicRoutes } = JSON.parse(manifest) as Routes & { basePath: string };
  // Pages with an underscore are the framework's own, such as its 404.
  const routes = [...staticRoutes, ...dynamicRoutes].filter(({ page }) => !page.startsWith("/_"));
  const patterns = routes.map(({ regex }) => new RegExp(regex));
  const filesIn = (cwd: string, prefix: string, cacheControl: string) =>
    globSync("**/*.*", { cwd }).map((file): [string, PublicFile] => [
      `${prefix}/${file.split("/").map(encodeURIComponent).join("/")}`,
      {
        headers: {
          "content-type": TYPES[extname(file)] ?? "application/octet-stream",
          "cache-control": cacheControl,
        },
        make: () => readFile(join(cwd, file)),
      },
    ]);
  return {
    basePath,
    isPage: (path) => patterns.some((pattern) => pattern.test(path)),
    files: new Map([
      // Their names change with their content.
      ...filesIn(join(build, "static"), "/_next/static", "public, max-age=31536000, immutable"),
      ...filesIn(join(folder, "public"), "", "public, max-age=0"),
    ]),
  };
}
