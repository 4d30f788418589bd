import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KnownPath, readKnownPaths } from "./known-paths.ts";

let folder: string;
let isKnown: KnownPath;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-known-paths-"));
  for (const [file, text] of Object.entries({
    ".next/routes-manifest.json": JSON.stringify({
      staticRoutes: [
        { page: "/", regex: "^/(?:/)?$" },
        { page: "/docs", regex: "^/docs(?:/)?$" },
        { page: "/_not-found", regex: "^/_not\\-found(?:/)?$" },
      ],
      dynamicRoutes: [{ page: "/blocks/[blockHash]", regex: "^/blocks/([^/]+?)(?:/)?$" }],
    }),
    ".next/static/chunks/a.js": "",
    "public/favicon.ico": "",
  })) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  isKnown = readKnownPaths(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  "/",
  "/docs",
  "/docs/",
  "/blocks/0x01",
  "/blocks/0x01/",
  "/_next/static/chunks/a.js",
  "/favicon.ico",
])("the build has %s", (path) => expect(isKnown(path)).toBe(true));

test.each([
  "/nowhere",
  "/docs/x",
  "/blocks/",
  "/blocks/a/b",
  "/_not-found",
  "/_next/static/chunks/b.js",
  "/_next",
])("the build does not have %s", (path) => expect(isKnown(path)).toBe(false));
