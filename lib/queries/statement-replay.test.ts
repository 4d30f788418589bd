import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createService } from "#lib/api/service.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { followBranches } from "#lib/chains/ckb/testing/follow-branches.ts";
import { growth, owners, prices } from "#lib/chains/ckb/testing/random-tree.ts";
import { readConfig } from "#lib/config.ts";
import { type Block, type Output, outPointText } from "#lib/contract/ledger.ts";
import type { Price } from "#lib/store/rows.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { asker } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { statementOf } from "#lib/testing/statement-replay.ts";
import { walkAll } from "#lib/testing/walk-all.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS, valueInUsd } from "#lib/util/amounts.ts";
import type { HoldingEntry } from "./address-holdings/contract.ts";
import type { StatementHolding, StatementLine } from "./address-statement/contract.ts";
import { addressStatement } from "./address-statement/response.ts";

const address = encodeAddress(owners[0]!, "testnet");
const { key } = parseAddress(address, "testnet");

interface Sums {
  amount: bigint;
  capacity: bigint;
  outputCount: number;
}

/** The amounts that the address's outputs hold, in order of their tokens' ids. */
function sumsOf(outputs: Iterable<Output>): [token: string, Sums][] {
  const sums = new Map<string, Sums>();
  for (const { token, amount, capacity } of outputs) {
    const id = token?.id ?? NATIVE_ASSET.id;
    const sum = sums.get(id) ?? { amount: 0n, capacity: 0n, outputCount: 0 };
    sums.set(id, {
      amount: sum.amount + amount,
      capacity: sum.capacity + capacity,
      outputCount: sum.outputCount + 1,
    });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Replays the blocks: returns the address's holdings after each, and the lines of its statement. */
function replay(blocks: Block[]) {
  const live = new Map<string, Output>();
  const states = blocks.map(({ timestamp, transactions }) => {
    for (const { hash, inputs, outputs } of transactions) {
      for (const outPoint of inputs.map(outPointText)) live.delete(outPoint);
      for (const [outputIndex, output] of outputs.entries()) {
        if (output.address.key === key)
          live.set(outPointText({ transactionHash: hash, outputIndex }), output);
      }
    }
    return { held: sumsOf(live.values()), timestamp };
  });
  return { states, lines: statementOf(blocks, [key], NATIVE_ASSET.id) };
}

const priceAt = (prices: Price[], asset: string, time: number): bigint | undefined =>
  prices
    .filter((price) => price.assetId === asset && price.time <= time)
    // If two have the same time, the later one in the list counts.
    .sort((one, other) => one.time - other.time)
    .at(-1)?.usd;

const codeIn = (error: { code: string }) => error.code;

/** Streams the whole statement: returns its lines, with the last one apart. */
async function streamed(store: Store, search: Record<string, string>) {
  const { parse, lines } = addressStatement.implement(await createService(store, readConfig({})));
  let text = "";
  const request = await parse({ address }, new URLSearchParams(search));
  for await (const piece of lines(request)) text += piece.text;
  const all = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const last = all.pop() as { cursor: string; holdings: StatementHolding[] };
  return { lines: all as StatementLine[], last };
}

const branches = fc.array(fc.tuple(fc.nat({ max: 4 }), growth), { maxLength: 3 });

describe.each(engines)("a statement and holdings in $name", ({ name, open }) => {
  const numRuns = (name === "SQLite" ? 10 : 2) * MORE;
  const onChain = (work: (store: Store) => Promise<void>) => async () => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  test("equal a replay of the blocks, after every block and from every block", async () => {
    await fc.assert(
      fc.asyncProperty(
        growth,
        branches,
        prices,
        fc.integer({ min: 1, max: 6 }),
        (first, branches, prices, pageSize) =>
          onChain(async (store) => {
            const blocks = await followBranches(store, first, branches);
            await store.write(loadPrices, prices);
            const ask = await asker(store);
            const { states, lines: all } = replay(blocks);
            const page = String(pageSize);

            for (const [height, { held, timestamp }] of states.entries()) {
              const search = { at: height % 2 ? String(height) : blocks[height]!.hash, pageSize: page };
              const holdings = await walkAll<HoldingEntry>((cursor) =>
                ask("addressHoldings", { address }, { ...search, cursor }),
              );
              const expected = held.map(([token, { amount, capacity, outputCount }]) => {
                const { decimals } = holdings.find((entry) => entry.token === token)!.tokenInfo;
                const usd = priceAt(prices, token, timestamp);
                const value = usd === undefined ? -1n : valueInUsd(amount, decimals, usd);
                const priceUsd = usd === undefined ? "" : toUnits(usd, PRICE_DECIMALS);
                const valueUsd = usd === undefined ? "" : toUnits(value, USD_DECIMALS);
                const sums = { token, amount: `${amount}`, capacity: `${capacity}`, outputCount };
                return { value, entry: { ...sums, priceUsd, valueUsd } };
              });
              expected.sort(
                (one, other) =>
                  Number(one.value < other.value) - Number(one.value > other.value) ||
                  other.entry.outputCount - one.entry.outputCount ||
                  (one.entry.token < other.entry.token ? -1 : 1),
              );
              expect(holdings.map(({ tokenInfo: _, ...entry }) => entry)).toEqual(
                expected.map(({ entry }) => entry),
              );
            }

            for (let from = -1; from < states.length; from++) {
              const to = Math.max(from, states.length - 1 - ((from + 1) % 3));
              const search = { pageSize: page, to: String(to), ...(from >= 0 && { from: String(from) }) };
              const lines = await walkAll<StatementLine>((cursor) =>
                ask("addressStatement", { address }, { ...search, cursor }),
              );
              expect(lines).toEqual(all.filter(({ height }) => height > from && height <= to));
              const stream = await streamed(store, search);
              expect(stream.lines).toEqual(lines);
              const held = states[to]?.held.map(([token, { amount }]) => ({ token, amount: `${amount}` }));
              expect(stream.last.holdings).toEqual(held ?? []);
              const cursor = stream.last.cursor;
              const { holdings } = await ask("addressStatement", { address }, { ...search, cursor });
              expect(holdings).toEqual(held ?? []);
            }
            const closings = new Map(all.map(({ token, closing }) => [token, closing]));
            for (const [token, { amount }] of states.at(-1)!.held)
              expect(closings.get(token)).toBe(`${amount}`);

            const { token } = all.at(-1)!;
            const { lines: valued } = await streamed(store, { token, value: "usd" });
            expect(valued.map(({ priceUsd: _, valueUsd: __, ...line }) => line)).toEqual(
              all.filter((line) => line.token === token),
            );
            const { lines: described } = await streamed(store, { token, value: "usd", include: "token" });
            expect(described.map(({ tokenInfo: _, standard: __, ...line }) => line)).toEqual(valued);
            const outputs = blocks.flatMap(({ transactions }) =>
              transactions.flatMap(({ outputs }) => outputs),
            );
            const issuer = outputs.find((output) => output.token?.id === token)?.token;
            for (const line of described) {
              expect(line.tokenInfo?.id).toBe(token);
              expect(line.standard).toBe(issuer?.standard ?? "native");
            }
            for (const { time, priceUsd } of valued) {
              const usd = priceAt(prices, token, Date.parse(time));
              expect(priceUsd).toBe(usd === undefined ? "" : toUnits(usd, PRICE_DECIMALS));
            }
          })(),
      ),
      { numRuns },
    );
  });

  test(
    "refuse blocks that are unknown, ranges that end before they begin, and malformed ones",
    onChain(async (store) => {
      const blocks = await followBranches(store, [[], []], []);
      const ask = await asker(store);
      const codeOf = async (search: Record<string, string>) =>
        ask("addressStatement", { address }, search).then(() => "", codeIn);
      const above = String(blocks.at(-1)!.height + 1);
      expect(await codeOf({ to: above })).toBe("NOT_FOUND");
      expect(await codeOf({ from: `0x${"00".repeat(32)}` })).toBe("NOT_FOUND");
      expect(await codeOf({ from: "2", to: "1" })).toBe("BAD_REQUEST");
      expect(await codeOf({ from: "-1" })).toBe("BAD_REQUEST");
      expect(await codeOf({ value: "eur" })).toBe("BAD_REQUEST");
      expect(await codeOf({ from: "1", to: "1" })).toBe("");
      const holdings = async (search: Record<string, string>) =>
        ask("addressHoldings", { address }, search).then(() => "", codeIn);
      expect(await holdings({ at: above })).toBe("NOT_FOUND");
      expect(await holdings({ at: "1e2" })).toBe("BAD_REQUEST");
    }),
  );
});
