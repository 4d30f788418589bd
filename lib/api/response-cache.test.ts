import { describe, expect, test, vi } from "vitest";
import { readConfig } from "#lib/config.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity } from "#lib/testing/ledger.ts";
import { issueToken } from "./access-tokens.ts";
import { type CacheableResponse, ResponseCache } from "./response-cache.ts";
import { createService } from "./service.ts";

const responseOf = (bytes: number): CacheableResponse => ({
  body: Buffer.alloc(bytes),
  digest: "",
  tip: null,
  headers: {},
  compressed: new Map(),
});

describe("cached responses", () => {
  /** Misses the cache, then stores the response. */
  const miss = (cache: ResponseCache, request: string, response: CacheableResponse) => {
    cache.get("v", request);
    cache.set("v", request, response);
  };

  test("take no more memory than they may, compressed bodies included; the oldest go first", () => {
    const cache = new ResponseCache(100_000);
    for (let i = 1; i <= 160; i++) {
      const answer = responseOf(8_000);
      miss(cache, `r${i}`, answer);
      if (cache.get("v", `r${i}`)) {
        answer.compressed.set("br", Buffer.alloc(2_000));
        cache.set("v", `r${i}`, answer);
      }
      expect(cache.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(cache.bytes).toBeGreaterThan(80_000);
    expect(cache.figures.evictions).toBeGreaterThan(0);
    expect(cache.get("v", "r1")).toBeUndefined();
    cache.set("v", "large", responseOf(200_000));
    expect(cache.get("v", "large")).toBeUndefined();
  });

  test("stay when a client walks a long list, and popular responses are soon cached", () => {
    const cache = new ResponseCache(100_000);
    for (let i = 0; i < 1_000; i++) {
      miss(cache, `walked ${i}`, responseOf(30_000));
      if (!cache.get("v", "popular")) cache.set("v", "popular", responseOf(30_000));
    }
    expect(cache.figures.hits).toBeGreaterThan(950);
    expect(cache.figures.evictions).toBeLessThan(100);
  });

  test("have the same bytes at each request", () => {
    const cache = new ResponseCache(100_000);
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    miss(cache, "r", { ...responseOf(0), body });
    expect(cache.get("v", "r")!.body).toEqual(body);
    expect(cache.get("v", "r")!.body).toEqual(body);
  });

  test("know how often they were found, and how many had to go for others", () => {
    const cache = new ResponseCache(100_000);
    expect(cache.figures).toEqual({ entries: 0, bytes: 0, hits: 0, misses: 0, evictions: 0 });
    for (let i = 0; i < 16; i++) miss(cache, `r${i}`, responseOf(30_000));
    cache.set("v", "r15", responseOf(30_000));
    cache.get("v", "r15");
    expect(cache.figures).toMatchObject({ entries: 3, hits: 1, misses: 16, evictions: 1 });
    cache.get("newer", "r15");
    expect(cache.figures).toMatchObject({ entries: 0, bytes: 0, hits: 1, misses: 17, evictions: 1 });
    expect(new ResponseCache(0).figures).toMatchObject({ entries: 0, misses: 0 });
  });

  test("count the requests that they are found by", () => {
    const cache = new ResponseCache(100_000);
    for (let i = 0; i < 10; i++) miss(cache, `${i}`.padStart(10_000), responseOf(1));
    expect(cache.figures.entries).toBe(4);
  });

  test("go when the data change, and do not come back with a reader that was slow", () => {
    const cache = new ResponseCache(100_000);
    cache.get("old", "r");
    cache.get("new", "r");
    expect(cache.bytes).toBe(0);
    cache.set("old", "r", responseOf(1));
    expect(cache.get("new", "r")).toBeUndefined();
  });

  test("are none without memory for them, or if the engine knows no version", () => {
    for (const [bytes, version] of [
      [0, "v"],
      [100_000, null],
    ] as const) {
      const cache = new ResponseCache(bytes);
      cache.get(version, "r");
      cache.set(version, "r", responseOf(1));
      expect(cache.get(version, "r")).toBeUndefined();
      expect(cache.bytes).toBe(0);
    }
  });
});

test("a repeated request gets a 200 or 304 without a query", async () => {
  const store = await openStore("sqlite::memory:");
  try {
    await store.write(identify, identity);
    const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: 0 });
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    const asked = vi.spyOn(store, "query");
    const ask = (headers: Record<string, string>) =>
      service.operations.addressUtxos.handle({
        method: "GET",
        params: {
          address:
            "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq6f4m0q",
        },
        query: "",
        header: (name) => ({ authorization: `Bearer ${token}`, ...headers })[name],
      });
    const first = await ask({});
    expect((await ask({})).body).toEqual(first.body);
    expect((await ask({ "if-none-match": first.headers.ETag! })).status).toBe(304);
    const gzip = { "accept-encoding": "gzip, identity;q=0" };
    const [made, cached] = [await ask(gzip), await ask(gzip)];
    expect([made.headers["Content-Encoding"], cached.headers["Content-Encoding"]]).toEqual(["gzip", "gzip"]);
    expect([cached.headers.ETag, cached.body]).toEqual([made.headers.ETag, made.body]);
    // From the second request on, the body is the same object.
    expect((await ask(gzip)).body).toBe((await ask(gzip)).body);
    expect((await ask({ ...gzip, "if-none-match": cached.headers.ETag! })).status).toBe(304);
    const pages = asked.mock.calls.filter(([query]: unknown[]) => query === utxosOfAddress);
    expect(pages).toHaveLength(1);
  } finally {
    await store.close();
  }
});
