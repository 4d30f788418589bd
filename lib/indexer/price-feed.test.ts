import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { storedBlock } from "#lib/queries/stored.ts";
import { openStore } from "#lib/store/open.ts";
import type { Price } from "#lib/store/rows.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { PriceFeed, readPrices } from "./price-feed.ts";
import { sync } from "./sync.ts";

const CKB = "0x80000135";
const NOW = 1_800_000_000_000;
const names = new Map([["nervos-network", CKB]]);
const priceOf = (usd: string) => readPrices(`{"${CKB}":{"usd":${usd}}}`, names, NOW).prices[0]?.usd;

describe("a price source's response", () => {
  test("gives a price for each wanted asset by name or by id, at its own time or now", () => {
    const text = `{
      "nervos-network": { "usd": 0.0123, "eur": 0.01, "last_updated_at": 1799990000 },
      "${CKB}": { "usd": 2 },
      "0x01": { "usd": 3 },
      "bitcoin": { "usd": 100000 }
    }`;
    expect(readPrices(text, names, NOW)).toEqual({
      prices: [
        { assetId: CKB, time: 1_799_990_000_000, usd: 123n * 10n ** 14n },
        { assetId: CKB, time: NOW, usd: 2n * 10n ** 18n },
      ],
      faults: [],
    });
  });

  test("preserves every digit of a price up to 18 decimals", () => {
    expect(priceOf("0.123456789012345678")).toBe(123_456_789_012_345_678n);
    expect(priceOf("0.1234567890123456789")).toBe(123_456_789_012_345_678n);
    expect(priceOf("12345678901234567890.000000000000000001")).toBe(12345678901234567890n * 10n ** 18n + 1n);
    expect(priceOf("1.5e-7")).toBe(15n * 10n ** 10n);
    expect(priceOf("1.5E+3")).toBe(1500n * 10n ** 18n);
    expect(priceOf("25e-1")).toBe(25n * 10n ** 17n);
  });

  test("of 0 is a fault, also when only the cut makes it one, and replaces no price", () => {
    for (const usd of ["0", "0.0", "1e-30"]) {
      expect(readPrices(`{"${CKB}":{"usd":${usd}}}`, names, NOW)).toEqual({
        prices: [],
        faults: [`the price is 0 for ${CKB}`],
      });
    }
  });

  test("is read as JavaScript would read the number, however it is written", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e15, noNaN: true }), (value) => {
        const scaled = Number(priceOf(JSON.stringify(value))!) / 1e18;
        expect(Math.abs(scaled - value)).toBeLessThanOrEqual(value * 1e-12 + 1e-18);
      }),
    );
  });

  test("names an entry that cannot be read, and keeps the others", () => {
    const bad = [
      `{"usd":-1}`,
      `{"usd":null}`,
      `{"eur":1}`,
      `{"usd":1e400}`,
      `{"usd":1,"last_updated_at":null}`,
      `{"usd":1,"last_updated_at":"soon"}`,
      `{"usd":1,"last_updated_at":-5}`,
      `{"usd":1,"last_updated_at":1e300}`,
      "null",
      "7",
      "[]",
    ];
    for (const entry of bad) {
      const two = new Map([...names, ["one", "0x01"]]);
      const { prices, faults } = readPrices(`{"0x01":${entry},"${CKB}":{"usd":1}}`, two, NOW);
      expect(faults).toEqual(["no price can be read for 0x01"]);
      expect(prices).toHaveLength(1);
    }
    for (const whole of ["null", "[]", "[1]", "7", `"text"`, "{}"]) {
      expect(readPrices(whole, names, NOW)).toEqual({
        prices: [],
        faults: ["no price can be read for nervos-network"],
      });
    }
  });

  test("is not accepted from a time more than 30 days ago, such as 1970", () => {
    const read = (time: number) => readPrices(`{"${CKB}":{"usd":1,"last_updated_at":${time}}}`, names, NOW);
    const faults = [`the price is older than 30 days for ${CKB}`];
    expect(read(0)).toEqual({ prices: [], faults });
    expect(read(NOW / 1000 - 30 * 86_400 - 1)).toEqual({ prices: [], faults });
    expect(read(NOW / 1000 - 30 * 86_400).prices).toHaveLength(1);
  });

  test("is not accepted from the future, except for a clock difference", () => {
    const at = (seconds: number) =>
      readPrices(`{"${CKB}":{"usd":1,"last_updated_at":${seconds}}}`, names, NOW);
    expect(at(NOW / 1000 + 300)).toMatchObject({ prices: [{ time: NOW + 300_000 }], faults: [] });
    for (const seconds of [NOW / 1000 + 301, NOW, 8.64e12]) {
      expect(at(seconds)).toEqual({ prices: [], faults: [`the time is in the future for ${CKB}`] });
    }
  });
});

describe("a price feed", () => {
  let server: Server;
  let answer: RequestListener;
  let asked: number;
  let log: string[];
  let feed: PriceFeed;
  let url: string;

  beforeEach(async () => {
    asked = 0;
    const lines: string[] = [];
    log = lines;
    server = createServer((request, response) => {
      asked += 1;
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`;
    feed = new PriceFeed(url, names, (message) => lines.push(message));
    answer = (_request, response) => response.end(`{"${CKB}":{"usd":${asked}}}`);
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Loads the prices at this time. */
  async function delivered(now: number): Promise<Price[]> {
    const loaded: Price[] = [];
    await feed.deliver(now, async (prices) => void loaded.push(...prices));
    return loaded;
  }

  test("loads the prices received since the last call, without waiting, and requests new ones once a minute", async () => {
    expect(await delivered(NOW)).toEqual([]);
    expect(await delivered(NOW + 1)).toEqual([]);
    await feed.settled();
    expect(await delivered(NOW + 2)).toEqual([{ assetId: CKB, time: NOW, usd: 10n ** 18n }]);
    expect(await delivered(NOW + 59_999)).toEqual([]);
    expect(asked).toBe(1);
    await delivered(NOW + 60_000);
    await feed.settled();
    expect(await delivered(NOW + 60_001)).toHaveLength(1);
    expect(asked).toBe(2);
  });

  test("goes on requesting prices while none can be stored", async () => {
    for (const minute of [0, 1, 2]) {
      feed.request(NOW + minute * 60_000);
      feed.request(NOW + minute * 60_000 + 5_000);
      await feed.settled();
    }
    expect(asked).toBe(3);
    expect((await delivered(NOW + 125_000)).map(({ time }) => time)).toEqual([
      NOW,
      NOW + 60_000,
      NOW + 120_000,
    ]);
  });

  test("ends its open request with the signal, without a fault", async () => {
    const stop = new AbortController();
    const hanging = new PriceFeed(url, names, (message) => log.push(message), stop.signal);
    answer = () => stop.abort();
    await hanging.ask(NOW);
    expect([asked, log, hanging.isFailing]).toEqual([1, [], false]);
  });

  test("continues to request prices when the clock is set back a day", async () => {
    await delivered(NOW + 86_400_000);
    await feed.settled();
    await delivered(NOW);
    await feed.settled();
    expect(asked).toBe(2);
  });

  test("holds prices that could not be loaded for the next time", async () => {
    await feed.ask(NOW);
    await expect(feed.deliver(NOW, () => Promise.reject(new Error("busy")))).rejects.toThrow("busy");
    await feed.settled();
    expect(await delivered(NOW)).toHaveLength(2);
  });

  test("sends a source its user name and password, and logs neither them nor the rest of the URL after the host", async () => {
    let authorization: string | undefined;
    answer = (request, response) => {
      authorization = request.headers.authorization;
      response.writeHead(403).end();
    };
    const lines: string[] = [];
    const secret = new PriceFeed(`${url.replace("//", "//us%3Aer:s3cret@")}?key=k3y`, names, (m) =>
      lines.push(m),
    );
    await secret.ask(NOW);
    expect(Buffer.from(authorization!.slice("Basic ".length), "base64").toString()).toBe("us:er:s3cret");
    expect(lines).toEqual([`${new URL(url).origin}/…: HTTP 403`]);
  });

  test("names a source that fails, and takes nothing from it", async () => {
    answer = (_request, response) => response.writeHead(503).end("busy");
    await feed.ask(NOW);
    answer = (_request, response) => response.end("<html>");
    await feed.ask(NOW);
    answer = (request) => request.socket.destroy();
    await feed.ask(NOW);
    answer = (_request, response) => response.end(`{"${CKB}":{}}`);
    await feed.ask(NOW);
    expect(log).toEqual([
      `${new URL(url).origin}/…: HTTP 503`,
      expect.stringMatching(/JSON/),
      expect.stringMatching(/fetch failed: ./),
      `${new URL(url).origin}/…: no price can be read for ${CKB}`,
    ]);
    expect(await delivered(NOW)).toEqual([]);
  });

  test("that gives nothing is named once until that changes", async () => {
    const good = answer;
    for (const [body, times] of [
      ["{}", 3],
      ["[1]", 2],
      [`{"${CKB}":{"usd":1,"last_updated_at":${NOW}}}`, 2],
    ] as const) {
      answer = (_request, response) => response.end(body);
      for (let i = 0; i < times; i++) await feed.ask(NOW);
    }
    answer = good;
    for (let i = 0; i < 2; i++) await feed.ask(NOW);
    expect(log.map((line) => line.slice(line.indexOf("…") + 3))).toEqual([
      "no price can be read for nervos-network",
      `the time is in the future for ${CKB}`,
      "gives all prices again",
    ]);
  });

  test("reads no more than 1 MB of a decompressed response", async () => {
    const megabyte = Buffer.alloc(1_000_000, " ");
    let sent = 0;
    const closed = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" });
        const gzip = createGzip();
        async function* bomb() {
          for (; sent < 300; sent++) yield megabyte;
          yield "{}";
        }
        pipeline(bomb(), gzip, response).then(
          () => resolve(),
          () => resolve(),
        );
      };
    });
    const before = process.memoryUsage().arrayBuffers;
    await feed.ask(NOW);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
    expect(log).toEqual([`${new URL(url).origin}/…: the response is longer than 1000000 bytes`]);
    // The connection was closed before the end.
    await closed;
    expect(sent).toBeLessThan(300);
  });

  test("looks only at the wanted keys, however many others there are", () => {
    const others = Array.from(
      { length: 30_000 },
      (_, n) => `"0x${n.toString(16).padStart(8, "0")}":{"usd":1}`,
    );
    const text = `{${others.join()},"nervos-network":{"usd":2}}`;
    expect(readPrices(text, names, NOW)).toEqual({
      prices: [{ assetId: CKB, time: NOW, usd: 2n * 10n ** 18n }],
      faults: [],
    });
  });

  test("refuses 300,000 keys and deep nesting in words", async () => {
    const keys = Array.from(
      { length: 300_000 },
      (_, n) => `"0x${n.toString(16).padStart(8, "0")}":{"usd":1}`,
    );
    answer = (_request, response) => response.end(`{${keys.join()}}`);
    await feed.ask(NOW);
    answer = (_request, response) => response.end("[".repeat(100_000) + "]".repeat(100_000));
    await feed.ask(NOW);
    expect(log).toEqual([
      `${new URL(url).origin}/…: the response is longer than 1000000 bytes`,
      `${new URL(url).origin}/…: the response is nested more than 16 levels deep`,
    ]);
  });

  test("follows no redirect, and names only the host that it leads to", async () => {
    const paths: (string | undefined)[] = [];
    answer = (request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: "/elsewhere?key=k3y" }).end();
    };
    await feed.ask(NOW);
    const { host, origin } = new URL(url);
    expect(log).toEqual([`${origin}/…: redirects to ${host}; redirects are not followed`]);
    expect(paths).toEqual(["/prices"]);
  });

  test("asks for no more while 10,000 prices wait to be stored", async () => {
    const many = new Map(
      Array.from({ length: 10_001 }, (_, n) => [`n${n}`, `0x${String(n).padStart(6, "0")}`]),
    );
    const entries = [...many.keys()].map((key) => [key, { usd: 1 }]);
    answer = (_request, response) => response.end(JSON.stringify(Object.fromEntries(entries)));
    const full = new PriceFeed(url, many, (message) => log.push(message));
    await full.ask(NOW);
    await full.ask(NOW);
    expect(asked).toBe(1);
    expect(log).toEqual([expect.stringContaining("not asked, because 10001 prices still wait to be stored")]);
  });

  test("values the blocks of a sync as its prices come", async () => {
    const chain = new ChainBuilder();
    chain.emptyBlocks(3);
    const node = await StandInNode.start({ blocks: chain.blocks });
    const store = await openStore("sqlite::memory:");
    try {
      const time = Number(chain.blocks[2]!.header.timestamp);
      let last = 0n;
      await sync(store, new CkbNode(node.url), {
        once: true,
        async between() {
          await feed.ask(time);
          await feed.deliver(time, async (prices) => {
            last = prices.at(-1)?.usd ?? last;
            await store.write(loadPrices, prices);
          });
        },
      });
      const value = async (height: number) => (await store.query(storedBlock, height)).changes[0]!.amountUsd;
      expect(await value(1)).toBe(0n);
      // 100 CKB, at the last price received.
      expect(last).toBeGreaterThan(0n);
      expect(await value(2)).toBe((100n * last) / 10n ** 10n);
      expect(await value(3)).toBe(await value(2));
      expect(log).toEqual([]);
    } finally {
      await store.close();
      await node.close();
    }
  });
});
