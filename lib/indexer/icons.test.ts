import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DownloadOptions, download, loadIcons } from "./icons.ts";

const drawing = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 4, background: "#ff0000" } });

const idOf = (n: number) => `0x${String(n).padStart(64, "0")}`;

describe("icons of a registry", () => {
  let parent: string;
  let folder: string;
  let png: Buffer;
  const closing: Server[] = [];

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "aqs-icons-"));
    folder = join(parent, "registry");
    mkdirSync(join(folder, "icons"), { recursive: true });
    png = await drawing(48, 48).png().toBuffer();
    for (const file of ["registry/a.png", "registry/icons/b b.png", "outside.png"]) {
      writeFileSync(join(parent, file), png);
    }
  });

  afterAll(() => {
    for (const server of closing) server.close();
    rmSync(parent, { recursive: true });
  });

  const load = (...icons: (string | undefined)[]) =>
    loadIcons(
      icons.map((icon, n) => ({ id: idOf(n), icon })),
      folder,
    );

  /** The result for one icon: "picture", or the reason of the failure. */
  async function outcome(icon: string): Promise<string> {
    const { icons, failures } = await load(icon);
    expect(icons.length + failures.length, icon.slice(0, 100)).toBe(1);
    return failures[0]?.reason ?? "picture";
  }

  test("come from files in its folder and from data URIs, in the order of its entries", async () => {
    const base64 = `data:image/png;base64,${png.toString("base64")}`;
    const escaped = `DATA:,${[...png].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`;
    const { icons, failures } = await load(
      "a.png",
      undefined,
      "icons/b b.png",
      "./a.png",
      base64,
      "",
      escaped,
    );
    expect(failures).toEqual([]);
    expect(icons.map(({ assetId }) => assetId)).toEqual([0, 2, 3, 4, 6].map(idOf));
    for (const { picture, etag } of icons) {
      expect(await sharp(picture).metadata()).toMatchObject({ format: "webp", width: 64, height: 64 });
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      // One picture, one tag.
      expect(etag).toBe(icons[0]!.etag);
    }
  });

  test("that cannot be read are reported with their asset, and the others are loaded", async () => {
    const { icons, failures } = await load("a.png", "missing.png", "a.png");
    expect(icons.map(({ assetId }) => assetId)).toEqual([0, 2].map(idOf));
    expect(failures).toEqual([{ assetId: idOf(1), reason: "The file cannot be read: ENOENT" }]);
  });

  test("have different tags if they differ", async () => {
    const other = await drawing(48, 24).png().toBuffer();
    const { icons } = await load("a.png", `data:;base64,${other.toString("base64")}`);
    expect(new Set(icons.map(({ etag }) => etag)).size).toBe(2);
  });

  test("are never read from outside the registry's folder", async () => {
    symlinkSync(join(parent, "outside.png"), join(folder, "link.png"));
    symlinkSync(parent, join(folder, "up"));
    symlinkSync("/etc", join(folder, "etc"));
    for (const path of [
      join(folder, "a.png"),
      "/icons/a.png",
      "/etc/passwd",
      "//host/a.png",
      "../outside.png",
      "icons/../a.png",
      "icons/../../outside.png",
      "..\\outside.png",
      "..",
      "link.png",
      "up/outside.png",
      "up/registry/../outside.png",
      "etc/passwd",
    ]) {
      expect(await outcome(path), path).toMatch(/^Only files in the registry file's folder/);
    }
    // An inner link leads nowhere else.
    symlinkSync("../a.png", join(folder, "icons/inner.png"));
    expect(await outcome("icons/inner.png")).toBe("picture");
    expect(await outcome("up/registry/a.png")).toBe("picture");
  });

  test("are regular files of at most 64 KB", async () => {
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(join(folder, "socket.png"), resolve));
    closing.push(socket);
    for (const path of ["socket.png", "icons", "."]) {
      expect(await outcome(path), path).toBe("It is not a regular file");
    }
    writeFileSync(join(folder, "large.png"), Buffer.concat([png, Buffer.alloc(64 * 1024 + 1 - png.length)]));
    expect(await outcome("large.png")).toBe("The file is larger than 65536 bytes");
    // A PNG may have anything after its end.
    writeFileSync(join(folder, "most.png"), Buffer.concat([png, Buffer.alloc(64 * 1024 - png.length)]));
    expect(await outcome("most.png")).toBe("picture");
  });

  test("in data URIs have at most 64 KB too, whatever the encoding", async () => {
    const padded = Buffer.concat([png, Buffer.alloc(64 * 1024 - png.length)]);
    expect(await outcome(`data:;base64,${padded.toString("base64")}`)).toBe("picture");
    const longer = Buffer.concat([padded, Buffer.alloc(1)]);
    expect(await outcome(`data:;base64,${longer.toString("base64")}`)).toMatch(/longer than 65536 bytes/);
    expect(await outcome(`data:,${"x".repeat(64 * 1024 + 1)}`)).toMatch(/longer than 65536 bytes/);
  });

  test("are judged by their bytes, not by their names or media types", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    writeFileSync(join(folder, "svg.png"), svg);
    const notPicture = "The file is not a PNG, JPEG, GIF, WebP or AVIF";
    expect(await outcome("svg.png")).toBe(notPicture);
    expect(await outcome(`data:image/png,${svg}`)).toBe(notPicture);
    expect(await outcome(`data:image/svg+xml;base64,${btoa(svg)}`)).toBe(notPicture);
    expect(await outcome(`data:text/html;base64,${png.toString("base64")}`)).toBe("picture");
  });

  test("have URLs of https or data, without a password", async () => {
    for (const url of [
      "http://icons.example/a.png",
      "file:///etc/passwd",
      "FILE:a.png",
      "ftp://icons.example/a.png",
      "ipfs://icons.example/a.png",
      "javascript:alert(1)",
      "blob:https://icons.example/a",
      "c:\\a.png",
    ]) {
      expect(await outcome(url), url).toMatch(/^[a-z]+: URLs are not read: use https:, data: or a file/);
    }
    for (const url of ["https://user@icons.example/a.png", "https://:secret@icons.example/a.png"]) {
      expect(await outcome(url), url).toBe("URLs with a user name or a password are not read");
    }
    expect(await outcome("https://")).toBe("The URL is not valid");
    expect(await outcome("data:image/png;base64,A*A")).toMatch(/data URL/);
    expect(await outcome("data:image/png")).toMatch(/data URL/);
  });

  test("are read four at a time", async () => {
    const began: (() => void)[] = [];
    let atOnce = 0;
    let most = 0;
    const loading = loadIcons(
      Array.from({ length: 10 }, (_, n) => ({ id: idOf(n), icon: `https://icons.example/${n}.png` })),
      folder,
      {
        send: async () => {
          most = Math.max(most, ++atOnce);
          await new Promise<void>((resolve) => began.push(resolve));
          atOnce -= 1;
          return new Response(new Uint8Array(png));
        },
      },
    );
    for (let ended = 0; ended < 10; ended++) {
      await expect.poll(() => began.length).toBe(Math.min(ended + 4, 10));
      began[ended]!();
    }
    expect((await loading).icons).toHaveLength(10);
    expect(most).toBe(4);
  });

  test("of hosts that do not answer are reported in one line", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await outcome(`https://127.0.0.1:${port}/a.png`)).toMatch(/^fetch failed: .*ECONNREFUSED.*$/);
  });
});

describe("a downloaded file", () => {
  let server: Server;
  /** Paths as requested. */
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

  /** Downloads through the real client from the server, which answers with `answer`. */
  function from(answer: RequestListener, options: DownloadOptions = {}): Promise<Buffer> {
    asked = [];
    answerOf = answer;
    const { port } = server.address() as AddressInfo;
    return download("https://icons.example/a.png?b=c", {
      send: (url, init) => fetch(url.replace("https://icons.example", `http://127.0.0.1:${port}`), init),
      ...options,
    });
  }

  test("arrives unchanged, and the request carries no credentials", async () => {
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

  test("may have 64 KB and not a byte more, even if no header says how long it is", async () => {
    const most = Buffer.alloc(64 * 1024);
    expect((await from((_, response) => response.end(most))).length).toBe(most.length);
    for (const last of ["", "x"]) {
      const file = from((_, response) => {
        response.write(most);
        response.end(last);
      });
      await (last === "" ? expect(file).resolves : expect(file).rejects).toMatchObject(
        last === "" ? { length: most.length } : { message: "the response is longer than 65536 bytes" },
      );
    }
  });

  test("that does not end is cut off as soon as it is too long or not wanted, and its connection closed", async () => {
    const endless = (status: number) =>
      from((_, response) => {
        response.writeHead(status);
        const more = () => {
          while (response.write(Buffer.alloc(16 * 1024)));
        };
        response.on("drain", more);
        more();
      });
    await expect(endless(200)).rejects.toThrow("longer than 65536 bytes");
    await closed;
    await expect(endless(404)).rejects.toThrow("HTTP 404");
    await closed;
  });

  test("is counted unpacked", async () => {
    const packed = gzipSync(Buffer.alloc(1_000_000));
    expect(packed.length).toBeLessThan(2_000);
    const file = from((_, response) => response.setHeader("content-encoding", "gzip").end(packed));
    await expect(file).rejects.toThrow("longer than 65536 bytes");
  });

  test("must be complete in time, whether its host sends nothing or a byte now and then", async () => {
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

  test("that breaks off is a failure", async () => {
    const broken = from((_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("x".repeat(500), () => response.destroy());
    });
    await expect(broken).rejects.toThrow(Error);
  });

  test("is not looked for elsewhere: a redirect is a failure", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const moved = from((_, response) => response.writeHead(status, { location: "/other" }).end());
      await expect(moved, String(status)).rejects.toThrow("redirects are not followed");
      expect(asked).toEqual(["/a.png?b=c"]);
    }
  });

  test("with a status of failure is none, whatever comes with it", async () => {
    const file = await drawing(9, 9).png().toBuffer();
    for (const status of [304, 404, 500]) {
      const failed = from((_, response) => {
        response.writeHead(status).end(status === 304 ? undefined : file);
      });
      await expect(failed, String(status)).rejects.toThrow(`HTTP ${status}`);
    }
  });
});
