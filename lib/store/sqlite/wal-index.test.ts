import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database } from "./database.ts";

let folder: string;
let file: string;
let writers: Database[];
let reader: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-wal-index-"));
  file = join(folder, "a.db");
  writers = [new Database(file), new Database(file)];
  writers[0]!.migrate();
  reader = new Database(file, { readOnly: true });
});

afterEach(() => {
  for (const each of [...writers, reader]) each.close();
  rmSync(folder, { recursive: true });
});

const value = () => reader.get<{ value: string }>("SELECT value FROM state WHERE key = 'a'")?.value;

test("the latest version changes with every commit, and with nothing else that changes what is read", () => {
  const actions = fc.array(
    fc.record({
      writer: fc.nat({ max: 1 }),
      action: fc.constantFrom("write", "roll back", "checkpoint", "read"),
    }),
    { maxLength: 30 },
  );
  let count = 0;
  fc.assert(
    fc.property(actions, (steps) => {
      const seen = new Map([[reader.latestVersion, value()]]);
      for (const { writer, action } of steps) {
        const db = writers[writer]!;
        const before = [reader.latestVersion, value()];
        const write = () =>
          db.run("INSERT OR REPLACE INTO state (key, value) VALUES ('a', ?)", String(++count));
        if (action === "write") write();
        else if (action === "roll back") {
          const failing = () =>
            db.transaction(() => {
              write();
              throw new Error("no");
            });
          expect(failing).toThrow("no");
        } else if (action === "checkpoint") db.all("PRAGMA wal_checkpoint(RESTART)");
        const after = [reader.latestVersion, value()];
        if (action === "write") expect(after[0]).not.toBe(before[0]);
        if (action === "roll back" || action === "read") expect(after).toEqual(before);
        // No version comes back with other contents.
        expect(seen.get(after[0]!) ?? after[1]).toBe(after[1]);
        seen.set(after[0]!, after[1]);
      }
    }),
    { numRuns: 50 },
  );
});

test("a database in memory has a latest version, too", () => {
  const db = new Database(":memory:");
  db.migrate();
  const before = db.latestVersion;
  expect(db.latestVersion).toBe(before);
  db.run("INSERT INTO state (key, value) VALUES ('a', 'b')");
  expect(db.latestVersion).not.toBe(before);
  db.close();
});

test("a reader that watches the version keeps its locks: a writer that comes and goes leaves the log in place", () => {
  for (const each of writers) each.close();
  writers = [];
  expect(reader.latestVersion).toBeTruthy();
  const late = new Database(file);
  late.run("INSERT OR REPLACE INTO state (key, value) VALUES ('a', 'late')");
  late.close();
  expect(value()).toBe("late");
});
