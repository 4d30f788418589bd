import { describe, expect, test } from "vitest";
import { revertTo } from "#lib/store/rules/revert.ts";
import { storeBlocks } from "#lib/testing/ledger.ts";
import { addressOf, addressText, describeV0, expectError, get, issue, v0 } from "#lib/testing/v0.ts";
import type { UtxoEntry } from "./contract.ts";
import { withIncluded } from "./include.ts";
import { utxosOfAddress } from "./read.ts";

type Entry = UtxoEntry & { change?: string; changeHeight?: number };

const lists = [
  `/v0/addresses/${addressText(1)}/utxos?at=0`,
  `/v0/addresses/${addressText(1)}/utxos?order=desc`,
  `/v0/utxos?address=${addressText(1)}&address=${addressText(2)}`,
  `/v0/addresses/${addressText(1)}/changes?to=1`,
];
const entriesOf = async (list: string, query = ""): Promise<Entry[]> =>
  (await get(`${list}&pageSize=1000${query}`)).json.result;

describeV0(() => {
  describe.each(lists)("what %s includes on request", (list) => {
    test("is exactly the requested fields, in every combination", async () => {
      const plain = await entriesOf(list);
      expect(plain.length).toBeGreaterThan(12);
      const [all] = await Promise.all([
        entriesOf(list, "&include=kind&include=time&include=block&value=usd"),
      ]);
      const groups = {
        "&include=kind": ["kind", "until", "compensation"],
        "&include=time": ["blockTime"],
        "&include=block": ["blockHash"],
        "&value=usd": ["priceUsd", "valueUsd"],
      };
      for (let choice = 0; choice < 16; choice++) {
        const chosen = Object.entries(groups).filter((_, bit) => choice & (1 << bit));
        const names = chosen.flatMap(([, fields]) => fields);
        const expected = plain.map((entry, at) => ({
          ...entry,
          ...Object.fromEntries(names.map((name) => [name, all[at]![name as keyof Entry]])),
        }));
        const query = chosen.map(([text]) => text).join("");
        expect(await entriesOf(list, query)).toEqual(expected);
        expect(Object.values(expected[0]!)).not.toContain(undefined);
      }
      for (const { blockHeight, blockTime, blockHash } of all) {
        const { timestamp, hash } = v0.blocks[blockHeight]!;
        expect([blockTime, blockHash]).toEqual([new Date(timestamp).toISOString(), hash]);
      }
      expect(await entriesOf(list, "&include=time,block,kind&value=usd")).toEqual(all);
      expectError(await get(`${list}&include=kind&include=price`), "BAD_REQUEST", [
        issue("query", "include"),
      ]);
    });

    test("is in NDJSON, too, and a cursor continues without it", async () => {
      const all = await entriesOf(list, "&include=kind,time&value=usd");
      const { text } = await get(`${list}&include=kind,time&value=usd`, undefined, {
        accept: "application/x-ndjson",
      });
      expect(text.match(/"blockTime":/g)).toHaveLength(all.length);
      const { lastCursor } = (await get(`${list}&include=time&value=usd&pageSize=3`)).json;
      expect((await get(`${list}&cursor=${lastCursor}&pageSize=1`)).json.result).toEqual(
        (await entriesOf(list)).slice(3, 4),
      );
    });
  });

  test("an output has the same fields among an address's changes and in its list as of their last block", async () => {
    const query = "&include=kind,time&value=usd";
    const changes = await entriesOf(`/v0/addresses/${addressText(1)}/changes?to=1`, query);
    const listed = await entriesOf(`/v0/addresses/${addressText(1)}/utxos?at=1`, query);
    const included = changes.map(({ change, changeHeight, ...entry }) => entry);
    for (const entry of listed)
      expect(included).toContainEqual(expect.objectContaining({ ...entry, tokenInfo: expect.anything() }));
  });

  test.each([
    { include: ["time"] as const },
    { include: ["kind"] as const },
    { include: ["block"] as const },
    { value: "usd" as const },
  ])("a page whose block has been reverted gets no further fields: %j", async ({ include = [], value }) => {
    const address = addressOf(1);
    const page = await v0.store.query(utxosOfAddress, { addressKey: address.key, order: "asc", limit: 9 });
    await v0.store.write(revertTo, 0);
    try {
      const included = withIncluded(v0.store, page, { include: [...include], value }, () => address);
      await expect(included).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    } finally {
      await storeBlocks(v0.store, v0.blocks.slice(1));
    }
  });
});
