import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { type Build, readBuild } from "./build.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

let folder: string;
let build: Build;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-build-"));
  expect(() => readBuild(folder)).toThrow("The pages are not built: run `npm run build`");
  for (const [file, text] of Object.entries({
    ".next/BUILD_ID": "id",
    ".next/routes-manifest.json": JSON.stringify({
      staticRoutes: [
        { page: "/", regex: "^/(?:/)?$" },
        { page: "/docs", regex: "^/docs(?:/)?$" },
        { page: "/_not-found", regex: "^/_not\\-found(?:/)?$" },
      ],
      dynamicRoutes: [{ page: "/blocks/[blockHash]", regex: "^/blocks/([^/]+?)(?:/)?$" }],
    }),
    ".next/static/chunks/a[1].js": "let a = 1;".repeat(1000),
    "public/favicon.ico": "icon",
  })) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  build = readBuild(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(["/", "/docs", "/blocks/0x01"])("the build has a page at %s", (path) =>
  expect(build.isPage(path)).toBe(true),
);

test.each(["/nowhere", "/docs/x", "/blocks/", "/blocks/a/b", "/_not-found", "/_next", "/_next/image"])(
  "the build has no page at %s",
  (path) => expect(build.isPage(path)).toBe(false),
);

describe("a server of the build", () => {
  /** The URLs that reached the framework. */
  const pages: string[] = [];
  let origin: string;
  const endings: (() => unknown)[] = [];

  beforeAll(async () => {
    const store = await openStore("sqlite::memory:");
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    const page = async ({ url = "" }: IncomingMessage, response: ServerResponse) => {
      pages.push(url);
      response.end("page");
    };
    const server = createServer(service, new Framework(page), build);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    endings.push(
      () => server.close(),
      () => server.closeAllConnections(),
      () => store.close(),
    );
  });

  afterAll(async () => {
    for (const end of endings) await end();
  });

  /** The path as it is; `fetch` would resolve dot segments. */
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      request(origin, { path, headers }, async (response) => {
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(await response.toArray()),
        });
      })
        .once("error", reject)
        .end();
    });

  test.each([
    ["/docs?a=/b", "/docs?a=/b"],
    ["/docs/", "/docs"],
    ["/docs//", "/docs"],
    ["/d%6fcs", "/docs"],
    ["/x/../docs", "/docs"],
    ["/blocks/%30x01", "/blocks/0x01"],
    ["/blocks/a%2fb", "/blocks/a%2Fb"],
  ])("gives the framework %s as the path that it has looked up: %s", async (path, given) => {
    const { status } = await ask(path);
    expect([status, pages.at(-1)]).toEqual([200, given]);
  });

  test.each([
    "/status%2f",
    "/%2f",
    "/docs%2F",
    "/%2fdocs",
    "/blocks%2fa",
    "/nowhere",
    "/_next/image?url=a",
    "/_next/image/",
    "/%5fnext/im%61ge",
    "/x/../_next/./image",
  ])("answers %s with 404 itself, and a search", async (path) => {
    const before = pages.length;
    const { status, body } = await ask(path);
    expect([status, pages.length]).toEqual([404, before]);
    expect(body.toString()).toMatch(
      /<form action="\/search">\s*<input type="search" name="q".*Page not found/s,
    );
  });

  test.each(["/nowhere?a=b", "/_next/image?url=a"])(
    "lets the framework tell a browser that there is no %s, always as the same path",
    async (path) => {
      const { status } = await ask(path, { accept: "text/html,*/*;q=0.8" });
      expect([status, pages.at(-1)]).toEqual([404, "/_not-found"]);
    },
  );

  test("serves a file itself, compressed, and cached for ever if its name changes with its content", async () => {
    const path = "/_next/static/chunks/a%5B1%5D.js";
    const script = await ask(path, { "accept-encoding": "gzip" });
    expect(script.status).toBe(200);
    expect(script.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
    });
    expect(gunzipSync(script.body).toString()).toBe("let a = 1;".repeat(1000));
    const etag = script.headers.etag!;
    const again = await ask(path, { "accept-encoding": "gzip", "if-none-match": etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const icon = await ask("/favicon.ico");
    expect([icon.headers["content-type"], icon.headers["cache-control"], icon.body.toString()]).toEqual([
      "image/x-icon",
      "public, max-age=0",
      "icon",
    ]);
  });
});
