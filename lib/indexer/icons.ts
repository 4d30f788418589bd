/** Icons of the asset registry. Anyone may have made the file behind an icon, so it is read within limits. */
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import pLimit from "p-limit";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { iconEtag } from "#lib/queries/asset-icon.ts";
import type { AssetIcon } from "#lib/store/rows.ts";
import { fetchBody, fetchOnce, reasonOf, type Send } from "#lib/util/http.ts";
import { redraw } from "./icon-image.ts";

const MAX_FILE_BYTES = 64 * 1024;
const MAX_FETCH_MS = 5_000;
const MAX_AT_ONCE = 4;

export interface IconFailure {
  assetId: string;
  /** One line. */
  reason: string;
}

/** Reads and redraws the icons of the entries, in their order. Icon files are in `folder`. */
export async function loadIcons(
  entries: readonly RegistryEntry[],
  folder: string,
  options: DownloadOptions = {},
): Promise<{ icons: AssetIcon[]; failures: IconFailure[] }> {
  const icons: AssetIcon[] = [];
  const failures: IconFailure[] = [];
  const load = async ({ id: assetId, icon }: RegistryEntry): Promise<AssetIcon | IconFailure | null> => {
    if (!icon) return null;
    try {
      const picture = await redraw(await readIcon(icon, folder, options));
      return { assetId, picture, etag: iconEtag(picture) };
    } catch (error) {
      return { assetId, reason: reasonOf(error).replace(/\s+/g, " ") };
    }
  };
  for (const result of await pLimit(MAX_AT_ONCE).map(entries, load)) {
    if (result) "picture" in result ? icons.push(result) : failures.push(result);
  }
  return { icons, failures };
}

/** Reads an https or `data:` URL or a relative path. Throws an Error if it is unreadable or above 64 KB. */
async function readIcon(icon: string, folder: string, options: DownloadOptions): Promise<Buffer> {
  if (!/^[a-z][a-z\d+.-]*:/i.test(icon)) return readIconFile(icon, folder);
  const url = URL.parse(icon);
  if (!url) throw new Error("The URL is not valid");
  if (url.protocol !== "https:" && url.protocol !== "data:") {
    throw new Error(`${url.protocol} URLs are not read: use https:, data: or a file beside the registry`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("URLs with a user name or a password are not read");
  }
  return download(url.href, options);
}

/** Reads the file at `path` within `folder`. The target of a symbolic link must also lie within it. */
async function readIconFile(path: string, folder: string): Promise<Buffer> {
  const outside = new Error(
    "Only files in the registry file's folder are read, by relative paths without ..",
  );
  if (isAbsolute(path) || path.split(/[/\\]/).includes("..")) throw outside;
  const file = await realpath(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    // The whole message would also show the absolute path.
    throw new Error(`The file cannot be read: ${error.code}`);
  });
  if (relative(await realpath(folder), file).split("/")[0] === "..") throw outside;
  const found = await stat(file);
  // A pipe or a device could keep the reader waiting forever.
  if (!found.isFile()) throw new Error("It is not a regular file");
  if (found.size > MAX_FILE_BYTES) throw new Error(`The file is larger than ${MAX_FILE_BYTES} bytes`);
  return readFile(file);
}

export interface DownloadOptions {
  /** Sends the request; tests send it to a server of their own. */
  send?: Send;
  /** Milliseconds until the whole response must be there. */
  timeout?: number;
}

/** Downloads at most 64 KB within 5 seconds. Throws the same errors as `fetchBody`. */
export function download(
  url: string,
  { send = fetchOnce, timeout = MAX_FETCH_MS }: DownloadOptions = {},
): Promise<Buffer> {
  const headers = { accept: "image/png, image/jpeg, image/webp, image/gif, image/avif" };
  const request: RequestInit = { credentials: "omit", cache: "no-store", headers };
  return fetchBody(url, request, { most: MAX_FILE_BYTES, timeout, send });
}
