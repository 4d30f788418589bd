import { describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { revokeAccessToken } from "#lib/queries/access-tokens.ts";
import { hashOf } from "#lib/testing/ledger.ts";
import {
  addressText,
  changes,
  describeV0,
  expectError,
  get,
  issue,
  lock,
  NOW,
  tokens,
  utxos,
  v0,
} from "#lib/testing/v0.ts";

describeV0((ask, { compresses }) => {
  describe("access", () => {
    test("without a bearer token is 401 with no issues", async () => {
      for (const headers of [
        {},
        { Authorization: "Basic abc" },
        { Authorization: "Bearer " },
        { Authorization: "Bearer" },
      ]) {
        const apiResponse = await ask(utxos(), { headers: headers as Record<string, string> });
        expectError(apiResponse, "UNAUTHORIZED");
        expect(apiResponse.headers["www-authenticate"]).toBe("Bearer");
      }
    });

    test("with a token that is unknown, expired or revoked is 401 and says why", async () => {
      for (const token of ["nonsense", `${tokens.full}x`, tokens.expired, tokens.revoked]) {
        const apiResponse = await get(changes(), token);
        expectError(apiResponse, "UNAUTHORIZED", [
          { path: [], code: "invalid_token", message: expect.any(String) },
        ]);
        expect(apiResponse.headers["www-authenticate"]).toContain('error="invalid_token"');
      }
    });

    test("without the operation's scope is 403 and names it", async () => {
      expect((await get(utxos(), tokens.utxosOnly)).status).toBe(200);
      const apiResponse = await get(changes(), tokens.utxosOnly);
      expectError(apiResponse, "FORBIDDEN");
      expect(apiResponse.headers["www-authenticate"]).toBe(
        'Bearer error="insufficient_scope", scope="asset-changes:read"',
      );
    });

    test("is checked before the input, so that a stranger learns nothing", async () => {
      expectError(await get("/v0/addresses/bad/utxos?pageSize=0", null), "UNAUTHORIZED");
      expectError(await get("/v0/blocks/bad/asset-changes?page=0", tokens.utxosOnly), "FORBIDDEN");
    });

    test("takes the scheme in any case, and a browser's session cookie as the bearer token", async () => {
      expect((await ask(utxos(), { headers: { Authorization: `bearer ${tokens.full}` } })).status).toBe(200);
      expect((await ask(utxos(), { headers: { Cookie: `a=b; aqs_session=${tokens.full}` } })).status).toBe(
        200,
      );
      const both = { Cookie: `aqs_session=${tokens.full}`, Authorization: "Bearer wrong" };
      expect((await ask(utxos(), { headers: both })).status).toBe(401);
    });

    test("ends with the request after a revocation", async () => {
      const { token, record } = await issueToken(v0.store, {
        name: "x",
        scopes: [],
        expiresAt: null,
        now: NOW,
      });
      expect((await get(utxos(), token)).status).toBe(200);
      await v0.store.record(revokeAccessToken, record.id, NOW);
      expect((await get(utxos(), token)).status).toBe(401);
    });
  });

  describe("bad input", () => {
    test("names every violated parameter at once", async () => {
      expectError(await get("/v0/addresses/bad/utxos?pageSize=0&order=up&token=zz&cursor=x"), "BAD_REQUEST", [
        issue("query", "pageSize"),
        issue("query", "token"),
        issue("query", "order"),
        issue("path", "address"),
        issue("query", "cursor"),
      ]);
      expectError(
        await get("/v0/blocks/0x12/asset-changes?page=0&pageSize=101&orderKey=name&orderDirection=up"),
        "BAD_REQUEST",
        [
          issue("path", "blockHash"),
          issue("query", "orderKey"),
          issue("query", "orderDirection"),
          issue("query", "page"),
          issue("query", "pageSize"),
        ],
      );
    });

    test("covers every spelling of a number that is not a plain decimal integer", async () => {
      for (const value of [
        "1e2",
        "0x10",
        "10.0",
        "%2010",
        "10%20",
        "",
        "-1",
        "+1",
        "010",
        "1001",
        "0",
        "ten",
        "%D9%A1",
      ]) {
        expectError(await get(utxos(`?pageSize=${value}`)), "BAD_REQUEST", [issue("query", "pageSize")]);
      }
    });

    test("covers a scalar given twice, but not unknown parameters or an empty cursor", async () => {
      expectError(await get(utxos("?pageSize=1&pageSize=1")), "BAD_REQUEST", [issue("query", "pageSize")]);
      expect((await get(utxos("?cursor=&unknown=1&unknown=2"))).status).toBe(200);
    });

    test("covers addresses with a wrong checksum, of another network, and broken percent-encoding", async () => {
      const good = addressText(1);
      const last = good.at(-1) === "q" ? "p" : "q";
      const bad = [good.slice(0, -1) + last, encodeAddress(lock(1), "mainnet"), "%zz", "%00", "ckt1"];
      for (const address of bad) {
        expectError(await get(`/v0/addresses/${address}/utxos`), "BAD_REQUEST", [issue("path", "address")]);
      }
    });
  });

  describe("what is not there", () => {
    test("an unknown block is 404", async () => {
      expectError(await get(`/v0/blocks/${hashOf("unknown")}/asset-changes`), "NOT_FOUND");
    });

    test("any other path under /v0 is 404 with the error body", async () => {
      for (const path of [
        "/v0",
        "/v0/",
        "/v0/nothing",
        "/v0/addresses",
        `${utxos()}/more`,
        "/v0/blocks//asset-changes",
      ]) {
        expectError(await get(path, null), "NOT_FOUND");
      }
    });

    test("another method is 405 and names the allowed ones", async () => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const apiResponse = await ask(utxos(), { method });
        expectError(apiResponse, "METHOD_NOT_ALLOWED");
        expect(apiResponse.headers.allow).toBe("GET, HEAD");
      }
    });
  });

  test("a format that the operation does not have is 406, once the caller may read it", async () => {
    const issues = [
      { path: [], code: "not_acceptable", message: expect.stringContaining("application/json") },
    ];
    for (const accept of [
      "application/x-ndjson",
      "text/csv",
      "text/event-stream",
      "application/json;q=0",
      "*/*;q=0",
    ]) {
      expectError(await get(changes(), tokens.full, { accept }), "NOT_ACCEPTABLE", issues);
      expect((await get(changes(), tokens.utxosOnly, { accept })).status).toBe(403);
    }
    const lines = await get("/v0/events", tokens.full, { accept: "application/json" });
    const message = expect.stringContaining("text/event-stream");
    expectError(lines, "NOT_ACCEPTABLE", [{ path: [], code: "not_acceptable", message }]);
  });

  describe("every response", () => {
    test("names the request and the tip, errors too", async () => {
      for (const apiResponse of [await get(utxos()), await get(changes(), null), await get("/v0/x")]) {
        expect(apiResponse.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
        expect(apiResponse.headers["x-tip-height"]).toBe("1");
        expect(apiResponse.headers["x-tip-hash"]).toBe(v0.blocks[1]!.hash);
      }
      expect((await get(utxos(), tokens.full, { "X-Request-Id": "mine-1" })).headers["x-request-id"]).toBe(
        "mine-1",
      );
    });

    test("carries a strong ETag, and is 304 without a body for who has it", async () => {
      const first = await get(utxos());
      const { etag } = first.headers;
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(first.headers["cache-control"]).toBe("private");
      expect(first.headers.vary).toBe("Authorization, Accept-Encoding, Cookie, Accept");
      for (const tag of [etag!, `"other", W/${etag}`, "*"]) {
        const again = await get(utxos(), tokens.full, { "If-None-Match": tag });
        expect([again.status, again.raw.length, again.headers.etag]).toEqual([304, 0, etag]);
      }
      expect((await get(utxos(), tokens.full, { "If-None-Match": '"other"' })).status).toBe(200);
      expect((await get(utxos("?pageSize=2"))).headers.etag).not.toBe(etag);
      expect((await get(utxos(), null, { "If-None-Match": etag! })).status).toBe(401);
    });

    test.runIf(compresses)(
      "is compressed with what the client accepts, each coding under its own ETag",
      async () => {
        const plain = await get(utxos());
        expect(plain.headers["content-encoding"]).toBeUndefined();
        const codings = {
          gzip: "gzip",
          "gzip, br": "br",
          "br;q=0.5, gzip;q=0.8": "gzip",
          "*": "br",
          "br;q=0": undefined,
        };
        for (const [accept, coding] of Object.entries(codings)) {
          const apiResponse = await get(utxos(), tokens.full, { "Accept-Encoding": accept });
          expect(apiResponse.headers["content-encoding"]).toBe(coding);
          expect(apiResponse.text).toBe(plain.text);
          expect(apiResponse.headers.etag === plain.headers.etag).toBe(coding === undefined);
        }
      },
    );

    test.runIf(compresses)("is left as it is while short, unless the client refuses that", async () => {
      for (const [accept, coding] of [
        ["gzip, br", undefined],
        ["gzip, identity;q=0", "gzip"],
      ] as const) {
        const apiResponse = await get(utxos("?pageSize=1"), tokens.full, { "Accept-Encoding": accept });
        expect([apiResponse.status, apiResponse.headers["content-encoding"]]).toEqual([200, coding]);
      }
    });

    test("to HEAD is that to GET without the body", async () => {
      const headers = { Authorization: `Bearer ${tokens.full}` };
      const head = await ask(utxos(), { method: "HEAD", headers });
      const { headers: expected } = await get(utxos());
      expect([head.status, head.raw.length, head.headers.etag]).toEqual([200, 0, expected.etag]);
    });
  });

  test("a bug is 500, reveals nothing and is logged with the request's id", async () => {
    const logged: unknown[] = [];
    const { error: logError } = v0.service.log;
    v0.service.log.error = ((entry: unknown) => logged.push(entry)) as typeof logError;
    const asked = vi.spyOn(v0.store, "query").mockRejectedValueOnce(new Error("secret detail"));
    try {
      // A page that is not cached yet.
      const apiResponse = await get(utxos("?pageSize=29"));
      expectError(apiResponse, "INTERNAL_SERVER_ERROR");
      expect(apiResponse.text).not.toContain("secret");
      expect(logged).toEqual([expect.objectContaining({ requestId: apiResponse.headers["x-request-id"] })]);
    } finally {
      asked.mockRestore();
      v0.service.log.error = logError;
    }
  });
});
