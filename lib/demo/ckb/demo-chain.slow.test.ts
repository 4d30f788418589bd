import { beforeAll, describe, expect, test } from "vitest";
import { parseBlock } from "#lib/chains/ckb/block.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { leastCapacity, MAXIMUM_AMOUNT } from "#lib/chains/ckb/testing/cells.ts";
import { type Recomputed, recompute } from "#lib/chains/ckb/testing/recompute.ts";
import type { Block } from "#lib/contract/ledger.ts";
import { MAX_NAME } from "#lib/contract/texts.ts";
import { parsePrices } from "#lib/indexer/prices.ts";
import { parseRegistry } from "#lib/indexer/registry.ts";
import { type DemoChain, demoChain } from "./demo-chain.ts";
import { demoLedger } from "./demo-ledger.ts";
import { hostileTokens } from "./demo-tokens.ts";

const native = "0x80000135";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let demo: DemoChain;
let parsed: Block[];
let answers: Recomputed;
let pages: Map<string, Recomputed["utxos"] extends Map<string, infer Page> ? Page : never>;

beforeAll(() => {
  demo = demoChain();
  parsed = demo.blocks.map((block, height) => parseBlock(block, "testnet", `block ${height}`));
  answers = recompute(demo.blocks, {}, "testnet");
  pages = new Map([...answers.utxos.values()].map((page) => [page.address, page]));
});

function tokensAt(address: string): string[] {
  return pages.get(address)?.entries.map((entry) => entry.token) ?? [];
}

function changesOf(hash: string) {
  return answers.changes.get(hash) ?? [];
}

function tipHash(blocks: NodeBlock[]) {
  return blocks.at(-1)?.header.hash;
}

describe("demoChain", () => {
  test("makes the same blocks from the same seed, and others from another", () => {
    const again = demoChain();
    expect(tipHash(again.blocks)).toBe(tipHash(demo.blocks));
    expect(tipHash(again.fork)).toBe(tipHash(demo.fork));
    expect(again.pricesCsv).toBe(demo.pricesCsv);
    expect(again.registry).toEqual(demo.registry);
    expect(tipHash(demoChain({ seed: 2, liveOutputs: 100 }).blocks)).not.toBe(
      tipHash(demoChain({ seed: 3, liveOutputs: 100 }).blocks),
    );
  });

  test("is contiguous from height 0 to its last block at 2026-10-01", () => {
    expect(parsed.map(({ height }) => height)).toEqual(parsed.map((_, index) => index));
    expect(parsed[0]?.parentHash).toBe(`0x${"0".repeat(64)}`);
    for (const [index, block] of parsed.slice(1).entries())
      expect(block.parentHash).toBe(parsed[index]?.hash);
    expect(parsed.at(-1)?.timestamp).toBe(Date.UTC(2026, 9, 1));
  });

  test("spreads its blocks over about 40 days, the last 480 of them over two hours", () => {
    const times = parsed.map(({ timestamp }) => timestamp);
    const end = times.at(-1)!;
    const intervals = times.slice(1).map((time, index) => time - times[index]!);
    expect(new Set(intervals.slice(-360))).toEqual(new Set([10_000]));
    expect(times.at(-361)).toBe(end - HOUR);
    expect(new Set(intervals.slice(-480, -360))).toEqual(new Set([30_000]));
    expect(times.at(-481)).toBe(end - 2 * HOUR);
    const slow = intervals.slice(0, -480);
    expect(Math.min(...slow)).toBeGreaterThan(0.9 * HOUR);
    expect(Math.max(...slow)).toBeLessThan(2.8 * HOUR);
    expect(new Set(slow).size).toBeGreaterThan(slow.length / 2);
    expect((end - times[0]!) / DAY).toBeGreaterThan(38);
    expect((end - times[0]!) / DAY).toBeLessThan(42);
  });

  test("fills the busy address over weeks", () => {
    const created = pages.get(demo.notable.busyAddress)!.entries.map(({ blockHeight }) => blockHeight);
    const weekAgo = parsed.findLast(({ timestamp }) => timestamp <= Date.UTC(2026, 8, 24))!.height;
    const inLastWeek = created.filter((height) => height > weekAgo).length;
    expect(inLastWeek).toBeGreaterThan(500);
    expect(inLastWeek).toBeLessThan(3_000);
  });

  test("is the same for the core, with a branch that leaves it at the fork's height", () => {
    const { blocks, fork, forkHeight, notable } = demoLedger(demo);
    expect(blocks.map(({ hash }) => hash)).toEqual(parsed.map(({ hash }) => hash));
    expect(fork.map(({ height }) => height)).toEqual(fork.map((_, index) => forkHeight + index));
    expect(fork[0]?.parentHash).toBe(blocks[forkHeight - 1]?.hash);
    expect(fork[0]?.hash).not.toBe(blocks[forkHeight]?.hash);
    expect(notable).toHaveLength(3);
  });

  test("keeps CKB's rules: capacity is conserved and enough, and only issuers mint, but for the inscription", () => {
    const claims = parsed.flatMap(({ transactions }) => transactions.flatMap((each) => each.claims));
    const inscribed = claims.filter(({ assetId, decimals }) => assetId !== null && decimals !== null);
    expect(inscribed.map(({ name }) => name)).toEqual(["Rung"]);
    const cells = new Map<
      string,
      { capacity: bigint; amount: bigint; token: string | null; owner: string }
    >();
    for (const [height, block] of demo.blocks.entries()) {
      for (const [position, transaction] of block.transactions.entries()) {
        const spent =
          position === 0
            ? []
            : transaction.inputs.map(({ previous_output: { tx_hash, index } }) => {
                const cell = cells.get(`${tx_hash}:${Number(index)}`);
                if (!cell) throw new Error(`${transaction.hash} spends what is not there`);
                return cell;
              });
        const facts = parsed[height]!.transactions[position]!;
        const made = transaction.outputs.map((output, index) => {
          const { token, amount, address, capacity } = facts.outputs[index]!;
          const least = leastCapacity({
            lock: output.lock,
            type: output.type,
            data: transaction.outputs_data[index],
          });
          expect(capacity).toBeGreaterThanOrEqual(least);
          // The first 32 bytes of a fungible token's args name its issuer.
          const mayAnyone = token?.id === inscribed[0]!.assetId;
          const issuer = token?.fungible && !mayAnyone ? output.type!.args.slice(0, 66) : null;
          const cell = { capacity, amount, token: token?.id ?? null, owner: address.key };
          cells.set(`${transaction.hash}:${index}`, cell);
          return { ...cell, issuer };
        });
        const sum = (list: { capacity: bigint }[]) =>
          list.reduce((total, { capacity }) => total + capacity, 0n);
        if (position > 0) expect(sum(made)).toBeLessThanOrEqual(sum(spent));
        const balance = new Map<string, bigint>();
        for (const { token, amount } of spent)
          if (token) balance.set(token, (balance.get(token) ?? 0n) + amount);
        for (const { token, amount, issuer } of made) {
          if (!token || !issuer) continue;
          const left = (balance.get(token) ?? 0n) - amount;
          balance.set(token, left);
          if (left < 0n) expect(spent.map(({ owner }) => owner)).toContain(issuer);
        }
      }
    }
  });

  test("gives one address 20,000 live outputs of many kinds, one 3, and one none any more", () => {
    const busy = tokensAt(demo.notable.busyAddress);
    expect(busy).toHaveLength(20_000);
    expect(new Set(busy).size).toBeGreaterThan(100);
    const [plain, fungible, spore] = pages.get(demo.notable.smallAddress)?.entries ?? [];
    expect(tokensAt(demo.notable.smallAddress)).toHaveLength(3);
    expect(plain?.token).toBe(native);
    expect(fungible).toMatchObject({ token: demo.notable.knownToken, amount: "12345678" });
    expect(spore?.amount).toBe("1");
    expect(pages.get(demo.notable.emptiedAddress)?.entries).toEqual([]);
    expect(pages.has(demo.notable.unseenAddress)).toBe(false);
    const live = [...pages.values()].reduce((sum, page) => sum + page.entries.length, 0);
    expect(live).toBeGreaterThan(25_000);
  });

  test("gives the busy address as many outputs as asked for", () => {
    for (const liveOutputs of [1, 37, 450]) {
      const { blocks, notable } = demoChain({ liveOutputs });
      const page = [...recompute(blocks, {}, "testnet").utxos.values()].find(
        ({ address }) => address === notable.busyAddress,
      );
      expect(page?.entries).toHaveLength(liveOutputs);
    }
    expect(() => demoChain({ liveOutputs: 0 })).toThrow(RangeError);
  });

  test("has a block that moves over 150 assets, one that moves CKB alone, and one that moves nothing", () => {
    expect(changesOf(demo.notable.busyBlockHash).length).toBeGreaterThan(150);
    expect(changesOf(demo.notable.emptyBlockHash).map(({ assetId }) => assetId)).toEqual([native]);
    expect(answers.changes.get(demo.notable.bareBlockHash)).toEqual([]);
  });

  test("moves amounts up to a u128's maximum, and in one block twice that", () => {
    expect(changesOf(demo.notable.hugeBlockHash)).toContainEqual({
      assetId: demo.notable.maximumToken,
      amount: 2n * MAXIMUM_AMOUNT,
    });
  });

  test("burns a token to the last, and makes outputs with an amount of 0", () => {
    const all = [...pages.values()].flatMap((page) => page.entries);
    expect(all.some(({ token }) => token === demo.notable.burntToken)).toBe(false);
    expect(
      parsed.some(({ transactions }) =>
        transactions.some(({ outputs }) =>
          outputs.some(({ token }) => token?.id === demo.notable.burntToken),
        ),
      ),
    ).toBe(true);
    expect(
      all.filter(({ token, amount }) => token === demo.notable.unpricedToken && amount === "0"),
    ).toHaveLength(3);
  });

  test("names its tokens on the chain, the hostile ones as they are, up to the longest name", () => {
    const claims = parsed.flatMap(({ transactions }) =>
      transactions.flatMap((transaction) => transaction.claims),
    );
    const names = new Set(claims.map(({ name }) => name));
    for (const { info } of hostileTokens) {
      if (typeof info?.name === "string") expect(names).toContain(info.name.replaceAll("\0", ""));
    }
    expect(claims.some(({ decimals }) => decimals === 255)).toBe(true);
    const longest = Math.max(...[...names].map((name) => [...name].length));
    expect(longest).toBe(MAX_NAME);
    const held = new Set(tokensAt(demo.notable.hostileAddress));
    expect(held.size).toBeGreaterThanOrEqual(hostileTokens.length);
    const passedOff = tokensAt(demo.notable.lookAlikeAddress);
    expect(passedOff).toContain(demo.notable.knownToken);
    expect(passedOff).toContain(demo.notable.lookAlikeToken);
  });

  test("has Spores in clusters and Spores without", () => {
    const spores = parsed.flatMap(({ transactions }) =>
      transactions.flatMap(({ outputs }) =>
        outputs.flatMap(({ token }) => (token?.fungible === false ? [token] : [])),
      ),
    );
    const clusters = new Set(spores.map(({ parentId }) => parentId));
    expect(clusters.has("")).toBe(true);
    expect(clusters.size).toBeGreaterThanOrEqual(5);
    expect(spores.find(({ id }) => id === demo.notable.longNameSpore)?.parentId).not.toBe("");
  });

  test("lists at least 60 tokens with tags and prices, and some without a price", () => {
    const registry = parseRegistry(JSON.stringify({ assets: demo.registry }), "registry.json");
    const prices = parsePrices(demo.pricesCsv, "prices.csv");
    const priced = new Set(prices.map(({ assetId }) => assetId));
    const both = registry.filter(({ id, tags }) => priced.has(id) && (tags?.length ?? 0) > 0);
    expect(both.length).toBeGreaterThanOrEqual(60);
    expect(priced.has(demo.notable.unpricedToken)).toBe(false);
    expect(registry.some(({ id }) => id === demo.notable.unpricedToken)).toBe(true);
    expect(priced.has(native)).toBe(true);
    const late = prices.filter(({ assetId }) => assetId === demo.notable.latePricedToken);
    const middle = parsed[Math.floor(parsed.length / 2)]!.timestamp;
    expect(Math.min(...late.map(({ time }) => time))).toBe(middle);
    const known = prices.filter(({ assetId }) => assetId === demo.notable.knownToken);
    expect(new Set(known.map(({ usd }) => usd)).size).toBeGreaterThan(3);
    // Every listed token was issued.
    const seen = new Set(
      parsed.flatMap(({ transactions }) =>
        transactions.flatMap(({ outputs }) => outputs.map(({ token }) => token?.id ?? native)),
      ),
    );
    for (const { id } of registry) expect(seen).toContain(id);
  });

  test("moves prices by some per cent a day, dollars near 1, and some every few minutes of the last hour", () => {
    const prices = parsePrices(demo.pricesCsv, "prices.csv");
    expect(prices.length).toBeLessThan(15_000);
    const of = (id: string) => prices.filter(({ assetId }) => assetId === id);
    const dollar = of(demo.notable.knownToken).map(({ usd }) => Number(usd) / 1e18);
    expect(Math.min(...dollar)).toBeGreaterThan(0.995);
    expect(Math.max(...dollar)).toBeLessThan(1.005);

    const end = Date.UTC(2026, 9, 1);
    const priceAt = (time: number) => Number(of(native).findLast((price) => price.time <= time)!.usd);
    const daily = Array.from({ length: 40 }, (_, day) =>
      Math.abs(priceAt(end - day * DAY) / priceAt(end - (day + 1) * DAY) - 1),
    );
    const mean = daily.reduce((sum, change) => sum + change, 0) / daily.length;
    expect(mean).toBeGreaterThan(0.01);
    expect(mean).toBeLessThan(0.05);
    expect(Math.max(...daily)).toBeLessThan(0.15);

    const recent = prices.filter(({ time }) => time > end - HOUR && time <= end);
    const changing = Map.groupBy(recent, ({ assetId }) => assetId);
    const lively = [...changing.values()].filter(({ length }) => length >= 3);
    expect(lively).toHaveLength(7);
    expect(changing.get(native)!.length).toBeGreaterThanOrEqual(3);
  });

  test("abandons a branch that spends and makes other things", () => {
    const { fork, forkHeight, blocks, notable } = demo;
    const shared = blocks.slice(0, forkHeight);
    expect(fork.map(({ header }) => Number(header.number))).toEqual([forkHeight, forkHeight + 1]);
    expect(fork[0]?.header.parent_hash).toBe(tipHash(shared));
    expect(blocks.map(({ header }) => header.hash)).not.toContain(notable.replacedBlockHash);
    expect(blocks.length).toBeGreaterThan(forkHeight + fork.length);
    for (const block of fork) expect(() => parseBlock(block, "testnet", "fork")).not.toThrow();

    const abandoned = recompute([...shared, ...fork], {}, "testnet");
    const small = [...abandoned.utxos.values()].find(({ address }) => address === notable.smallAddress);
    expect(small?.entries).toEqual([]);
    const changed = fork.flatMap(({ header }) => abandoned.changes.get(header.hash) ?? []);
    expect(changed.map(({ assetId }) => assetId)).toContain(notable.abandonedToken);
    const onBoth = new Set(fork.flatMap(({ transactions }) => transactions.slice(1).map(({ hash }) => hash)));
    const canonical = blocks
      .slice(forkHeight)
      .flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    expect(canonical.filter((hash) => onBoth.has(hash))).toHaveLength(2);
  });
});
