/** Decodes an untrusted picture within limits, and encodes it again. */
import sharp from "sharp";

const MAX_PIXELS = 1024 * 1024;
const MAX_DECODE_SECONDS = 5;
export const ICON_SIZE = 64;

// Only the loaders of the five accepted formats stay enabled, for the whole process. No other parser (SVG, PDF, TIFF, …)
// can ever see a file, whatever its first bytes claim.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer",
    "VipsForeignLoadHeifBuffer",
  ],
});
// Every icon is a different file, so a cache would never hit. One thread is enough for a small picture.
sharp.cache(false);
sharp.concurrency(1);

/** Recognises the format by the first bytes, as the decoder does; undefined if it is none of the five. */
function formatOf(file: Buffer): "png" | "jpeg" | "gif" | "webp" | "heif" | undefined {
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
 * Returns the (first) picture of the file as a WebP of 64 x 64 pixels: scaled to fit, centred on transparency, without
 * metadata. Throws an Error for other formats, damaged files, and more than 1024 x 1024 pixels.
 */
export async function redraw(file: Buffer): Promise<Buffer> {
  const expected = formatOf(file);
  if (!expected) throw new Error("The file is not a PNG, JPEG, GIF, WebP or AVIF");
  const picture = sharp(file, {
    limitInputPixels: MAX_PIXELS,
    failOn: "warning",
    pages: 1,
    autoOrient: true,
    // This is one parser less for untrusted bytes. At this size, nobody sees the difference.
    ignoreIcc: true,
  });
  const { format, compression } = await picture.metadata();
  if (format !== expected) throw new Error(`The file begins like ${expected}, but is ${format}`);
  // AVIF's container can also hold other codecs, which the system's own decoder may know.
  if (format === "heif" && compression !== "av1") throw new Error(`The file holds ${compression}, not AVIF`);
  return picture
    .timeout({ seconds: MAX_DECODE_SECONDS })
    .resize(ICON_SIZE, ICON_SIZE, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .webp({ quality: 90 })
    .toBuffer();
}
