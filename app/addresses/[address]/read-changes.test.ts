import { afterAll, beforeAll, expect, test } from "vitest";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { generateDemo } from "#lib/demo/ckb/demo.ts";
import { loadDemo } from "#lib/demo/load.ts";
import { blockHashAt, blockHeader, chainTip, storedHorizon } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import type { Tip } from "#lib/store/rows.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { presets } from "./presets.ts";
import { faultOfRange, readChanges } from "./read-changes.ts";

const shared = globalThis as { aqsService?: Promise<Service> };
let service: Service;
let tip: Tip;

beforeAll(async () => {
  const store = await openStore("sqlite::memory:");
  await loadDemo(store, generateDemo());
  tip = (await store.query(chainTip))!;
  service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  shared.aqsService = Promise.resolve(service);
});

afterAll(async () => {
  delete shared.aqsService;
  await service.store.close();
});

const headerAt = async (height: number) =>
  service.store.query(blockHeader, (await service.store.query(blockHashAt, height))!);

test("as of a past block, a range that begins later ends too early, and is not called unindexed", async () => {
  expect(await faultOfRange("500", "100", tip, -1)).toEqual({ fault: "The range ends before it begins." });
  expect(await faultOfRange("5000", "", tip, -1)).toMatchObject({
    fault: expect.stringMatching(/^Block 5,000 is not indexed yet/),
  });
});

test("the presets end with the block that the range ends with", async () => {
  const all = await presets(service, await headerAt(500), -1);
  expect(all.length).toBeGreaterThan(0);
  for (const { height, length } of all) expect(height + length).toBe(500);
});

test("where older changes are not kept, presets and statements begin after the horizon", async () => {
  const { store } = service;
  const horizon = tip.height - 100;
  while ((await store.query(storedHorizon)) < horizon) await store.write(raiseHorizon, horizon);
  for (const { height } of await presets(service, await headerAt(tip.height), horizon)) {
    expect(height).toBeGreaterThanOrEqual(horizon);
  }
  const whole = await faultOfRange("", "", tip, horizon);
  // The horizon may rise while the statement is read.
  expect(whole).toEqual({ since: String(horizon + 5) });
  expect(await faultOfRange(String(horizon), "", tip, horizon)).toBeNull();
  expect(await faultOfRange(String(horizon - 1), "", tip, horizon)).toMatchObject({
    fault: `The statement begins too early: changes up to block ${horizon} are not kept.`,
  });
  expect(await readChanges("00", String(horizon + 5), "")).not.toHaveProperty("fault");
});
