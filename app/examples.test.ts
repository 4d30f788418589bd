import { afterAll, beforeAll, expect, test } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { generateDemo } from "#lib/demo/ckb/demo.ts";
import { loadDemo } from "#lib/demo/load.ts";
import { openStore } from "#lib/store/open.ts";
import { examplesFor } from "./examples.ts";

const shared = globalThis as { aqsService?: Promise<Service> };
let service: Service;

beforeAll(async () => {
  const store = await openStore("sqlite::memory:");
  await loadDemo(store, generateDemo());
  service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  shared.aqsService = Promise.resolve(service);
});

afterAll(async () => {
  delete shared.aqsService;
  await service.store.close();
});

test.each<[Scope[], addresses: number, blocks: number]>([
  [["utxos:read", "asset-changes:read"], 2, 2],
  [["utxos:read"], 2, 0],
  [["asset-changes:read"], 0, 2],
])("with %j the examples are %d addresses and %d blocks", async (scopes, addresses, blocks) => {
  const options = { name: "reader", scopes, expiresAt: null, now: 0 };
  const { record } = await issueToken(service.store, options);
  const examples = await examplesFor(record, 2);
  expect([examples.addresses.length, examples.blocks.length]).toEqual([addresses, blocks]);
});

test("there are no examples for someone who is not signed in", async () => {
  expect(await examplesFor(null, 2)).toEqual({ addresses: [], assets: [], blocks: [], transactions: [] });
});
