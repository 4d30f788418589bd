import { describe, expect, test, vi } from "vitest";
import { readConfig } from "#lib/config.ts";
import { utxosOfAddress } from "#lib/questions/address-utxos/read.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity } from "#lib/testing/ledger.ts";
import { issueToken } from "./access-tokens.ts";
import { type FinishedAnswer, KeptAnswers } from "./answers.ts";
import { createService } from "./service.ts";

const answerOf = (bytes: number): FinishedAnswer => ({
  body: Buffer.alloc(bytes),
  digest: "",
  tip: null,
  headers: {},
  compressed: new Map(),
});

describe("kept answers", () => {
  test("take no more memory than they may, compressed bodies included; the oldest go first", () => {
    const answers = new KeptAnswers(100_000);
    for (let i = 0; i < 50; i++) {
      answers.get("v", `r${i}`);
      const answer = answerOf(8_000);
      answers.keep("v", `r${i}`, answer);
      answer.compressed.set("br", Buffer.alloc(2_000));
      answers.keep("v", `r${i}`, answer);
      expect(answers.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(answers.bytes).toBeGreaterThan(80_000);
    expect(answers.get("v", "r0")).toBeUndefined();
    expect(answers.get("v", "r49")).toBeDefined();
    answers.keep("v", "large", answerOf(200_000));
    expect(answers.get("v", "large")).toBeUndefined();
  });

  test("know how often they were found, and how many had to go for others", () => {
    const answers = new KeptAnswers(100_000);
    expect(answers.figures).toEqual({ entries: 0, bytes: 0, hits: 0, misses: 0, evictions: 0 });
    for (let i = 0; i < 5; i++) {
      answers.get("v", `r${i}`);
      answers.keep("v", `r${i}`, answerOf(30_000));
      answers.get("v", `r${i}`);
    }
    answers.keep("v", "r4", answerOf(30_000));
    expect(answers.figures).toMatchObject({ entries: 3, hits: 5, misses: 5, evictions: 2 });
    answers.get("newer", "r4");
    expect(answers.figures).toMatchObject({ entries: 0, bytes: 0, hits: 5, misses: 6, evictions: 2 });
    expect(new KeptAnswers(0).figures).toMatchObject({ entries: 0, misses: 0 });
  });

  test("count the requests that they are found by", () => {
    const answers = new KeptAnswers(100_000);
    answers.get("v", "");
    for (let i = 0; i < 100; i++) answers.keep("v", `${i}`.padStart(10_000), answerOf(1));
    expect(answers.get("v", "99".padStart(10_000))).toBeDefined();
    expect(answers.get("v", "95".padStart(10_000))).toBeUndefined();
  });

  test("go when the data change, and do not come back with a reader that was slow", () => {
    const answers = new KeptAnswers(100_000);
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
      const answers = new KeptAnswers(bytes);
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
    const asked = vi.spyOn(store, "ask");
    const ask = (headers: Record<string, string>) =>
      service.operations.addressUtxos.answer({
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
    const pages = asked.mock.calls.filter(([question]: unknown[]) => question === utxosOfAddress);
    expect(pages).toHaveLength(1);
  } finally {
    await store.close();
  }
});
