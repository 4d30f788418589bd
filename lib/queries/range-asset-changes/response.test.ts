import { describe, expect, test } from "vitest";
import { describeV0, expectError, get, issue, U128_MAX, usd, v0 } from "#lib/testing/v0.ts";
import { contract } from "./contract.ts";

const changes = (query = "") => `/v0/asset-changes${query}`;

describeV0(() => {
  describe("the asset changes of a range", () => {
    test("are what the contract's schema describes, and the headers name the blocks", async () => {
      const { status, json, headers } = await get(changes("?pageSize=100"));
      expect(status).toBe(200);
      expect(contract.response.strict().parse(json)).toEqual(json);
      const tip = v0.blocks[1]!;
      expect(headers).toMatchObject({ "x-block-height": "1", "x-block-hash": tip.hash });
      expect(headers["x-from-height"]).toBeUndefined();
      const from = new Date(v0.blocks[0]!.timestamp).toISOString();
      expect((await get(changes(`?from=${from}`))).headers["x-from-height"]).toBe("0");
      const both = await Promise.all(
        v0.blocks.map(({ hash }) => get(`/v0/blocks/${hash}/asset-changes?pageSize=100`)),
      );
      const ids = both.flatMap(({ json }) =>
        json.result.map((entry: { asset: { id: string } }) => entry.asset.id),
      );
      expect(json.result.map((entry: { asset: { id: string } }) => entry.asset.id)).toEqual([
        ...new Set(ids),
      ]);
      expect(json.total).toBe(new Set(ids).size);
      expect(json.result[0]).toMatchObject({ blocks: 2 });
    });

    test("of one block are the block's, with their blocks and transactions", async () => {
      const hash = v0.blocks[0]!.hash;
      const { json: block } = await get(`/v0/blocks/${hash}/asset-changes?include=kind`);
      for (const to of ["0", hash]) {
        const { json, text } = await get(changes(`?to=${to}&include=kind`));
        expect(json.result).toEqual(
          [2, 1].map((transactions, i) => ({ ...block.result[i], blocks: 1, transactions })),
        );
        expect(text).toContain(`"amount":${U128_MAX},`);
      }
      const largest = await get(changes("?to=0&orderKey=volume&pageSize=1"));
      expect(largest.json).toMatchObject({ total: 2, result: [{ asset: { id: usd.id } }] });
      expect((await get(changes("?from=0&to=0"))).json).toEqual({ result: [], total: 0 });
    });

    test("of a malformed range, or of one that is not on the chain, are refused", async () => {
      const malformed = ["from=01&to=-1", "from=latest&to=0x1"];
      for (const query of malformed) {
        const issues = [issue("query", "from"), issue("query", "to")];
        expectError(await get(changes(`?${query}`)), "BAD_REQUEST", issues);
      }
      expectError(await get(changes("?from=1&to=0")), "BAD_REQUEST", [issue("query", "from")]);
      expectError(await get(changes("?pageSize=0&from=10&to=9")), "BAD_REQUEST", [
        issue("query", "pageSize"),
        issue("query", "from"),
      ]);
      expectError(await get(changes(`?from=tip&to=${v0.blocks[0]!.hash}`)), "BAD_REQUEST", [
        issue("query", "from"),
      ]);
      for (const query of ["to=2", "from=2", `from=${"9".repeat(64)}`, `to=${"9".repeat(64)}`]) {
        expectError(await get(changes(`?${query}`)), "NOT_FOUND");
      }
    });
  });
});
