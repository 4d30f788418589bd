import { describe, expect, test, vi } from "vitest";
import { readConfig } from "#lib/config.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity } from "#lib/testing/ledger.ts";
import { issueToken } from "./access-tokens.ts";
import { type CacheableResponse, ResponseCache } from "./response-cache.ts";
import { createService } from "./service.ts";

const answerOf = (bytes: number): CacheableResponse => ({
  body: Buffer.alloc(bytes),
  digest: "",
  tip: null,
  headers: {},
  compressed: new Map(),
});

describe("kept answers", () => {
  /** A request that finds no answer and gets this one. */
  const miss = (answers: ResponseCache, request: string, answer: CacheableResponse) => {
    answers.get("v", request);
    answers.keep("v", request, answer);
  };

  test("take no more memory than they may, compressed bodies included; the oldest go first", () => {
    const answers = new ResponseCache(100_000);
    for (let i = 1; i <= 160; i++) {
      const answer = answerOf(8_000);
      miss(answers, `r${i}`, answer);
      if (answers.get("v", `r${i}`)) {
        answer.compressed.set("br", Buffer.alloc(2_000));
        answers.keep("v", `r${i}`, answer);
      }
      expect(answers.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(answers.bytes).toBeGreaterThan(80_000);
    expect(answers.figures.evictions).toBeGreaterThan(0);
    expect(answers.get("v", "r1")).toBeUndefined();
    answers.keep("v", "large", answerOf(200_000));
    expect(answers.get("v", "large")).toBeUndefined();
  });

  test("stay when a client walks a long list; what is asked for again and again is kept soon", () => {
    const answers = new ResponseCache(100_000);
    for (let i = 0; i < 1_000; i++) {
      miss(answers, `walked ${i}`, answerOf(30_000));
      if (!answers.get("v", "popular")) answers.keep("v", "popular", answerOf(30_000));
    }
    expect(answers.figures.hits).toBeGreaterThan(950);
    expect(answers.figures.evictions).toBeLessThan(100);
  });

  test("have the bytes that they were made of each time they are asked for", () => {
    const answers = new ResponseCache(100_000);
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    miss(answers, "r", { ...answerOf(0), body });
    expect(answers.get("v", "r")!.body).toEqual(body);
    expect(answers.get("v", "r")!.body).toEqual(body);
  });

  test("know how often they were found, and how many had to go for others", () => {
    const answers = new ResponseCache(100_000);
    expect(answers.figures).toEqual({ entries: 0, bytes: 0, hits: 0, misses: 0, evictions: 0 });
    for (let i = 0; i < 16; i++) miss(answers, `r${i}`, answerOf(30_000));
    answers.keep("v", "r15", answerOf(30_000));
    answers.get("v", "r15");
    expect(answers.figures).toMatchObject({ entries: 3, hits: 1, misses: 16, evictions: 1 });
    answers.get("newer", "r15");
    expect(answers.figures).toMatchObject({ entries: 0, bytes: 0, hits: 1, misses: 17, evictions: 1 });
    expect(new ResponseCache(0).figures).toMatchObject({ entries: 0, misses: 0 });
  });

  test("count the requests that they are found by", () => {
    const answers = new ResponseCache(100_000);
    for (let i = 0; i < 10; i++) miss(answers, `${i}`.padStart(10_000), answerOf(1));
    expect(answers.figures.entries).toBe(4);
  });

  test("go when the data change, and do not come back with a reader that was slow", () => {
    const answers = new ResponseCache(100_000);
    answers.get("old", "r");
    answers.get("new", "r");
    expect(answers.bytes).toBe(0);
    answers.keep("old", "r", answerOf(1));
    expect(answers.get("new", "r")).toBeUndefined();
  });

  test("are none without memory for them, or if the engine knows no version", () => {
    for (const [bytes, version] of [
      [0, "v"],
      [100_000, null],
    ] as const) {
      const answers = new ResponseCache(bytes);
      answers.get(version, "r");
      answers.keep(version, "r", answerOf(1));
      expect(answers.get(version, "r")).toBeUndefined();
      expect(answers.bytes).toBe(0);
    }
  });
});

test("a request that was answered, with 200 or 304, is answered again without a question", async () => {
  const store = await openStore("sqlite::memory:");
  try {
    await store.write(identify, identity);
    const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: 0 });
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    const _questions = 0;
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
    const [made, kept] = [await ask(gzip), await ask(gzip)];
    expect([made.headers["Content-Encoding"], kept.headers["Content-Encoding"]]).toEqual(["gzip", "gzip"]);
    // It is one object from the second time on.
    expect((await ask(gzip)).body).toBe((await ask(gzip)).body);
    expect((await ask({ ...gzip, "if-none-match": kept.headers.ETag! })).status).toBe(304);
    const pages = asked.mock.calls.filter(([query]: unknown[]) => query === utxosOfAddress);
    expect(pages).toHaveLength(1);
  } finally {
    await store.close();
  }
});
