/**
 * `npm run build && npm run attack -- fuzz [SEED] [REQUESTS]`: sends 100,000 random requests, drawn from the OpenAPI
 * document or made up: paths, addresses, hashes, cursors, headers, methods and bodies. No answer may be a 5xx except
 * 503. Answers must match the document, errors under `/v0` the contract. The log must hold no token, and memory must
 * stay flat.
 */
import { Agent, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { errorTable } from "#lib/contract/errors.ts";
import type { openApiDocument } from "#lib/reference/openapi.ts";
import { matchRoute } from "#lib/server/api-routes.ts";
import { Draw, type Seeds, SPECIAL, targetFrom } from "#lib/testing/random-requests.ts";
import { responseChecker } from "#lib/testing/response-faults.ts";
import { report, serveApp } from "./served-app.ts";

const SEED = Number(process.argv[2] ?? Date.now() % 1_000_000);
const REQUESTS = Number(process.argv[3] ?? 100_000);
const MINUTES = 12;
const CLIENTS = 8;
const MAX_GROWTH_MB = 100;
/** Share of requests for pages, which cost a hundred times as much as others. */
const PAGE_SHARE = 0.02;
/** Requests that are drawn from the document. */
const SPEC_SHARE = 0.5;

console.log(`seed ${SEED}`);
const draw = new Draw(SEED);
const mutated = (text: string) => draw.mutated(text);
const pick = <T>(items: readonly T[]): T => draw.pick(items);
const chance = (share: number) => draw.chance(share);
const below = (limit: number) => draw.below(limit);
const times = <T>(count: number, make: () => T) => draw.times(count, make);

const app = await serveApp({ LOG_LEVEL: "info" });
const { notable, token } = app;
const description = await fetch(`${app.origin}/openapi.json`);
const document = (await description.json()) as ReturnType<typeof openApiDocument>;
const checker = responseChecker(document);
const addresses = [
  notable.busyAddress,
  notable.smallAddress,
  notable.emptiedAddress,
  notable.unseenAddress,
  notable.lookAlikeAddress,
  notable.hostileAddress,
  "ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa",
];
const blocks = [
  notable.busyBlockHash,
  notable.emptyBlockHash,
  notable.bareBlockHash,
  notable.replacedBlockHash,
  "tip",
  "0",
  "1000",
  "99999999999999999999",
];
/** Cursors that the service gave out. */
const cursors = [""];

const numbers = [
  "0",
  "1",
  "2",
  "10",
  "100",
  "101",
  "1000",
  "1001",
  "-1",
  "1e2",
  "0x10",
  "10.0",
  "%2010",
  "",
  "9".repeat(400),
  "NaN",
  "1_0",
];
const values: Record<string, () => string> = {
  pageSize: () => pick(numbers),
  page: () => pick(numbers),
  cursor: () => mutated(pick(cursors)),
  token: () => mutated(pick([notable.knownToken, notable.lookAlikeToken, "0x80000135"])),
  order: () => mutated(pick(["asc", "desc"])),
  orderKey: () => mutated("volume"),
  orderDirection: () => mutated(pick(["asc", "desc"])),
  assetName: () => mutated(pick(["CKB", "tide", "%25", "_", "%E2%80%AE"])),
  search: () => mutated(pick(["CKB", "0x80", "%25", "_", "%00"])),
  tags: () => mutated(pick(["stable", "nft", "a,b"])),
  "tags[]": () => mutated("stable"),
  [`x${"y".repeat(500)}`]: () => "z".repeat(below(2000)),
  __proto__x: () => "1",
  _rsc: () => "abc",
  next: () => mutated("/docs"),
};

/** Values that the document's examples and schemas lack: the demo's addresses, blocks, assets and cursors. */
const seeds: Seeds = {
  address: addresses,
  blockHash: blocks,
  cursor: cursors,
  token: [notable.knownToken, notable.lookAlikeToken, "0x80000135"],
  assetName: ["CKB", "tide", "%25", "_", "%E2%80%AE"],
  search: ["CKB", "0x80", "%25", "_", "%00"],
  tags: ["stable", "nft", "a,b"],
};

function query(): string {
  const pairs = times(below(5), () => {
    const name = pick(Object.keys(values));
    return `${mutated(name)}=${values[name]!()}`;
  });
  if (chance(0.1)) pairs.push(...pairs);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function path(): string {
  if (chance(PAGE_SHARE)) {
    return pick([
      () => "/",
      () => "/docs",
      () => "/sign-in",
      () => `/addresses/${mutated(pick(addresses))}`,
      () => `/blocks/${mutated(pick(blocks))}`,
      () => `/blocks/${mutated(pick(blocks))}/opengraph-image`,
      () => `/asset-icons/${mutated(notable.knownToken)}`,
      () => `/changes?address=${mutated(pick(addresses))}&since=${mutated(notable.busyBlockHash)}`,
      () =>
        `/holdings?address=${mutated(pick(addresses))}&search=${mutated(notable.knownToken)}&page=${pick(numbers)}`,
      () => "/status",
      () => "/session",
    ])();
  }
  return pick([
    () => `/v0/addresses/${mutated(pick(addresses))}/utxos`,
    () => `/v0/blocks/${mutated(pick(blocks))}/asset-changes`,
    () => mutated(`/v0/addresses/${pick(addresses)}/utxos`),
    () => mutated(`/v0/blocks/${pick(blocks)}/asset-changes`),
    () =>
      mutated(
        pick([
          "/nowhere",
          "/_next/static/x.js",
          "/_next/image",
          "/v0",
          "/healthz",
          "/readyz",
          "/openapi.json",
        ]),
      ),
    () => `/${times(below(20), () => pick([..."/.%25abc", ...SPECIAL])).join("")}`,
  ])();
}

function headers(): Record<string, string> {
  const sent: Record<string, string> = {};
  const bearer = `Bearer ${token}`;
  const mutedToken = mutated(token).replace(/[^\w-]/g, "");
  const authorization = pick([
    bearer,
    bearer,
    bearer,
    `bearer  ${token} `,
    `Basic ${token}`,
    `Bearer ${mutedToken}`,
    "Bearer",
    "",
    null,
  ]);
  if (authorization !== null) sent.Authorization = authorization;
  if (chance(0.2))
    sent.Cookie = pick([
      `aqs_session=${token}`,
      `a=b; __Host-aqs_session=${token}`,
      `aqs_session=${mutedToken}`,
      "=;;=",
    ]);
  if (chance(0.2)) sent["If-None-Match"] = pick(["*", '"x"', 'W/"x", "y"', ",,,", "x".repeat(3000)]);
  if (chance(0.4))
    sent["Accept-Encoding"] = pick([
      "gzip",
      "br",
      "gzip, br;q=0.5",
      "identity;q=0, *;q=0",
      "gzip;q=x",
      "*",
      ",;=,",
      "zstd",
    ]);
  if (chance(0.1)) sent.Range = pick(["bytes=0-10", "bytes=5-1", "x"]);
  if (chance(0.05)) sent.Expect = pick(["100-continue", "foo"]);
  if (chance(0.1)) sent.Accept = pick(["application/x-ndjson", "text/html", "image/*", "\x80"]);
  if (chance(0.1)) sent["X-Request-Id"] = pick(["abc", "a b", "x".repeat(500), "\x9b2J"]);
  if (chance(0.1)) sent["X-Forwarded-Proto"] = pick(["https", "http", "ftp", "https, http"]);
  if (chance(0.05)) sent.Host = pick(["a", "a b", "[::1]:1", "user@a", ""]);
  if (chance(0.05)) sent.RSC = "1";
  if (chance(0.02)) sent["Next-Action"] = "0".repeat(40);
  if (chance(0.02)) sent["Next-Router-State-Tree"] = pick(["%5B%5D", "x", "%00"]);
  if (chance(0.02)) sent.Origin = pick([app.origin, "null", "http://other.example"]);
  return sent;
}

const bodies = [
  ["application/json", `{"token":"${token}"}`],
  ["application/json", "[".repeat(4000)],
  ["application/x-www-form-urlencoded", `token=${token}&next=//other.example`],
  [
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="1_$ACTION_ID_x"\r\n\r\n1\r\n--x--\r\n',
  ],
  ["text/plain", "x".repeat(20_000)],
] as const;

interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** Decompresses a body. */
function decoded(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === "br") return brotliDecompressSync(bytes).toString();
  return (encoding === "gzip" ? gunzipSync(bytes) : bytes).toString();
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

function send(target: string, method: string): Promise<Answer | null> {
  const sent = headers();
  const body = method === "GET" || method === "HEAD" || chance(0.3) ? null : pick(bodies);
  if (body) sent["Content-Type"] = body[0];
  return new Promise((resolve, reject) => {
    try {
      const outgoing = request({ port: app.port, path: target, method, headers: sent, agent }, (response) => {
        const status = response.statusCode!;
        const sentBack = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        const headers = new Headers(sentBack as [string, string][]);
        if (headers.get("content-type") === "text/event-stream") {
          // An event stream has no end.
          resolve({ status, headers, body: "" });
          response.destroy();
          return;
        }
        const chunks: Buffer[] = [];
        response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .once("error", () => resolve(null))
          .once("end", () => {
            const bytes = Buffer.concat(chunks);
            const encoding = bytes.length > 0 ? response.headers["content-encoding"] : undefined;
            resolve({ status, headers, body: decoded(bytes, encoding) });
          });
      });
      // The server closed the connection after a body that it did not read.
      outgoing
        .once("error", () => resolve(null))
        .setTimeout(30_000, () => reject(new Error(`No answer to ${target}`)));
      outgoing.end(body?.[1]);
    } catch {
      // Node does not send characters that no URL or header may have.
      resolve(null);
    }
  });
}

const faults: string[] = [];
const statuses = new Map<number, number>();
let busy = 0;
let unanswered = 0;
/** Number of responses that were compared with the document. */
let compared = 0;

/** The declared path of the operation that a target matches; null if there is none. */
const operationAt = (target: string): string | null => matchRoute(target.split("?")[0]!)?.path ?? null;

function check(target: string, method: string, answer: Answer): void {
  const { status, headers, body } = answer;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (status === 503) busy++;
  else if (status >= 500) faults.push(`${status} to ${method} ${target}`);
  if (!/^\/v0(\/|\?|$)/.test(target) || method === "HEAD") return;
  const type = headers.get("content-type");
  const operation = operationAt(target);
  // Node limits the head of a request, and no operation declares this.
  if (operation !== null && ![408, 431].includes(status)) {
    compared++;
    const found = checker.response(operation, answer);
    if (type === "application/x-ndjson" && !/\n\{"cursor":".*"\}\n$/.test(`\n${body}`))
      found.push("no cursor at the end");
    faults.push(...found.map((fault) => `${fault}: ${status} to ${method} ${target}`));
  }
  if (status === 200 && type?.startsWith("application/json") && target.includes("/utxos")) {
    // Responses about a block have no cursor, although their query may contain the text.
    const { lastCursor } = JSON.parse(body) as { lastCursor?: string };
    if (lastCursor && cursors.length < 500) cursors.push(lastCursor);
  }
  if (status < 400) return;
  const failure = JSON.parse(body) as { code: keyof typeof errorTable; message: string; issues: unknown };
  const entry = errorTable[failure.code];
  const isOfTable =
    entry?.status === status || (failure.code === "BAD_REQUEST" && [408, 431].includes(status));
  const isWhole = Object.keys(failure).join() === "code,message,issues" && entry?.message === failure.message;
  if (!isOfTable || !isWhole || !Array.isArray(failure.issues)) faults.push(`${status} ${body} to ${target}`);
}

const end = performance.now() + MINUTES * 60_000;
let sent = 0;
let early: number | null = null;
await Promise.all(
  times(CLIENTS, async () => {
    while (sent < REQUESTS && performance.now() < end && faults.length < 20) {
      const number = sent++;
      const target = chance(SPEC_SHARE) ? targetFrom(document, draw, seeds) : path() + query();
      const method = chance(0.9)
        ? "GET"
        : pick(["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"]);
      try {
        const answer = await send(target, method);
        if (answer) check(target, method, answer);
        else unanswered++;
      } catch (error) {
        faults.push(`${error} (${method} ${target})`);
      }
      if (number % 10_000 === 0) console.log(`${number} requests: ${app.memory()} MB`);
      // Before that, V8 lets the heap grow, even if little of it is live.
      if (number === Math.round(REQUESTS * 0.4)) early = app.memory();
    }
  }),
);
for (const fault of faults) console.log(fault.slice(0, 500));
const late = app.memory();
const log = app.log();
const secret = token.slice(4, 30);
report([
  ["requests", `${sent}, ${unanswered} of them not answered or not sent`, sent === REQUESTS],
  [
    "statuses",
    [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${count} × ${status}`)
      .join(", "),
    true,
  ],
  ["503", busy, true],
  ["answers compared with the OpenAPI document", compared, compared > sent / 4],
  ["faults", faults.length, faults.length === 0],
  ["log", `${log.length} characters`, !log.includes(secret) && !/[^\P{Cc}\n]/u.test(log)],
  [
    "memory after two fifths, and at the end",
    `${early} MB, ${late} MB`,
    early !== null && late - early < MAX_GROWTH_MB,
  ],
]);
agent.destroy();
await app.stop();
