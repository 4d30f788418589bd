import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block, OutPoint } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetIcon, iconEtag } from "#lib/queries/asset-icon.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { adoptOperatorData, operatorData } from "#lib/queries/operator-data.ts";
import { outputKinds } from "#lib/queries/output-kinds.ts";
import { storedBlock, storedTokens } from "#lib/queries/stored.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, hashOf, identity, keyOf, Ledger, native, tokenOf } from "#lib/testing/ledger.ts";

import {
  changeQuery,
  describeEngines,
  feed,
  grow,
  ledger,
  nft,
  OWNERS,
  open,
  randomChain,
  store,
  text,
  U128_MAX,
  usd,
  utxoQuery,
  walk,
} from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("unspent outputs of an address", () => {
    test("come in chain order with exact amounts, and leave the list when they are spent", async () => {
      const first = ledger.block([
        { create: [{ to: "ann", capacity: 2n ** 63n + 5n }, { to: "bob" }] },
        { create: [{ to: "ann", token: usd, amount: U128_MAX, capacity: 142n }] },
      ]);
      const second = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "ann", token: nft }] }]);
      await feed(store, [first]);
      const before = await store.query(utxosOfAddress, utxoQuery("ann"));
      expect(before.rows.flatMap((row) => Object.values(row))).not.toContain(undefined);
      expect(
        before.rows.map((row) => [row.token.id, row.amount, row.capacity, row.height, row.outputIndex]),
      ).toEqual([
        [native.id, "9223372036854775813", "9223372036854775813", 0, 0],
        [usd.id, U128_MAX.toString(), "142", 0, 0],
      ]);
      await feed(store, [second]);
      expect(await walk(store, "ann")).toEqual([text(at(first, 1, 0)), text(at(second, 0, 0))]);
    });

    test("keep their kind through any source of their block and a reorganisation", async () => {
      const first = ledger.block([{ create: [{ to: "ann", kind: "dao@7" }, { to: "ann" }] }]);
      const second = ledger.block([{ spend: [at(first, 0, 1)], create: [{ to: "bob", kind: "code" }] }]);
      const outPoints = [at(first, 0, 0), at(first, 0, 1), at(second, 0, 0), at(second, 0, 9)];
      const kinds = () => store.query(outputKinds, outPoints);
      const spent = { ...first.transactions[0]!.outputs[1]!, kind: "" };
      await store.write(identify, identity);
      const vouched = async () => new Map([[text(at(first, 0, 1)), spent]]);
      const extendTip = false;
      await store.write(applyBlocks, await resolveBlocks([second], store, native.id, vouched), { extendTip });
      expect(await kinds()).toEqual([null, "", "code", null]);
      await feed(store, [first], { extendTip });
      expect(await kinds()).toEqual(["dao@7", "plain", "code", null]);
      await store.write(revertTo, first.height);
      expect(await kinds()).toEqual(["dao@7", "plain", null, null]);
      expect((await store.query(storedBlock, first.height)).transactions[0]!.outputs[0]!.output.kind).toBe(
        "dao@7",
      );
    });

    test("are an empty page for an unknown address", async () => {
      await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
      const page = await store.query(utxosOfAddress, utxoQuery("nobody"));
      expect(page).toEqual({
        tip: { height: 0, hash: ledger.tip!.hash },
        rows: [],
        hasNext: false,
        last: null,
      });
    });

    test("state exactly whether more follow, at each limit around their number", async () => {
      await feed(store, [ledger.block([{ create: Array.from({ length: 3 }, () => ({ to: "ann" })) }])]);
      const hasNext = async (limit: number) =>
        (await store.query(utxosOfAddress, utxoQuery("ann", { limit }))).hasNext;
      expect([await hasNext(2), await hasNext(3), await hasNext(4)]).toEqual([true, false, false]);
    });

    test("can be filtered by token, and listed newest first", async () => {
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

    test("as of a block, are those that were live after it, at any page size", async () => {
      const create = [{ to: "ann" }, { to: "ann", token: usd }, { to: "ann" }, { to: "ann", token: usd }];
      const first = ledger.block([{ create }]);
      // Block 1 spends outputs of its own. The first transactions of the next blocks spend the others.
      const own = { transactionHash: hashOf("transaction main 1 0"), outputIndex: 0 };
      const second = ledger.block([
        { spend: [at(first, 0, 0)], create },
        { spend: [own], create },
      ]);
      const third = ledger.block([{ spend: [at(first, 0, 3), at(second, 0, 1), at(second, 1, 2)], create }]);
      const fourth = ledger.block([{ spend: [at(second, 0, 2), at(third, 0, 0)] }]);
      await feed(store, [first, second, third, fourth]);
      const points = (block: Block, transaction: number, indexes: number[]) =>
        indexes.map((index) => at(block, transaction, index));
      const left = [
        points(first, 0, [0, 1, 2, 3]),
        [...points(first, 0, [1, 2, 3]), ...points(second, 0, [1, 2, 3]), ...points(second, 1, [0, 1, 2, 3])],
        [
          ...points(first, 0, [1, 2]),
          ...points(second, 0, [2, 3]),
          ...points(second, 1, [0, 1, 3]),
          ...points(third, 0, [0, 1, 2, 3]),
        ],
      ];
      for (const [height, expected] of left.entries()) {
        for (const limit of [1, 2, 3, 4, 5, 100]) {
          for (const token of [undefined, usd.id, native.id]) {
            const isListed = ({ outputIndex }: OutPoint) =>
              token === undefined || (outputIndex % 2 === 1) === (token === usd.id);
            const points = expected.filter(isListed).map(text);
            const filters = { at: { height }, limit, token };
            expect(await walk(store, "ann", filters)).toEqual(points);
            expect(await walk(store, "ann", { ...filters, order: "desc" })).toEqual(points.toReversed());
          }
        }
      }
      const { asOf } = await store.query(utxosOfAddress, utxoQuery("ann", { at: { hash: second.hash } }));
      expect(asOf).toMatchObject({ height: 1, hash: second.hash });
      for (const at of [{ height: 4 }, { hash: hashOf("unknown") }]) {
        const page = store.query(utxosOfAddress, utxoQuery("nobody", { at }));
        await expect(page).rejects.toMatchObject({ code: "NOT_FOUND" });
      }
    });

    test("of a random chain are its live outputs in chain order, at any page size", async () => {
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
              const overview = await fresh.query(addressOverview, { addressKey: keyOf(owner), limit: 10 });
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
      const rule = hashOf("rule");
      const issued = { ...usd, issuer: { key: rule, as: ["input"] as const } };
      const funds = ledger.block([
        {
          create: [
            { to: "ann", kind: `guarded@${rule}` },
            { to: "ann", kind: `guarded@${rule}` },
          ],
        },
      ]);
      await feed(store, [funds]);
      const mint = (amount: bigint, spent: number, name: string) =>
        ledger.block([
          {
            spend: [at(funds, 0, spent)],
            create: [{ to: "ann", token: issued, amount }],
            claims: [{ ...claim, name }],
          },
        ]);
      const minted = mint(U128_MAX, 0, "US Dollar");
      await feed(store, [minted, mint(5n, 1, "Other")]);
      const tokenInfo = async () =>
        (await store.query(storedTokens, {})).find((token) => token.id === usd.id)!;
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

    test("is up to date on each page, with any number of tokens, also within a transaction", async () => {
      const tokens = Array.from({ length: 150 }, (_, i) => tokenOf(`t${i}`));
      const mint = () =>
        ledger.block([{ create: tokens.map((token) => ({ to: "ann", token, amount: 1n })) }]);
      const expectSupplies = async (supply: string) => {
        for (const limit of [10, 10, 20, 20, 150, 150]) {
          const { rows } = await store.query(utxosOfAddress, utxoQuery("ann", { limit }));
          const expected = tokens.slice(0, limit).map(({ id }) => [id, supply]);
          expect(rows.map(({ token }) => [token.id, token.totalSupply])).toEqual(expected);
        }
      };
      const mintTwice = async (before: bigint) => {
        for (const supply of [before + 1n, before + 2n]) {
          await feed(store, [mint()]);
          await expectSupplies(String(supply));
        }
      };
      await mintTwice(0n);
      await store.atomically(() => mintTwice(2n));
      await expectSupplies("4");
    });

    test("keeps the name in its collection's earliest claim, also through reorganisations", async () => {
      const claim = (name: string) => ({
        create: [{ to: "ann" }],
        claims: [{ assetId: nft.parentId, outputIndex: 0, name, symbol: "", decimals: null }],
      });
      const nameNow = async () => (await store.query(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token.name;
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

    test("has the name of its collection if it is not fungible", async () => {
      const claim = { assetId: nft.parentId, outputIndex: 0, name: "Apes", symbol: "", decimals: null };
      await feed(store, [ledger.block([{ create: [{ to: "ann", token: nft }] }])]);
      await feed(store, [ledger.block([{ create: [{ to: "ann" }], claims: [claim] }])]);
      const page = await store.query(utxosOfAddress, utxoQuery("ann"));
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
      const shown = async () => (await store.query(assetChangesOfBlock, changeQuery(block)))!.rows[1]!;
      expect((await shown()).amountUsd).toBe((2_000n * 10n ** 8n).toString());
      await store.write(replaceRegistry, [
        {
          id: usd.id,
          name: "Dollar",
          symbol: "USD",
          decimals: 3,
          tags: ["b", "a", "b"],
          keywords: ["x", "y"],
          layer: 3,
          parentId: "bank",
          description: "A dollar",
          public: false,
          icon: "https://icons.example/i.png",
        },
      ]);
      expect(await shown()).toEqual({
        amount: "1000",
        amountUsd: (2n * 10n ** 8n).toString(),
        asset: {
          id: usd.id,
          name: "Dollar",
          symbol: "USD",
          decimals: 3,
          icon: "",
          standard: "xUDT",
          tags: ["a", "b"],
        },
      });
      const info = (await store.query(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token;
      const facts = { layer: 3, parentId: "bank", description: "A dollar", public: false, keywords: "x,y" };
      expect(info).toMatchObject(facts);
      await store.write(replaceRegistry, [{ id: usd.id }]);
      const listed = (await store.query(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token;
      expect(listed).toMatchObject({ layer: 2, parentId: "", description: "", public: true, keywords: "" });
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
        const changes = [block, late].map((each) => store.query(assetChangesOfBlock, changeQuery(each)));
        return (await Promise.all(changes)).map((page) => page!.rows[1]!.asset.icon);
      };
      expect(await shown()).toEqual([`/asset-icons/${usd.id}`, `/asset-icons/${nft.id}`]);
      const { picture, etag } = (await store.query(assetIcon, usd.id))!;
      expect({ assetId: usd.id, picture: Uint8Array.from(picture), etag }).toEqual(icon(usd.id));
      expect(await store.query(assetIcon, native.id)).toBeNull();
      expect(await store.query(assetIcon, "0x00\0'; --")).toBeNull();
      expect(await verifyStore(store)).toEqual([]);
      const copy = await open();
      try {
        const data = await store.query(operatorData);
        await adoptOperatorData(copy, data);
        expect((await copy.query(operatorData)).icons).toEqual(data.icons);
        expect(data.icons).toHaveLength(2);
      } finally {
        await copy.close();
      }
      await store.write(replaceRegistry, [{ id: usd.id }], [icon(nft.id)]);
      expect(await shown()).toEqual(["", `/asset-icons/${nft.id}`]);
      await store.write(replaceRegistry, [{ id: usd.id }]);
      expect(await shown()).toEqual(["", ""]);
      expect(await store.query(assetIcon, usd.id)).toBeNull();
      expect(await verifyStore(store)).toEqual([]);
    });
  });
});
