import { describe, expect, test, vi } from "vitest";
import { chainTip } from "#lib/queries/chain.ts";
import type { Tip } from "#lib/store/rows.ts";
import { queryStub } from "#lib/testing/query-stub.ts";
import { RecentTip } from "./recent-tip.ts";

const tipOf = (height: number): Tip => ({ height, hash: `0x${height}` });

describe("the tip in error responses", () => {
  test("is read again each time", async () => {
    const tip = vi.fn(async () => tipOf(tip.mock.calls.length));
    const recent = new RecentTip(queryStub([chainTip, tip]), () => {});
    expect([await recent.read(), await recent.read(), recent.last]).toEqual([tipOf(1), tipOf(2), tipOf(2)]);
  });

  test("is the last one if the database is slow, and concurrent callers share one read", async () => {
    const reading = Promise.withResolvers<Tip>();
    const tip = vi.fn(() => reading.promise);
    const recent = new RecentTip(queryStub([chainTip, tip]), () => {});
    recent.last = tipOf(7);
    expect(await Promise.all([recent.read(), recent.read(), recent.read()])).toEqual([
      tipOf(7),
      tipOf(7),
      tipOf(7),
    ]);
    expect(tip).toHaveBeenCalledTimes(1);
    reading.resolve(tipOf(8));
    await reading.promise;
    expect(await recent.read()).toEqual(tipOf(8));
  });

  test("does not replace the error that it accompanies with one of its own", async () => {
    const faults: unknown[] = [];
    const recent = new RecentTip(queryStub([chainTip, () => Promise.reject(new Error("gone"))]), (error) =>
      faults.push(error),
    );
    expect([await recent.read(), await recent.read()]).toEqual([null, null]);
    expect(faults).toHaveLength(2);
  });
});
