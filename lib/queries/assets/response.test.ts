import { describe, expect, test } from "vitest";
import { tokenOf } from "#lib/testing/ledger.ts";
import {
  addressText,
  describeV0,
  expectError,
  get,
  issue,
  tokens,
  U128_MAX,
  usd,
  utxos,
  v0,
} from "#lib/testing/v0.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { contract as asset } from "../asset/contract.ts";
import { contract as holders } from "../asset-holders/contract.ts";
import { contract as assets } from "./contract.ts";

const NDJSON = { accept: "application/x-ndjson" };
const holdersOf = (id: string, query = "") => `/v0/assets/${id}/holders?${query}`;

describeV0(() => {
  describe("assets", () => {
    test("are what the contracts' schemas describe, alone and in the list", async () => {
      const one = await get(`/v0/assets/${usd.id.toUpperCase().replace("X", "x")}`);
      expect(asset.response.strict().parse(one.json)).toEqual(one.json);
      expect(one.json).toMatchObject({
        token: usd.id,
        tokenInfo: { name: 'A "dollar" \\ ☃', totalSupply: String(U128_MAX) },
        ...{ standard: "xUDT", tags: ["stable"], priceUsd: "1.000000000000000001", resembles: "" },
        ...{ holderCount: 1, outputCount: 1 },
      });
      const { json } = await get('/v0/assets?search=a "DOLLAR'.replaceAll(" ", "%20"));
      expect(assets.response.strict().parse(json)).toEqual(json);
      expect(json).toMatchObject({ result: [one.json], hasNext: false });
      const { result } = (await get(utxos(`?token=${usd.id}`))).json;
      expect(result[0].tokenInfo).toEqual(one.json.tokenInfo);
    });

    test("are all listed once, in pages and as NDJSON", async () => {
      const all = (await get("/v0/assets")).json.result;
      expect(all).toHaveLength(14);
      const walked: object[] = [];
      let cursor = "";
      for (let hasNext = true; hasNext; ) {
        const { json } = await get(`/v0/assets?pageSize=3&cursor=${cursor}`);
        walked.push(...json.result);
        ({ hasNext, lastCursor: cursor } = json);
      }
      expect(walked).toEqual(all);
      const { text } = await get("/v0/assets", undefined, NDJSON);
      expect(text.trimEnd().split("\n").map(parseExactJson)).toEqual([...all, { cursor }]);
    });

    test("take a token of any scope, and their holders a token of the scope of addresses", async () => {
      for (const path of ["/v0/assets", `/v0/assets/${usd.id}`, holdersOf(usd.id)]) {
        expect((await get(path, tokens.utxosOnly)).status).toBe(200);
        expectError(await get(path, null), "UNAUTHORIZED");
      }
    });

    test("refuse a malformed id, a search that is too long, and cursors of other lists", async () => {
      for (const path of ["", "/holders"]) {
        for (const id of ["0x", "0x1", "zz", "%00", `0x${"ab".repeat(65)}`]) {
          expectError(await get(`/v0/assets/${id}${path}`), "BAD_REQUEST", [issue("path", "id")]);
        }
        expectError(await get(`/v0/assets/${tokenOf("unknown").id}${path}`), "NOT_FOUND");
      }
      expectError(await get(`/v0/assets?search=${"x".repeat(10_000)}`), "BAD_REQUEST", [
        issue("query", "search"),
      ]);
      expect((await get("/v0/assets?search=%00%25_'")).json.result).toEqual([]);
      const refused = [issue("query", "cursor")];
      const { lastCursor } = (await get("/v0/assets?pageSize=1")).json;
      expect((await get(`/v0/assets?cursor=${lastCursor}`)).json.result).toHaveLength(13);
      const ofOutputs = (await get(utxos("?pageSize=1"))).json.lastCursor;
      const ofHolders = (await get(holdersOf(usd.id))).json.lastCursor;
      for (const wrong of [
        `/v0/assets?search=u&cursor=${lastCursor}`,
        `/v0/assets?cursor=${ofOutputs}`,
        `/v0/assets?cursor=${ofHolders}`,
        `/v0/assets?cursor=${`${lastCursor.slice(0, -1)}${lastCursor.endsWith("A") ? "B" : "A"}`}`,
        holdersOf(tokenOf("t1").id, `cursor=${ofHolders}`),
        holdersOf(usd.id, `cursor=${lastCursor}`),
        utxos(`?cursor=${lastCursor}`),
      ]) {
        expectError(await get(wrong), "BAD_REQUEST", refused);
      }
    });
  });

  test("holders are what the contract's schema describes, with every digit", async () => {
    const first = await get(holdersOf(usd.id));
    const { json } = first;
    expect(holders.response.strict().parse(json)).toEqual(json);
    expect(json.result).toEqual([
      { address: addressText(1), amount: String(U128_MAX), capacity: "142", outputCount: 1 },
    ]);
    const after = await get(holdersOf(usd.id, `cursor=${json.lastCursor}`));
    expect(after.json).toEqual({ result: [], hasNext: false, lastCursor: json.lastCursor });
    for (const { headers } of [first, after])
      expect(headers).toMatchObject({ "x-block-height": "1", "x-block-hash": v0.blocks[1]!.hash });
    const { text } = await get(holdersOf(usd.id), undefined, NDJSON);
    expect(text.trimEnd().split("\n").map(parseExactJson)).toEqual([
      ...json.result,
      { cursor: json.lastCursor },
    ]);
    const { json: zero } = await get(holdersOf(tokenOf("t0").id));
    expect(zero.result).toMatchObject([{ address: addressText(2), amount: "0", outputCount: 1 }]);
  });
});
