import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json, text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { ErrorBody } from "#lib/contract/errors.ts";
import { readAhead } from "#lib/queries/walk.ts";
import { Admission } from "#lib/server/admission.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { type DemoServer, serveDemo, serveStore } from "#lib/testing/demo-server.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";
import type { ApiContext } from "./api-context.ts";
import { createLog } from "./log.ts";
import { Streams } from "./streams.ts";
import { EventLoopTicks, WorkQueue } from "./work-queue.ts";

/** More than one piece of a list, and more than the operating system keeps for a reader that takes nothing. */
const OUTPUTS = 20_000;
const LINES = { Accept: "application/x-ndjson" };

let demo: DemoServer;
let whole: string;
const open: IncomingMessage[] = [];

beforeAll(async () => {
  demo = await serveDemo(OUTPUTS);
  whole = await text(await ask(demo.origin, LINES));
});
afterEach(() => {
  for (const response of open.splice(0)) response.destroy();
});
afterAll(() => demo.close());

/** Resolves when the response's head has arrived. The caller reads the body, or leaves it. */
async function ask(
  origin: string,
  headers: Record<string, string> = {},
  {
    token = demo.token,
    method = "GET",
    path = `/v0/addresses/${demo.chain.notable.busyAddress}/utxos?pageSize=1`,
  } = {},
): Promise<IncomingMessage> {
  const sent = request(`${origin}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers },
    agent: false,
  }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  open.push(response);
  // Some of these tests expect the server to cut the stream.
  return response.on("error", () => {});
}

/** Pieces that wait for a gate, and are counted. */
class Gated extends WorkQueue {
  pieces = 0;
  readonly #gate: Promise<void> | undefined;

  constructor(gate?: Promise<void>) {
    super(4, new EventLoopTicks());
    this.#gate = gate;
  }

  override async runPiece<T>(work: () => Promise<T>): Promise<T> {
    this.pieces++;
    await this.#gate;
    return super.runPiece(work);
  }
}

/** The parts of a service that tests look into. */
function parts(
  queue = new Gated(),
  isValid = async () => true,
): Pick<ApiContext, "streams"> & { workQueue: Gated } {
  const failed = (error: unknown) => {
    throw error;
  };
  const deps = { maxStreams: 3, maxStreamsPerToken: 2, isValid, failed };
  return { workQueue: queue, streams: new Streams(deps, { checkMs: 5 }) };
}

describe("a whole list as NDJSON", () => {
  test("is sent only if it has at least the weight of JSON", async () => {
    const typeFor = async (accept: string) => {
      const response = await ask(demo.origin, { Accept: accept });
      response.destroy();
      return response.headers["content-type"];
    };
    for (const accept of [
      "application/x-ndjson, */*",
      "application/json;q=0.4, application/x-ndjson;q=0.4",
      "*/*;q=0.9, application/json;q=0.1, application/x-ndjson;q=0.2",
      "text/html, application/x-ndjson;q=0.001",
      "application/json;q=0, */*",
      "application/json;q=0, application/*;q=0.1",
    ])
      expect([accept, await typeFor(accept)]).toEqual([accept, "application/x-ndjson"]);
    for (const accept of [
      "application/x-ndjson;q=0.9, application/json",
      "application/x-ndjson;q=0.5, application/*;q=0.6",
      "application/x-ndjson; q=0.5, */*; q=0.6",
      "application/x-ndjson;q=0.000",
      "application/x-ndjson;q=x",
      "application/*",
    ])
      expect([accept, await typeFor(accept)]).toEqual([accept, "application/json; charset=utf-8"]);
  });

  test("and a page are refused to a client that accepts neither, which anybody else gets", async () => {
    for (const accept of [
      "text/csv",
      "text/*",
      "json",
      "application/json;q=0",
      "*/*;q=0",
      "application/x-ndjson;q=0.000, */*;q=0",
      "application/json;q=0, */*;q=0, text/html",
      "application/*;q=0, text/html, */*",
    ]) {
      const response = await ask(demo.origin, { Accept: accept });
      expect([accept, response.statusCode]).toEqual([accept, 406]);
      expect(response.headers).toMatchObject({ "content-type": "application/json; charset=utf-8" });
      expect(await json(response)).toEqual({
        code: "NOT_ACCEPTABLE",
        message: "Not acceptable",
        issues: [
          { path: [], code: "not_acceptable", message: expect.stringContaining("application/x-ndjson") },
        ],
      });
    }
    for (const accept of [
      "",
      "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
      "text/html, APPLICATION/JSON; charset=utf-8; q=0.1",
    ]) {
      const response = await ask(demo.origin, { Accept: accept });
      response.destroy();
      expect([accept, response.statusCode]).toEqual([accept, 200]);
    }
  });

  test("is compressed as Accept-Encoding says, and the same then", async () => {
    for (const [accepted, coding, reader] of [
      ["gzip, br;q=0.5", "gzip", createGunzip()],
      ["gzip, br", "br", createBrotliDecompress()],
    ] as const) {
      const response = await ask(demo.origin, { ...LINES, "Accept-Encoding": accepted });
      expect(response.headers).toMatchObject({
        "content-encoding": coding,
        vary: expect.stringContaining("Accept-Encoding"),
      });
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      expect(await text(response.pipe(reader))).toBe(whole);
      expect(bytes).toBeLessThan(whole.length / 5);
    }
    const plain = await ask(demo.origin, { ...LINES, "Accept-Encoding": "identity, gzip;q=0.5" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
  });

  test("arrives piece by piece although it is compressed, while the rest is not made yet", async () => {
    const gate = Promise.withResolvers<void>();
    const origin = await demo.serve({}, parts(new Gated(gate.promise)));
    for (const [coding, reader] of [
      ["gzip", createGunzip()],
      ["br", createBrotliDecompress()],
    ] as const) {
      const response = await ask(origin, { ...LINES, "Accept-Encoding": coding });
      let read = "";
      for await (const chunk of response.pipe(reader)) {
        read += chunk;
        if (read.endsWith("\n")) break;
      }
      expect(read.split("\n").length).toBe(201);
      expect(whole.startsWith(read)).toBe(true);
    }
    gate.resolve();
  });

  test("holds no slot, but one of the places of streams, until it is read or left", async () => {
    const made = parts();
    const origin = await demo.serve({ MAX_CONCURRENT_REQUESTS: "1" }, made);
    const token = await demo.issue();
    const unread = await ask(origin, LINES, { token });
    const other = await ask(origin, { ...LINES, "Accept-Encoding": "gzip" }, { token });
    const refused = await ask(origin, LINES, { token });
    expect([refused.statusCode, JSON.parse(await text(refused)) as ErrorBody]).toMatchObject([
      429,
      { code: "TOO_MANY_REQUESTS", issues: [{ code: "too_many_streams" }] },
    ]);
    // A refused list drops the rows that it has read ahead.
    const path = `/v0/addresses/${demo.chain.notable.busyAddress}/changes`;
    expect((await ask(origin, LINES, { token, path })).statusCode).toBe(429);
    expect(readAhead.size).toBe(0);
    expect((await ask(origin, {}, { token })).statusCode).toBe(200);
    other.destroy();
    while (made.streams.size > 1) await nextTurn();
    const head = await ask(origin, LINES, { token, method: "HEAD" });
    // Nobody knows the length of a list that GET would stream.
    expect([head.statusCode, head.headers["content-length"]]).toEqual([200, undefined]);
    expect(made.streams.size).toBe(1);
    expect(await text(unread)).toBe(whole);
    expect(made.streams.size).toBe(0);
  });

  test("is read in pieces, each through the queue and with a new timeout for its reader", async () => {
    const progressed = vi.spyOn(Admission.prototype, "progressed");
    const made = parts();
    await text(await ask(await demo.serve({}, made), LINES));
    expect(made.workQueue.pieces).toBeGreaterThanOrEqual(OUTPUTS / 200);
    expect(progressed.mock.calls.length).toBeGreaterThan(OUTPUTS / 200);
    progressed.mockRestore();
  });

  test("is read no further when its reader has left", async () => {
    const made = parts();
    const origin = await demo.serve({}, made);
    for (const coding of ["identity", "gzip"]) {
      const before = made.workQueue.pieces;
      const response = await ask(origin, { ...LINES, "Accept-Encoding": coding });
      await once(response, "data");
      response.destroy();
      while (made.streams.size > 0) await nextTurn();
      expect(made.workQueue.pieces - before).toBeLessThan(OUTPUTS / 200);
    }
  });

  test("as of a block is cut without its last line once a reorganisation replaces that block", async () => {
    const ledger = new Ledger();
    for (let i = 0; i < 5; i++) ledger.block([{ create: new Array(1_000).fill({ to: addressOf(1) }) }]);
    const store = await openStore("sqlite::memory:");
    await store.write(identify, identity);
    await storeBlocks(store, ledger.blocks);
    const gate = Promise.withResolvers<void>();
    type Logged = { level: number; reason?: string };
    const logged: Logged[] = [];
    const log = createLog("info", { write: (line) => void logged.push(JSON.parse(line) as Logged) });
    const served = await serveStore(store, { ...parts(new Gated(gate.promise)), log });
    const begun: IncomingMessage[] = [];
    for (const list of ["utxos?at=4", "changes?from=0"]) {
      const path = `/v0/addresses/${addressText(1)}/${list}`;
      const response = await ask(served.origin, LINES, { path, token: served.token });
      expect(response.headers["x-block-hash"]).toBe(ledger.tip!.hash);
      begun.push(response);
    }
    const rival = ledger.fork(1, "rival");
    for (let i = 0; i < 4; i++) rival.block([{ create: new Array(1_000).fill({ to: addressOf(1) }) }]);
    await store.write(revertTo, 1);
    await storeBlocks(store, rival.blocks.slice(2));
    const sent = begun.map(async (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      await new Promise((resolve) => response.once("close", resolve));
      return [response.complete, text.includes('"cursor"')];
    });
    gate.resolve();
    expect(await Promise.all(sent)).toEqual([
      [false, false],
      [false, false],
    ]);
    const cuts = logged.filter(({ reason }) => reason?.includes("was replaced"));
    expect(cuts.map(({ level }) => level)).toEqual([30, 30]);
    expect(logged.filter(({ level }) => level > 30)).toEqual([]);
    await served.close();
  });

  test("is cut when its token ends", async () => {
    for (const coding of ["identity", "gzip"]) {
      const gate = Promise.withResolvers<void>();
      let checks = 0;
      const isValid = async () => {
        // By the second check, the first one has had its effect.
        if (++checks === 2) gate.resolve();
        return false;
      };
      const made = parts(new Gated(gate.promise), isValid);
      const origin = await demo.serve({}, made);
      const response = await ask(origin, { ...LINES, "Accept-Encoding": coding });
      await new Promise((resolve) => response.once("close", resolve).resume());
      expect([response.complete, made.streams.size]).toEqual([false, 0]);
    }
  });
});
