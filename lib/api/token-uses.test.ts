import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "#lib/config.ts";
import { listedTokens } from "#lib/queries/access-tokens.ts";
import { openForReading, openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { issueToken } from "./access-tokens.ts";
import { createService, type Service } from "./service.ts";

const NOW = Date.UTC(2026, 0, 1);

let folder: string;
let owner: Store;
let token: string;
const logged: unknown[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aqs-uses-"));
  owner = await openStore(`sqlite:${folder}/a.db`);
  ({ token } = await issueToken(owner, { name: "a", scopes: [], expiresAt: null, now: 0 }));
  logged.length = 0;
});

afterEach(async () => {
  await owner.close();
  rmSync(folder, { recursive: true });
});

/** A server's service, whose connection only reads, after one request at that time. */
async function used(url: string, now: () => number): Promise<Service> {
  const service = await createService(await openForReading(url), readConfig({ LOG_LEVEL: "silent" }), {
    now,
  });
  for (const level of ["info", "error"] as const)
    service.log[level] = (line: unknown) => void logged.push(line);
  await service.call(token, "utxos:read", async () => {});
  return service;
}

const lastUse = async () => (await owner.query(listedTokens))[0]?.lastUsedAt;

test("a server that only reads stores the last use of a token beside its requests", async () => {
  let now = NOW;
  const { store, tokenUses, call } = await used(`sqlite:${folder}/a.db`, () => now);
  expect(await lastUse()).toBeNull();
  await tokenUses.save();
  expect(await lastUse()).toBe(NOW);
  now += 5;
  await call(token, "utxos:read", async () => {});
  await tokenUses.save();
  expect(await lastUse()).toBe(NOW + 5);
  await store.close();
  expect(logged).toEqual([]);
});

test("while sync writes, it does not wait, and stores the use the next time", async () => {
  const { store, tokenUses } = await used(`sqlite:${folder}/a.db`, () => NOW);
  const sync = new DatabaseSync(`${folder}/a.db`);
  sync.exec("BEGIN IMMEDIATE");
  const began = performance.now();
  await tokenUses.save();
  // A connection that waited would do so for 10 seconds.
  expect(performance.now() - began).toBeLessThan(8_000);
  sync.exec("ROLLBACK");
  sync.close();
  expect(await lastUse()).toBeNull();
  await tokenUses.save();
  expect(await lastUse()).toBe(NOW);
  await store.close();
  expect(logged).toEqual([]);
});

test("if the server may not write to the database, it says so once and goes on", async () => {
  const { store, tokenUses, call } = await used(`sqlite:file:${folder}/a.db?mode=ro`, () => NOW);
  for (let i = 0; i < 2; i++) {
    await tokenUses.save();
    await call(token, "utxos:read", async () => {});
  }
  expect(await lastUse()).toBeNull();
  expect(logged).toEqual([expect.stringContaining("may not write to the database")]);
  await store.close();
});
