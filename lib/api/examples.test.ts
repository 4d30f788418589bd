import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import examples from "#lib/chains/ckb/examples.json" with { type: "json" };
import type { ApiExamples } from "#lib/reference/examples.ts";
import { openApiDocument } from "#lib/reference/openapi.ts";
import { matchRoute } from "#lib/server/api-routes.ts";
import { ExampleTaker, steadyParts } from "#lib/testing/api-examples.ts";
import { type DemoServer, serveDemo } from "#lib/testing/demo-server.ts";
import { Draw, targetFrom } from "#lib/testing/random-requests.ts";
import { responseChecker } from "#lib/testing/response-faults.ts";

/** `npm run unit -- lib/api/examples.test.ts -u` rewrites the file. */
const FILE = "../chains/ckb/examples.json";

let demo: DemoServer;
let taker: ExampleTaker;
let found: ApiExamples;

beforeAll(async () => {
  demo = await serveDemo(40, steadyParts);
  const { chain, ledger } = demo;
  const { smallAddress, busyBlockHash, knownToken, unseenAddress } = chain.notable;
  taker = new ExampleTaker({
    served: demo,
    known: {
      address: smallAddress,
      blockHash: busyBlockHash,
      transaction: ledger.blocks.find(({ hash }) => hash === busyBlockHash)!.transactions.at(-1)!.hash,
      asset: knownToken,
      assetName: "dollar",
      tag: "stablecoin",
    },
    unknown: { address: unseenAddress, blockHash: `0x${"12".repeat(32)}` },
    hashAt: (height) => ledger.blocks[height]!.hash,
  });
  found = await taker.take();
});

afterAll(() => demo.close());

describe("the examples of OpenAPI", () => {
  test("are real responses of the demo chain", async () => {
    await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(FILE);
  });

  test("contain no number that JSON parsers round", () => {
    const numbers = JSON.stringify(found).match(/(?<=[:[,])-?\d+(?=[,}\]])/g) ?? [];
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers.filter((digits) => !Number.isSafeInteger(Number(digits)))).toEqual([]);
  });

  test("have for each parameter a value that the server takes", async () => {
    expect(await taker.faultsIn(found)).toEqual([]);
  });
});

test("every response has the status, headers and body that OpenAPI declares", () => {
  const check = responseChecker(openApiDocument(examples));
  const statuses = new Map<string, Set<number>>();
  for (const { path, response } of taker.seen) {
    const { status } = response;
    expect({ path, status, faults: check.response(path, response) }).toMatchObject({ faults: [] });
    statuses.set(path, (statuses.get(path) ?? new Set()).add(status));
  }
  for (const [path, { get }] of Object.entries(openApiDocument(examples).paths!)) {
    expect([...statuses.get(path)!].map(String).sort()).toEqual(Object.keys(get!.responses!).sort());
  }
});

test("responses to random requests match OpenAPI, too", async () => {
  const document = openApiDocument(examples);
  const check = responseChecker(document);
  const draw = new Draw(1);
  const { notable } = demo.chain;
  const seeds = {
    address: [notable.busyAddress, notable.hostileAddress, notable.unseenAddress],
    blockHash: [notable.busyBlockHash, notable.replacedBlockHash, "tip", "75"],
    token: [notable.knownToken],
    hash: [notable.replacedBlockHash],
    outPoint: [`${notable.replacedBlockHash}:0x1`],
  };
  const counts: Record<number, number> = {};
  for (let number = 0; number < 1_000; number++) {
    const target = targetFrom(document, draw, seeds);
    const { status, headers, text } = await send(target);
    // The declared path of the operation that the server takes the target for.
    const path = matchRoute(target.split("?")[0]!)?.path;
    if (path === undefined || status === 431) continue;
    counts[status] = (counts[status] ?? 0) + 1;
    expect({ target, faults: check.response(path, { status, headers, body: text }) }).toMatchObject({
      faults: [],
    });
  }
  expect(counts[200]).toBeGreaterThan(30);
  expect(counts[400]).toBeGreaterThan(100);
  expect(Object.keys(counts)).toEqual(["200", "400", "404"]);
});

/** Sends a target as it is written, which `fetch` would change. */
function send(target: string): Promise<{ status: number; headers: Headers; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(demo.origin);
    const options = { hostname, port, path: target, headers: { Authorization: `Bearer ${demo.token}` } };
    get(options, (response) => {
      const headers = new Headers(
        Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
      );
      const status = response.statusCode!;
      const isStream = headers.get("content-type") === "text/event-stream";
      if (isStream) response.destroy();
      const chunks: Buffer[] = [];
      const answered = () => resolve({ status, headers, text: Buffer.concat(chunks).toString() });
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).once(isStream ? "close" : "end", answered);
    }).once("error", reject);
  });
}
