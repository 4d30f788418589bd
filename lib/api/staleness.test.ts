import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import type { Block } from "#lib/contract/ledger.ts";
import { revokeAccessToken } from "#lib/queries/access-tokens.ts";
import type { OperationName } from "#lib/queries/operations.ts";
import { handle } from "#lib/server/api-handler.ts";
import { openStore } from "#lib/store/open.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { at, identity, Ledger, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { issueToken } from "./access-tokens.ts";
import { createService, type Service } from "./service.ts";

const SECP = "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8";
const text = encodeAddress(
  { code_hash: SECP, hash_type: "type", args: `0x${"7".padStart(40, "0")}` },
  "testnet",
);
const address = parseAddress(text, "testnet");
const usd = tokenOf("usd");

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** The connections for reading and for writing, which may be the same. */
interface Stores {
  store: Store;
  writer: Store;
}

const places: { name: string; open(): Promise<Stores> }[] = engines.map(({ name, open }) => ({
  name,
  async open() {
    const store = await open();
    endings.push(() => store.close());
    return { store, writer: store };
  },
}));
places.push({
  name: "SQLite, written through another connection",
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "aqs-staleness-"));
    endings.push(async () => rmSync(folder, { recursive: true }));
    const [store, writer] = [
      await openStore(`sqlite:${folder}/test.db`),
      await openStore(`sqlite:${folder}/test.db`),
    ];
    endings.push(() => Promise.all([store.close(), writer.close()]));
    return { store, writer };
  },
});

interface Request {
  operation: OperationName;
  params: Record<string, string>;
  query: string;
}

/** A response's status, tip, tag and text, which must all belong to one state of the data. */
async function ask(service: Service, token: string, request: Request, coding = ""): Promise<string> {
  const response = await handle(service, request.operation, {
    method: "GET",
    params: request.params,
    query: request.query,
    header: (name) => ({ authorization: `Bearer ${token}`, "accept-encoding": coding })[name],
  });
  const { status, headers } = response;
  const body = response.body as Buffer;
  const json = headers["Content-Encoding"] === "gzip" ? gunzipSync(body) : body;
  const tag = headers.ETag?.replace(/-gzip"$/, '"');
  return `${status} ${headers["X-Tip-Height"]} ${headers["X-Tip-Hash"]} ${tag} ${json}`;
}

async function open(place: (typeof places)[number]) {
  const stores = await place.open();
  const { store, writer } = stores;
  await writer.write(identify, identity);
  const { token, record } = await issueToken(writer, { name: "t", scopes: [], expiresAt: null, now: 0 });
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  const uncached = await createService(store, readConfig({ LOG_LEVEL: "silent", CACHE_MB: "0" }));
  return { ...stores, token, record, service, uncached };
}

/** A chain that grows and reorganises, in blocks that concern one address. */
class Chain {
  #ledger = new Ledger();
  #forks = 0;
  readonly #writer: Store;

  constructor(writer: Store) {
    this.#writer = writer;
  }

  get first(): Block {
    return this.#ledger.blocks[0]!;
  }

  get tip(): Block {
    return this.#ledger.tip!;
  }

  #next(): Block {
    const before = this.#ledger.tip;
    return this.#ledger.block([
      {
        spend: before && before.height % 3 === 1 ? [at(before, 0, 0)] : [],
        create: [
          { to: address, capacity: 100n + BigInt(this.#ledger.blocks.length) },
          { to: address, token: usd, amount: 5n, capacity: 142n },
          ...Array.from({ length: 8 }, () => ({ to: address, capacity: 61n })),
        ],
      },
    ]);
  }

  async #store(blocks: Block[]): Promise<void> {
    await storeBlocks(this.#writer, blocks);
  }

  async grow(): Promise<void> {
    await this.#store([this.#next()]);
  }

  async reorganise(): Promise<void> {
    const height = Math.max(0, this.#ledger.tip!.height - 2);
    this.#forks += 1;
    this.#ledger = this.#ledger.fork(height, `fork ${this.#forks}`);
    const blocks = [this.#next(), this.#next()];
    await this.#writer.atomically(async () => {
      await this.#writer.write(revertTo, height);
      await this.#store(blocks);
    });
  }
}

describe.each(places)("cached responses in $name", (place) => {
  test("are never older than the data: each is right for the tip that it names", async () => {
    const { writer, token, service, uncached } = await open(place);
    const chain = new Chain(writer);
    await chain.grow();
    await chain.grow();
    const changes = (blockHash: string, query: string): Request => ({
      operation: "blockAssetChanges",
      params: { blockHash },
      query,
    });
    const utxos = (query: string): Request => ({
      operation: "addressUtxos",
      params: { address: text },
      query,
    });
    const requests = [
      utxos(""),
      utxos("order=desc&pageSize=3"),
      utxos(`token=${usd.id}`),
      changes(chain.first.hash, ""),
      changes(chain.first.hash, "orderKey=volume"),
      changes("tip", "assetName=dollar"),
      changes("1", ""),
    ];
    let price = 1n;
    const rename = (name: string) => () =>
      writer.write(replaceRegistry, [{ id: usd.id, name, symbol: name.slice(0, 3), decimals: 2 }]);
    const load = () => writer.write(loadPrices, [{ assetId: usd.id, time: 0, usd: 10n ** 18n * price++ }]);
    const cycle = [
      () => chain.grow(),
      rename("Dollar"),
      load,
      () => chain.reorganise(),
      rename("Dime"),
      load,
    ];
    const writes = [...cycle, () => chain.grow(), ...cycle];

    /** The responses to all requests in each state, by the number of writes before it. */
    const states: string[][] = [];
    const note = async () => {
      const answers: string[] = [];
      for (const request of requests) answers.push(await ask(uncached, token, request));
      const { height, hash } = chain.tip;
      for (const answer of answers) expect(answer).toMatch(new RegExp(`^200 ${height} ${hash} `));
      states.push(answers);
    };
    await note();

    let begun = 0;
    let over = false;
    let answered = 0;
    const wrong: string[] = [];
    const read = async (reader: number) => {
      for (let i = reader; !over; i++) {
        const which = i % requests.length;
        const from = states.length - 1;
        const answer = await ask(service, token, requests[which]!, i % 2 === 0 ? "gzip" : "");
        seen.push({ from, to: begun, which, answer });
        answered += 1;
        await nextTurn();
      }
    };
    const seen: { from: number; to: number; which: number; answer: string }[] = [];
    const readers = [0, 1, 2, 3].map(read);
    for (const write of writes) {
      // Both codings of every response are cached when the write comes.
      const wanted = answered + 4 * requests.length;
      while (answered < wanted) await nextTurn();
      begun += 1;
      await write();
      await note();
    }
    const last = answered + 4 * requests.length;
    while (answered < last) await nextTurn();
    over = true;
    await Promise.all(readers);

    for (const { from, to, which, answer } of seen) {
      const possible = states.slice(from, to + 1).map((answers) => answers[which]);
      if (!possible.includes(answer)) wrong.push(`${requests[which]!.query}: ${answer.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
    // Each write must change something, or the test would prove nothing.
    expect(new Set(states.map((answers) => answers.join("\n"))).size).toBe(states.length);
    expect(service.responseCache.bytes).toBeGreaterThan(0);
  });

  test("are not for a token that was revoked", async () => {
    const { writer, token, record, service } = await open(place);
    await new Chain(writer).grow();
    const request: Request = { operation: "addressUtxos", params: { address: text }, query: "" };
    expect(await ask(service, token, request)).toMatch(/^200 /);
    const kept = service.responseCache.bytes;
    expect(kept).toBeGreaterThan(0);
    expect(await ask(service, token, request)).toMatch(/^200 /);
    await writer.record(revokeAccessToken, record.id, 1);
    expect(await ask(service, token, request)).toMatch(/^401 .*revoked/);
  });
});
