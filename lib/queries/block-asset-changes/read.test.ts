import { describe, expect, test } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { type AssetChangeQuery, assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { namesInBlock } from "#lib/queries/block-overview.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { hashOf, native, tokenOf } from "#lib/testing/ledger.ts";

import {
  changeQuery,
  describeEngines,
  feed,
  ledger,
  nft,
  store,
  U128_MAX,
  usd,
} from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("asset changes of a block", () => {
    const tokens = Array.from({ length: 12 }, (_, i) => tokenOf(`t${i}`));

    async function withManyAssets(): Promise<Block> {
      const block = ledger.block([
        { create: tokens.map((token, i) => ({ to: "ann", token, amount: BigInt(i + 1) })) },
      ]);
      await feed(store, [block]);
      await store.write(
        replaceRegistry,
        tokens.map((token, i) => ({
          id: token.id,
          name: ["Straße 100%", "ΣΊΣΥΦΟΣ_1", "Plain"][i % 3]!,
          tags: i % 2 ? ["odd", "Tag"] : ["even"],
        })),
      );
      await store.write(
        loadPrices,
        tokens
          .slice(0, 8)
          .map((token, i) => ({ assetId: token.id, time: 0, usd: BigInt((i % 3) + 1) * 10n ** 18n })),
      );
      return block;
    }

    const ids = async (query: AssetChangeQuery) =>
      (await store.query(assetChangesOfBlock, query))!.rows.map((row) => row.asset.id);

    test("are null for an unknown block and empty for one that moves nothing", async () => {
      const block = ledger.block([]);
      await feed(store, [block]);
      expect(
        await store.query(assetChangesOfBlock, { ...changeQuery(block), blockHash: hashOf("other") }),
      ).toBeNull();
      expect(await store.query(assetChangesOfBlock, changeQuery(block))).toMatchObject({
        rows: [],
        total: 0,
      });
    });

    test("have names, and it is known which of them the registry lists", async () => {
      const block = await withManyAssets();
      const names = await store.query(namesInBlock, block.hash);
      const { rows } = (await store.query(assetChangesOfBlock, changeQuery(block)))!;
      expect(names.map(({ public: _, firstMint: __, ...asset }) => asset)).toEqual(
        rows.map(({ asset: { icon: _, standard: __, tags: ___, ...asset } }) => asset),
      );
      expect(names.filter((asset) => asset.public).map(({ id }) => id)).toEqual(tokens.map(({ id }) => id));
      expect(await store.query(namesInBlock, hashOf("other"))).toEqual([]);
    });

    test("name their block", async () => {
      const block = await withManyAssets();
      const { height, hash, parentHash, timestamp } = block;
      for (const offset of [0, 100]) {
        const page = await store.query(assetChangesOfBlock, { ...changeQuery(block), offset });
        expect(page?.block).toEqual({ height, hash, parentHash, timestamp });
      }
    });

    test("come in order of first appearance, the native asset by its whole capacity", async () => {
      const block = await withManyAssets();
      const page = (await store.query(assetChangesOfBlock, changeQuery(block)))!;
      expect(page.total).toBe(13);
      expect(page.rows.map((row) => row.asset.id)).toEqual([native.id, ...tokens.map((token) => token.id)]);
      expect(page.rows[0]!.amount).toBe("1200");
      expect(page.rows.flatMap((row) => Object.values(row))).not.toContain(undefined);
    });

    test("sorted by volume keep the order of first appearance among equals, in both directions", async () => {
      const block = await withManyAssets();
      const rows = (await store.query(assetChangesOfBlock, changeQuery(block)))!.rows.map((row, i) => ({
        ...row,
        i,
      }));
      for (const volumeOrder of ["asc", "desc"] as const) {
        const sign = volumeOrder === "asc" ? 1n : -1n;
        const sorted = rows.toSorted(
          (a, b) => Number(sign * (BigInt(a.amountUsd) - BigInt(b.amountUsd))) || a.i - b.i,
        );
        expect(await ids(changeQuery(block, { volumeOrder }))).toEqual(sorted.map((row) => row.asset.id));
        const paged: string[] = [];
        for (let offset = 0; offset < 15; offset += 4) {
          paged.push(...(await ids(changeQuery(block, { volumeOrder, offset, limit: 4 }))));
        }
        expect(paged).toEqual(sorted.map((row) => row.asset.id));
      }
    });

    test("sort volumes beyond 64 bits as numbers, not as text", async () => {
      const amounts = [5n, U128_MAX, 2n ** 63n, 2n ** 63n - 1n, 99n, 10n ** 20n];
      const many = amounts.map((_, i) => tokenOf(`big${i}`));
      const block = ledger.block([
        { create: many.map((token, i) => ({ to: "ann", token, amount: amounts[i]! })) },
      ]);
      await feed(store, [block]);
      // At one ten-millionth of a cent, volumes are on both sides of 2^63.
      await store.write(
        loadPrices,
        many.map((token) => ({ assetId: token.id, time: 0, usd: 10n ** 10n })),
      );
      const page = (await store.query(assetChangesOfBlock, changeQuery(block, { volumeOrder: "desc" })))!;
      expect(page.rows.map((row) => row.amount)).toEqual(
        [...amounts]
          .sort((a, b) => (a < b ? 1 : -1))
          .map(String)
          .concat("600"),
      );
    });

    test("match a name as a literal substring, in any case and script", async () => {
      const block = await withManyAssets();
      const total = async (assetName: string) =>
        (await store.query(assetChangesOfBlock, changeQuery(block, { assetName })))!.total;
      expect(await total("STRASSE")).toBe(4);
      expect(await total("straße")).toBe(4);
      expect(await total("STRAẞE")).toBe(4);
      expect(await total("σίσυφος_")).toBe(4);
      expect(await total("ΣΊΣΥΦΟΣ")).toBe(4);
      expect(await total("σίς")).toBe(4);
      expect(await total("%")).toBe(4);
      expect(await total("_")).toBe(4);
      expect(await total("pla")).toBe(4);
      expect(await total("ckb")).toBe(1);
      expect(await total("\0")).toBe(0);
      expect(await total("none")).toBe(0);
    });

    test("match a search in the name, the symbol or the id, within the other filters", async () => {
      await feed(store, [
        ledger.block([{ create: [usd, nft].map((token) => ({ to: "ann", token, amount: 1n })) }]),
      ]);
      await store.write(replaceRegistry, [
        { id: usd.id, name: "Dollar of Ö", symbol: "USd", tags: ["odd"] },
        { id: nft.id, name: "100% Cat" },
      ]);
      const found = async (search: string, overrides: Partial<AssetChangeQuery> = {}) => {
        const query = changeQuery(ledger.tip!, { search, ...overrides });
        const { rows, total } = (await store.query(assetChangesOfBlock, query))!;
        expect(total).toBe(rows.length);
        return rows.map(({ asset }) => asset.id);
      };
      expect(await found("dollar OF ö")).toEqual([usd.id]);
      expect(await found("usD", { volumeOrder: "desc" })).toEqual([usd.id]);
      expect(await found("0% C")).toEqual([nft.id]);
      expect(await found(nft.id.slice(4, 40).toUpperCase())).toEqual([nft.id]);
      expect(await found("0x")).toHaveLength(3);
      expect(await found("us", { assetName: "dollar", tags: ["odd"], volumeOrder: "asc" })).toEqual([usd.id]);
      expect(await found("us", { assetName: "cat" })).toEqual([]);
      expect(await found("us", { tags: ["even"] })).toEqual([]);
      for (const nothing of ["_ollar", "%c", "nowhere", "\0", "usd\0"]) {
        expect(await found(nothing)).toEqual([]);
      }
    });

    test("match any of the tags, exactly, together with the name", async () => {
      const block = await withManyAssets();
      const total = async (tags: string[], assetName = "") =>
        (await store.query(assetChangesOfBlock, changeQuery(block, { tags, assetName })))!.total;
      expect(await total(["odd"])).toBe(6);
      expect(await total(["odd", "even"])).toBe(12);
      expect(await total(["tag"])).toBe(0);
      expect(await total(["Tag", "none"])).toBe(6);
      expect(await total(["odd"], "plain")).toBe(2);
      expect(await total(["o'dd\0"])).toBe(0);
    });

    test("past the end are an empty page with the same total", async () => {
      const block = await withManyAssets();
      const page = await store.query(
        assetChangesOfBlock,
        changeQuery(block, { offset: Number.MAX_SAFE_INTEGER }),
      );
      expect(page).toMatchObject({ rows: [], total: 13 });
    });

    test("are valued at the latest price at or before the block, and again when prices are loaded", async () => {
      const early = ledger.block([{ create: [{ to: "ann", token: usd, amount: 3n }] }], 1_000_000_000_000);
      const late = ledger.block([{ create: [{ to: "ann", token: usd, amount: 3n }] }], 2_000_000_000_000);
      await feed(store, [early]);
      const price = (time: number, dollars: bigint) => ({ assetId: usd.id, time, usd: dollars * 10n ** 18n });
      await store.write(loadPrices, [price(1_000_000_000_001, 7n)]);
      await feed(store, [late]);
      const values = async () =>
        Promise.all(
          [early, late].map(
            async (block) => (await store.query(assetChangesOfBlock, changeQuery(block)))!.rows[1]!.amountUsd,
          ),
        );
      expect(await values()).toEqual(["0", "2100000000"]);
      await store.write(loadPrices, [price(1_000_000_000_000, 2n), price(2_000_000_000_000, 5n)]);
      expect(await values()).toEqual(["600000000", "1500000000"]);
      await store.write(loadPrices, [price(2_000_000_000_000, 4n)]);
      expect(await values()).toEqual(["600000000", "1200000000"]);
    });
  });
});
