import { describe, expect, test } from "vitest";
import { loadPrices } from "#lib/store/rules/values.ts";
import { native } from "#lib/testing/ledger.ts";
import {
  addressOf,
  addressText,
  describeV0,
  expectError,
  get,
  issue,
  U128_MAX,
  usd,
  utxos,
  type V0Response,
  v0,
} from "#lib/testing/v0.ts";
import { PRICE_DECIMALS, parseDecimal, toUnits, USD_DECIMALS, valueInUsd } from "#lib/util/amounts.ts";
import { parseExactJson } from "#lib/util/json.ts";
import type { HoldingEntry } from "../address-holdings/contract.ts";
import { contract, type UtxoEntry } from "./contract.ts";

describeV0(() => {
  describe("the unspent outputs of an address", () => {
    test("are what the contract's schema describes, all 13 fields of the token included", async () => {
      const { status, json } = await get(utxos("?pageSize=1000"));
      expect(status).toBe(200);
      expect(contract.response.strict().parse(json)).toEqual(json);
      expect(json.result).toHaveLength(30);
      const last = json.result.at(-1);
      expect(Object.keys(last)).toEqual([
        "token",
        "tokenInfo",
        "blockHeight",
        "outPoint",
        "amount",
        "capacity",
      ]);
      expect(last).toEqual({
        token: usd.id,
        tokenInfo: {
          layer: 2,
          parentId: "",
          totalSupply: U128_MAX.toString(),
          description: "",
          public: true,
          firstFoundBlock: v0.blocks[0]!.hash,
          firstMintAt: new Date(v0.blocks[0]!.timestamp).toISOString(),
          keywords: "",
          id: usd.id,
          name: 'A "dollar" \\ ☃',
          icon: "",
          symbol: "",
          decimals: 6,
        },
        blockHeight: 0,
        outPoint: `${v0.blocks[0]!.transactions[1]!.hash}:0`,
        amount: U128_MAX.toString(),
        capacity: "142",
      });
    });

    test("are the same list at any page size, and an empty page returns the cursor that was sent", async () => {
      const whole = (await get(utxos("?pageSize=1000"))).json.result;
      for (const pageSize of [1, 7, 30]) {
        const walked: unknown[] = [];
        let cursor = "";
        for (;;) {
          const { json } = await get(utxos(`?pageSize=${pageSize}&cursor=${cursor}`));
          walked.push(...json.result);
          cursor = json.lastCursor;
          if (!json.hasNext) break;
        }
        expect(walked).toEqual(whole);
        expect((await get(utxos(`?cursor=${cursor}`))).json).toEqual({
          result: [],
          hasNext: false,
          lastCursor: cursor,
        });
      }
    });

    test("are an empty page without a cursor for a valid but unknown address", async () => {
      expect((await get(utxos("", 99))).json).toEqual({ result: [], hasNext: false, lastCursor: "" });
    });

    test("are the same through every form of the address", async () => {
      const { raw } = await get(utxos());
      expect((await get(`/v0/addresses/${addressText(1).toUpperCase()}/utxos`)).raw).toEqual(raw);
      for (const colon of [":", "%3A"]) {
        expect((await get(`/v0/addresses/lock-hash${colon}${addressOf(1).key}/utxos`)).raw).toEqual(raw);
      }
    });

    test("can be filtered by token, newest first", async () => {
      const { json } = await get(utxos(`?token=${usd.id.toUpperCase().replace("0X", "0x")}&order=desc`));
      expect(json.result).toHaveLength(1);
      const desc = (await get(utxos("?order=desc&pageSize=1000"))).json.result;
      expect(desc).toEqual((await get(utxos("?pageSize=1000"))).json.result.toReversed());
    });

    test("have their kind only on request", async () => {
      const plain = (await get(utxos("?pageSize=1000"))).json.result as UtxoEntry[];
      const included = (await get(utxos("?include=kind&pageSize=1000"))).json.result as UtxoEntry[];
      const kindOf = (token: string) => (token === native.id ? "plain" : "xUDT");
      const state = { until: "", compensation: "" };
      expect(included).toEqual(plain.map((entry) => ({ ...entry, kind: kindOf(entry.token), ...state })));
      expect(plain.every((entry) => !("kind" in entry))).toBe(true);
      const lines = (await get(utxos("?include=kind"), undefined, { accept: "application/x-ndjson" })).text;
      expect(lines.match(/"kind":/g)).toHaveLength(included.length);
      expectError(await get(utxos("?include=x")), "BAD_REQUEST", [issue("query", "include")]);
    });

    test("have a price and a value on request, at the price of holdings as of the same block", async () => {
      const later = v0.blocks.at(-1)!.timestamp;
      await v0.store.write(loadPrices, [{ assetId: native.id, time: later, usd: 25n * 10n ** 16n }]);
      const valued = async (at: number): Promise<UtxoEntry[]> =>
        (await get(utxos(`?value=usd&include=kind&pageSize=1000&at=${at}`))).json.result;
      for (const { height } of v0.blocks) {
        const holdings: HoldingEntry[] = (await get(`/v0/addresses/${addressText(1)}/holdings?at=${height}`))
          .json.result;
        const priceOf = (id: string) => holdings.find(({ token }) => token === id)?.priceUsd;
        for (const { token, tokenInfo, amount, priceUsd, valueUsd } of await valued(height)) {
          expect(priceUsd).toBe(priceOf(token));
          const usd = parseDecimal(priceUsd!, PRICE_DECIMALS);
          const value =
            usd === null ? "" : toUnits(valueInUsd(BigInt(amount), tokenInfo.decimals, usd), USD_DECIMALS);
          expect(valueUsd).toBe(value);
        }
      }
      const pricesOf = async (at: number) => new Set((await valued(at)).map(({ priceUsd }) => priceUsd));
      expect(await pricesOf(0)).toEqual(new Set(["", "1.000000000000000001"]));
      expect(await pricesOf(v0.blocks.length - 1)).toEqual(new Set(["0.25", "1.000000000000000001"]));
      const plain = (await get(utxos("?pageSize=1000"))).json.result as UtxoEntry[];
      expect(plain.some((entry) => "valueUsd" in entry)).toBe(false);
    });

    describe("as NDJSON", () => {
      const stream = (query: string, accept = "application/x-ndjson") =>
        get(utxos(query), undefined, { accept });
      const linesOf = ({ text }: V0Response) =>
        text
          .trimEnd()
          .split("\n")
          .map((line) => parseExactJson(line) as UtxoEntry & { cursor: string });

      test("are all entries, one a line, and then the cursor that continues after them", async () => {
        const whole = (await get(utxos("?pageSize=1000"))).json;
        for (const accept of ["application/x-ndjson", "text/html, Application/X-NDJSON;q=0.5"]) {
          const response = await stream("", accept);
          expect(response.status).toBe(200);
          expect(response.headers).toMatchObject({
            "content-type": "application/x-ndjson",
            "cache-control": "no-store",
            "x-tip-height": "1",
          });
          const lines = linesOf(response);
          expect(lines.slice(0, -1)).toEqual(whole.result);
          expect(lines.at(-1)).toEqual({ cursor: whole.lastCursor });
        }
        const rest = linesOf(await stream(`?cursor=${(await get(utxos("?pageSize=7"))).json.lastCursor}`));
        expect(rest.slice(0, -1)).toEqual(whole.result.slice(7));
        expect(linesOf(await stream(`?cursor=${whole.lastCursor}`))).toEqual([{ cursor: whole.lastCursor }]);
      });

      test("continue after the last line that arrived, by its out point", async () => {
        const lines = linesOf(await stream("?order=desc"));
        const rest = await stream(`?order=desc&after=${lines[4]!.outPoint}`);
        expect(linesOf(rest)).toEqual(lines.slice(5));
        // Some chains write it this way.
        const bare = lines[4]!.outPoint.slice(2).toUpperCase();
        expect(linesOf(await stream(`?order=desc&after=${bare}`))).toEqual(linesOf(rest));
        const [hash, index] = lines[4]!.outPoint.split(":");
        const inHex = `${hash}:0x${Number(index).toString(16)}`;
        expect(Number(index)).toBeGreaterThan(9);
        expect(linesOf(await stream(`?order=desc&after=${inHex}`))).toEqual(linesOf(rest));
        const page = (await get(utxos(`?order=desc&after=${lines[4]!.outPoint}&pageSize=3`))).json;
        expect(page.result).toEqual(lines.slice(5, 8));
        for (const wrong of [
          "x",
          `0x${"00".repeat(32)}:0`,
          // The transaction has no such output.
          `${hash}:999`,
          // The index does not fit into a cursor.
          `${hash}:4294967296`,
          `${hash}:0x100000000`,
          `${hash}:0x`,
          `${lines[4]!.outPoint}&cursor=${lines.at(-1)!.cursor}`,
        ]) {
          expectError(
            await get(utxos(`?after=${wrong}`)),
            "BAD_REQUEST",
            expect.arrayContaining([issue("query", "after")]),
          );
        }
      });

      test("are JSON for a client that does not name the format, and so are errors", async () => {
        for (const accept of ["*/*", "application/x-ndjson;q=0", "application/json"]) {
          expect((await stream("", accept)).headers["content-type"]).toBe("application/json; charset=utf-8");
        }
        expectError(await stream("?cursor=x"), "BAD_REQUEST", [issue("query", "cursor")]);
      });
    });

    test("refuse a cursor of another address, order or token, and an altered cursor", async () => {
      const { lastCursor } = (await get(utxos("?pageSize=1"))).json;
      const refused = [issue("query", "cursor")];
      expectError(await get(utxos(`?cursor=${lastCursor}`, 2)), "BAD_REQUEST", refused);
      expectError(await get(utxos(`?cursor=${lastCursor}&order=desc`)), "BAD_REQUEST", refused);
      expectError(await get(utxos(`?cursor=${lastCursor}&token=${usd.id}`)), "BAD_REQUEST", refused);
      for (let i = 0; i < lastCursor.length; i++) {
        const altered =
          lastCursor.slice(0, i) + (lastCursor[i] === "A" ? "B" : "A") + lastCursor.slice(i + 1);
        expectError(await get(utxos(`?cursor=${altered}`)), "BAD_REQUEST", refused);
      }
      expectError(await get(utxos("?cursor=x")), "BAD_REQUEST", refused);
    });
  });
});
