import { crc32, deflateSync, gzipSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { ICON_SIZE, redraw } from "./icon-image.ts";

const drawing = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 4, background: "#ff0000" } });

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

/** A black PNG with one bit a pixel. */
function onePixelPerBit(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))), { level: 9 });
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The picture's pixels as [red, green, blue, alpha], by place. */
async function pixels(picture: Buffer): Promise<(x: number, y: number) => number[]> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, info.channels]).toEqual([ICON_SIZE, ICON_SIZE, 4]);
  return (x, y) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
}

describe("a redrawn icon", () => {
  test.each(["png", "jpeg", "webp", "gif", "avif"] as const)("can come from %s", async (format) => {
    const picture = await redraw(await drawing(48, 48).toFormat(format).toBuffer());
    const [red = 0, green, blue, alpha] = (await pixels(picture))(32, 32);
    expect(red).toBeGreaterThan(245);
    expect([green, blue, alpha]).toEqual([expect.closeTo(0, -1), expect.closeTo(0, -1), 255]);
    expect((await sharp(picture).metadata()).format).toBe("webp");
  });

  test("is whole and undistorted on a transparent background, from a large and from a small file", async () => {
    for (const [width, height] of [
      [400, 100],
      [16, 4],
    ] as const) {
      const at = await pixels(await redraw(await drawing(width, height).png().toBuffer()));
      expect([at(32, 8)[3], at(32, 22)[3], at(32, 41)[3], at(32, 55)[3]]).toEqual([0, 0, 0, 0]);
      expect([at(1, 32)[3], at(32, 32)[3], at(62, 32)[3]]).toEqual([255, 255, 255]);
    }
  });

  test("stands upright, and holds nothing of the file but its pixels", async () => {
    const file = await drawing(40, 20)
      .jpeg()
      .withExif({ IFD0: { Copyright: "SECRET" } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(file.includes("SECRET")).toBe(true);
    const picture = await redraw(file);
    const { exif, icc, xmp, orientation } = await sharp(picture).metadata();
    expect([exif, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined]);
    expect(picture.includes("SECRET")).toBe(false);
    const at = await pixels(picture);
    expect([at(32, 2)[3], at(32, 61)[3], at(2, 32)[3]]).toEqual([255, 255, 0]);
  });

  test("is the first frame of an animation", async () => {
    const frames = await Promise.all(
      ["#ff0000", "#0000ff"].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(2);
    const picture = await redraw(moving);
    expect((await sharp(picture).metadata()).pages ?? 1).toBe(1);
    const [red = 0, , blue = 255] = (await pixels(picture))(32, 32);
    expect([red > 200, blue < 50]).toEqual([true, true]);
  });

  test("is never made from a file of another format", async () => {
    const files: Record<string, Buffer> = {
      svg: Buffer.from(svg),
      "svg with a declaration": Buffer.from(`<?xml version="1.0"?>\n${svg}`),
      "compressed svg": gzipSync(svg),
      tiff: await drawing(9, 9).tiff().toBuffer(),
      pdf: Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"),
      ppm: Buffer.from("P6 1 1 255\nabc"),
      bmp: Buffer.from("424d3a0000000000000036000000280000000100000001000000010018000000", "hex"),
      html: Buffer.from("<!doctype html><title>Not found</title>"),
      nothing: Buffer.alloc(0),
    };
    for (const [name, file] of Object.entries(files)) {
      await expect(redraw(file), name).rejects.toThrow("The file is not a PNG, JPEG, GIF, WebP or AVIF");
    }
  });

  test("is never made from an SVG that begins like another format", async () => {
    const box = (bytes: number, brand: string) =>
      `\0\0${String.fromCharCode(bytes >> 8, bytes & 255)}ftyp${brand}`;
    const beginnings = [
      "\x89PNG\r\n\x1a\n",
      "\xff\xd8\xff",
      "GIF8",
      "GIF89a",
      "RIFF    WEBP",
      box(28, "avif"),
      box(28, "mif1"),
      box(29, "avif"),
      box(4096, "avif"),
      "    ftypavif",
    ];
    for (const beginning of beginnings) {
      const file = Buffer.from(`${beginning}${svg}`, "latin1");
      await expect(redraw(file), beginning).rejects.not.toThrow(/svg|XML/);
    }
  });

  test("leaves no loader for anything else in this process, no matter who calls the decoder", async () => {
    await expect(sharp(Buffer.from(svg)).png().toBuffer()).rejects.toThrow(/unsupported image format/);
    const tiff = await drawing(9, 9).tiff().toBuffer();
    await expect(sharp(tiff).png().toBuffer()).rejects.toThrow(/unsupported image format/);
  });

  test("is never made from a damaged file", async () => {
    const noise = sharp({
      create: {
        width: 40,
        height: 40,
        channels: 3,
        background: "#888",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    });
    for (const format of ["png", "jpeg", "webp", "gif", "avif"] as const) {
      const whole = await noise.clone().toFormat(format).toBuffer();
      await expect(redraw(whole), format).resolves.toBeInstanceOf(Buffer);
      const half = whole.subarray(0, whole.length / 2);
      await expect(redraw(half), `half of a ${format}`).rejects.toThrow(Error);
    }
  });

  test("is never made from more than 1024 x 1024 pixels, however small the file", async () => {
    const bomb = onePixelPerBit(20_000, 20_000);
    expect(bomb.length).toBeLessThan(64 * 1024);
    await expect(redraw(bomb)).rejects.toThrow("exceeds pixel limit");
    await expect(redraw(onePixelPerBit(1025, 1024))).rejects.toThrow("exceeds pixel limit");
    await expect(redraw(onePixelPerBit(1024, 1024))).resolves.toBeInstanceOf(Buffer);
  });
});
