import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireFileLock } from "./file-lock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-lock-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("a second sync is refused and told who holds the lock, until it is released", async () => {
  const file = join(folder, "a.db");
  const lock = await acquireFileLock(file);
  await expect(acquireFileLock(file)).rejects.toThrow(`process ${process.pid}, since 20`);
  await lock.release();
  await (await acquireFileLock(file)).release();
});
