import { describe, expect, test } from "vitest";
import { addressOf, addressText, describeV0, expectError, get, issue } from "#lib/testing/v0.ts";
import { contract as ofHoldings } from "../holdings/contract.ts";
import { contract as ofStatement } from "../statement/contract.ts";
import { contract } from "./contract.ts";

const contracts = [contract, ofStatement, ofHoldings];
const of = (path: string, addresses: string[], query = "") =>
  `${path}?${addresses.map((address) => `address=${address}&`).join("")}${query}`;
const [one, two] = [addressText(1), addressText(2)];
const many = Array.from({ length: 101 }, (_, n) => addressText(100 + n));
const refused = [issue("query", "address")];

describeV0(() => {
  describe.each(contracts)("$path", ({ path, response }) => {
    test("is what the contract's schema describes, and names its block", async () => {
      const { status, json, headers } = await get(of(path, [one, two]));
      expect(status).toBe(200);
      expect(response.strict().parse(json)).toEqual(json);
      expect(json.result.length).toBeGreaterThan(0);
      expect(headers["x-block-height"]).toBe("1");
    });

    test("counts an address once, however often and in whatever form it is given", async () => {
      const once = (await get(of(path, [one, two]))).raw;
      for (const same of [one, one.toUpperCase(), `lock-hash:${addressOf(1).key}`]) {
        expect((await get(of(path, [one, two, same, same]))).raw).toEqual(once);
      }
    });

    test("takes 100 addresses, and refuses more, none, and invalid ones", async () => {
      expect((await get(of(path, many.slice(1)))).json.result).toEqual([]);
      expectError(await get(of(path, many)), "BAD_REQUEST", refused);
      expectError(await get(path), "BAD_REQUEST", refused);
      expectError(await get(of(path, [one, "x", "y"])), "BAD_REQUEST", [...refused, ...refused]);
    });

    test("refuses a cursor of other addresses", async () => {
      const { lastCursor } = (await get(of(path, [one, two], "pageSize=1"))).json;
      expect((await get(of(path, [one, two], `cursor=${lastCursor}`))).status).toBe(200);
      for (const others of [[one], [one, two, many[0]!]]) {
        expectError(await get(of(path, others, `cursor=${lastCursor}`)), "BAD_REQUEST", [
          issue("query", "cursor"),
        ]);
      }
    });
  });

  test("a cursor belongs to its order and to what has lines, and the default may be left out", async () => {
    const path = `/v0/addresses/${one}/statement`;
    const { lastCursor } = (await get(`${path}?pageSize=1`)).json;
    expect((await get(`${path}?order=asc&per=block&cursor=${lastCursor}`)).status).toBe(200);
    for (const other of ["order=desc", "per=transaction"]) {
      expectError(await get(`${path}?${other}&cursor=${lastCursor}`), "BAD_REQUEST", [
        issue("query", "cursor"),
      ]);
    }
    expectError(await get(`${path}?order=up&per=year`), "BAD_REQUEST", [
      issue("query", "order"),
      issue("query", "per"),
    ]);
  });
});
