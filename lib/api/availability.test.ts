import { describe, expect, test, vi } from "vitest";
import { Availability } from "./availability.ts";

const tip = { height: 7, hash: "0x7" };
const away = () => Promise.reject(Object.assign(new Error("gone"), { code: "STORE_UNAVAILABLE" }));

function watched(store: { accessTokenByHash(): Promise<null>; tip(): Promise<typeof tip> }) {
  const log = { began: vi.fn(), ended: vi.fn(), failed: vi.fn() };
  return { log, availability: new Availability(store, log, { deadline: 50, every: 1 }) };
}

describe("whether the database answers", () => {
  test("takes both: looking a token up, and reading the tip", async () => {
    const store = { accessTokenByHash: vi.fn(async () => null), tip: vi.fn(async () => tip) };
    const { availability } = watched(store);
    expect(await availability.check()).toEqual(tip);
    store.accessTokenByHash.mockImplementationOnce(away);
    await expect(availability.check()).rejects.toThrow("gone");
    store.tip.mockImplementationOnce(away);
    await expect(availability.check()).rejects.toThrow("gone");
  });

  test("is not waited for without end, and asked once for all who wait", async () => {
    const never = new Promise<never>(() => {});
    const store = { accessTokenByHash: vi.fn(() => never), tip: async () => tip };
    const { availability } = watched(store);
    const checks = await Promise.allSettled([
      availability.check(),
      availability.check(),
      availability.check(),
    ]);
    for (const check of checks) {
      expect(check).toMatchObject({ reason: { message: expect.stringContaining("within 0.05 s") } });
    }
    await expect(availability.check()).rejects.toThrow("within");
    expect(store.accessTokenByHash).toHaveBeenCalledTimes(1);
  });

  test("is logged once when an outage begins and once when it ends, however many requests fail", async () => {
    const store = { accessTokenByHash: async () => null, tip: vi.fn<() => Promise<typeof tip>>(away) };
    const { availability, log } = watched(store);
    for (let i = 0; i < 100; i++) availability.failed(new Error(`request ${i}`));
    await vi.waitFor(() => expect(store.tip.mock.calls.length).toBeGreaterThan(3));
    expect([log.began.mock.calls, log.ended.mock.calls]).toEqual([[["request 0"]], []]);
    store.tip.mockImplementation(async () => tip);
    await vi.waitFor(() => expect(log.ended).toHaveBeenCalledTimes(1));
    availability.failed(new Error("later"));
    expect(log.began.mock.calls).toEqual([["request 0"], ["later"]]);
    expect(log.failed).not.toHaveBeenCalled();
  });
});
