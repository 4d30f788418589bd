import { describe, expect, test } from "vitest";
import { native } from "#lib/testing/ledger.ts";
import { changes, describeV0, expectError, get, issue, U128_MAX, usd, v0 } from "#lib/testing/v0.ts";
import { contract } from "./contract.ts";

describeV0(() => {
  describe("the asset changes of a block", () => {
    test("are what the contract's schema describes, with integers exact to the last digit", async () => {
      const { status, json, text } = await get(changes());
      expect(status).toBe(200);
      expect(contract.response.strict().parse(json)).toEqual(json);
      expect(json.total).toBe(2);
      expect(text).toContain(`"amount":${U128_MAX},`);
      const usdText = ((U128_MAX * (10n ** 18n + 1n)) / 10n ** 16n).toString().replace(/(\d{8})$/, ".$1");
      expect(json.result[1]).toEqual({
        amount: U128_MAX,
        amountUsd: usdText,
        amountExact: String(U128_MAX),
        amountUsdExact: usdText,
        asset: { id: usd.id, name: 'A "dollar" \\ ☃', icon: "", symbol: "", decimals: 6 },
        tags: ["stable"],
      });
      expect(json.result[0].amountUsd).toBe("0");
    });

    test("take the hash with or without 0x, in any case", async () => {
      const { raw } = await get(changes());
      const bare = v0.blocks[0]!.hash.slice(2).toUpperCase();
      expect((await get(`/v0/blocks/${bare}/asset-changes`)).raw).toEqual(raw);
    });

    test("are also found by height and at the tip, and the headers say which block it is", async () => {
      const [lower, tip] = v0.blocks as [(typeof v0.blocks)[0], (typeof v0.blocks)[0]];
      const byHash = await get(changes("?pageSize=3", 1));
      const tipTime = new Date(tip.timestamp).toISOString();
      for (const form of ["1", "tip", tipTime, tipTime.replace("Z", "+00:00"), "2999-12-31"]) {
        const response = await get(`/v0/blocks/${form}/asset-changes?pageSize=3`);
        expect(response.raw).toEqual(byHash.raw);
        expect(response.headers).toMatchObject({
          etag: byHash.headers.etag,
          "content-location": `/v0/blocks/${tip.hash}/asset-changes?pageSize=3`,
          "x-block-height": "1",
          "x-block-hash": tip.hash,
          "x-parent-hash": lower.hash,
          "x-block-time": new Date(tip.timestamp).toISOString(),
        });
      }
      expect(byHash.headers).toMatchObject({ "x-block-height": "1", "x-block-hash": tip.hash });
      expect(byHash.headers["content-location"]).toBeUndefined();
      const long = await get(`/v0/blocks/tip/asset-changes?search=${"x".repeat(3_000)}`);
      expect(long.json).toEqual({ result: [], total: 0 });
      expect(long.headers["content-location"], "proxies refuse long headers").toBeUndefined();
      for (const unknown of ["2", "9".repeat(40), "2001-01-01"]) {
        expectError(await get(`/v0/blocks/${unknown}/asset-changes`), "NOT_FOUND");
      }
      for (const wrong of ["01", "-1", "1.0", "0x1", "Tip", "latest", "2026-02-30", "2026-01-31T12:00"]) {
        expectError(await get(`/v0/blocks/${wrong}/asset-changes`), "BAD_REQUEST", [
          issue("path", "blockHash"),
        ]);
      }
    });

    test("page by number, with the same total past the end", async () => {
      const whole = (await get(changes("?pageSize=100", 1))).json.result;
      const pages = await Promise.all([1, 2, 3].map((page) => get(changes(`?pageSize=5&page=${page}`, 1))));
      expect(pages.flatMap((page) => page.json.result)).toEqual(whole);
      expect((await get(changes("", 1))).json.result).toHaveLength(10);
      for (const page of ["4", "99999999999999999999999"]) {
        expect((await get(changes(`?pageSize=5&page=${page}`, 1))).json).toEqual({ result: [], total: 13 });
      }
    });

    test("filter by tags, given once or more, in any form, and by name", async () => {
      const total = async (query: string) => (await get(changes(query))).json.total;
      expect(await total("?tags=stable")).toBe(1);
      expect(await total("?tags=none&tags=stable")).toBe(1);
      expect(await total("?tags[]=stable")).toBe(1);
      expect(await total("?tags[0]=none&tags[1]=stable")).toBe(1);
      expect(await total("?tags[0]=none")).toBe(0);
      for (const form of ["tags", "tags[]", "tags[0]", "tags[a]", "tags.0", "tags%5B%5D"]) {
        expect([form, await total(`?${form}=none`)]).toEqual([form, 0]);
        expect([form, await total(`?${form}=none,stable`)]).toEqual([form, 1]);
        expect([form, await total(`?${form}=none%2Cstable,`)]).toEqual([form, 1]);
      }
      // These are unknown parameters, which are ignored.
      for (const form of ["tagsa", "tags[", "tags[0][1]", "tags.", "tag"]) {
        expect([form, await total(`?${form}=none`)]).toEqual([form, 2]);
      }
      expect(await total("?tags%5B%5D=stable&tags=none")).toBe(1);
      expect(await total("?tags=")).toBe(2);
      expect(await total("?assetName=DOLLAR")).toBe(1);
      expect(await total(`?assetName=${encodeURIComponent('"')}`)).toBe(1);
      expect(await total("?assetName=%25")).toBe(0);
    });

    test("sort by volume in both directions", async () => {
      const first = async (query: string) => (await get(changes(query))).json.result[0].asset.id;
      expect(await first("?orderKey=volume")).toBe(usd.id);
      expect(await first("?orderKey=volume&orderDirection=asc")).toBe(native.id);
      expect(await first("?orderDirection=asc")).toBe(native.id);
    });

    test("have the kind of their asset on request", async () => {
      const { result } = (await get(changes("?include=kind&pageSize=100"))).json;
      expect(result[0]).toMatchObject({ asset: { id: native.id }, kind: "native" });
    });
  });
});
