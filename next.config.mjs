import { readConfig } from "#lib/config.ts";
import service from "./package.json" with { type: "json" };

const { BASE_PATH } = readConfig();

/** @type {import("next").NextConfig} */
export default {
  basePath: BASE_PATH,
  // lib/client has them in every bundle.
  env: { BASE_PATH, VERSION: service.version },
  poweredByHeader: false,
  // The server compresses pages as it does all else.
  compress: false,
  reactStrictMode: true,
  // Under /v0 a trailing slash is another path, and 404; the framework would redirect it first.
  skipTrailingSlashRedirect: true,
  // Errors name what failed; nothing else of the server belongs in a page.
  productionBrowserSourceMaps: false,
  devIndicators: false,
  // No page uses the image optimiser, which stores a file for every URL that it is asked for.
  images: { unoptimized: true },
  // Of the frame's scripts and a list's, which every page asks for together: fewer files, and a kilobyte less of them.
  experimental: { turbopackChunking: { minChunkSize: 80_000 } },
};
