import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import examples from "#lib/chains/ckb/examples.json" with { type: "json" };
import { type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { eventScope, events } from "#lib/contract/events.ts";
import { type HeaderName, headerDeclarations } from "#lib/contract/headers.ts";
import { type Contract, scopes } from "#lib/contract/operation.ts";
import { createCursorCodec } from "#lib/questions/cursor.ts";
import { type OperationName, operations } from "#lib/questions/list.ts";
import type { Reference } from "#lib/questions/reference.ts";
import type { ApiExamples } from "#lib/reference/examples.ts";
import { openApiDocument } from "#lib/reference/openapi.ts";
import { route } from "#lib/server/router.ts";
import { answerChecker, type SeenAnswer } from "#lib/testing/answer-faults.ts";
import { type DemoServer, serveDemo } from "#lib/testing/demo-server.ts";
import { Draw, targetFrom } from "#lib/testing/random-requests.ts";

/** `npm run unit -- lib/api/examples.test.ts -u` rewrites the file. */
const FILE = "../chains/ckb/examples.json";

let demo: DemoServer;
/** Everything that was asked and answered, with the path of its operation. */
const seen: { path: string; answer: SeenAnswer }[] = [];
let found: ApiExamples;

/** Parameters by name; in the query, one may have several values. */
type Given = Record<string, string | number | string[]>;

function urlOf(path: string, given: Given, origin: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
  const query = Object.entries(given).filter(
    ([name]) => !path.includes(`{${name}}`) && !/^(If-|Last-)/.test(name),
  );
  const pairs = query.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return `${origin}${filled}?${new URLSearchParams(pairs)}`;
}

interface Asking {
  origin?: string;
  token?: string;
  method?: string;
  headers?: Record<string, string>;
}

async function ask(path: string, given: Given, asking: Asking = {}): Promise<SeenAnswer> {
  const response = await fetch(urlOf(path, given, asking.origin ?? demo.origin), {
    method: asking.method ?? "GET",
    headers: {
      Authorization: `Bearer ${asking.token ?? demo.token}`,
      "X-Request-Id": "example-1",
      "Accept-Encoding": "identity",
      ...asking.headers,
    },
  });
  const body =
    response.status === 200 && path === events.path ? await firstEvents(response) : await response.text();
  const answer = { status: response.status, headers: response.headers, body };
  seen.push({ path, answer });
  return answer;
}

/** The events up to the first block. */
async function firstEvents(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const block = /event: block\n.*\n\n/.exec(text);
    if (block) return text.slice(0, block.index + block[0].length);
  }
  throw new Error(`The stream ended after: ${text}`);
}

/** An operation's request, and what it answers. */
interface Asked {
  contract: Contract;
  given: Given;
  answer: SeenAnswer;
  /** Parameters that name something that is not there. */
  missing: Given;
}

/** The part of `given` that no request does without. */
const required = ({ params, query }: Contract, given: Given): Given =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name]) => name in params.shape || query.shape[name]?.safeParse(undefined).success === false,
    ),
  );

/** Asks each operation once for each status that it may answer with. */
async function collect(): Promise<ApiExamples> {
  const { notable } = demo.chain;
  const token = await demo.issue({ ratePerMinute: 600 });
  const known = {
    address: notable.smallAddress,
    blockHash: notable.busyBlockHash,
    asset: notable.knownToken,
  };
  const { unseenAddress: address, replacedBlockHash: blockHash } = notable;
  const unknown = { address, blockHash, asset: blockHash };

  const made: Record<string, object> = {};
  const asked: Asked[] = [];
  for (const [name, operation] of Object.entries(operations)) {
    const contract: Contract = operation.contract;
    const { path } = contract;
    const example = operation.reference.example as Reference<Contract>["example"];
    const given = example.parameters(known) as Given;
    const answer = await ask(path, given, { token });
    const page = JSON.parse(answer.body) as never;
    const etag = answer.headers.get("etag")!;
    const parameters = { ...given, ...example.more(page), "If-None-Match": etag };
    made[name] = { parameters, answer: page };
    if (contract.walk) {
      const few = { ...required(contract, given), ...example.few!(page) } as Given;
      const { body } = await ask(path, few, { token, headers: { Accept: "application/x-ndjson" } });
      made[name] = { ...made[name], lines: body };
    }
    expect((await ask(path, given, { token, headers: { "If-None-Match": etag } })).status).toBe(304);
    await ask(path, given, { headers: { "Accept-Encoding": "gzip", "X-Forwarded-Proto": "https" } });
    asked.push({
      contract,
      given,
      answer,
      missing: {
        ...required(contract, example.parameters(unknown) as Given),
        ...unknownBlock(contract, blockHash),
      },
    });
  }
  await ask(operations.blockAssetChanges.contract.path, { blockHash: "tip" }, { token });

  const watched = { address: [known.address] };
  const height = Number(/"blockHeight":(\d+)/.exec(asked[0]!.answer.body)![1]) - 1;
  const resumed = { "Last-Event-ID": `${height}-${demo.ledger.blocks[height]!.hash}` };
  const stream = await ask(events.path, watched, { token, headers: resumed });

  const errors = await collectErrors(asked, watched);
  const headers: ApiExamples["headers"] = {};
  for (const name of Object.keys(headerDeclarations) as HeaderName[]) {
    const value = seen.map(({ answer }) => answer.headers.get(name)).find((sent) => sent !== null);
    if (value !== undefined && value !== null) headers[name] = value;
  }
  const parameters = { ...watched, ...resumed };
  return {
    operations: made as ApiExamples["operations"],
    events: { parameters, answer: stream.body },
    errors,
    headers,
  };
}

/** Names a block that is not there, where the operation takes one that is optional. */
const unknownBlock = ({ query }: Contract, hash: string): Given =>
  Object.fromEntries(["at", "to"].filter((name) => name in query.shape).map((name) => [name, hash]));

async function collectErrors(asked: Asked[], watched: Given): Promise<ApiExamples["errors"]> {
  const broken = () => Promise.reject(new Error("a fault of the server"));
  const faulty = await demo.serve({}, { checkToken: broken });
  const full = await demo.serve({ MAX_CONCURRENT_REQUESTS: "0" });
  const unlimited = await demo.issue();
  const errors: Partial<Record<ErrorCode, object>> = {};
  const each = asked.map(({ contract, given, missing }) => {
    const { path, scope, params, query } = contract;
    // Above every maximum. What OpenAPI says is not known here: it needs the examples of each operation.
    const spoilt =
      "pageSize" in query.shape
        ? { pageSize: Number.MAX_SAFE_INTEGER }
        : Object.fromEntries(Object.keys(params.shape).map((name) => [name, "nonsense"]));
    const wrong = { ...given, ...spoilt };
    return { path, given, wrong, missing, scope, errors: contract.errors };
  });
  const ofEvents = {
    wrong: { address: ["nonsense"] },
    missing: {},
    scope: eventScope(true),
    errors: events.errors,
  };
  for (const { path, given, wrong, missing, scope, errors: codes } of [
    ...each,
    { path: events.path, given: watched, ...ofEvents },
  ]) {
    const once = await demo.issue({ ratePerMinute: 1 });
    await ask(path, wrong, { token: once });
    const others = scopes.filter((other) => ![scope].flat().includes(other));
    const may = (code: ErrorCode) => (codes as readonly ErrorCode[]).includes(code);
    const forbidden = async () => ask(path, given, { token: await demo.issue({ scopes: others }) });
    const answers: Partial<Record<ErrorCode, SeenAnswer>> = {
      BAD_REQUEST: await ask(path, wrong),
      UNAUTHORIZED: await ask(path, given, { token: "nonsense" }),
      // Every token has a scope, so what needs any of them is forbidden to nobody.
      ...(may("FORBIDDEN") && { FORBIDDEN: await forbidden() }),
      METHOD_NOT_ALLOWED: await ask(path, given, { method: "DELETE", token: unlimited }),
      TOO_MANY_REQUESTS: await ask(path, given, { token: once }),
      INTERNAL_SERVER_ERROR: await ask(path, given, { origin: faulty }),
      SERVICE_UNAVAILABLE: await ask(path, given, { origin: full }),
    };
    if (may("NOT_FOUND")) answers.NOT_FOUND = await ask(path, missing);
    for (const [code, { status, body }] of Object.entries(answers)) {
      expect([code, status]).toEqual([code, errorTable[code as ErrorCode].status]);
      errors[code as ErrorCode] ??= JSON.parse(body) as object;
    }
  }
  return errors as ApiExamples["errors"];
}

beforeAll(async () => {
  demo = await serveDemo(40, {
    // Otherwise they differ from one database to the next.
    cursors: createCursorCodec(new Uint8Array(32)),
    now: () => Date.UTC(2026, 9, 1),
  });
  found = await collect();
});

afterAll(() => demo.close());

describe("the examples of OpenAPI", () => {
  test("are real answers of the demo chain", async () => {
    await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(FILE);
  });

  test("hold no number that JSON's readers round", () => {
    const numbers = JSON.stringify(found).match(/(?<=[:[,])-?\d+(?=[,}\]])/g) ?? [];
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers.filter((digits) => !Number.isSafeInteger(Number(digits)))).toEqual([]);
  });

  test("have for each parameter a value that the server takes", async () => {
    for (const [operation, { contract }] of Object.entries(operations)) {
      const { path, params, query }: Contract = contract;
      const parameters = found.operations[operation as OperationName].parameters as unknown as Given;
      const declared = [...Object.keys(params.shape), ...Object.keys(query.shape), "If-None-Match"];
      expect(Object.keys(parameters).sort()).toEqual(declared.sort());
      for (const [name, value] of Object.entries(parameters)) {
        const headers: Record<string, string> = name === "If-None-Match" ? { [name]: String(value) } : {};
        const { status } = await ask(path, { ...required(contract, parameters), [name]: value }, { headers });
        expect(name === "If-None-Match" ? [200, 304] : [200], `${path} ${name}`).toContain(status);
      }
    }
  });
});

test("every answer has the status, headers and body that OpenAPI declares", () => {
  const check = answerChecker(openApiDocument(examples));
  const statuses = new Map<string, Set<number>>();
  for (const { path, answer } of seen) {
    expect({ path, status: answer.status, faults: check.answer(path, answer) }).toMatchObject({ faults: [] });
    statuses.set(path, (statuses.get(path) ?? new Set()).add(answer.status));
  }
  for (const [path, { get }] of Object.entries(openApiDocument(examples).paths!)) {
    expect([...statuses.get(path)!].map(String).sort()).toEqual(Object.keys(get!.responses!).sort());
  }
});

test("so has every answer to a random request that is drawn from OpenAPI", async () => {
  const document = openApiDocument(examples);
  const check = answerChecker(document);
  const draw = new Draw(1);
  const { notable } = demo.chain;
  const seeds = {
    address: [notable.busyAddress, notable.hostileAddress, notable.unseenAddress],
    blockHash: [notable.busyBlockHash, notable.replacedBlockHash, "tip", "75"],
    token: [notable.knownToken],
  };
  const counts: Record<number, number> = {};
  for (let number = 0; number < 500; number++) {
    const target = targetFrom(document, draw, seeds);
    const { status, headers, text } = await send(target);
    // The declared path of the operation that the server takes the target for.
    const path = route(target.split("?")[0]!)?.path;
    if (path === undefined || status === 431) continue;
    counts[status] = (counts[status] ?? 0) + 1;
    expect({ target, faults: check.answer(path, { status, headers, body: text }) }).toMatchObject({
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
