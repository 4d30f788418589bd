import { afterEach, describe, expect, test, vi } from "vitest";
import { RequestError, request, urlOf } from "./request.ts";

const hash = `0x${"ab".repeat(32)}`;
const path = "/v0/blocks/{blockHash}/asset-changes";

function answerWith(body: string, init: ResponseInit = {}) {
  const fetched = vi.fn(async (_url: string, _init?: RequestInit) => new Response(body, init));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

async function failure(run: Promise<unknown>): Promise<RequestError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RequestError)) throw new Error(`Expected a RequestError, got ${String(error)}`);
  return error;
}

afterEach(() => vi.unstubAllGlobals());

describe("a request's URL", () => {
  test("fills in the path and leaves empty parameters out", () => {
    expect(
      urlOf("/v0/addresses/{address}/utxos", { address: "a/b?c" }, { cursor: "", token: undefined }),
    ).toBe("/v0/addresses/a%2Fb%3Fc/utxos");
  });

  test("repeats a list and escapes its values", () => {
    expect(urlOf(path, { blockHash: hash }, { tags: ["a&b", "c"], page: 2 })).toBe(
      `/v0/blocks/${hash}/asset-changes?tags=a%26b&tags=c&page=2`,
    );
  });
});

describe("a response", () => {
  test("keeps every digit of an amount and of its value", async () => {
    answerWith(
      '{"result":[{"amount":340282366920938463463374607431768211455,"amountUsd":0.10000001}],"total":1}',
    );
    const { data } = await request(path, { blockHash: hash }, {});
    expect(data.result[0]?.amount).toBe(340282366920938463463374607431768211455n);
    expect(data.result[0]?.amountUsd).toBe("0.10000001");
  });

  test("names the tip, the block that it describes, and the request's id", async () => {
    answerWith('{"result":[],"total":0}', {
      headers: {
        "X-Tip-Height": "14203551",
        "X-Tip-Hash": hash,
        "X-Block-Height": "7",
        "X-Block-Hash": "0x07",
        "X-Request-Id": "r1",
      },
    });
    expect(await request(path, { blockHash: hash }, {})).toMatchObject({
      tip: { height: 14203551, hash },
      asOf: { height: 7, hash: "0x07" },
      requestId: "r1",
    });
  });

  test("names the indexed blocks, with the ellipsis that a header carries as bytes", async () => {
    const sent = Buffer.from("3, 14110309-14110312, …").toString("latin1");
    answerWith('{"result":[],"total":0}', {
      headers: { "X-Tip-Height": "14203551", "X-Tip-Hash": hash, "X-Index-Coverage": sent },
    });
    const { tip } = await request(path, { blockHash: hash }, {});
    expect(tip).toEqual({ height: 14203551, hash, coverage: "3, 14110309-14110312, …" });
  });
});

describe("a failed request", () => {
  test("carries code, status, issues, request id and the wait", async () => {
    const issues = [{ path: ["query", "page"], code: "too_small", message: "Expected at least 1" }];
    answerWith(JSON.stringify({ code: "TOO_MANY_REQUESTS", message: "Too many requests", issues }), {
      status: 429,
      headers: { "X-Request-Id": "r2", "Retry-After": "12" },
    });
    const error = await failure(request(path, { blockHash: hash }, {}));
    expect(error).toMatchObject({
      code: "TOO_MANY_REQUESTS",
      status: 429,
      issues,
      requestId: "r2",
      retryAfter: 12,
    });
  });

  test("is unreadable, with its status, if the body is not the API's", async () => {
    answerWith("<html>Bad gateway</html>", { status: 502 });
    expect(await failure(request(path, { blockHash: hash }, {}))).toMatchObject({
      code: "UNREADABLE",
      status: 502,
    });
  });

  test("is unreadable where a success is not JSON", async () => {
    answerWith("<html></html>");
    expect(await failure(request(path, { blockHash: hash }, {}))).toMatchObject({ code: "UNREADABLE" });
  });

  test.each([
    "null",
    "5",
    "{}",
    "[]",
    '{"result":5,"total":1}',
    '{"result":[]}',
    '{"result":[],"total":"1"}',
    '{"result":[],"hasNext":"no","lastCursor":""}',
    '{"result":[],"hasNext":false}',
    '{"result":{},"hasNext":false,"lastCursor":""}',
  ])("is unreadable where a success is no list: %s", async (body) => {
    answerWith(body);
    expect(await failure(request(path, { blockHash: hash }, {}))).toMatchObject({
      code: "UNREADABLE",
      status: 200,
    });
  });

  test("is unreachable without a network", async () => {
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("Failed to fetch");
    });
    expect(await failure(request(path, { blockHash: hash }, {}))).toMatchObject({
      code: "UNREACHABLE",
      status: 0,
    });
  });

  test("throws the caller's own reason after an abort", async () => {
    const caller = new AbortController();
    vi.stubGlobal("fetch", async () => {
      throw new DOMException("Aborted", "AbortError");
    });
    caller.abort(new Error("filter changed"));
    await expect(request(path, { blockHash: hash }, {}, caller.signal)).rejects.toThrow("filter changed");
  });
});
