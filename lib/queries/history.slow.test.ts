import { beforeEach, expect, test } from "vitest";
import { type Block, type OutPoint, outPointText } from "#lib/contract/ledger.ts";
import type { Position } from "#lib/store/rows.ts";
import { counted } from "#lib/testing/counted.ts";
import { at, keyOf } from "#lib/testing/ledger.ts";
import {
  describeEngines,
  feed,
  flowsByHand,
  ledger,
  store,
  text,
  usd,
  utxoQuery,
} from "#lib/testing/stores.ts";
import { type ChangePlace, changesOfAddresses } from "./address-changes/read.ts";
import { addressFlows, addressNews } from "./address-flows.ts";
import { holdingsOfAddresses } from "./address-holdings/read.ts";
import { statementOfAddresses } from "./address-statement/read.ts";
import { utxosOfAddress } from "./address-utxos/read.ts";
import { PIECE } from "./pieces.ts";
import { sinceVisits } from "./visits.ts";

/** Outputs of ann in a transaction, and how many of them another one spends. */
const OUTPUTS = 2 * PIECE + 500;
const SPENT = PIECE + 300;
const addressKey = keyOf("ann");
const addressKeys = [addressKey];

/** A statement looks at one row more, to see that there are too many. */
const fewRows = { read: expect.any(Number), most: expect.toSatisfy((most: number) => most <= PIECE + 1) };

describeEngines(() => {
  beforeEach(async () => {
    const large = new Array(OUTPUTS).fill({ to: "ann" });
    ledger.block([{ create: [{ to: "ann" }, { to: "ann", token: usd, amount: 5n }] }, { create: large }]);
    const spend = (block: Block, transaction: number, from: number, to: number): OutPoint[] =>
      Array.from({ length: to - from }, (_, i) => at(block, transaction, from + i));
    const [first] = ledger.blocks as [Block];
    ledger.block([
      // Another's outputs lie between ann's.
      {
        spend: spend(first, 1, 0, SPENT),
        create: [...large.slice(0, PIECE), { to: "bob" }, ...large.slice(0, 7)],
      },
      { create: [{ to: "ann" }] },
    ]);
    ledger.block([
      { spend: spend(first, 1, SPENT, SPENT + PIECE), create: [{ to: "ann", token: usd, amount: 6n }] },
    ]);
    await feed(store, ledger.blocks);
  });

  /** By replaying the blocks: ann's outputs after each block, and what happened to them. */
  function replayed() {
    const owned = new Set<string>();
    const changes: string[] = [];
    const states = ledger.blocks.map((block) => {
      for (const { hash, inputs, outputs } of block.transactions) {
        for (const input of inputs) if (owned.delete(text(input))) changes.push(`spent ${text(input)}`);
        for (const [outputIndex, { address }] of outputs.entries()) {
          if (address.key !== addressKey) continue;
          owned.add(text({ transactionHash: hash, outputIndex }));
          changes.push(`created ${text({ transactionHash: hash, outputIndex })}`);
        }
      }
      return [...owned];
    });
    return { changes, states };
  }

  test.each([700, PIECE, 10_000])(
    "changes in pages of %d are the same, whatever the size of a transaction",
    async (limit) => {
      const { query, rows } = counted(changesOfAddresses);
      for (const [order, keepsAhead] of [
        [undefined, true],
        [undefined, false],
        ["desc", true],
        ["desc", false],
      ] as const) {
        const found: string[] = [];
        let after: ChangePlace | undefined;
        for (;;) {
          const page = await store.query(query, { addressKeys, after, limit, order });
          found.push(...page.rows.map((row) => `${row.change} ${outPointText(row)}`));
          if (!page.hasNext) break;
          after = { ...page.last!, ...(!keepsAhead && { ahead: undefined }) };
        }
        const { changes } = replayed();
        expect(found).toEqual(order ? changes.toReversed() : changes);
      }
      expect(rows).toEqual(fewRows);
    },
  );

  test("a page within a large transaction reads little of it", async () => {
    const { last } = await store.query(changesOfAddresses, { addressKeys, limit: OUTPUTS - 100 });
    const { query, rows } = counted(changesOfAddresses);
    await store.query(query, { addressKeys, after: { ...last!, ahead: undefined }, limit: 1 });
    expect(rows.read).toBeLessThan(2 * PIECE);
  });

  test("changes of a token are found behind those of others", async () => {
    const { query, rows } = counted(changesOfAddresses);
    const page = await store.query(query, { addressKeys, token: usd.id, limit: 10 });
    expect(page.rows.map(({ height, amount }) => [height, amount])).toEqual([
      [0, "5"],
      [2, "6"],
    ]);
    expect(rows).toEqual(fewRows);
  });

  test.each(["asc", "desc"] as const)("the list as of each block, %s, is the same", async (order) => {
    for (const [height, state] of replayed().states.entries()) {
      const { query, rows } = counted(utxosOfAddress);
      const found: string[] = [];
      for (let after: Position | undefined; ; ) {
        const page = await store.query(query, utxoQuery("ann", { order, at: { height }, after, limit: 900 }));
        found.push(...page.rows.map(outPointText));
        if (!page.hasNext) break;
        after = page.last!;
      }
      expect(found).toEqual(order === "asc" ? state : state.toReversed());
      expect(rows).toEqual(fewRows);
    }
  });

  test("sums as of a block, between blocks and by block are those of the outputs", async () => {
    const { query, rows } = counted(holdingsOfAddresses);
    for (const [height, state] of replayed().states.entries()) {
      const page = await store.query(query, { addressKeys, at: { height }, limit: 10 });
      expect(page.rows.reduce((sum, { outputCount }) => sum + outputCount, 0)).toBe(state.length);
    }
    expect(rows).toEqual(fewRows);

    const statement = counted(statementOfAddresses);
    const lines = await store.query(statement.query, { addressKeys, limit: 100 });
    // An output holds 100.
    const native = lines.rows.filter(({ token }) => token.id !== usd.id);
    expect(native.map(({ in: came, out }) => [came, out])).toEqual([
      [100n * BigInt(OUTPUTS + 1), 0n],
      // Its first transaction took more than it gave, and the other one gave one output.
      [100n, 100n * BigInt(SPENT - PIECE - 7)],
      [0n, 100n * BigInt(PIECE)],
    ]);
    expect(statement.rows).toEqual(fewRows);
    const newest = await store.query(statement.query, { addressKeys, limit: 100, order: "desc" });
    const amounts = ({ rows }: typeof lines) => rows.map(({ opening, closing }) => [opening, closing]);
    expect(amounts(newest)).toEqual(amounts(lines).reverse());
    const byTransaction = await store.query(statement.query, {
      addressKeys,
      limit: 100,
      per: "transaction",
    });
    expect(byTransaction.rows.map(({ in: came }) => came).filter((came) => came > 9n)).toEqual([
      100n,
      100n * BigInt(OUTPUTS),
      100n,
    ]);

    const flows = counted(addressFlows);
    const { flows: sums } = await store.query(flows.query, { addressKey, since: 0, limit: 10 });
    const texts = sums.map(({ token, came, left }) =>
      String([token.id, came.transactionCount, came.amount, left.transactionCount, left.amount]),
    );
    expect(new Set(texts)).toEqual(flowsByHand(ledger.blocks, addressKeys, 0));
    expect(flows.rows).toEqual(fewRows);
  });

  test("news count outputs, however many a transaction has", async () => {
    const news = counted(addressNews);
    const later = ledger.blocks.slice(1).flatMap(({ transactions }) => transactions);
    const spent = new Set(later.flatMap(({ inputs }) => inputs.map(outPointText)));
    const passed = later.flatMap(({ hash: transactionHash, outputs }) =>
      outputs.filter(
        ({ address }, outputIndex) =>
          address.key === addressKey && spent.has(outPointText({ transactionHash, outputIndex })),
      ),
    ).length;
    const counts = { came: PIECE + 9, left: SPENT + PIECE, passed, more: false };
    expect(await store.query(news.query, { addressKey, since: 0 })).toEqual(counts);
    expect(news.rows).toEqual(fewRows);
    const [visit] = await store.query(sinceVisits, [{ addressKey, height: 0, hash: ledger.blocks[0]!.hash }]);
    expect(visit).toMatchObject({ created: PIECE + 9, spent: SPENT + PIECE });
  });

  test("outputs that nobody can spend neither come nor leave", async () => {
    ledger.block([{ create: new Array(PIECE + 1).fill({ to: "cay", spendable: false }) }]);
    await feed(store, ledger.blocks.slice(-1));
    const { flows } = await store.query(addressFlows, { addressKey: keyOf("cay"), since: -1, limit: 10 });
    expect(flows).toEqual([]);
  });
});
