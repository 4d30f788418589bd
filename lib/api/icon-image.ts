/** A picture of another host made into one of ours: fetched within limits, decoded, and drawn anew. */
import sharp from "sharp";
import { readAtMost } from "#lib/contract/http.ts";

const MAX_FILE_BYTES = 64 * 1024;
const MAX_FETCH_MS = 5_000;
const MAX_PIXELS = 1024 * 1024;
const MAX_DECODE_SECONDS = 5;
/** Of the picture that readers get, in pixels: a square. */
export const ICON_SIZE = 64;

// For the whole process, before any file is read: the decoder has no loader for anything but the five kinds of icons,
// and SVG, which the framework draws pictures of shared links from. Only `kindOf` keeps an SVG of a stranger from it.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer",
    "VipsForeignLoadHeifBuffer",
    "VipsForeignLoadSvgBuffer",
  ],
});
// Each icon is another file: nothing is worth keeping, and one thread is enough for it.
sharp.cache(false);
sharp.concurrency(1);

/** Why no icon can be made of what a host sent. */
export class IconError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "IconError";
  }
}

export interface DownloadOptions {
  /** Asks the host; tests put a server of their own in its place. */
  request?: (url: URL, init: RequestInit) => Promise<Response>;
  /** For the whole answer, in milliseconds. */
  timeout?: number;
}

/**
 * The file at `url`, at most 64 KB of it, counted as they come. Follows no redirect, sends nothing about any reader.
 * Throws IconError for another status than 200 or too long a file, and what `fetch` throws where there is no answer,
 * a redirect, or no end within 5 seconds.
 */
export async function download(
  url: URL,
  { request = fetch, timeout = MAX_FETCH_MS }: DownloadOptions = {},
): Promise<Buffer> {
  // Aborted in any case: whatever is still to come of the answer is not wanted, and its connection closes.
  const done = new AbortController();
  try {
    const response = await request(url, {
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
      // A compressed answer would be counted only after it was unpacked.
      headers: {
        accept: "image/png, image/jpeg, image/webp, image/gif, image/avif",
        "accept-encoding": "identity",
      },
      signal: AbortSignal.any([AbortSignal.timeout(timeout), done.signal]),
    });
    if (response.status !== 200) throw new IconError(`The host answers ${response.status}`);
    const file = await readAtMost(response, MAX_FILE_BYTES);
    if (!file) throw new IconError(`The file is larger than ${MAX_FILE_BYTES} bytes`);
    return file;
  } finally {
    done.abort();
  }
}

/**
 * The kind of picture by the file's first bytes, compared as the decoder compares them when it chooses a loader;
 * undefined for any other than the five.
 */
function kindOf(file: Buffer): "png" | "jpeg" | "gif" | "webp" | "heif" | undefined {
  const at = (offset: number, text: string) => file.toString("latin1", offset, offset + text.length) === text;
  if (at(0, "\x89PNG\r\n\x1a\n")) return "png";
  if (at(0, "\xff\xd8\xff")) return "jpeg";
  if (at(0, "GIF8")) return "gif";
  if (at(0, "RIFF") && at(8, "WEBP")) return "webp";
  if (!at(4, "ftypavif") && !at(4, "ftypmif1")) return undefined;
  const boxBytes = file.readUInt32BE(0);
  return boxBytes <= 2048 && boxBytes % 4 === 0 ? "heif" : undefined;
}

/**
 * The picture in a PNG, JPEG, WebP, GIF (its first frame) or AVIF file as WebP of 64 x 64 pixels, whole and undistorted
 * on a transparent ground; nothing of the file but its pixels is in it. Throws an Error for any other file, a damaged
 * one, and one of more than a million pixels.
 */
export async function redraw(file: Buffer): Promise<Buffer> {
  const kind = kindOf(file);
  if (!kind) throw new IconError("The file is no PNG, JPEG, GIF, WebP or AVIF");
  const picture = sharp(file, {
    limitInputPixels: MAX_PIXELS,
    failOn: "warning",
    pages: 1,
    autoOrient: true,
    // One parser less that reads what a stranger wrote; at this size the difference is not seen.
    ignoreIcc: true,
  });
  const { format, compression } = await picture.metadata();
  if (format !== kind) throw new IconError(`The file begins like ${kind} and is ${format}`);
  // The container of AVIF also holds other codecs, which a system's own decoder may know.
  if (format === "heif" && compression !== "av1")
    throw new IconError(`The file holds ${compression}, not AVIF`);
  return picture
    .timeout({ seconds: MAX_DECODE_SECONDS })
    .resize(ICON_SIZE, ICON_SIZE, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .webp({ quality: 90 })
    .toBuffer();
}
