import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Block, OutPoint, Output } from "#lib/contract/ledger.ts";
import { iconEtag } from "#lib/ingest/icon-etag.ts";
import { resolveBlocks } from "#lib/ingest/resolve.ts";
import { verifyStore } from "#lib/ingest/verify.ts";
import {
  accessTokenByHash,
  createAccessToken,
  cursorKey,
  endAccessToken,
  listedTokens,
  noteTokenUses,
  revokeAccessToken,
} from "#lib/questions/access-tokens.ts";
import { addressFlows } from "#lib/questions/address-flows.ts";
import { addressOverview } from "#lib/questions/address-overview.ts";
import { type UtxoQuery, utxosOfAddress } from "#lib/questions/address-utxos/read.ts";
import { assetIcon } from "#lib/questions/asset-icon.ts";
import { type AssetChangeQuery, assetChangesOfBlock } from "#lib/questions/block-asset-changes/read.ts";
import { blockOverview, latestBlocks, namesInBlock } from "#lib/questions/block-overview.ts";
import { abandonedBlock, blockHashAt, blockHeader, chainTip, firstGap } from "#lib/questions/chain.ts";
import { chainProgress } from "#lib/questions/chain-progress.ts";
import { dataCoverage } from "#lib/questions/coverage.ts";
import { dataExamples } from "#lib/questions/examples.ts";
import { adoptOperatorData, operatorData } from "#lib/questions/operator-data.ts";
import { outputAges, outputCount } from "#lib/questions/output-ages.ts";
import { blockFacts, outputKinds } from "#lib/questions/output-kinds.ts";
import { priceAt, pricesAfter } from "#lib/questions/prices.ts";
import { dataStatus } from "#lib/questions/status.ts";
import { storedBlock, storedTokens } from "#lib/questions/stored.ts";
import { storedKinds } from "#lib/questions/stored-kinds.ts";
import type { Store } from "#lib/store/engine.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices, removePrices } from "#lib/store/rules/values.ts";
import { engines } from "#lib/testing/engines.ts";
import {
  at,
  hashOf,
  identity,
  keyOf,
  Ledger,
  native,
  outputOf,
  storeBlocks,
  type TransactionPlan,
  tokenOf,
} from "#lib/testing/ledger.ts";
import { ChainConflictError, type Position, PositionAheadError } from "./store.ts";

const usd = tokenOf("usd");
const nft = tokenOf("nft", {
  fungible: false,
  standard: "Spore",
  parentId: hashOf("cluster"),
  contentType: "image/png",
});
const U128_MAX = 2n ** 128n - 1n;

async function feed(store: Store, blocks: Block[], options = { extendTip: true }): Promise<number> {
  await store.write(identify, identity);
  return storeBlocks(store, blocks, options);
}

const utxoQuery = (to: string, overrides: Partial<UtxoQuery> = {}): UtxoQuery => ({
  addressKey: keyOf(to),
  order: "asc",
  limit: 1000,
  ...overrides,
});

const changeQuery = (block: Block, overrides: Partial<AssetChangeQuery> = {}): AssetChangeQuery => ({
  blockHash: block.hash,
  assetName: "",
  tags: [],
  offset: 0,
  limit: 100,
  ...overrides,
});

/** Follows the pages to the end; gives the out points in order. */
async function walk(store: Store, to: string, overrides: Partial<UtxoQuery> = {}): Promise<string[]> {
  const seen: string[] = [];
  let after: Position | undefined;
  for (;;) {
    const page = await store.ask(utxosOfAddress, utxoQuery(to, { ...overrides, after }));
    seen.push(...page.rows.map((row) => `${row.transactionHash}:${row.outputIndex}`));
    if (!page.hasNext) return seen;
    after = page.last!;
  }
}

const text = (point: OutPoint) => `${point.transactionHash}:${point.outputIndex}`;

describe.each(engines)("the store on $name", ({ open }) => {
  let store: Store;
  let ledger: Ledger;

  beforeEach(async () => {
    store = await open();
    ledger = new Ledger();
  });

  afterEach(async () => {
    await store.close();
  });

  describe("unspent outputs of an address", () => {
    test("come in chain order with exact amounts, and leave the list when they are spent", async () => {
      const first = ledger.block([
        { create: [{ to: "ann", capacity: 2n ** 63n + 5n }, { to: "bob" }] },
        { create: [{ to: "ann", token: usd, amount: U128_MAX, capacity: 142n }] },
      ]);
      const second = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "ann", token: nft }] }]);
      await feed(store, [first]);
      const before = await store.ask(utxosOfAddress, utxoQuery("ann"));
      expect(
        before.rows.map((row) => [row.token.id, row.amount, row.capacity, row.height, row.outputIndex]),
      ).toEqual([
        [native.id, "9223372036854775813", "9223372036854775813", 0, 0],
        [usd.id, U128_MAX.toString(), "142", 0, 0],
      ]);
      await feed(store, [second]);
      expect(await walk(store, "ann")).toEqual([text(at(first, 1, 0)), text(at(second, 0, 0))]);
    });

    test("keep what kind they are, wherever their block was read from and through a reorganisation", async () => {
      const first = ledger.block([{ create: [{ to: "ann", kind: "dao@7" }, { to: "ann" }] }]);
      const second = ledger.block([{ spend: [at(first, 0, 1)], create: [{ to: "bob", kind: "code" }] }]);
      const kinds = () =>
        store.ask(outputKinds, [at(first, 0, 0), at(first, 0, 1), at(second, 0, 0), at(second, 0, 9)]);
      const spent = { ...first.transactions[0]!.outputs[1]!, kind: null };
      await store.write(identify, identity);
      const vouched = async () => new Map([[text(at(first, 0, 1)), spent]]);
      const extendTip = false;
      await store.write(applyBlocks, await resolveBlocks([second], store, native.id, vouched), { extendTip });
      expect(await kinds()).toEqual([null, null, "code", null]);
      await feed(store, [first], { extendTip });
      expect(await kinds()).toEqual(["dao@7", "plain", "code", null]);
      await store.write(revertTo, first.height);
      expect(await kinds()).toEqual(["dao@7", "plain", null, null]);
      expect((await store.ask(storedBlock, first.height)).transactions[0]!.outputs[0]!.output.kind).toBe(
        "dao@7",
      );
    });

    test("are an empty page for an address that was never seen", async () => {
      await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
      const page = await store.ask(utxosOfAddress, utxoQuery("nobody"));
      expect(page).toEqual({
        tip: { height: 0, hash: ledger.tip!.hash },
        rows: [],
        hasNext: false,
        last: null,
      });
    });

    test("say exactly whether one more follows, at each limit around their number", async () => {
      await feed(store, [ledger.block([{ create: Array.from({ length: 3 }, () => ({ to: "ann" })) }])]);
      const hasNext = async (limit: number) =>
        (await store.ask(utxosOfAddress, utxoQuery("ann", { limit }))).hasNext;
      expect([await hasNext(2), await hasNext(3), await hasNext(4)]).toEqual([true, false, false]);
    });

    test("can be asked for one token, and newest first", async () => {
      const block = ledger.block([
        { create: [{ to: "ann" }, { to: "ann", token: usd }, { to: "ann" }, { to: "ann", token: usd }] },
      ]);
      await feed(store, [block]);
      const points = (indexes: number[]) => indexes.map((i) => text(at(block, 0, i)));
      expect(await walk(store, "ann", { token: usd.id, limit: 1 })).toEqual(points([1, 3]));
      expect(await walk(store, "ann", { token: native.id, order: "desc", limit: 1 })).toEqual(points([2, 0]));
      expect(await walk(store, "ann", { order: "desc", limit: 3 })).toEqual(points([3, 2, 1, 0]));
      expect(await walk(store, "ann", { token: hashOf("unknown token") })).toEqual([]);
    });

    test("walked page by page at any size, are the live outputs of a random chain in chain order", async () => {
      await fc.assert(
        fc.asyncProperty(randomChain(), fc.integer({ min: 1, max: 7 }), async (plan, limit) => {
          const fresh = await open();
          try {
            const chain = new Ledger();
            const model = grow(chain, plan);
            for (const block of chain.blocks) await feed(fresh, [block]);
            for (const owner of OWNERS) {
              const expected = model.filter((item) => item.owner === owner).map((item) => item.point);
              expect(await walk(fresh, owner, { limit })).toEqual(expected);
              expect(await walk(fresh, owner, { limit, order: "desc" })).toEqual(expected.toReversed());
              const ofToken = model.filter((item) => item.owner === owner && item.token === usd.id);
              expect(await walk(fresh, owner, { limit, token: usd.id })).toEqual(
                ofToken.map((item) => item.point),
              );
              const overview = await fresh.ask(addressOverview, { addressKey: keyOf(owner), limit: 10 });
              expect(overview.outputCount).toBe(expected.length);
            }
            expect(await verifyStore(fresh)).toEqual([]);
          } finally {
            await fresh.close();
          }
        }),
        { numRuns: 25 },
      );
    });
  });

  describe("a token's information", () => {
    test("follows mints, burns, the first block and the earliest claim", async () => {
      const claim = { assetId: null, outputIndex: 1, name: "US Dollar", symbol: "USD", decimals: 6 };
      const minted = ledger.block([
        { create: [{ to: "ann", token: usd, amount: U128_MAX }], claims: [claim] },
      ]);
      const again = ledger.block([
        {
          create: [{ to: "ann", token: usd, amount: 5n }],
          claims: [{ ...claim, name: "Other", decimals: 2 }],
        },
      ]);
      await feed(store, [minted, again]);
      const tokenInfo = async () => (await store.ask(storedTokens, {})).find((token) => token.id === usd.id)!;
      expect(await tokenInfo()).toMatchObject({
        layer: 2,
        name: "US Dollar",
        symbol: "USD",
        decimals: 6,
        totalSupply: (U128_MAX + 5n).toString(),
        firstFoundBlock: minted.hash,
        firstMintAt: new Date(minted.timestamp).toISOString(),
        public: false,
      });
      await feed(store, [ledger.block([{ spend: [at(minted, 0, 0)], create: [{ to: "ann" }] }])]);
      expect((await tokenInfo()).totalSupply).toBe("5");
    });

    test("keeps the name of its collection's earliest claim, whatever later ones say, through reorganisations", async () => {
      const claim = (name: string) => ({
        create: [{ to: "ann" }],
        claims: [{ assetId: nft.parentId, outputIndex: 0, name, symbol: "", decimals: null }],
      });
      const nameNow = async () => (await store.ask(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token.name;
      await feed(store, [ledger.block([{ create: [{ to: "ann", token: nft }] }])]);
      await feed(store, [ledger.block([claim("Apes")])]);
      await feed(store, [ledger.block([claim("Apes"), claim("Monkeys")]), ledger.block([claim("Apes")])]);
      expect(await nameNow()).toBe("Apes");
      await store.write(revertTo, 1);
      expect(await nameNow()).toBe("Apes");
      expect(await verifyStore(store)).toEqual([]);
      await store.write(revertTo, 0);
      expect(await nameNow()).toBe("");
      const other = ledger.fork(0, "other");
      await feed(store, [other.block([claim("Gibbons"), claim("Apes")])]);
      expect(await nameNow()).toBe("Gibbons");
      expect(await verifyStore(store)).toEqual([]);
    });

    test("takes the name of its collection if it is one of a kind", async () => {
      const claim = { assetId: nft.parentId, outputIndex: 0, name: "Apes", symbol: "", decimals: null };
      await feed(store, [ledger.block([{ create: [{ to: "ann", token: nft }] }])]);
      await feed(store, [ledger.block([{ create: [{ to: "ann" }], claims: [claim] }])]);
      const page = await store.ask(utxosOfAddress, utxoQuery("ann"));
      expect(page.rows[0]!.token).toMatchObject({
        name: "Apes",
        symbol: "",
        decimals: 0,
        parentId: nft.parentId,
      });
    });

    test("is overridden by the registry, and comes back when the registry drops the asset", async () => {
      const block = ledger.block([{ create: [{ to: "ann", token: usd, amount: 1_000n }] }]);
      await feed(store, [block]);
      await store.write(loadPrices, [{ assetId: usd.id, time: 0, usd: 2n * 10n ** 18n }]);
      const shown = async () => (await store.ask(assetChangesOfBlock, changeQuery(block)))!.rows[1]!;
      expect((await shown()).amountUsd).toBe((2_000n * 10n ** 8n).toString());
      await store.write(replaceRegistry, [
        {
          id: usd.id,
          name: "Dollar",
          symbol: "USD",
          decimals: 3,
          tags: ["b", "a", "b"],
          keywords: ["x", "y"],
          icon: "https://icons.example/i.png",
        },
      ]);
      expect(await shown()).toEqual({
        amount: "1000",
        amountUsd: (2n * 10n ** 8n).toString(),
        asset: { id: usd.id, name: "Dollar", symbol: "USD", decimals: 3, icon: "", standard: "xUDT" },
        tags: ["a", "b"],
      });
      const info = (await store.ask(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token;
      expect(info).toMatchObject({ public: true, keywords: "x,y" });
      await store.write(replaceRegistry, []);
      expect((await shown()).asset.name).toBe("");
      expect((await shown()).amountUsd).toBe((2_000n * 10n ** 8n).toString());
    });

    test("shows the stored picture as its icon, until the registry is replaced without one", async () => {
      const block = ledger.block([{ create: [{ to: "ann", token: usd }] }]);
      const late = ledger.block([{ create: [{ to: "ann", token: nft }] }]);
      await feed(store, [block]);
      const icon = (assetId: string) => {
        const picture = Uint8Array.from([0, 255, 10, 39, ...Buffer.from(assetId)]);
        return { assetId, picture, etag: iconEtag(picture) };
      };
      await store.write(replaceRegistry, [{ id: usd.id }], [icon(usd.id), icon(nft.id)]);
      await feed(store, [late]);
      const shown = async () => {
        const changes = [block, late].map((each) => store.ask(assetChangesOfBlock, changeQuery(each)));
        return (await Promise.all(changes)).map((page) => page!.rows[1]!.asset.icon);
      };
      expect(await shown()).toEqual([`/asset-icons/${usd.id}`, `/asset-icons/${nft.id}`]);
      const { picture, etag } = (await store.ask(assetIcon, usd.id))!;
      expect({ assetId: usd.id, picture: Uint8Array.from(picture), etag }).toEqual(icon(usd.id));
      expect(await store.ask(assetIcon, native.id)).toBeNull();
      expect(await store.ask(assetIcon, "0x00\0'; --")).toBeNull();
      expect(await verifyStore(store)).toEqual([]);
      const copy = await open();
      try {
        const data = await store.ask(operatorData);
        await adoptOperatorData(copy, data);
        expect((await copy.ask(operatorData)).icons).toEqual(data.icons);
        expect(data.icons).toHaveLength(2);
      } finally {
        await copy.close();
      }
      await store.write(replaceRegistry, [{ id: usd.id }], [icon(nft.id)]);
      expect(await shown()).toEqual(["", `/asset-icons/${nft.id}`]);
      await store.write(replaceRegistry, [{ id: usd.id }]);
      expect(await shown()).toEqual(["", ""]);
      expect(await store.ask(assetIcon, usd.id)).toBeNull();
      expect(await verifyStore(store)).toEqual([]);
    });
  });

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
      (await store.ask(assetChangesOfBlock, query))!.rows.map((row) => row.asset.id);

    test("are null for an unknown block and empty for one that moves nothing", async () => {
      const block = ledger.block([]);
      await feed(store, [block]);
      expect(
        await store.ask(assetChangesOfBlock, { ...changeQuery(block), blockHash: hashOf("other") }),
      ).toBeNull();
      expect(await store.ask(assetChangesOfBlock, changeQuery(block))).toMatchObject({ rows: [], total: 0 });
    });

    test("have names, of which the registry's are known", async () => {
      const block = await withManyAssets();
      const names = await store.ask(namesInBlock, block.hash);
      const { rows } = (await store.ask(assetChangesOfBlock, changeQuery(block)))!;
      expect(names.map(({ public: _, ...asset }) => asset)).toEqual(
        rows.map(({ asset: { icon: _, standard: __, ...asset } }) => asset),
      );
      expect(names.filter((asset) => asset.public).map(({ id }) => id)).toEqual(tokens.map(({ id }) => id));
      expect(await store.ask(namesInBlock, hashOf("other"))).toEqual([]);
    });

    test("say which block they are of", async () => {
      const block = await withManyAssets();
      const { height, hash, parentHash, timestamp } = block;
      for (const offset of [0, 100]) {
        const page = await store.ask(assetChangesOfBlock, { ...changeQuery(block), offset });
        expect(page?.block).toEqual({ height, hash, parentHash, timestamp });
      }
    });

    test("come in order of first appearance, the native asset by its whole capacity", async () => {
      const block = await withManyAssets();
      const page = (await store.ask(assetChangesOfBlock, changeQuery(block)))!;
      expect(page.total).toBe(13);
      expect(page.rows.map((row) => row.asset.id)).toEqual([native.id, ...tokens.map((token) => token.id)]);
      expect(page.rows[0]!.amount).toBe("1200");
    });

    test("sorted by volume keep the order of first appearance among equals, in both directions", async () => {
      const block = await withManyAssets();
      const rows = (await store.ask(assetChangesOfBlock, changeQuery(block)))!.rows.map((row, i) => ({
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

    test("sort volumes beyond 64 bits by their number, not their text", async () => {
      const amounts = [5n, U128_MAX, 2n ** 63n, 2n ** 63n - 1n, 99n, 10n ** 20n];
      const many = amounts.map((_, i) => tokenOf(`big${i}`));
      const block = ledger.block([
        { create: many.map((token, i) => ({ to: "ann", token, amount: amounts[i]! })) },
      ]);
      await feed(store, [block]);
      // One ten-millionth of a cent, so that volumes lie on both sides of 2^63.
      await store.write(
        loadPrices,
        many.map((token) => ({ assetId: token.id, time: 0, usd: 10n ** 10n })),
      );
      const page = (await store.ask(assetChangesOfBlock, changeQuery(block, { volumeOrder: "desc" })))!;
      expect(page.rows.map((row) => row.amount)).toEqual(
        [...amounts]
          .sort((a, b) => (a < b ? 1 : -1))
          .map(String)
          .concat("600"),
      );
    });

    test("match a name as a literal substring, whatever its case, in any script", async () => {
      const block = await withManyAssets();
      const total = async (assetName: string) =>
        (await store.ask(assetChangesOfBlock, changeQuery(block, { assetName })))!.total;
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
        const { rows, total } = (await store.ask(assetChangesOfBlock, query))!;
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
        (await store.ask(assetChangesOfBlock, changeQuery(block, { tags, assetName })))!.total;
      expect(await total(["odd"])).toBe(6);
      expect(await total(["odd", "even"])).toBe(12);
      expect(await total(["tag"])).toBe(0);
      expect(await total(["Tag", "none"])).toBe(6);
      expect(await total(["odd"], "plain")).toBe(2);
      expect(await total(["o'dd\0"])).toBe(0);
    });

    test("past the end are an empty page with the same total", async () => {
      const block = await withManyAssets();
      const page = await store.ask(
        assetChangesOfBlock,
        changeQuery(block, { offset: Number.MAX_SAFE_INTEGER }),
      );
      expect(page).toMatchObject({ rows: [], total: 13 });
    });

    test("are valued at the latest price at or before the block, and again when prices come later", async () => {
      const early = ledger.block([{ create: [{ to: "ann", token: usd, amount: 3n }] }], 1_000_000_000_000);
      const late = ledger.block([{ create: [{ to: "ann", token: usd, amount: 3n }] }], 2_000_000_000_000);
      await feed(store, [early]);
      const price = (time: number, dollars: bigint) => ({ assetId: usd.id, time, usd: dollars * 10n ** 18n });
      await store.write(loadPrices, [price(1_000_000_000_001, 7n)]);
      await feed(store, [late]);
      const values = async () =>
        Promise.all(
          [early, late].map(
            async (block) => (await store.ask(assetChangesOfBlock, changeQuery(block)))!.rows[1]!.amountUsd,
          ),
        );
      expect(await values()).toEqual(["0", "2100000000"]);
      await store.write(loadPrices, [price(1_000_000_000_000, 2n), price(2_000_000_000_000, 5n)]);
      expect(await values()).toEqual(["600000000", "1500000000"]);
      await store.write(loadPrices, [price(2_000_000_000_000, 4n)]);
      expect(await values()).toEqual(["600000000", "1200000000"]);
    });
  });

  describe("taking prices back", () => {
    test("removes those of one asset from a time to a time, and values its changes by what is left", async () => {
      const blocks = [1, 2, 3].map((n) => ledger.block([{ create: [{ to: "ann", token: usd }] }], n * 1000));
      await feed(store, blocks);
      const other = { assetId: native.id, time: 2000, usd: 5n };
      const prices = [1000, 2000, 3000].map((time) => ({
        assetId: usd.id,
        time,
        usd: BigInt(time) * 10n ** 15n,
      }));
      await store.write(loadPrices, [...prices, other]);
      const values = () =>
        Promise.all(
          blocks.map(async ({ height }) => {
            const { changes } = await store.ask(storedBlock, height);
            return changes.find(({ assetId }) => assetId === usd.id)!.amountUsd;
          }),
        );
      expect(await values()).toEqual([1n, 2n, 3n].map((n) => n * 10n ** 8n));
      expect(await store.write(removePrices, usd.id, 1500, 1999)).toBe(0);
      expect(await store.write(removePrices, usd.id, 2000, 2000)).toBe(1);
      expect(await values()).toEqual([1n, 1n, 3n].map((n) => n * 10n ** 8n));
      expect(await store.ask(pricesAfter, { price: null, limit: 10 })).toContainEqual(other);
      expect(await store.write(removePrices, usd.id, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toBe(
        2,
      );
      expect(await values()).toEqual([0n, 0n, 0n]);
      expect(await store.ask(pricesAfter, { price: null, limit: 10 })).toEqual([other]);
      expect(await verifyStore(store)).toEqual([]);
    });
  });

  describe("taking blocks", () => {
    test("gives the same block no effect the second time", async () => {
      const block = ledger.block([{ create: [{ to: "ann" }] }]);
      expect(await feed(store, [block])).toBe(1);
      expect(await feed(store, [block], { extendTip: false })).toBe(0);
      expect(await walk(store, "ann")).toHaveLength(1);
    });

    test("refuses a transaction that another block has, at once and later", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }] }]);
      const second = { ...ledger.block(), transactions: first.transactions };
      const fault = new RegExp(`${first.transactions[0]!.hash} is already stored, in block 0`);
      await expect(feed(store, [first, second])).rejects.toThrow(fault);
      await feed(store, [first]);
      for (const extendTip of [true, false]) {
        await expect(feed(store, [second], { extendTip })).rejects.toThrow(fault);
        await expect(feed(store, [second], { extendTip })).rejects.toThrow(ChainConflictError);
      }
      expect(await verifyStore(store)).toEqual([]);
    });

    test("refuses a wrong parent, an occupied height, a gap when following the tip, and a double spend", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }] }]);
      await feed(store, [first]);
      const other = new Ledger("other");
      const rival = other.block();
      await expect(feed(store, [rival])).rejects.toThrow(ChainConflictError);
      await expect(feed(store, [other.block()])).rejects.toThrow(ChainConflictError);
      ledger.block();
      await expect(feed(store, [ledger.block()])).rejects.toThrow(ChainConflictError);
      const spender = ledger.fork(0, "spender");
      await feed(store, [spender.block([{ spend: [at(first, 0, 0)], create: [{ to: "bob" }] }])]);
      const again = spender.block([{ spend: [at(first, 0, 0)], create: [{ to: "bob" }] }]);
      await expect(feed(store, [again])).rejects.toThrow(/already spent/);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("stores nothing of a batch of which one block is refused", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }] }]);
      const rival = new Ledger("rival").block([{ create: [{ to: "ann" }] }]);
      await expect(feed(store, [first, rival], { extendTip: false })).rejects.toThrow(ChainConflictError);
      expect(await store.ask(chainTip)).toBeNull();
      expect(await walk(store, "ann")).toEqual([]);
      await feed(store, [first]);
      expect(await walk(store, "ann")).toHaveLength(1);
    });

    test("in any order, with gaps, gives one result, once spent outputs from outside are known", async () => {
      const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: 9n }, { to: "ann" }] }]);
      ledger.block();
      const third = ledger.block([
        { spend: [at(first, 0, 0)], create: [{ to: "bob", token: usd, amount: 9n }] },
      ]);
      await store.write(identify, identity);
      const vouched = new Map([[text(at(first, 0, 0)), outputOf({ to: "ann", token: usd, amount: 9n })]]);
      await store.write(applyBlocks, await resolveBlocks([third], store, native.id, async () => vouched), {
        extendTip: false,
      });
      expect(await verifyStore(store)).toEqual([]);
      await feed(store, [first], { extendTip: false });
      expect(await walk(store, "ann")).toEqual([text(at(first, 0, 1))]);
      expect(await walk(store, "bob")).toEqual([text(at(third, 0, 0))]);
      const token = (await store.ask(storedTokens, {})).find((stored) => stored.id === usd.id)!;
      expect(token).toMatchObject({ totalSupply: "9", firstFoundBlock: first.hash });
      expect(await verifyStore(store)).toEqual([]);
    });

    test("notes which heights are covered, whatever order they come in, and through a reorganisation", async () => {
      const base = Array.from({ length: 12 }, () => ledger.block([{ create: [{ to: "ann" }] }]));
      const takes = async (...heights: number[]) => {
        await feed(
          store,
          heights.map((height) => base[height]!),
          { extendTip: false },
        );
        expect(await verifyStore(store)).toEqual([]);
        return (await store.ask(chainTip))!.coverage;
      };
      expect(await takes(7)).toBe("7");
      expect(await store.ask(firstGap, 0)).toBeNull();
      expect(await takes(3)).toBe("3, 7");
      expect(await store.ask(firstGap, 0)).toEqual({ from: 4, to: 6 });
      expect(await takes(10, 5)).toBe("3, 5, 7, 10");
      expect(await store.ask(firstGap, 4)).toEqual({ from: 6, to: 6 });
      expect(await store.ask(firstGap, 8)).toBeNull();
      expect(await takes(4)).toBe("3-5, 7, 10");
      expect((await store.ask(utxosOfAddress, utxoQuery("nobody"))).tip).toEqual(await store.ask(chainTip));
      expect((await store.ask(assetChangesOfBlock, changeQuery(base[3]!)))!.tip).toEqual(
        await store.ask(chainTip),
      );
      expect((await store.ask(blockOverview, base[3]!.hash))!.tip).toEqual(await store.ask(chainTip));
      expect((await store.ask(addressOverview, { addressKey: keyOf("nobody"), limit: 1 })).tip).toEqual(
        await store.ask(chainTip),
      );
      expect((await store.ask(dataStatus)).tip).toEqual(await store.ask(chainTip));

      await store.write(revertTo, 8);
      expect((await store.ask(chainTip))!.coverage).toBe("3-5, 7");
      await store.write(revertTo, 6);
      expect((await store.ask(chainTip))!.coverage).toBe("3-5");
      expect(await verifyStore(store)).toEqual([]);
      expect(await takes(2, 0, 1)).toBeUndefined();
      expect(await store.ask(chainTip)).toEqual({ height: 5, hash: base[5]!.hash });
      expect(await store.ask(firstGap, 0)).toBeNull();
      expect(await takes(11)).toBe("0-5, 11");
      await store.write(revertTo, -1);
      expect(await takes(1)).toBe("1");
    });

    test("refuses a block whose output is not what was vouched for when it was spent", async () => {
      const first = ledger.block([{ create: [{ to: "ann", capacity: 7n }] }]);
      const second = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "bob" }] }]);
      await store.write(identify, identity);
      const lie = new Map([[text(at(first, 0, 0)), outputOf({ to: "ann", capacity: 8n })]]);
      await store.write(applyBlocks, await resolveBlocks([second], store, native.id, async () => lie), {
        extendTip: false,
      });
      await expect(feed(store, [first], { extendTip: false })).rejects.toThrow(/differs/);
    });

    test("refuses a second network in one database", async () => {
      await store.write(identify, identity);
      await expect(store.write(identify, { ...identity, network: "mainnet" })).rejects.toThrow(
        ChainConflictError,
      );
      await expect(store.write(identify, { ...identity, demo: true })).rejects.toThrow(ChainConflictError);
    });

    test("within `atomically`, shows all of it or none", async () => {
      const [first, second] = [ledger.block([{ create: [{ to: "ann" }] }]), ledger.block()];
      const failing = store.atomically(async () => {
        await feed(store, [first]);
        throw new Error("stop");
      });
      await expect(failing).rejects.toThrow("stop");
      expect(await store.ask(chainTip)).toBeNull();
      await store.atomically(async () => {
        await feed(store, [first]);
        await feed(store, [second]);
      });
      expect((await store.ask(chainTip))!.height).toBe(1);
    });

    test("forgets what was read within `atomically` if it fails", async () => {
      await feed(store, [ledger.block([{ create: [{ to: "ann", token: usd }] }])]);
      const name = async () => (await store.ask(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token.name;
      const before = await name();
      const failing = store.atomically(async () => {
        await store.write(replaceRegistry, [{ id: usd.id, name: "Never" }]);
        await name();
        throw new Error("stop");
      });
      await expect(failing).rejects.toThrow("stop");
      expect(await name()).toBe(before);
    });

    test("refuses an output that comes after the transaction that spends it", async () => {
      const early = { transactionHash: hashOf("transaction main 1 0"), outputIndex: 0 };
      const first = ledger.block([{ spend: [early], create: [{ to: "bob" }] }]);
      const second = ledger.block([{ create: [{ to: "ann" }] }]);
      expect(at(second, 0, 0)).toEqual(early);
      await store.write(identify, identity);
      const vouched = new Map([[text(early), outputOf({ to: "ann" })]]);
      await store.write(applyBlocks, await resolveBlocks([first], store, native.id, async () => vouched), {
        extendTip: true,
      });
      await expect(feed(store, [second])).rejects.toThrow(/comes after/);
      expect(await verifyStore(store)).toEqual([]);
    });
  });

  describe("a reorganisation", () => {
    test("restores spent outputs, supply, names and first blocks, and remembers what was abandoned", async () => {
      const claim = { assetId: usd.id, outputIndex: 0, name: "Later", symbol: "L", decimals: 1 };
      const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: 9n }] }]);
      await feed(store, [first]);
      const before = [await store.ask(storedTokens, {}), await store.ask(storedBlock, 0)];
      const second = ledger.block([
        {
          spend: [at(first, 0, 0)],
          create: [{ to: "bob", token: tokenOf("new") }, { to: "carl" }],
          claims: [claim],
        },
      ]);
      await feed(store, [second]);
      expect(await store.write(revertTo, 0)).toBe(1);
      expect([await store.ask(storedTokens, {}), await store.ask(storedBlock, 0)]).toEqual(before);
      expect(await walk(store, "ann")).toEqual([text(at(first, 0, 0))]);
      expect(await walk(store, "bob")).toEqual([]);
      expect(await store.ask(abandonedBlock, second.hash)).toEqual({
        height: 1,
        hash: second.hash,
        replacedBy: null,
      });
      expect(await store.ask(assetChangesOfBlock, changeQuery(second))).toBeNull();
      expect((await store.ask(dataStatus)).counts).toMatchObject({
        addresses: 1,
        tokens: 2,
        blocks: 1,
        abandonedBlocks: 1,
      });
      const rival = ledger.fork(0, "rival").block([{ create: [{ to: "dan" }] }]);
      await feed(store, [rival]);
      expect(await store.ask(abandonedBlock, second.hash)).toMatchObject({ replacedBy: rival.hash });
      expect(await verifyStore(store)).toEqual([]);
    });

    test("remembers whom the blocks touched that it took back", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
      const spending = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "carl" }] }]);
      const passing = ledger.block([{ create: [{ to: "dan" }] }, { create: [{ to: "eve" }] }]);
      const last = ledger.block([{ spend: [at(passing, 0, 0), at(passing, 1, 0)] }]);
      const empty = ledger.block();
      await feed(store, [first, spending, passing, last, empty]);
      const rival = ledger.fork(0, "rival").block([{ spend: [at(first, 0, 1)] }]);
      await store.atomically(async () => {
        await store.write(revertTo, 0);
        await feed(store, [rival]);
      });
      const touched = async (options: { limit: number; withAddresses: boolean }) => {
        const { removed, added } = await store.ask(chainProgress, { block: empty, ...options });
        return [...removed!, ...added].map((block) => [block.hash, block.touched.toSorted()]);
      };
      const keys = (...names: string[]) => names.map(keyOf).toSorted();
      expect(await touched({ limit: 10, withAddresses: true })).toEqual([
        [empty.hash, []],
        [last.hash, keys("dan", "eve")],
        [passing.hash, keys("dan", "eve")],
        [spending.hash, keys("ann", "carl")],
        [rival.hash, keys("bob")],
      ]);
      expect(await touched({ limit: 2, withAddresses: false })).toEqual([
        [empty.hash, []],
        [last.hash, []],
      ]);
    });

    test("forgets whom blocks touched beyond what is ever replayed, and says that it does not know", async () => {
      const blocks = Array.from({ length: 10_200 }, () => ledger.block());
      await feed(store, blocks);
      const [old, later] = [blocks[1]!, blocks.at(-1)!];
      const removedSince = async (block: Block, withAddresses: boolean) =>
        (await store.ask(chainProgress, { block, limit: 1, withAddresses })).removed?.length ?? null;
      await store.write(revertTo, 0);
      // Of the highest 10,000 that one call takes back, it is known; it is forgotten when the chain is far above.
      expect(await removedSince(old, true)).toBe(null);
      expect(await removedSince(old, false)).toBe(1);
      expect(await removedSince(later, true)).toBe(1);
      await feed(store, [ledger.fork(0, "far").block()]);
      await feed(store, [new Ledger("imported", [], 30_000).block()], { extendTip: false });
      await store.write(revertTo, 1);
      expect(await removedSince(later, true)).toBe(null);
      expect(await removedSince(later, false)).toBe(1);
    });

    test("lets a walk resume from the fork, or from the start when it goes newest first", async () => {
      const shared = ledger.block([{ create: [{ to: "ann" }] }]);
      const second = ledger.block([{ create: [{ to: "ann" }] }]);
      const third = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      await feed(store, [shared, second, third]);
      const after = (await store.ask(utxosOfAddress, utxoQuery("ann", { limit: 3 }))).last!;
      await store.write(revertTo, 0);
      const rival = ledger.fork(0, "rival");
      const blocks = [rival.block([{ create: [{ to: "ann" }] }]), rival.block([{ create: [{ to: "ann" }] }])];
      await feed(store, blocks);
      const rest = await store.ask(utxosOfAddress, utxoQuery("ann", { after }));
      expect(rest.rows.map((row) => row.transactionHash)).toEqual(
        blocks.map((block) => block.transactions[0]!.hash),
      );
      const newestFirst = await store.ask(utxosOfAddress, utxoQuery("ann", { after, order: "desc" }));
      expect(newestFirst.rows).toHaveLength(3);
    });

    test("is known to a position by the first digits of its block's hash, or by the last", async () => {
      const shared = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      const gone = ledger.block([{ create: [{ to: "ann" }] }]);
      await feed(store, [shared, gone]);
      const kept = (await store.ask(utxosOfAddress, utxoQuery("ann", { limit: 1 }))).last!;
      const lost = (await store.ask(utxosOfAddress, utxoQuery("ann"))).last!;
      await store.write(revertTo, 0);
      const rival = ledger.fork(0, "rival").block([{ create: [{ to: "ann" }] }]);
      await feed(store, [rival]);
      for (const short of [(hash: string) => hash.slice(0, 18), (hash: string) => hash.slice(-16)]) {
        const rest = async ({ readAt, ...place }: Position) => {
          const named = { height: readAt.height, hash: short(readAt.hash) };
          const after = { ...place, blockHash: short(place.blockHash), readAt: named };
          const { rows } = await store.ask(utxosOfAddress, utxoQuery("ann", { after }));
          return rows.map(text);
        };
        expect(await rest(kept)).toEqual([text(at(shared, 0, 1)), text(at(rival, 0, 0))]);
        expect(await rest(lost)).toEqual([text(at(rival, 0, 0))]);
      }
    });
  });

  describe("a copy of the data that is behind the one that a position was read from", () => {
    test("refuses it, whatever its place and address, until it has that state's tip", async () => {
      const ahead = await open();
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      const second = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
      await feed(ahead, ledger.blocks);
      const { last: after } = await ahead.ask(utxosOfAddress, utxoQuery("ann", { limit: 1 }));
      await ahead.close();
      if (!after) throw new Error("no position");
      await feed(store, [first]);
      for (const [to, order, token] of [
        ["ann", "asc"],
        ["ann", "desc"],
        ["ann", "asc", usd.id],
        ["bob", "asc"],
        ["nobody", "asc"],
      ] as const) {
        const refused = store.ask(utxosOfAddress, utxoQuery(to, { after, order, token }));
        await expect(refused, `${to} ${order} ${token}`).rejects.toThrow(PositionAheadError);
      }
      // Another branch of the same height, and more, does not make up for it.
      const rival = ledger.fork(0, "rival");
      await feed(store, [rival.block(), rival.block()]);
      await expect(store.ask(utxosOfAddress, utxoQuery("ann", { after }))).rejects.toThrow(
        PositionAheadError,
      );
      await store.write(revertTo, 0);
      await feed(store, [second]);
      const page = await store.ask(utxosOfAddress, utxoQuery("ann", { after }));
      expect(page.rows.map(text)).toEqual([text(at(first, 0, 1)), text(at(second, 0, 0))]);
    });

    test("refuses a place that lies in blocks which it lacks below its tip", async () => {
      const blocks = Array.from({ length: 3 }, () => ledger.block([{ create: [{ to: "ann" }] }]));
      await feed(store, [blocks[0]!, blocks[2]!], { extendTip: false });
      const [readAt, { height, hash: blockHash }] = [blocks[2]!, blocks[1]!];
      const after = { height, transactionIndex: 0, outputIndex: 0, blockHash, readAt };
      await expect(store.ask(utxosOfAddress, utxoQuery("ann", { after }))).rejects.toThrow(
        PositionAheadError,
      );
      await feed(store, blocks, { extendTip: false });
      expect((await store.ask(utxosOfAddress, utxoQuery("ann", { after }))).rows).toHaveLength(1);
    });
  });

  describe("what the pages show", () => {
    test("a block has its neighbours, tags with counts and the value of its priced changes", async () => {
      const first = ledger.block();
      const second = ledger.block([
        {
          create: [
            { to: "ann", token: usd, amount: 4n },
            { to: "ann", token: nft },
          ],
        },
      ]);
      const third = ledger.block();
      await feed(store, ledger.blocks);
      await store.write(replaceRegistry, [
        { id: usd.id, tags: ["stable", "x"] },
        { id: native.id, tags: ["x"] },
      ]);
      await store.write(loadPrices, [{ assetId: usd.id, time: 0, usd: 10n ** 18n }]);
      expect(await store.ask(blockOverview, second.hash)).toEqual({
        height: 1,
        hash: second.hash,
        parentHash: first.hash,
        timestamp: second.timestamp,
        transactionCount: 1,
        assetCount: 3,
        unpricedCount: 2,
        volumeUsd: "400000000",
        tags: [
          { tag: "x", count: 2 },
          { tag: "stable", count: 1 },
        ],
        nextHash: third.hash,
        parentIndexed: true,
        tip: { height: 2, hash: third.hash },
      });
      expect(await store.ask(blockOverview, hashOf("none"))).toBeNull();
      const figures = { transactionCount: 1, assetCount: 3, unpricedCount: 2, volumeUsd: "400000000" };
      const [newest, below, ...others] = await store.ask(latestBlocks, 2);
      expect(newest).toMatchObject({ height: 2, hash: third.hash, timestamp: third.timestamp });
      expect(below).toEqual({ height: 1, hash: second.hash, timestamp: second.timestamp, ...figures });
      expect(others).toEqual([]);
      const { timestamp } = second;
      expect(await store.ask(blockHeader, second.hash)).toEqual({ height: 1, hash: second.hash, timestamp });
      expect(await store.ask(blockHeader, hashOf("none"))).toBeNull();
      expect(await store.ask(blockHashAt, 2)).toBe(third.hash);
      expect(await store.ask(blockHashAt, 3)).toBeNull();
    });

    test("an address has what it holds of each asset", async () => {
      const block = ledger.block([
        {
          create: [{ to: "ann" }, { to: "ann", capacity: 50n }, { to: "ann", token: usd, amount: U128_MAX }],
        },
        { create: [{ to: "ann", token: usd, amount: U128_MAX, capacity: 1n }] },
      ]);
      await feed(store, [block]);
      expect([
        await store.ask(outputCount, keyOf("ann")),
        await store.ask(outputCount, keyOf("nobody")),
      ]).toEqual([4, 0]);
      const overview = await store.ask(addressOverview, { addressKey: keyOf("ann"), limit: 10 });
      expect(overview).toMatchObject({ outputCount: 4, capacity: "251", tokenCount: 2 });
      expect(
        overview.holdings.map((held) => [held.token.id, held.amount, held.capacity, held.outputCount]),
      ).toEqual([
        [usd.id, (2n * U128_MAX).toString(), "101", 2],
        [native.id, "150", "150", 2],
      ]);
    });

    test("examples are the busiest of the recent addresses and blocks", async () => {
      const busy = ledger.block([{ create: [{ to: "ann" }, { to: "ann", token: usd }, { to: "bob" }] }]);
      ledger.block([{ create: [{ to: "bob" }] }]);
      await feed(store, ledger.blocks);
      const examples = await store.ask(dataExamples, 1);
      expect(examples).toEqual({
        addresses: [{ text: "address-of-ann", outputs: 2 }],
        blocks: [{ height: 0, hash: busy.hash, changes: 2 }],
      });
    });
  });

  describe("access tokens", () => {
    const hash = Buffer.from(hashOf("secret").slice(2), "hex");
    const token = {
      id: "t1",
      name: "ci",
      scopes: ["utxos:read" as const],
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      ratePerMinute: null,
      hint: "abcd",
    };

    test("are found by their hash, and keep the time of their first revocation", async () => {
      await store.record(createAccessToken, { ...token, hash });
      expect(await store.ask(accessTokenByHash, hash)).toEqual(token);
      expect(await store.ask(accessTokenByHash, Buffer.alloc(32))).toBeNull();
      expect(await store.record(revokeAccessToken, "t1", 5)).toBe(true);
      expect(await store.record(revokeAccessToken, "t1", 9)).toBe(true);
      expect(await store.record(revokeAccessToken, "t2", 9)).toBe(false);
      expect(await store.ask(listedTokens)).toEqual([{ ...token, revokedAt: 5, lastUsedAt: null }]);
    });

    test("have the time of their last use", async () => {
      await store.record(createAccessToken, { ...token, hash });
      await store.record(createAccessToken, { ...token, id: "t2", hash: Buffer.alloc(32, 2) });
      const at = Date.UTC(2026, 0, 1);
      for (const uses of [
        new Map([
          ["t1", at],
          ["none", at],
        ]),
        new Map([["t1", at - 1]]),
      ]) {
        expect(await store.note(noteTokenUses, uses)).toBe(true);
        expect((await store.ask(listedTokens)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([at, null]);
      }
    });

    test("may have a rate of their own, and end earlier but never later", async () => {
      const limited = { ...token, ratePerMinute: 600 };
      await store.record(createAccessToken, { ...limited, hash });
      await store.record(createAccessToken, { ...limited, id: "t2", hash: Buffer.alloc(32, 2) });
      expect(await store.ask(accessTokenByHash, hash)).toEqual(limited);
      for (const [at, end] of [
        [9, 9],
        [12, 9],
        [7, 7],
      ] as const) {
        await store.record(endAccessToken, "t1", at);
        expect((await store.ask(accessTokenByHash, hash))?.expiresAt).toBe(end);
      }
      expect((await store.ask(listedTokens)).map(({ id, expiresAt }) => [id, expiresAt])).toEqual([
        ["t1", 7],
        ["t2", null],
      ]);
      // A copy into a database that has them already.
      const { accessTokens, ...data } = await store.ask(operatorData);
      await adoptOperatorData(store, {
        ...data,
        accessTokens: accessTokens.map((each) => ({ ...each, expiresAt: each.id === "t1" ? 8 : 5 })),
      });
      expect((await store.ask(listedTokens)).map(({ expiresAt }) => expiresAt)).toEqual([7, 5]);
    });

    test("sign cursors with one key for the life of the database", async () => {
      const key = await store.ask(cursorKey);
      expect(key).toHaveLength(32);
      expect(Buffer.from(await store.ask(cursorKey)).equals(key)).toBe(true);
    });
  });

  describe("what a copy needs", () => {
    test("is everything that the operator made, and goes into another database as it is", async () => {
      const block = ledger.block([{ create: [{ to: "ann", token: usd }], claims: [claimOf(usd.id)] }]);
      const abandoned = ledger.fork(0, "gone").block();
      await feed(store, [block, abandoned]);
      await store.write(revertTo, 0);
      await store.write(replaceRegistry, [{ id: usd.id, name: "Dollar", tags: ["b", "a"] }]);
      const prices = [1, 2, 3].map((time) => ({ assetId: usd.id, time, usd: BigInt(time) }));
      await store.write(loadPrices, prices);
      const token = {
        id: "t1",
        name: "ci",
        scopes: ["utxos:read" as const],
        createdAt: 1,
        expiresAt: 9,
        revokedAt: null,
        ratePerMinute: null,
      };
      const hash = Buffer.from(hashOf("secret").slice(2), "hex");
      await store.record(createAccessToken, { ...token, hint: "abcd", hash });

      const data = await store.ask(operatorData);
      expect(data.abandonedBlocks).toEqual([{ height: 1, hash: abandoned.hash, parentHash: block.hash }]);
      expect(data.registry).toEqual([{ id: usd.id, name: "Dollar", tags: ["b", "a"] }]);
      expect((await store.ask(storedBlock, 0)).transactions[0]!.claims).toEqual([claimOf(usd.id)]);
      expect(await store.ask(pricesAfter, { price: null, limit: 2 })).toEqual(prices.slice(0, 2));
      expect(await store.ask(pricesAfter, { price: prices[1]!, limit: 2 })).toEqual(prices.slice(2));

      const copy = await open();
      try {
        await adoptOperatorData(copy, data);
        expect(await copy.ask(operatorData)).toEqual(data);
        expect(await copy.ask(accessTokenByHash, hash)).toEqual({ ...token, hint: "abcd" });
      } finally {
        await copy.close();
      }
    });

    test("lists no block as abandoned that the copy still has", async () => {
      const block = ledger.block();
      const reverted = ledger.block();
      await feed(store, [block, reverted]);
      await store.write(revertTo, 0);
      const copy = await open();
      try {
        await feed(copy, [block, reverted]);
        await adoptOperatorData(copy, await store.ask(operatorData));
        expect(await verifyStore(copy)).toEqual([]);
        expect(await copy.write(revertTo, 0)).toBe(1);
        expect(await copy.ask(abandonedBlock, reverted.hash)).toMatchObject({ height: 1, replacedBy: null });
      } finally {
        await copy.close();
      }
    });

    test("covers what is indexed, and how many assets have prices", async () => {
      const nothing = { tip: null, lowestHeight: null, tokens: 0, pricedAssets: 0, listsAssets: false };
      expect(await store.ask(dataCoverage)).toEqual(nothing);
      const later = new Ledger("later", [], 5);
      later.block([{ create: [{ to: "ann", token: usd }] }]);
      await feed(store, later.blocks);
      await store.write(
        loadPrices,
        [native.id, native.id, usd.id].map((assetId, time) => ({ assetId, time, usd: 1n })),
      );
      const tip = { height: 5, hash: later.tip!.hash, coverage: "5" };
      const covered = { tip, lowestHeight: 5, tokens: 2, pricedAssets: 2 };
      expect(await store.ask(dataCoverage)).toEqual({ ...covered, listsAssets: false });
      await store.write(replaceRegistry, [{ id: usd.id }]);
      expect(await store.ask(dataCoverage)).toEqual({ ...covered, listsAssets: true });
    });
  });

  describe("the value of an address", () => {
    const priceOf = (assetId: string, time: number, dollars: bigint) => ({
      assetId,
      time,
      usd: dollars * 10n ** 18n,
    });

    test("sums its holdings at the latest prices as of the tip, and counts what has none", async () => {
      const block = ledger.block(
        [
          {
            create: [
              { to: "ann", capacity: 3n * 10n ** 8n },
              { to: "ann", token: usd, amount: U128_MAX },
              { to: "ann", token: nft },
            ],
          },
        ],
        10_000,
      );
      await feed(store, [block]);
      expect(await store.ask(addressOverview, { addressKey: keyOf("ann"), limit: 10 })).toMatchObject({
        valueUsd: "0",
        unpricedCount: 3,
      });
      await store.write(replaceRegistry, [{ id: usd.id, decimals: 6 }]);
      await store.write(loadPrices, [
        priceOf(native.id, 5_000, 7n),
        priceOf(native.id, 10_000, 2n),
        priceOf(native.id, 10_001, 9n),
        priceOf(usd.id, 1, 1n),
        priceOf(nft.id, 10_001, 1n),
      ]);
      const value = 3n * 2n * 10n ** 8n + U128_MAX * 100n;
      // However few of the holdings are listed.
      for (const limit of [0, 10]) {
        expect(await store.ask(addressOverview, { addressKey: keyOf("ann"), limit })).toMatchObject({
          valueUsd: value.toString(),
          unpricedCount: 1,
        });
      }
      expect(await store.ask(addressOverview, { addressKey: keyOf("nobody"), limit: 10 })).toMatchObject({
        valueUsd: "0",
        unpricedCount: 0,
      });
    });

    test("lists holdings by value, then those without a price by their outputs, a page at a time", async () => {
      const worthless = tokenOf("worthless");
      const common = tokenOf("common");
      const block = ledger.block(
        [
          {
            create: [
              { to: "ann", capacity: 3n },
              { to: "ann", token: nft, capacity: 500n },
              { to: "ann", token: common, capacity: 7n },
              { to: "ann", token: common, capacity: 7n },
              { to: "ann", token: worthless, amount: U128_MAX, capacity: 100n },
              { to: "ann", token: usd, amount: 2n, capacity: 20n },
              { to: "bob", token: usd },
            ],
          },
        ],
        10_000,
      );
      await feed(store, [block]);
      await store.write(replaceRegistry, [
        { id: usd.id, decimals: 77, name: "Dollar of Ö", symbol: "USd" },
        { id: common.id, name: "100% common" },
      ]);
      await store.write(loadPrices, [
        priceOf(usd.id, 9_000, 10n ** 77n),
        priceOf(native.id, 9_999, 4n),
        { assetId: worthless.id, time: 1, usd: 0n },
        priceOf(nft.id, 10_001, 1n),
      ]);
      const all = await store.ask(addressOverview, { addressKey: keyOf("ann"), limit: 10, largest: 2 });
      expect(all).toMatchObject({
        capacity: "637",
        tokenCount: 5,
        matchCount: 5,
        valueUsd: (2n * 10n ** 8n + 12n).toString(),
        unpricedCount: 2,
      });
      expect(all.largest.map(({ token, capacity }) => [token.id, capacity])).toEqual([
        [nft.id, "500"],
        [worthless.id, "100"],
      ]);
      expect(
        all.holdings.map((held) => [held.token.id, held.valueUsd, held.price?.time, held.outputCount]),
      ).toEqual([
        [usd.id, (2n * 10n ** 8n).toString(), 9_000, 1],
        [native.id, "12", 9_999, 1],
        [worthless.id, "0", 1, 1],
        [common.id, null, undefined, 2],
        [nft.id, null, undefined, 1],
      ]);
      expect(all.holdings[0]).toMatchObject({ amount: "2", capacity: "20", token: { symbol: "USd" } });
      expect(all.holdings[0]?.price?.usd).toBe((10n ** 95n).toString());

      const page = await store.ask(addressOverview, { addressKey: keyOf("ann"), offset: 1, limit: 2 });
      expect(page.holdings.map(({ token }) => token.id)).toEqual([native.id, worthless.id]);
      expect(page).toMatchObject({ matchCount: 5, valueUsd: all.valueUsd, largest: [] });

      const found = async (search: string) => {
        const { holdings, matchCount, tokenCount } = await store.ask(addressOverview, {
          addressKey: keyOf("ann"),
          search,
          limit: 1,
        });
        expect(tokenCount).toBe(5);
        return [matchCount, holdings[0]?.token.id];
      };
      expect(await found("dollar OF ö")).toEqual([1, usd.id]);
      expect(await found("usD")).toEqual([1, usd.id]);
      expect(await found("0% C")).toEqual([1, common.id]);
      expect(await found(nft.id.slice(4, 40).toUpperCase())).toEqual([1, nft.id]);
      for (const nothing of ["_ollar", "%c", "nowhere", "\0", "usd\0"]) {
        expect(await found(nothing)).toEqual([0, undefined]);
      }
      expect((await found("0x"))[0]).toBe(5);
    });
  });

  describe("the capacity of an address by kind", () => {
    const none = { kinds: [], rewardsOnly: false, blocks: 1 };
    const sumsOf = async (to: string) => {
      const { sums } = await store.ask(storedKinds, { addressKey: keyOf(to), changing: none });
      return Object.fromEntries(
        sums.map(({ kind, outputCount, capacity }) => [kind, [outputCount, capacity]]),
      );
    };

    test("is summed by the word of the outputs' kind or their token's standard, and taken back with a block", async () => {
      const first = ledger.block([
        {
          create: [
            { to: "ann", kind: "dao@1", capacity: 2n ** 64n - 1n },
            { to: "ann", kind: "dao@2", capacity: 2n ** 64n - 1n },
            { to: "ann", capacity: 5n },
            { to: "ann", kind: "", capacity: 3n },
            { to: "ann", token: usd, capacity: 7n },
            { to: "ann", token: tokenOf("euro"), capacity: 8n },
            { to: "ann", token: nft, capacity: 9n },
            { to: "bob", kind: "dao@1" },
          ],
        },
      ]);
      await feed(store, [first]);
      const others = { plain: [1, "5"], "": [1, "3"], xUDT: [2, "15"], Spore: [1, "9"] };
      const before = { ...others, dao: [2, (2n ** 65n - 2n).toString()] };
      expect(await sumsOf("ann")).toEqual(before);
      const [overview] = (
        await store.ask(addressOverview, { addressKey: keyOf("ann"), limit: 9 })
      ).holdings.filter(({ token }) => token.id === native.id);
      expect(overview).toMatchObject({ outputCount: 4, amount: (2n ** 65n + 6n).toString() });

      ledger.block([{ spend: [at(first, 0, 0), at(first, 0, 2)], create: [{ to: "ann", kind: "dao@0" }] }]);
      ledger.block([{ spend: [at(first, 0, 1)] }]);
      await feed(store, ledger.blocks.slice(1));
      const { plain: _, ...left } = others;
      expect(await sumsOf("ann")).toEqual({ ...left, dao: [1, "100"] });
      expect(await verifyStore(store)).toEqual([]);
      await store.write(revertTo, 0);
      expect(await sumsOf("ann")).toEqual(before);
      expect(await verifyStore(store)).toEqual([]);
      expect(await sumsOf("nobody")).toEqual({});
    });

    test("comes with the outputs of the last blocks that were asked for, and with what their headers say", async () => {
      const genesis = ledger.block([{ create: [{ to: "ann", kind: "reward" }] }]);
      ledger.block([{ create: [{ to: "ann", kind: "reward", capacity: 1n }] }, { create: [{ to: "ann" }] }]);
      ledger.block([
        { create: [{ to: "bob", kind: "reward" }] },
        { create: [{ to: "ann", kind: "reward", capacity: 2n }] },
      ]);
      const tip = ledger.block([
        { create: [{ to: "ann", kind: "reward", capacity: 3n }, { to: "ann" }] },
        { create: [{ to: "ann", token: usd }], spend: [at(genesis, 0, 0)] },
      ]);
      await feed(store, ledger.blocks);
      const ask = async (kinds: string[], blocks: number, rewardsOnly: boolean) => {
        const answer = await store.ask(storedKinds, {
          addressKey: keyOf("ann"),
          changing: { kinds, blocks, rewardsOnly },
        });
        expect(answer.tip).toMatchObject({ height: 3, hash: tip.hash });
        const heights = [3, ...answer.changing!.map(({ height }) => height)];
        expect(answer.blocks.toSorted((a, b) => a.height - b.height)).toEqual(
          [...new Set(heights)]
            .sort()
            .map((height) => ledger.blocks[height]!)
            .map(({ height, timestamp, headerFacts }) => ({ height, timestamp, headerFacts })),
        );
        return answer.changing!.map(({ kind, height, capacity }) => `${kind} ${height} ${capacity}`).sort();
      };
      const rewards = ["reward 1 1", "reward 3 3"];
      expect(await ask(["reward"], Number.POSITIVE_INFINITY, true)).toEqual(rewards);
      expect(await ask(["reward"], 3, true)).toEqual(rewards);
      expect(await ask(["reward"], 2, true)).toEqual(["reward 3 3"]);
      expect(await ask(["reward"], 2, false)).toEqual(["reward 2 2", "reward 3 3"]);
      expect(await ask(["reward", "plain"], 1, false)).toEqual(["plain 3 100", "reward 3 3"]);
      expect(await ask(["other"], 9, false)).toEqual([]);
      expect(await store.ask(blockFacts, [3, 99, 0, 3])).toHaveLength(2);
      const empty = await store.ask(storedKinds, { addressKey: keyOf("nobody"), changing: none });
      expect([empty.sums, empty.changing]).toEqual([[], []]);
    });
  });

  describe("the ages of an address's live outputs", () => {
    test("are counted by equally long ranges of heights, from the oldest one to the tip", async () => {
      const ages = (ranges: number) => store.ask(outputAges, { addressKey: keyOf("ann"), ranges });
      expect(await ages(4)).toEqual([]);
      ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "ann", token: usd }] }]);
      for (let height = 2; height < 9; height += 1) ledger.block();
      ledger.block([{ spend: [at(ledger.blocks[0]!, 0, 0)], create: [{ to: "ann" }] }]);
      ledger.block();
      await feed(store, ledger.blocks);
      expect(first.height).toBe(1);
      expect(await ages(4)).toEqual([
        { from: 1, to: 3, count: 2 },
        { from: 4, to: 6, count: 0 },
        { from: 7, to: 9, count: 1 },
        { from: 10, to: 10, count: 0 },
      ]);
      expect(await ages(1)).toEqual([{ from: 1, to: 10, count: 3 }]);
      expect((await ages(100))?.map(({ count }) => count)).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
      expect(await store.ask(outputAges, { addressKey: keyOf("nobody"), ranges: 4 })).toEqual([]);
    });
  });

  test("the price of an asset at a time is the last one that had come into force", async () => {
    const price = (time: number, usdUnits: bigint) => ({ assetId: usd.id, time, usd: usdUnits });
    await store.write(loadPrices, [price(1_000, 7n), price(2_000, 10n ** 30n)]);
    expect(await store.ask(priceAt, { assetId: usd.id, time: 999 })).toBeNull();
    expect(await store.ask(priceAt, { assetId: usd.id, time: 1_999 })).toEqual({ usd: "7", time: 1_000 });
    expect(await store.ask(priceAt, { assetId: usd.id, time: 2_000 })).toEqual({
      usd: String(10n ** 30n),
      time: 2_000,
    });
    for (const other of [nft.id, "", "\0"])
      expect(await store.ask(priceAt, { assetId: other, time: 9_000 })).toBeNull();
  });

  describe("what came to an address and left it", () => {
    const maxOutputs = 100;
    /** By token, outputs and amounts that came and left. */
    const flows = async (to: string, since: number, more = {}) => {
      const answer = await store.ask(addressFlows, {
        addressKey: keyOf(to),
        since,
        limit: 10,
        maxOutputs,
        ...more,
      });
      return answer.flows?.map(({ token, came, left }) => [
        token.id,
        [came.outputCount, came.amount],
        [left.outputCount, left.amount],
      ]);
    };

    test("is summed up by token since a height, exactly, the token with most outputs first", async () => {
      const first = ledger.block([
        { create: [{ to: "ann", token: usd, amount: U128_MAX }, { to: "ann" }, { to: "bob" }] },
      ]);
      const second = ledger.block([
        {
          spend: [at(first, 0, 0)],
          create: [1, 2, 3].map(() => ({ to: "ann", token: usd, amount: U128_MAX })),
        },
        { create: [{ to: "ann", token: nft }] },
      ]);
      ledger.block([{ spend: [at(second, 0, 0), at(first, 0, 2)], create: [{ to: "bob", token: usd }] }]);
      expect(await flows("ann", 0)).toEqual([]);
      await feed(store, ledger.blocks);
      expect(await flows("ann", 0)).toEqual([
        [usd.id, [3, String(U128_MAX * 3n)], [2, String(U128_MAX * 2n)]],
        [nft.id, [1, "1"], [0, "0"]],
      ]);
      expect(await flows("ann", 1)).toEqual([[usd.id, [0, "0"], [1, String(U128_MAX)]]]);
      expect(await flows("ann", 2)).toEqual([]);
      expect(await flows("nobody", 0)).toEqual([]);
      const one = await store.ask(addressFlows, { addressKey: keyOf("ann"), since: 0, limit: 1, maxOutputs });
      expect(one).toMatchObject({ total: 2, earliest: 0, tip: { height: 2 }, flows: { length: 1 } });
    });

    test("is not read if too many outputs were spent since, or are the address's: then it says from where on", async () => {
      const first = ledger.block([{ create: ["ann", "ann", "bob", "bob"].map((to) => ({ to })) }]);
      ledger.block([{ spend: [at(first, 0, 0), at(first, 0, 2)] }]);
      ledger.block([{ spend: [at(first, 0, 1)], create: [{ to: "carl" }, { to: "carl" }] }]);
      await feed(store, ledger.blocks);
      const atMost = (max: number, to = "ann", since = 0) =>
        store.ask(addressFlows, { addressKey: keyOf(to), since, limit: 10, maxOutputs: max });
      expect(await atMost(3)).toMatchObject({ earliest: 0, total: 1 });
      expect(await atMost(2)).toMatchObject({ earliest: 1, total: 0, flows: null });
      expect(await atMost(2, "ann", 1)).toMatchObject({ earliest: 1, total: 1 });
      expect(await atMost(1, "carl", 1)).toMatchObject({ earliest: 2, flows: null });
    });

    test("agrees with the blocks of a random chain since any height, through a reorganisation", async () => {
      await fc.assert(
        fc.asyncProperty(randomChain(), randomChain(), fc.nat({ max: 8 }), async (plan, other, since) => {
          const fresh = await open();
          try {
            const chain = new Ledger();
            grow(chain, plan);
            await feed(fresh, chain.blocks);
            const fork = Math.floor((plan.length - 1) / 2);
            const rival = chain.fork(fork, "rival");
            grow(rival, other);
            await fresh.write(revertTo, fork);
            await feed(fresh, rival.blocks.slice(fork + 1));
            for (const to of OWNERS) {
              const query = { since, limit: 10, maxOutputs };
              const { flows: stored } = await fresh.ask(addressFlows, { addressKey: keyOf(to), ...query });
              const sums = stored!.map(({ token, came, left }) => [
                token.id,
                came.outputCount,
                BigInt(came.amount),
                left.outputCount,
                BigInt(left.amount),
              ]);
              expect(new Set(sums.map(String))).toEqual(flowsByHand(rival.blocks, keyOf(to), since));
            }
          } finally {
            await fresh.close();
          }
        }),
        { numRuns: 8 },
      );
    });
  });

  test("migrating a current database does nothing", async () => {
    expect(await store.migrate()).toEqual([]);
  });
});

const claimOf = (assetId: string) => ({ assetId, outputIndex: 0, name: "Claimed", symbol: "C", decimals: 2 });

const OWNERS = ["ann", "bob"];

/** For each block: for each transaction, which live outputs to spend and what to create. */
function randomChain() {
  const output = fc.record({ owner: fc.constantFrom(...OWNERS), kind: fc.constantFrom("plain", "usd") });
  const transaction = fc.record({
    spend: fc.array(fc.nat({ max: 50 }), { maxLength: 3 }),
    create: fc.array(output, { maxLength: 4 }),
  });
  return fc.array(fc.array(transaction, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
}

type RandomChain = { spend: number[]; create: { owner: string; kind: string }[] }[][];
type Live = { point: string; outPoint: OutPoint; owner: string; token: string };

/** Builds the chain and, beside it, the plain list of what is live. */
function grow(chain: Ledger, plan: RandomChain): Live[] {
  let live: Live[] = [];
  for (const transactions of plan) {
    const plans: TransactionPlan[] = [];
    const fresh: { transaction: number; index: number; owner: string; token: string }[] = [];
    let available = live;
    for (const [i, { spend, create }] of transactions.entries()) {
      const spent = new Set(available.length === 0 ? [] : spend.map((n) => available[n % available.length]!));
      available = available.filter((item) => !spent.has(item));
      plans.push({
        spend: [...spent].map((item) => item.outPoint),
        create: create.map(({ owner, kind }) =>
          kind === "usd" ? { to: owner, token: usd, amount: 2n } : { to: owner },
        ),
      });
      for (const [index, { owner, kind }] of create.entries()) {
        fresh.push({ transaction: i, index, owner, token: kind === "usd" ? usd.id : native.id });
      }
    }
    const block = chain.block(plans);
    live = available.concat(
      fresh.map((item) => {
        const outPoint = at(block, item.transaction, item.index);
        return { outPoint, point: text(outPoint), owner: item.owner, token: item.token };
      }),
    );
  }
  return live;
}

/** What came to an address and left it above a height, as lines of token, outputs and amount in, outputs and amount out. */
function flowsByHand(blocks: Block[], addressKey: string, since: number): Set<string> {
  const sums = new Map<string, [number, bigint, number, bigint]>();
  const made = new Map<string, Output>();
  const count = (output: Output, height: number, place: 0 | 2) => {
    if (height <= since || output.address.key !== addressKey) return;
    const id = output.token?.id ?? native.id;
    const sum = sums.get(id) ?? [0, 0n, 0, 0n];
    sum[place] += 1;
    sum[place + 1] = BigInt(sum[place + 1] ?? 0) + output.amount;
    sums.set(id, sum);
  };
  for (const { height, transactions } of blocks) {
    for (const { hash, inputs, outputs } of transactions) {
      for (const input of inputs) count(made.get(text(input))!, height, 2);
      for (const [index, output] of outputs.entries()) {
        made.set(text({ transactionHash: hash, outputIndex: index }), output);
        count(output, height, 0);
      }
    }
  }
  return new Set([...sums].map(([id, sum]) => String([id, ...sum])));
}
