import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DownloadOptions, download, ICON_SIZE, redraw } from "./icon-image.ts";

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

describe("an icon drawn anew", () => {
  test.each(["png", "jpeg", "webp", "gif", "avif"] as const)("can come as %s", async (format) => {
    const picture = await redraw(await drawing(48, 48).toFormat(format).toBuffer());
    const [red = 0, green, blue, alpha] = (await pixels(picture))(32, 32);
    expect(red).toBeGreaterThan(245);
    expect([green, blue, alpha]).toEqual([expect.closeTo(0, -1), expect.closeTo(0, -1), 255]);
    expect((await sharp(picture).metadata()).format).toBe("webp");
  });

  test("is whole and undistorted on a transparent ground, from a large file and from a small one", async () => {
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

  test("is the first frame of a moving picture", async () => {
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

  test("is not made of what is no picture of the five kinds, whatever it says it is", async () => {
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
      await expect(redraw(file), name).rejects.toThrow("The file is no PNG, JPEG, GIF, WebP or AVIF");
    }
  });

  test("is not made of an SVG that begins like another kind", async () => {
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

  test("leaves this process able to draw an SVG of its own", async () => {
    const { format, width } = await sharp(await sharp(Buffer.from(svg)).png().toBuffer()).metadata();
    expect([format, width]).toEqual(["png", 9]);
  });

  test("is not made of a damaged file", async () => {
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

  test("is not made of more than 1024 x 1024 pixels, however small the file", async () => {
    const bomb = onePixelPerBit(20_000, 20_000);
    expect(bomb.length).toBeLessThan(64 * 1024);
    await expect(redraw(bomb)).rejects.toThrow("exceeds pixel limit");
    await expect(redraw(onePixelPerBit(1025, 1024))).rejects.toThrow("exceeds pixel limit");
    await expect(redraw(onePixelPerBit(1024, 1024))).resolves.toBeInstanceOf(Buffer);
  });
});

describe("a file of another host", () => {
  let server: Server;
  /** Paths as they were asked. */
  let asked: string[];
  let closed: Promise<void>;
  let answerOf: RequestListener;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url!);
      closed = new Promise((resolve) => response.once("close", resolve));
      answerOf(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Downloads through the real client from the server, which answers so. */
  function from(answer: RequestListener, options: DownloadOptions = {}): Promise<Buffer> {
    asked = [];
    answerOf = answer;
    const { port } = server.address() as AddressInfo;
    return download(new URL("https://icons.example/a.png?b=c"), {
      request: (url, init) => fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, init),
      ...options,
    });
  }

  test("comes as it is, and its host learns nothing of a reader", async () => {
    const file = await drawing(9, 9).png().toBuffer();
    let sent: object = {};
    const got = await from((request, response) => {
      sent = request.headers;
      response.end(file);
    });
    expect(got).toEqual(file);
    expect(asked).toEqual(["/a.png?b=c"]);
    expect(sent).not.toHaveProperty("cookie");
    expect(sent).not.toHaveProperty("authorization");
    expect(sent).not.toHaveProperty("referer");
  });

  test("may have 64 KB and not a byte more, also where nothing says how long it is", async () => {
    const most = Buffer.alloc(64 * 1024);
    expect((await from((_, response) => response.end(most))).length).toBe(most.length);
    for (const last of ["", "x"]) {
      const file = from((_, response) => {
        response.write(most);
        response.end(last);
      });
      await (last === "" ? expect(file).resolves : expect(file).rejects).toMatchObject(
        last === "" ? { length: most.length } : { message: "The file is larger than 65536 bytes" },
      );
    }
  });

  test("that does not end is cut off once it is too long or not wanted, and its connection closed", async () => {
    const endless = (status: number) =>
      from((_, response) => {
        response.writeHead(status);
        const more = () => {
          while (response.write(Buffer.alloc(16 * 1024)));
        };
        response.on("drain", more);
        more();
      });
    await expect(endless(200)).rejects.toThrow("larger than 65536 bytes");
    await closed;
    await expect(endless(404)).rejects.toThrow("The host answers 404");
    await closed;
  });

  test("is counted as it is when unpacked", async () => {
    const packed = gzipSync(Buffer.alloc(1_000_000));
    expect(packed.length).toBeLessThan(2_000);
    const file = from((_, response) => response.setHeader("content-encoding", "gzip").end(packed));
    await expect(file).rejects.toThrow("larger than 65536 bytes");
  });

  test("must be whole before the time is over, whether its host says nothing or a little now and then", async () => {
    let timer: NodeJS.Timeout | undefined;
    const slow: RequestListener = (_, response) => {
      timer = setInterval(() => response.write("x"), 5);
    };
    for (const answer of [slow, () => {}]) {
      await expect(from(answer, { timeout: 150 })).rejects.toMatchObject({ name: "TimeoutError" });
      await closed;
    }
    clearInterval(timer);
  });

  test("that breaks off is none", async () => {
    const broken = from((_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("x".repeat(500), () => response.destroy());
    });
    await expect(broken).rejects.toThrow(Error);
  });

  test("elsewhere is not gone after: a redirect is a failure", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const moved = from((_, response) => response.writeHead(status, { location: "/other" }).end());
      await expect(moved, String(status)).rejects.toMatchObject({
        message: "fetch failed",
        cause: { message: "unexpected redirect" },
      });
      expect(asked).toEqual(["/a.png?b=c"]);
    }
  });

  test("with another status than 200 is none, whatever comes with it", async () => {
    const file = await drawing(9, 9).png().toBuffer();
    for (const status of [204, 206, 304, 404, 500]) {
      const failed = from((_, response) => {
        response.writeHead(status).end(status === 204 || status === 304 ? undefined : file);
      });
      await expect(failed, String(status)).rejects.toThrow(`The host answers ${status}`);
    }
  });
});
