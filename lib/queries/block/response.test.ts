import { describe, expect, test } from "vitest";
import { revertTo } from "#lib/store/rules/revert.ts";
import { Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { describeV0, expectError, get, issue, U128_MAX, v0 } from "#lib/testing/v0.ts";
import { contract as list } from "../blocks/contract.ts";
import { contract } from "./contract.ts";

describeV0(() => {
  describe("a block", () => {
    test("is found by hash, height, tip and time, and Content-Location has its hash", async () => {
      const [first, tip] = v0.blocks as [(typeof v0.blocks)[0], (typeof v0.blocks)[0]];
      const byHash = await get(`/v0/blocks/${tip.hash}`);
      expect(byHash.headers["content-location"]).toBeUndefined();
      expect(contract.response.strict().parse(byHash.json)).toEqual(byHash.json);
      const time = new Date(tip.timestamp).toISOString();
      expect(byHash.json).toEqual({
        ...{ height: 1, hash: tip.hash, parentHash: first.hash, time },
        ...{ transactionCount: 1, assetCount: 13, movedUsd: "0", canonical: true },
      });
      for (const form of ["1", "tip", time, "2999-12-31", time.replace("Z", "+00:00")]) {
        const { raw, headers } = await get(`/v0/blocks/${form}`);
        expect(raw).toEqual(byHash.raw);
        expect(headers).toMatchObject({
          etag: byHash.headers.etag,
          "content-location": `/v0/blocks/${tip.hash}`,
          "x-block-height": "1",
          "x-block-hash": tip.hash,
        });
      }
      const before = new Date(tip.timestamp - 1).toISOString();
      const { json } = await get(`/v0/blocks/${before}`);
      const moved = ((U128_MAX * (10n ** 18n + 1n)) / 10n ** 16n).toString().replace(/(\d{8})$/, ".$1");
      expect(json).toMatchObject({ height: 0, movedUsd: moved });
    });

    test("is refused where the text names none, and not found where none is indexed", async () => {
      for (const text of [
        "2026-02-30",
        "2026-01-31T12:00:00",
        "2026-01-31T12:00:00%2024:00",
        "now",
        "-1",
        "0x12",
      ]) {
        expectError(await get(`/v0/blocks/${text}`), "BAD_REQUEST", [issue("path", "blockHash")]);
      }
      for (const text of ["2", "9".repeat(64), "2001-01-01", "0000-01-01T00:00:00Z"]) {
        expectError(await get(`/v0/blocks/${text}`), "NOT_FOUND");
      }
    });

    test("lists name by time what they are as of, on each page", async () => {
      const [first, tip] = v0.blocks as [(typeof v0.blocks)[0], (typeof v0.blocks)[0]];
      const page = await get("/v0/blocks?to=2999-12-31&pageSize=1");
      expect(list.response.strict().parse(page.json)).toEqual(page.json);
      expect(page.json.result).toMatchObject([{ hash: tip.hash }]);
      const next = await get(`/v0/blocks?to=2999-12-31&pageSize=1&cursor=${page.json.lastCursor}`);
      expect(next.json).toMatchObject({ result: [{ hash: first.hash }], hasNext: false });
      for (const { headers } of [page, next]) expect(headers).toMatchObject({ "x-block-hash": tip.hash });
      const lines = await get("/v0/blocks?to=2999-12-31", undefined, { Accept: "application/x-ndjson" });
      expect(lines.text.trim().split("\n")).toHaveLength(3);
      expectError(await get("/v0/blocks?canonical=no&from=2026-02-30&to=x"), "BAD_REQUEST", [
        issue("query", "from"),
        issue("query", "to"),
        issue("query", "canonical"),
      ]);
      expectError(await get("/v0/blocks?from=2999-12-31&to=0"), "BAD_REQUEST", [issue("query", "from")]);
      expectError(await get("/v0/blocks?from=2001-01-01"), "NOT_FOUND");
      const other = await get(`/v0/blocks?canonical=false&cursor=${page.json.lastCursor}`);
      expectError(other, "BAD_REQUEST", [issue("query", "cursor")]);
    });

    test("that was replaced says so, with the fork, and what is unknown is empty or null", async () => {
      const [first, replaced] = v0.blocks as [(typeof v0.blocks)[0], (typeof v0.blocks)[0]];
      const { headers: then } = await get("/v0/blocks/2999-12-31");
      const branch = new Ledger("branch", [first]);
      branch.block();
      await v0.store.write(revertTo, 0);
      await storeBlocks(v0.store, branch.blocks.slice(1));
      const expected = {
        ...{ height: 1, hash: replaced.hash, parentHash: first.hash, time: "" },
        ...{ transactionCount: null, assetCount: null, movedUsd: "", canonical: false, forkHeight: 0 },
      };
      const { status, json, headers } = await get(`/v0/blocks/${replaced.hash}`);
      expect({ status, json }).toEqual({ status: 200, json: expected });
      expect(headers).toMatchObject({ "x-block-height": "1", "x-block-hash": replaced.hash });
      expect(contract.response.strict().parse(json)).toEqual(json);
      expect((await get("/v0/blocks?canonical=false")).json.result).toEqual([expected]);
      const now = await get("/v0/blocks/2999-12-31", undefined, { "If-None-Match": then.etag! });
      expect(now).toMatchObject({ status: 200, json: { hash: branch.tip!.hash } });
      expect((await get("/v0/blocks/1")).json).toMatchObject({ hash: branch.tip!.hash, canonical: true });
    });
  });
});
