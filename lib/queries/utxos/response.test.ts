import { describe, expect, test } from "vitest";
import {
  addressOf,
  addressText,
  describeV0,
  expectError,
  get,
  issue,
  usd,
  utxos,
  v0,
} from "#lib/testing/v0.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { contract } from "./contract.ts";

const of = (addresses: string[], query = "") =>
  `/v0/utxos?${addresses.map((address) => `address=${address}&`).join("")}${query}`;
/** Address 1 has 30 outputs and 2 has 12; the others have none. */
const [one, two, none] = [addressText(1), addressText(2), addressText(99)];

/** The lists of the single addresses, one after the other. */
async function lists(numbers: number[], query: string) {
  const entries: object[] = [];
  for (const n of numbers) {
    const { result } = (await get(utxos(`?pageSize=1000&${query}`, n))).json;
    entries.push(...result.map((entry: object) => ({ address: addressText(n), ...entry })));
  }
  return entries;
}

async function walk(addresses: string[], query: string) {
  const entries: object[] = [];
  for (let cursor = ""; ; ) {
    const { json } = await get(of(addresses, `${query}&cursor=${cursor}`));
    entries.push(...json.result);
    cursor = json.lastCursor;
    if (!json.hasNext) return { entries, cursor };
  }
}

describeV0(() => {
  describe("the unspent outputs of several addresses", () => {
    test("are what the contract's schema describes, each with its address as it was sent", async () => {
      const sent = [two, `lock-hash:${addressOf(1).key}`];
      const { status, json } = await get(of(sent, "pageSize=1000"));
      expect(status).toBe(200);
      expect(contract.response.strict().parse(json)).toEqual(json);
      expect([...new Set(json.result.map(({ address }: { address: string }) => address))]).toEqual(sent);
      expect(json.result).toHaveLength(42);
      expect(Object.keys(json.result[0])[0]).toBe("address");
    });

    test("are the lists of the addresses in the given order, at any page size", async () => {
      for (const query of [
        "order=asc",
        "order=desc",
        `token=${usd.id}`,
        "include=kind",
        "include=time&value=usd",
        "at=0",
        "at=1&order=desc",
        `at=0&include=time,kind&value=usd&token=${usd.id}`,
      ]) {
        const expected = await lists([2, 99, 1], query);
        for (const pageSize of [1, 12, 29, 42, 1000]) {
          const { entries, cursor } = await walk([two, none, one], `${query}&pageSize=${pageSize}`);
          expect(entries).toEqual(expected);
          const after = await get(of([two, none, one], `${query}&cursor=${cursor}`));
          expect(after.json).toEqual({ result: [], hasNext: false, lastCursor: cursor });
        }
      }
    });

    test("take their addresses in every spelling of a list", async () => {
      const { raw } = await get(of([one, two]));
      for (const query of [
        `address=${one},${two}`,
        `address[]=${one}&address[]=${two}`,
        `address.0=${one},&address.1=${two}`,
      ]) {
        expect((await get(`/v0/utxos?${query}`)).raw).toEqual(raw);
      }
      const many = Array.from({ length: 101 }, (_, n) => addressText(100 + n));
      expectError(await get(`/v0/utxos?address=${many}`), "BAD_REQUEST", [issue("query", "address")]);
    });

    test("state exactly whether more follow, even if many addresses have none", async () => {
      const empty = Array.from({ length: 98 }, (_, n) => addressText(100 + n));
      const pageOf = async (addresses: string[], pageSize: number) =>
        (await get(of(addresses, `pageSize=${pageSize}`))).json;
      expect((await pageOf([two, ...empty], 12)).hasNext).toBe(false);
      expect((await pageOf([two, ...empty, one], 12)).hasNext).toBe(true);
      expect((await pageOf([two, ...empty, one], 12)).result).toHaveLength(12);
      expect(await pageOf(empty, 12)).toEqual({ result: [], hasNext: false, lastCursor: "" });
    });

    test("as NDJSON, are all entries, one a line, and then the cursor that continues after them", async () => {
      const { entries, cursor } = await walk([one, none, two], "");
      const { headers, text } = await get(of([one, none, two]), undefined, {
        accept: "application/x-ndjson",
      });
      expect(headers["content-type"]).toBe("application/x-ndjson");
      expect(text.trimEnd().split("\n").map(parseExactJson)).toEqual([...entries, { cursor }]);
    });

    test("refuse more than 100 addresses, no address, an invalid one, and the same one twice in any form", async () => {
      const refused = [issue("query", "address")];
      const many = Array.from({ length: 101 }, (_, n) => addressText(100 + n));
      expectError(await get(of(many)), "BAD_REQUEST", refused);
      expect((await get(of(many.slice(1)))).status).toBe(200);
      expectError(await get("/v0/utxos"), "BAD_REQUEST", refused);
      expectError(await get("/v0/utxos?address="), "BAD_REQUEST", refused);
      expectError(await get(of([one, "x", "y"])), "BAD_REQUEST", [...refused, ...refused]);
      for (const same of [one, one.toUpperCase(), `lock-hash:${addressOf(1).key}`]) {
        const response = await get(of([one, two, same]));
        expectError(response, "BAD_REQUEST", refused);
        // The fault comes first, because long messages are cut for language models.
        expect(response.json.issues[0].message).toMatch(/^Expected each address once: /);
      }
      const wrong = await get(of([one, one], "pageSize=1001&token=x"));
      expectError(wrong, "BAD_REQUEST", [
        issue("query", "pageSize"),
        issue("query", "token"),
        issue("query", "address"),
      ]);
    });

    test("refuse a cursor of other addresses, or of another order of addresses or entries", async () => {
      const { lastCursor } = (await get(of([one, two], "pageSize=1"))).json;
      const refused = [issue("query", "cursor")];
      for (const others of [[two, one], [one], [one, two, none]]) {
        expectError(await get(of(others, `cursor=${lastCursor}`)), "BAD_REQUEST", refused);
      }
      expectError(await get(of([one, two], `cursor=${lastCursor}&order=desc`)), "BAD_REQUEST", refused);
    });

    test("name the block of `at`, which binds the cursor, and are 404 for an unknown block", async () => {
      const [genesis, tip] = v0.blocks;
      for (const [at, block] of [
        ["0", genesis!],
        ["tip", tip!],
        [tip!.hash, tip!],
      ] as const) {
        const { headers } = await get(of([one, two], `at=${at}`));
        expect(headers).toMatchObject({ "x-block-height": `${block.height}`, "x-block-hash": block.hash });
      }
      expectError(await get(of([one, two], "at=9")), "NOT_FOUND");
      const { lastCursor } = (await get(of([one, two], "at=0&pageSize=1"))).json;
      expectError(await get(of([one, two], `cursor=${lastCursor}`)), "BAD_REQUEST", [
        issue("query", "cursor"),
      ]);
      // Address 2 held nothing at that block.
      expect((await get(of([one, two], "at=0&pageSize=31"))).json.hasNext).toBe(false);
      expect((await get(of([one, two], "at=1&pageSize=30"))).json.hasNext).toBe(true);
    });

    test("are continued by another form of the same addresses", async () => {
      const { lastCursor } = (await get(of([one, two], "pageSize=1"))).json;
      const { json } = await get(of([`lock-hash:${addressOf(1).key}`, two], `cursor=${lastCursor}`));
      expect(json.result).toHaveLength(41);
    });
  });
});
