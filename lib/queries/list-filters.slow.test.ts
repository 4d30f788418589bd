import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import type { Contract } from "#lib/contract/operation.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { streamed } from "#lib/testing/ask.ts";
import { engines } from "#lib/testing/engines.ts";
import {
  at,
  hashOf,
  identity,
  Ledger,
  native,
  type OutputPlan,
  storeBlocks,
  tokenOf,
} from "#lib/testing/ledger.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { operationNames, operations } from "./operations.ts";

// biome-ignore lint/suspicious/noExplicitAny: each list has entries of its own
type Entry = any;
type Values = Record<string, string[]>;
type List = (typeof lists)[number];

type Choice = [name: string, values: string[][]];

const lists = operationNames.filter((name) => "pageSize" in operations[name].contract.query.shape);

/** The effect of a parameter on a list: one of these. */
interface Parameter {
  /** It selects the part of the list that a page has. */
  pages?: true;
  /** Values that add fields to the entries. */
  adds?: string[];
  /** Values that each make another whole list. */
  lists?: string[];
  /** Values that each keep some entries of the whole list, and the test of an entry. */
  filters?: (whole: Entry[]) => string[][];
  keeps?: (entry: Entry, given: string[], whole: Entry[]) => boolean;
  /** A filter that also changes the order. */
  reorders?: true;
}

const fold = (text: string) => text.toLowerCase();
const has = (texts: string[], part = "") => texts.some((text) => fold(text).includes(fold(part)));
const startsAWord = (text: string, start = "") =>
  [...fold(text).matchAll(/(?<!\w)\w/g)].some(({ index }) => fold(text).startsWith(fold(start), index));

const pages: Parameter = { pages: true };
const paging: Record<string, Parameter> = { cursor: pages, pageSize: pages, page: pages };
const order: Parameter = { lists: ["desc"] };
const as: Parameter = { lists: ["3", "tip"] };
const value: Parameter = { adds: ["usd"] };
const token: Parameter = {
  filters: () => [[native.id], [TOKENS[1]!.id], [TOKENS[3]!.id], [hashOf("no token")]],
  keeps: (entry, [id]) => entry.token === id,
};
const include: Parameter = { adds: ["kind", "time"] };
const several: Parameter = { lists: [addressText(2), `${addressText(1)},${addressText(3)}`] };
const happened = (heightOf: (entry: Entry) => number): Record<string, Parameter> => ({
  from: { filters: () => [["3"], ["5"]], keeps: (entry, [from]) => heightOf(entry) > Number(from) },
  to: { filters: () => [["5"], ["2"]], keeps: (entry, [to]) => heightOf(entry) <= Number(to) },
});
const ofAssets: Record<string, Parameter> = {
  assetName: {
    filters: () => [["COIN"], ["o"], ["%"]],
    keeps: ({ asset }, [name]) => has([asset.name], name),
  },
  search: {
    filters: () => [["gold"], ["s"], [TOKENS[2]!.id.slice(4, 20)]],
    keeps: ({ asset }, [text]) => has([asset.name, asset.symbol, asset.id], text),
  },
  tags: {
    filters: () => [["metal"], ["stable", "even"], ["none"]],
    keeps: (entry, tags) => entry.tags.some((tag: string) => tags.includes(tag)),
  },
  orderKey: { lists: ["volume"] },
  orderDirection: { lists: ["asc"] },
  include: { adds: ["kind"] },
};

const ofChanges: Record<string, Parameter> = {
  ...{ token, include, value, order },
  ...happened(({ changeHeight }) => changeHeight),
};
const ofStatement: Record<string, Parameter> = {
  ...{ token, include: { adds: ["token"] }, value, order, per: { lists: ["transaction"] } },
  ...happened(({ height }) => height),
};

const firstIndex: Parameter = {
  filters: () => [["1"], ["0"], ["999"]],
  keeps: (entry, [first], whole) => whole.indexOf(entry) >= Number(first),
};

/** Every query parameter of every list. */
const parameters: Partial<Record<List, Record<string, Parameter>>> = {
  addressUtxos: {
    ...{ token, order, include, value, at: as },
    after: {
      filters: (whole) =>
        [whole[0], whole[whole.length >> 1]].flatMap((entry) => (entry ? [[entry.outPoint]] : [])),
      keeps: (entry, [place], whole) =>
        whole.indexOf(entry) > whole.findIndex(({ outPoint }) => outPoint === place),
    },
  },
  utxos: {
    ...{ token, order, include, value, at: as },
    address: {
      filters: () => [[addressText(2)], [addressText(1), addressText(3)]],
      keeps: ({ address }, addresses) => addresses.includes(address),
    },
  },
  addressChanges: ofChanges,
  changes: {
    ...ofChanges,
    address: {
      filters: () => [[addressText(2)], [addressText(1), addressText(3)]],
      keeps: ({ address }, addresses) => addresses.includes(address),
    },
  },
  addressStatement: ofStatement,
  statement: { ...ofStatement, address: several },
  addressHoldings: { at: as },
  blocks: { ...happened(({ height }) => height), canonical: { lists: ["false"] } },
  holdings: { at: as, address: several },
  transactionInputs: { include, value, firstIndex },
  transactionOutputs: { include, value, firstIndex },
  blockAssetChanges: ofAssets,
  rangeAssetChanges: { ...ofAssets, from: { lists: ["2", "5"] }, to: { lists: ["5", "tip"] } },
  assets: {
    search: {
      filters: () => [["coin"], ["g"], ["0x"], [TOKENS[2]!.id], ["nothing"]],
      keeps: ({ tokenInfo: { id, name, symbol } }, [text = ""]) =>
        id.startsWith(text) || startsAWord(name, text) || startsAWord(symbol, text),
      reorders: true,
    },
  },
  assetHolders: { at: as },
};

/** Path parameters. */
const paths: Partial<Record<List, Record<string, string>>> = {
  blockAssetChanges: { blockHash: "tip" },
  assetHolders: { id: native.id },
  transactionInputs: { hash: hashOf("transaction main 3 0") },
  transactionOutputs: { hash: hashOf("transaction main 0 0") },
};
/** Query parameters without which there is no list. */
const address = [1, 2, 3].map(addressText);
const required: Partial<Record<List, Values>> = {
  utxos: { address },
  changes: { address },
  statement: { address },
  holdings: { address },
};

const NAMES = [
  "USD Coin",
  "Tether",
  "Gold",
  "Silver Coin",
  "gold bar",
  "Copper",
  "Salt",
  "Sugar",
  "Coin",
  "Oil",
];
const TOKENS = NAMES.map((name) => tokenOf(name));

/** Seven blocks, in which three addresses hold all tokens. */
function chain(): Ledger {
  const ledger = new Ledger();
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed % limit;
  };
  const issued: OutputPlan[] = TOKENS.map((token, i) => ({
    to: addressOf(1 + (i % 3)),
    token,
    amount: 1_000n,
  }));
  const claims = TOKENS.map(({ id }, i) => ({
    ...{ assetId: id, outputIndex: i, name: NAMES[i]!, symbol: `S${i}${i % 2 ? " coin" : ""}`, decimals: i },
  }));
  ledger.block([{ create: issued, claims }]);
  const live: OutPoint[] = issued.map((_, i) => at(ledger.tip!, 0, i));
  for (let height = 1; height < 7; height++) {
    const plans = Array.from({ length: 2 }, () => ({
      spend: Array.from({ length: 2 }, () => live.splice(below(live.length), 1)[0]!),
      create: Array.from({ length: 3 }, (): OutputPlan => {
        const to = addressOf(1 + (below(5) % 3));
        return below(3) === 0
          ? { to }
          : // Many are beyond 64 bits, which SQLite stores as text.
            { to, token: TOKENS[below(TOKENS.length)]!, amount: BigInt(below(90)) ** 11n };
      }),
    }));
    const block = ledger.block(plans);
    for (const [i, { create }] of plans.entries())
      live.push(...create.map((_, output) => at(block, i, output)));
  }
  return ledger;
}

async function fill(store: Store): Promise<void> {
  await store.write(identify, identity);
  const main = chain();
  const replaced = main.fork(3, "replaced");
  for (let height = 4; height < 9; height++) replaced.block([{ create: [{ to: addressOf(1) }] }]);
  await storeBlocks(store, replaced.blocks);
  await store.write(revertTo, 3);
  await storeBlocks(store, main.blocks.slice(4));
  const listed = TOKENS.filter((_, i) => i % 3 > 0);
  await store.write(
    replaceRegistry,
    listed.map(({ id }, i) => ({ id, tags: [i % 2 ? "metal" : "stable", ...(i > 3 ? ["even"] : [])] })),
  );
  const prices = TOKENS.slice(2, 7).map(({ id }, i) => ({
    assetId: id,
    time: 0,
    usd: 10n ** 18n * BigInt(i + 1),
  }));
  await store.write(loadPrices, prices);
}

/** Nothing, each value alone, and the first one of each parameter together. */
function choices(of: Choice[]): Values[] {
  const all = of.filter(([, values]) => values.length > 0);
  const alone = all.flatMap(([name, values]) => values.map((given) => ({ [name]: given })));
  const together = Object.fromEntries(all.map(([name, [first = []]]) => [name, first]));
  return [{}, ...alone, ...(all.length > 1 ? [together] : [])];
}

const isWalked = (list: List) => "walk" in operations[list].contract;
const searchOf = (values: Values) =>
  new URLSearchParams(Object.entries(values).flatMap(([name, given]) => given.map((one) => [name, one])));

describe.each(engines)("each filter of each list in $name", ({ open }) => {
  let store: Store;
  let service: Service;
  let token: string;
  beforeAll(async () => {
    store = await open();
    await fill(store);
    service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    ({ token } = await issueToken(store, { name: "test", scopes: [], expiresAt: null, now: Date.now() }));
  });
  afterAll(() => store.close());

  async function page(list: List, values: Values): Promise<Entry> {
    const { body } = await service.operations[list].handle({
      method: "GET",
      params: { address: addressText(1), ...paths[list] },
      query: String(searchOf(values)),
      header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    });
    return parseExactJson(String(body));
  }

  /** Reads all pages. With `count`, each has to be full and to state exactly whether more follow. */
  async function pagesOf(list: List, { after, ...values }: Values, size: number, count?: number) {
    const read: Entry[] = [];
    for (let number = 1, cursor = ""; ; number++) {
      const place: Values = isWalked(list) ? { cursor: [cursor] } : { page: [`${number}`] };
      const start: Values = cursor === "" && after ? { after } : {};
      const given = { ...values, ...place, ...start, pageSize: [`${size}`] };
      const { result, hasNext, lastCursor, total, ...end } = await page(list, given);
      read.push(...result);
      if (count !== undefined) {
        expect(result.length).toBe(Math.min(size, Math.max(0, count - (number - 1) * size)));
        expect(isWalked(list) ? hasNext : total).toBe(isWalked(list) ? read.length < count : count);
      }
      // The page past the end has the total, too.
      if (isWalked(list) ? !hasNext : result.length === 0) return { read, end };
      cursor = lastCursor ?? "";
    }
  }

  async function linesOf(list: List, values: Values): Promise<Entry[]> {
    const params = { address: addressText(1), ...paths[list] };
    const read: Entry[] = [];
    for await (const text of streamed(service, list, params, searchOf(values), 7)) {
      read.push(...text.split("\n").filter(Boolean).map(parseExactJson));
    }
    expect(read.pop().cursor).toEqual(expect.any(String));
    return read;
  }

  test.each(lists)("%s has a case for each parameter", (list) => {
    const declared = Object.keys(operations[list].contract.query.shape);
    const cases = Object.keys(parameters[list] ?? {});
    expect([...cases, ...declared.filter((name) => name in paging)].sort()).toEqual(declared.sort());
    const { walk } = operations[list].contract as Contract;
    const free = cases.filter((name) => walk?.free.includes(name) && !parameters[list]![name]!.adds);
    // These say where a list begins.
    expect(free.filter((name) => name !== "after" && name !== "firstIndex")).toEqual([]);
  });

  test.each(lists)("%s has what its filters keep of the whole list, in pages and lines", async (list) => {
    const known = Object.entries(parameters[list]!);
    const { pageSize } = operations[list].contract.query.shape as Record<string, z.ZodType>;
    const largest = pageSize!.safeParse("1000").success ? 1_000 : 100;
    const bases = known.map(([name, { lists = [] }]): Choice => [name, lists.map((value) => [value])]);
    let narrowed = 0;
    for (const base of choices(bases)) {
      const unfiltered = { ...required[list], ...base };
      const { read: whole, end } = await pagesOf(list, unfiltered, largest);
      const fields = Object.keys(whole[0] ?? {});
      const filters = known.map(([name, { adds, filters }]): Choice => {
        return [name, adds ? [adds] : (filters?.(whole) ?? [])];
      });
      for (const filter of choices(filters)) {
        const values = { ...unfiltered, ...filter };
        const given = known.filter(([name]) => name in filter);
        const keeps = (entry: Entry) =>
          given.every(([name, { keeps }]) => keeps?.(entry, filter[name]!, whole) ?? true);
        const expected = whole.filter(keeps);
        if (expected.length > 0 && expected.length < whole.length) narrowed += 1;

        const reorders = given.some(([, parameter]) => parameter.reorders);
        const compared = (entries: Entry[]) => {
          const listed = entries.map((entry) =>
            Object.fromEntries(fields.map((name) => [name, entry[name]])),
          );
          return reorders ? listed.sort((one, other) => (one.token < other.token ? -1 : 1)) : listed;
        };
        for (const size of [1, 7, largest]) {
          const { read, end: last } = await pagesOf(list, values, size, expected.length);
          expect(compared(read), `${size} a page: ${searchOf(values)}`).toEqual(expected);
          // The statement of a range ends with the holdings at its end.
          if (end.holdings && !filter.to) {
            const [id] = filter.token ?? [];
            const held = (holding: Entry) => id === undefined || holding.token === id;
            expect(last.holdings).toEqual(end.holdings.filter(held));
          }
        }
        if (!isWalked(list)) continue;
        expect(compared(await linesOf(list, values)), `lines: ${searchOf(values)}`).toEqual(expected);
      }
    }
    expect(narrowed > 1).toBe(known.some(([, { keeps }]) => keeps));
  });
});
