import { describe, expect, test, vi } from "vitest";
import { accessTokenByHash } from "#lib/queries/access-tokens.ts";
import { blockHeader, chainTip } from "#lib/queries/chain.ts";
import type { BlockHeader, Tip } from "#lib/store/rows.ts";
import { queryStub } from "#lib/testing/query-stub.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { Availability } from "./availability.ts";

const tip = { height: 7, hash: "0x7" };
const away = () => Promise.reject(Object.assign(new Error("gone"), { code: "STORE_UNAVAILABLE" }));

const NOW = 1_000_000;

const setClock = (seconds: number) => vi.spyOn(performance, "now").mockImplementation(() => 1_000 * seconds);

function watched(
  store: {
    accessTokenByHash?: () => Promise<null>;
    tip?: () => Promise<Tip | null>;
    blockHeader?: () => Promise<BlockHeader | null>;
    schemaFault?: () => Promise<string | null>;
    replicaLag?: () => Promise<number | null>;
  },
  settings: { maxTipAge?: number; maxReplicaLag?: number } = {},
) {
  const lines: unknown[][] = [];
  const note = (...line: unknown[]) => void lines.push(line);
  const { replicaLag } = store;
  const checked = {
    ...queryStub(
      [accessTokenByHash, store.accessTokenByHash ?? (async () => null)],
      [chainTip, store.tip ?? (async () => tip)],
      [blockHeader, store.blockHeader ?? (async () => ({ ...tip, timestamp: NOW - 60_000 }))],
    ),
    schemaFault: store.schemaFault ?? (async () => null),
    ...(replicaLag && { replicaLag }),
  };
  const availability = new Availability(
    checked,
    { error: note, warn: note },
    {
      deadline: 50,
      every: 1,
      now: () => NOW,
      ...settings,
    },
  );
  return { lines, availability };
}

const began = (reason: string) => [{ reason }, "the database does not answer: requests get 503"];
const ended = (seconds: unknown) => [{ seconds }, "the database answers again"];

describe("whether the database responds", () => {
  test("takes both: looking a token up, and reading the tip", async () => {
    const store = { accessTokenByHash: vi.fn(async () => null), tip: vi.fn(async () => tip) };
    const { availability } = watched(store);
    expect(await availability.check()).toEqual({ ready: true, tip });
    store.accessTokenByHash.mockImplementationOnce(away);
    await expect(availability.check()).rejects.toThrow("gone");
    store.tip.mockImplementationOnce(away);
    await expect(availability.check()).rejects.toThrow("gone");
  });

  test("has a deadline, and concurrent callers share one check", async () => {
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
    const { availability, lines } = watched(store);
    setClock(0);
    for (let i = 0; i < 100; i++) availability.failed(new Error(`request ${i}`));
    await vi.waitFor(() => expect(store.tip.mock.calls.length).toBeGreaterThan(3), EVENT_TIMEOUT);
    expect(lines).toEqual([began("request 0")]);
    store.tip.mockImplementation(async () => tip);
    await availability.check();
    expect(lines).toHaveLength(1);
    setClock(31);
    await vi.waitFor(() => expect(lines).toHaveLength(2), EVENT_TIMEOUT);
    availability.failed(new Error("later"));
    expect(lines).toEqual([began("request 0"), ended(expect.any(Number)), began("later")]);
  });

  test("is one outage as long as any request fails, whatever the checks say", async () => {
    const { availability, lines } = watched({});
    for (let seconds = 0; seconds <= 100; seconds += 20) {
      setClock(seconds);
      availability.failed(new Error("one of its nodes is away"));
      await availability.check();
    }
    const outage = began("one of its nodes is away");
    expect(lines).toEqual([outage]);
    setClock(131);
    await vi.waitFor(() => expect(lines).toEqual([outage, ended(100)]), EVENT_TIMEOUT);
  });
});

describe("a server whose database responds", () => {
  test("is not ready while nothing is indexed", async () => {
    const { availability, lines } = watched({ tip: async () => null });
    const words = "No block is indexed yet";
    expect(await availability.check()).toEqual({ ready: false, reason: "tip", words });
    expect(lines).toEqual([[{ reason: words }, "the server is not ready"]]);
  });

  test.for([
    [0, true],
    [60, true],
    [59, false],
  ] as const)("is ready with a tip of 60 seconds if it may have %d: %s", async ([maxTipAge, ready]) => {
    const { availability } = watched({}, { maxTipAge });
    expect((await availability.check()).ready).toBe(ready);
  });

  test("is not ready while its replica is further behind than it may be", async () => {
    const ready = async (lag: number | null, maxReplicaLag: number) => {
      const { availability } = watched({ replicaLag: async () => lag }, { maxReplicaLag });
      const found = await availability.check();
      expect(availability.replicaLag).toBe(lag);
      return found;
    };
    for (const [lag, most] of [
      [60, 60],
      [0, 1],
      [null, 1],
      [1e9, 0],
    ] as const) {
      expect(await ready(lag, most)).toEqual({ ready: true, tip });
    }
    expect(await ready(60.4, 60)).toEqual({
      ready: false,
      reason: "replica",
      words: "The replica is 60 s behind: MAX_REPLICA_LAG is 60",
    });
  });

  test("is not ready while the schema is not the program's, and logs when that begins and ends", async () => {
    const schemaFault = vi.fn<() => Promise<string | null>>(async () => "another version");
    const { availability, lines } = watched({ schemaFault, tip: away });
    const fault = { ready: false, reason: "schema", words: "another version" };
    for (let i = 0; i < 2; i++) expect(await availability.check()).toEqual(fault);
    const unready = [{ reason: "another version" }, "the server is not ready"];
    expect(lines).toEqual([unready]);
    const mended = watched({ schemaFault });
    await mended.availability.check();
    schemaFault.mockImplementation(async () => null);
    await mended.availability.check();
    expect(mended.lines).toEqual([unready, ["the server is ready again"]]);
  });
});
