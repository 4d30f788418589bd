import { expect, test } from "vitest";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { asker } from "#lib/testing/ask.ts";
import { at, hashOf, native, outputOf, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { addressOf } from "#lib/testing/v0.ts";
import { transactionOf } from "./read.ts";

const CKB = 10n ** 8n;
/** Capacity of a withdrawal's cell that earns nothing: 102 bytes for one of these addresses. */
const OCCUPIED = 102n * CKB;

describeEngines(() => {
  const facts = async (hash: string) => (await asker(store))("transaction", { hash }, {});

  test("a fee counts the interest that a withdrawal is paid, and is empty if that is unknown", async () => {
    const deposit = { to: addressOf(1), capacity: 1_000n * CKB };
    ledger.block([{ create: [deposit] }]);
    ledger.block([
      {},
      {
        create: [
          { ...deposit, kind: "dao-withdrawal@0" },
          { ...deposit, kind: "dao-withdrawal@9" },
        ],
      },
    ]);
    const [first, second] = ledger.blocks;
    for (const [block, rate] of [
      [first!, 10n ** 16n],
      [second!, 11n * 10n ** 15n],
    ] as const)
      block.headerFacts = `0x${"00".repeat(16)}${Buffer.from(BigUint64Array.of(rate).buffer).toString("hex")}${"00".repeat(16)}`;
    const interest = (deposit.capacity - OCCUPIED) / 10n;
    const { hash, transactions } = ledger.block([
      {},
      {
        spend: [at(second!, 1, 0)],
        create: [{ to: addressOf(2), capacity: deposit.capacity + interest - 7n }],
      },
      { spend: [at(second!, 1, 1)], create: [{ to: addressOf(2), capacity: deposit.capacity }] },
    ]);
    await feed(store, ledger.blocks);
    expect(await facts(transactions[1]!.hash)).toMatchObject({
      ...{ blockHash: hash, index: 1, fee: "7", inputCount: 1, outputCount: 1, moreAssets: 0 },
      assets: [{ token: native.id, minted: String(interest - 7n), burnt: "0" }],
    });
    expect((await facts(transactions[2]!.hash)).fee).toBe("");
    expect((await facts(transactions[0]!.hash)).assets).toEqual([]);
  });

  test.each([63, 65])("a hash of %i digits is 400", async (digits) => {
    const issues = [{ path: ["path", "hash"], code: "invalid_format", message: expect.any(String) }];
    await expect(facts(`0x${"a".repeat(digits)}`)).rejects.toMatchObject({ code: "BAD_REQUEST", issues });
  });

  test("assets beyond the limit are counted", async () => {
    const tokens = Array.from({ length: 2_500 }, (_, i) => tokenOf(`${i}`));
    const { transactions } = ledger.block([{ create: tokens.map((token) => ({ to: "ann", token })) }]);
    await feed(store, ledger.blocks);
    const { assets, moreAssets } = await facts(transactions[0]!.hash);
    expect(assets.map(({ token }: { token: string }) => token)).toEqual(
      [native.id, ...tokens.map(({ id }) => id)].slice(0, 1_000),
    );
    expect([assets[0].out, moreAssets]).toEqual([String(2_500n * outputOf({ to: "ann" }).capacity), 1_501]);
  });

  test("a transaction up to the horizon gets 404 with the reason", async () => {
    const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
    ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "cat" }] }]);
    ledger.block([{ create: [{ to: "ann" }] }]);
    await feed(store, ledger.blocks);
    await store.write(raiseHorizon, 1);
    const read = (hash: string) => store.query(transactionOf, { hash, assets: 1 });
    for (const block of ledger.blocks.slice(0, 2)) {
      const { issues } = await read(block.transactions[0]!.hash).catch((error) => error);
      expect(issues).toMatchObject([{ code: "not_kept" }]);
    }
    await expect(read(hashOf("none"))).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await read(ledger.tip!.transactions[0]!.hash)).toMatchObject({ fee: 0n, outputs: 1 });
  });
});
