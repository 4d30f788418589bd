import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { type ApiError, isApiError } from "#lib/contract/errors.ts";
import type { Block } from "#lib/contract/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { streamed } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import {
  assets,
  changesIn,
  Followed,
  type Held,
  hasGaps,
  idOf,
  isOwn,
  liveAfter,
  outputText,
  ownAfter,
  owners,
  type Plan,
  plan,
  plans,
  sideOf,
} from "#lib/testing/followed-chain.ts";
import { native } from "#lib/testing/ledger.ts";
import { statementOf } from "#lib/testing/statement-replay.ts";
import { addressText } from "#lib/testing/v0.ts";
import type { StatementLine } from "./address-statement/contract.ts";
import type { OperationName } from "./operations.ts";

const [address = "", other = ""] = [1, 2].map(addressText);
/** Each list takes one of them. */
const params = { address, id: assets[1]!.id };

type Event =
  /** A third of the walks go on. */
  | { do: "read"; third: number; size: number }
  /** `skips`: the first of several blocks is left out. */
  | { do: "grow"; plans: Plan[]; skips: boolean }
  | { do: "fork"; depth: number; plans: Plan[] }
  | { do: "back"; chain: number }
  | { do: "fill" };

const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("read" as const),
        third: fc.nat({ max: 2 }),
        size: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("grow" as const), plans, skips: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("fork" as const),
        depth: fc.nat({ max: 4 }),
        // Without new blocks, some are only reverted.
        plans: fc.array(plan, { maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("back" as const), chain: fc.nat({ max: 9 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("fill" as const) }) },
  ),
  { minLength: 12, maxLength: 24, size: "max" },
) as fc.Arbitrary<Event[]>;

function sumsOf(held: readonly Held[]): Map<string, { amount: bigint; capacity: bigint; count: number }> {
  const sums = new Map<string, { amount: bigint; capacity: bigint; count: number }>();
  for (const { output } of held) {
    const { amount, capacity, count } = sums.get(idOf(output)) ?? { amount: 0n, capacity: 0n, count: 0 };
    sums.set(idOf(output), {
      amount: amount + output.amount,
      capacity: capacity + output.capacity,
      count: count + 1,
    });
  }
  return sums;
}

/** No asset has a price, so that most outputs come first. */
const holdingsAfter = (blocks: readonly Block[], of = owners.slice(0, 1)) =>
  [...sumsOf([...liveAfter(blocks).values()].filter((held) => of.some((owner) => isOwn(held, owner))))]
    .sort(([one, { count: a }], [two, { count: b }]) => b - a || (one < two ? -1 : 1))
    .map(([id, { amount, capacity, count }]) => `${id} ${amount} ${capacity} ${count}`);

function holdersAfter(blocks: readonly Block[]) {
  const live = [...liveAfter(blocks).values()];
  return owners
    .flatMap((owner, i) => {
      const sums = sumsOf(live.filter((held) => isOwn(held, owner))).get(params.id);
      if (!sums) return [];
      const text = `${addressText(i + 1)} ${sums.amount}`;
      return [{ ...sums, key: owner.key, text: `${text} ${sums.capacity} ${sums.count}` }];
    })
    .sort((one, two) => Number(two.amount - one.amount) || (one.key < two.key ? 1 : -1));
}

// biome-ignore lint/suspicious/noExplicitAny: each list has entries of its own
type Entry = Record<string, any>;
interface OneState {
  name: Exclude<OperationName, "utxos" | "asset" | "assets" | `${string}AssetChanges`>;
  search?: Record<string, string>;
  hasRange?: true;
  /** It is of a transaction, and as of the tip. */
  isOfTransaction?: true;
  /** The list's entries as of the last of these blocks. */
  expected(blocks: readonly Block[], after: number, hash: string): string[];
  text(entry: Entry): string;
}
const fateText = ({ spent, ...entry }: Entry) =>
  `${listed(entry)} by ${spent && `${spent.transaction} ${spent.height}`}`.replace("by null", "by undefined");

const listed = (entry: Entry) =>
  `${entry.outPoint} ${entry.blockHeight} ${entry.token} ${entry.amount} ${entry.capacity}`;
const change = (entry: Entry) =>
  `${entry.change} at ${entry.changeHeight} by ${entry.changeTransaction}: ${listed(entry)}`;
const line = ({
  height,
  transaction = "",
  blockHash,
  token,
  opening,
  in: came,
  out,
  closing,
}: Entry | StatementLine) =>
  `${height} ${transaction} ${blockHash} ${token} ${opening} ${came} ${out} ${closing}`;
const holding = ({ token, amount, capacity, outputCount }: Entry) =>
  `${token} ${amount} ${capacity} ${outputCount}`;
type Expected = OneState["expected"];
const linesIn =
  (of: typeof owners, per?: "transaction"): Expected =>
  (blocks, after) => {
    const keys = of.map(({ key }) => key);
    const lines = statementOf(blocks, keys, native.id, per);
    return lines.filter(({ height }) => height > after).map(line);
  };
const changesOf =
  (of?: typeof owners): Expected =>
  (blocks, after) =>
    changesIn(blocks, after, of);
const reversed =
  (expected: Expected): Expected =>
  (...of) =>
    expected(...of).reverse();
const inRange = (
  name: OneState["name"],
  search: Record<string, string>,
  text: OneState["text"],
  expected: Expected,
): OneState => ({ name, search, hasRange: true, text, expected });
/** A comma separates values of a list. */
const wallet = `${address},${other}`;

const ofOneState: OneState[] = [
  { name: "addressUtxos", expected: (blocks) => ownAfter(blocks).map(outputText), text: listed },
  {
    name: "addressUtxos",
    search: { order: "desc", include: "kind", value: "usd" },
    expected: (blocks) => ownAfter(blocks).map(outputText).reverse(),
    text: listed,
  },
  inRange("addressChanges", {}, change, changesOf()),
  inRange("addressChanges", { order: "desc" }, change, reversed(changesOf())),
  inRange("changes", { address: wallet }, change, changesOf(owners)),
  inRange("addressStatement", {}, line, linesIn([owners[0]!])),
  inRange(
    "addressStatement",
    { order: "desc", per: "transaction" },
    line,
    reversed(linesIn([owners[0]!], "transaction")),
  ),
  inRange("statement", { address: wallet, order: "desc" }, line, reversed(linesIn(owners))),
  inRange("statement", { address: wallet, per: "transaction" }, line, linesIn(owners, "transaction")),
  { name: "addressHoldings", expected: (blocks) => holdingsAfter(blocks), text: holding },
  {
    name: "holdings",
    search: { address: wallet },
    expected: (blocks) => holdingsAfter(blocks, owners),
    text: holding,
  },
  {
    name: "blocks",
    hasRange: true,
    expected: (blocks, after) =>
      blocks
        .filter(({ height }) => height > after)
        .map(({ height, hash, transactions }) => `${height} ${hash} ${transactions.length}`)
        .reverse(),
    text: ({ height, hash, transactionCount }) => `${height} ${hash} ${transactionCount}`,
  },
  ...(["inputs", "outputs"] as const).map(
    (side): OneState => ({
      name: side === "inputs" ? "transactionInputs" : "transactionOutputs",
      isOfTransaction: true,
      expected: (blocks, _, hash) => sideOf(side, blocks, hash),
      text: fateText,
    }),
  ),
  {
    name: "assetHolders",
    expected: (blocks) => holdersAfter(blocks).map(({ text }) => text),
    text: ({ address, amount, capacity, outputCount }) => `${address} ${amount} ${capacity} ${outputCount}`,
  },
];

interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: each operation has entries of its own
  result: any[];
  hasNext: boolean;
  lastCursor: string;
  outputCount: number;
}

/** Requests of one service, as pages with their headers or as lines. */
async function client(store: Store) {
  const service: Service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  const { token } = await issueToken(store, { name: "test", scopes: [], expiresAt: null, now: Date.now() });
  return {
    async page(name: OperationName, params: Record<string, string>, search: [string, string][]) {
      const { body, headers } = await service.operations[name].handle({
        method: "GET",
        params,
        query: String(new URLSearchParams(search)),
        header: (header) => (header === "authorization" ? `Bearer ${token}` : undefined),
      });
      return { ...(JSON.parse(String(body)) as Page), headers };
    },
    async *lines(
      name: OneState["name"],
      params: Record<string, string>,
      search: [string, string][],
      size: number,
    ) {
      for await (const text of streamed(service, name, params, search, size)) {
        yield text
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Entry);
      }
    },
  };
}
type Client = Awaited<ReturnType<typeof client>>;

interface Walk {
  /** Reads the next rows. True at the walk's end. */
  step(size: number): Promise<boolean>;
  /** The chain moved. */
  moved?(): void;
}

const counts = { whole: 0, replaced: 0, located: 0 };

/** A walk of one state: what it read is that of its first page, or it ends when that is gone. */
function stateWalk(of: OneState, byLine: boolean, chain: Followed, ask: Client, seed: number): Walk {
  const seen: string[] = [];
  let then: Block[] | undefined;
  let after = -1;
  let hash = "";
  const search: [string, string][] = Object.entries(of.search ?? {});
  let cursor = "";
  let stream: AsyncGenerator<Entry[], void> | undefined;

  function begin() {
    const indexed = [...chain.indexed];
    const last = of.isOfTransaction || seed % 3 > 0 ? indexed.length - 1 : seed % indexed.length;
    const to = indexed[last]!;
    const from = indexed[seed % (last + 1)]!;
    const time = new Date(to.timestamp).toISOString();
    const names = [undefined, "tip", String(to.height), to.hash, time];
    const named = names[seed % 3 > 0 ? seed % 5 : 2 + (seed % 3)];
    then = indexed.slice(0, last + 1);
    if (of.hasRange && seed % 5 > 1) {
      after = from.height;
      search.push(["from", seed % 2 ? String(from.height) : from.hash]);
    }
    if (of.isOfTransaction) {
      const all = then.flatMap(({ transactions }) => transactions);
      ({ hash } = all[seed % all.length]!);
      return;
    }
    // Lists of outputs without `at` are of what is live.
    const block = named ?? (of.name === "addressUtxos" ? "tip" : undefined);
    if (block !== undefined) search.push([of.hasRange ? "to" : "at", block]);
  }

  function checkEnd(error: ApiError): void {
    const now = chain.indexed.filter(({ height }) => height <= then!.at(-1)!.height);
    const parting = then!.findIndex((block, i) => now[i] !== block);
    expect(parting === -1 && now.length === then!.length, "the state is there still").toBe(false);
    expect(error.code).toBe("NOT_FOUND");
    expect(error.issues).toMatchObject([{ path: [], code: "replaced" }]);
    counts.replaced += 1;
    const [{ height } = {}] = error.issues;
    if (height === undefined) expect(hasGaps(then!) || hasGaps(chain.indexed)).toBe(true);
    else {
      counts.located += 1;
      expect(now.includes(then!.at(-1)!)).toBe(false);
      expect(height).toBe(then![parting - 1]!.height);
    }
  }

  return {
    async step(size) {
      if (!then) begin();
      try {
        let isEnd: boolean;
        if (byLine) {
          stream ??= ask.lines(of.name, { ...params, hash }, search, size);
          const { value } = await stream.next();
          isEnd = value!.some((entry) => "cursor" in entry);
          if (!isEnd) seen.push(...value!.map(of.text));
        } else {
          const paged: [string, string][] = [...search, ["pageSize", String(size)], ["cursor", cursor]];
          const { result, hasNext, lastCursor, headers } = await ask.page(
            of.name,
            { ...params, hash },
            paged,
          );
          seen.push(...result.map(of.text));
          cursor = lastCursor;
          isEnd = !hasNext;
          const tip = then!.at(-1)!;
          expect([headers["X-Block-Height"], headers["X-Block-Hash"]]).toEqual([
            String(tip.height),
            tip.hash,
          ]);
          expect(headers["X-From-Height"]).toBe(after < 0 ? undefined : String(after));
        }
        if (!isEnd) return false;
        expect(seen).toEqual(of.expected(then!, after, hash));
        counts.whole += 1;
        return true;
      } catch (error) {
        if (!isApiError(error)) throw error;
        checkEnd(error);
        return true;
      }
    },
  };
}

/** A walk of live outputs returns every output that lived from its start to its end. */
function liveWalk(name: "addressUtxos" | "utxos", order: string, chain: Followed, ask: Client): Walk {
  const of = name === "utxos" ? owners : owners.slice(0, 1);
  const live = () =>
    new Set(
      of.flatMap((owner) =>
        [...liveAfter(chain.indexed).values()].filter((held) => isOwn(held, owner)).map(outputText),
      ),
    );
  const named: [string, string][] =
    name === "utxos"
      ? [
          ["address", address],
          ["address", other],
        ]
      : [];
  const seen: string[] = [];
  let cursor = "";
  let lived = live();
  const { forks } = chain;
  return {
    moved() {
      lived = lived.intersection(live());
    },
    async step(size) {
      const search = [...named, ["order", order], ["pageSize", String(size)], ["cursor", cursor]];
      const page = await ask.page(name, name === "utxos" ? {} : { address }, search as [string, string][]);
      seen.push(...page.result.map(listed));
      cursor = page.lastCursor;
      if (page.hasNext) return false;
      expect([...lived.difference(new Set(seen))]).toEqual([]);
      if (chain.forks === forks) expect(new Set(seen).size).toBe(seen.length);
      return true;
    },
  };
}

/** Each page of assets shows the tip at its time. */
function assetWalk(chain: Followed, ask: Client): Walk {
  const rows = () => {
    const live = [...liveAfter(chain.indexed).values()];
    const known = chain.indexed.flatMap(({ transactions }) => transactions.flatMap(({ outputs }) => outputs));
    return [...new Set([native.id, ...known.map(idOf)])].sort().map((asset) => {
      const held = live.filter(({ output }) => idOf(output) === asset);
      const holders = new Set(held.map(({ output }) => output.address.key)).size;
      return { asset, text: `${asset} ${held.length} ${holders}` };
    });
  };
  let cursor = "";
  let last = "";
  return {
    async step(size) {
      const search: [string, string][] = [
        ["pageSize", String(size)],
        ["cursor", cursor],
      ];
      const page = await ask.page("assets", params, search);
      const expected = rows().filter(({ asset }) => asset > last);
      const texts = page.result.map(
        (entry: Entry) => `${entry.token} ${entry.outputCount} ${entry.holderCount}`,
      );
      expect(texts).toEqual(expected.slice(0, size).map(({ text }) => text));
      expect(page.hasNext).toBe(expected.length > size);
      last = expected[page.result.length - 1]?.asset ?? last;
      cursor = page.lastCursor;
      return !page.hasNext;
    },
  };
}

/** Responses without a cursor, each from one state. */
function singleResponses(chain: Followed, ask: Client, seed: number): Walk {
  return {
    async step() {
      const last = seed % chain.indexed.length;
      const [from, to] = [chain.indexed[seed % (last + 1)]!, chain.indexed[last]!];
      const range: [string, string][] = [
        ["from", from.hash],
        ["to", to.hash],
      ];
      const blocks = chain.indexed.slice(chain.indexed.indexOf(from) + 1, last + 1);
      for (const [page, within] of [
        [await ask.page("rangeAssetChanges", {}, range), blocks],
        [await ask.page("blockAssetChanges", { blockHash: to.hash }, []), [to]],
      ] as const) {
        const outputs = within.flatMap(({ transactions }) => transactions.flatMap(({ outputs }) => outputs));
        const found = new Set(page.result.map(({ asset }: { asset: { id: string } }) => asset.id));
        // Spent outputs may hold other assets.
        expect([...new Set(outputs.map(idOf)).difference(found)]).toEqual([]);
        expect(page.headers["X-Block-Hash"]).toBe(to.hash);
      }
      const { id } = assets[seed % 3] ?? native;
      const held = [...liveAfter(chain.indexed).values()].filter(({ output }) => idOf(output) === id);
      expect((await ask.page("asset", { id }, [])).outputCount).toBe(held.length);
      return true;
    },
  };
}

describe.each(engines)("a walk in $name", ({ name, open }) => {
  const numRuns = (name === "SQLite" ? 20 : 6) * MORE;

  test("is of the state of its first rows, by page and by line, whatever the chain does, or ends with 404 once that is gone", {
    // PostgreSQL takes seconds for each chain on a busy machine.
    timeout: 360_000 * MORE,
  }, async () => {
    Object.assign(counts, { whole: 0, replaced: 0, located: 0 });
    await fc.assert(
      fc.asyncProperty(events, fc.nat({ max: 1_000 }), async (plan, seed) => {
        const store = await open();
        try {
          const chain = new Followed(store);
          await chain.start();
          const ask = await client(store);
          let made = seed;
          const makers: (() => Walk)[] = [
            ...ofOneState.flatMap((of) =>
              [false, true].map((byLine) => () => stateWalk(of, byLine, chain, ask, made++)),
            ),
            () => liveWalk("addressUtxos", "asc", chain, ask),
            () => liveWalk("addressUtxos", "desc", chain, ask),
            () => liveWalk("utxos", "asc", chain, ask),
            () => liveWalk("utxos", "desc", chain, ask),
            () => assetWalk(chain, ask),
            () => singleResponses(chain, ask, made++),
          ];
          const walks = makers.map((make) => make());
          // Each has begun, some by line with one entry at a time.
          for (const [i, walk] of walks.entries()) if (await walk.step(1 + (i % 3))) walks[i] = makers[i]!();
          for (const event of plan) {
            if (event.do === "read") {
              for (const [i, walk] of walks.entries())
                if (i % 3 === event.third && (await walk.step(event.size))) walks[i] = makers[i]!();
              continue;
            }
            if (event.do === "grow") await chain.grow(event.plans, event.skips);
            if (event.do === "fork") await chain.fork(event.depth, event.plans);
            if (event.do === "back") await chain.back(event.chain);
            if (event.do === "fill") await chain.fill();
            for (const walk of walks) walk.moved?.();
          }
          for (const walk of walks) while (!(await walk.step(3)));
        } finally {
          await store.close();
        }
      }),
      { numRuns },
    );
    // The property means something only where these happen.
    if (numRuns >= 20) expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });

  test("ends with 404 where a block below its own comes into a gap, and stays where one above does", async () => {
    const store = await open();
    try {
      const chain = new Followed(store);
      await chain.start();
      const pay: Plan = [{ spend: [0], create: [{ who: 0, asset: 0 }] }];
      const below = String(chain.indexed.at(-1)!.height);
      await chain.grow([pay, pay], true);
      const ask = await client(store);
      const named = ofOneState.filter(({ isOfTransaction }) => !isOfTransaction);
      const begun = await Promise.all(
        named.flatMap(({ name, hasRange, search: given = {} }) =>
          [below, "tip"].map(async (block) => {
            const search: [string, string][] = [
              ...Object.entries(given),
              [hasRange ? "to" : "at", block],
              ["pageSize", "1"],
            ];
            const { lastCursor } = await ask.page(name, params, search);
            return { block, next: () => ask.page(name, params, [...search, ["cursor", lastCursor]]) };
          }),
        ),
      );
      await chain.fill();
      for (const { block, next } of begun) {
        const issues = await next().then(
          () => [],
          (error: ApiError) => error.issues,
        );
        const replaced = [{ path: [], code: "replaced", message: expect.stringContaining("not known") }];
        expect(issues).toEqual(block === "tip" ? replaced : []);
      }
    } finally {
      await store.close();
    }
  });
});
