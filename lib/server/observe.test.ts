import { globSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { createSyncMetrics } from "#lib/cli/sync-metrics.ts";
import { readConfig } from "#lib/config.ts";
import { serveMetrics } from "#lib/metrics/serve.ts";
import { WorkerMetrics } from "#lib/metrics/workers.ts";
import { openStore } from "#lib/store/open.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { hashOf, identity, Ledger, storeFirstBlock } from "#lib/testing/ledger.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { Framework } from "./framework.ts";
import { createMetrics, type ServerMetrics } from "./metrics.ts";
import { ROUTES, routeOfPage } from "./observe.ts";
import { createServer } from "./server.ts";

const ADDRESS = "ckt1qyqd5eyygtdmwdr7ge736zw6z0ju6wsw7rssu8fcve";

let store: Store;
let metrics: ServerMetrics;
let close: () => void;
let token: string;
let tokenId: string;
let origin: string;
/** Level and line of each request. */
let logged: [level: string, line: Record<string, unknown>][];

async function serve(settings: Record<string, string> = {}): Promise<void> {
  const service = await createService(store, readConfig({ LOG_LEVEL: "debug", ...settings }));
  for (const level of ["debug", "info", "warn", "error"] as const) {
    service.log[level] = (line: object) => void logged.push([level, line as Record<string, unknown>]);
  }
  metrics = createMetrics(service);
  const page = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/docs")) throw new Error("broken");
    response.end("a page");
  };
  const server = createServer(
    service,
    new Framework(page),
    { isPage: (path) => path !== "/missing", files: new Map() },
    metrics,
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => {
    server.close();
    server.closeAllConnections();
  };
}

beforeEach(async () => {
  logged = [];
  store = await openStore("sqlite::memory:");
  const issued = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: Date.now() });
  token = issued.token;
  tokenId = issued.record.id;
});

afterEach(async () => {
  close();
  await store.close();
});

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(origin + path, { headers });
  const text = await response.text();
  // The next request on the connection is read after the line of this one is written.
  await fetch(`${origin}/healthz`);
  return { id: response.headers.get("x-request-id"), bytes: text.length };
}

const linesOf = (route: string) => logged.filter(([, line]) => line.route === route);

test("a request has one line with its id, route, status, duration, bytes and token id, and nothing secret", async () => {
  await serve();
  const path = `/v0/blocks/${hashOf("none")}/asset-changes?assetName=secret`;
  const { id, bytes } = await ask(path, { Authorization: `Bearer ${token}`, "X-Request-Id": "mine-1" });
  expect(id).toBe("mine-1");
  const [[level, line]] = linesOf("blockAssetChanges") as [(typeof logged)[number]];
  expect([level, line]).toEqual([
    "info",
    {
      id: "mine-1",
      route: "blockAssetChanges",
      status: 404,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      token: tokenId,
    },
  ]);
  expect(line.bytes).toBeGreaterThan(bytes);
  await ask("/addresses/x?cursor=secret", { Cookie: `aqs_session=${token}` });
  expect(linesOf("addresses")).toMatchObject([["info", { status: 200, token: tokenId }]]);
  const text = JSON.stringify(logged);
  for (const secret of [token, "secret", "aqs_session"]) expect(text).not.toContain(secret);
});

test("every failed request is logged with the id of its response, however few others are", async () => {
  await serve({ LOG_SAMPLE: "0" });
  await ask("/", {});
  expect(linesOf("home")).toEqual([]);
  const { id } = await ask("/docs");
  expect(linesOf("docs")).toMatchObject([["warn", { id, status: 500 }]]);
  expect(logged).toContainEqual(["error", { err: expect.any(Error), requestId: id }]);
  const unknown = await ask("/v0/blocks/tip/asset-changes", { Authorization: "Bearer aqs_wrong" });
  expect(linesOf("blockAssetChanges")).toMatchObject([
    ["info", { id: unknown.id, status: 401, token: null }],
  ]);
});

test("health checks are logged for debugging only", async () => {
  await serve();
  await ask("/healthz");
  expect(linesOf("healthz")[0]).toMatchObject(["debug", { status: 200 }]);
});

test("metrics count requests under our names, whatever the path", async () => {
  await storeFirstBlock(store);
  await serve();
  for (let i = 0; i < 20; i++) await ask(`/made-up-${i}/x`);
  await ask("/missing");
  await ask("/v0/made-up");
  const text = await metrics.registry.metrics();
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
  for (const route of routes) expect(ROUTES).toContain(route);
  expect(text).toContain('aqs_request_duration_seconds_count{route="file",status="200"} 20');
  expect(text).toContain('aqs_request_duration_seconds_count{route="unknown",status="404"} 1');
  expect(text).toContain('aqs_request_duration_seconds_count{route="v0",status="404"} 1');
  expect(text).toMatch(/aqs_ready 1\n/);
  expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds|process_resident_memory_bytes/);
});

test.each([
  ["events", "/v0/events", "text/event-stream"],
  ["ndjson", `/v0/addresses/${ADDRESS}/utxos`, "application/x-ndjson"],
])(
  "a stream of %s is not counted among the requests, but open and with its duration",
  async (kind, path, type) => {
    await store.write(identify, identity);
    await serve({ MAX_EVENT_STREAMS: "7" });
    const response = await fetch(origin + path, {
      headers: { Authorization: `Bearer ${token}`, Accept: type },
    });
    expect(response.headers.get("content-type")).toBe(type);
    const read = () => metrics.registry.metrics();
    if (kind === "events") expect(await read()).toContain('aqs_open_streams{kind="events"} 1\n');
    await (kind === "events" ? response.body!.cancel() : response.text());
    await vi.waitFor(async () => {
      const text = await read();
      expect(text).toContain(`aqs_open_streams{kind="${kind}"} 0\n`);
      expect(text).toContain(`aqs_stream_duration_seconds_count{kind="${kind}"} 1\n`);
      expect(text).not.toContain("aqs_request_duration_seconds_count");
      expect(text).toContain("aqs_max_event_streams 7\n");
    }, EVENT_TIMEOUT);
  },
);

test("every page of the app has a name of its own", () => {
  const app = fileURLToPath(new URL("../../app/", import.meta.url));
  const names = globSync("**/page.tsx", { cwd: app }).map((file) =>
    routeOfPage(`/${file.slice(0, -"page.tsx".length)}`),
  );
  expect(names.length).toBeGreaterThan(4);
  expect(names.filter((name) => name === "file")).toEqual([]);
});

test("metrics have the tip, also at the first scrape", async () => {
  const block = new Ledger().block();
  await store.write(identify, identity);
  await store.write(applyBlocks, [{ ...block, transactions: [], changes: [] }], { extendTip: true });
  await serve();
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/^aqs_tip_height 0$/m);
  const age = (Date.now() - block.timestamp) / 1000;
  expect(Number(/^aqs_tip_age_seconds (.+)$/m.exec(text)?.[1])).toBeCloseTo(age, -2);
});

test("metrics are served on their own port, and nothing else is", async () => {
  await serve();
  const port = await serveMetrics(metrics.registry, "127.0.0.1", 0);
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).toContain("aqs_connections");
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
});

test("health checks work on the port of the metrics, too", async () => {
  await serve();
  const ready = async () => ({ status: 503, headers: { "Cache-Control": "no-store" }, body: "not yet" });
  const port = await serveMetrics(metrics.registry, "127.0.0.1", 0, { "/readyz": ready });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const answer = await get("/readyz?x=1");
  expect([answer.status, await answer.text()]).toEqual([503, "not yet"]);
  expect((await get("/toString")).status).toBe(404);
});

test("the dashboard and the alerts ask only for metrics that exist, and every metric of ours is on the dashboard", async () => {
  await serve();
  const registries = [metrics.registry, createSyncMetrics().registry, new WorkerMetrics(2).own];
  const known = registries.flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name));
  const { panels } = JSON.parse(readFileSync("deploy/grafana-dashboard.json", "utf8")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const namesIn = (text: string) =>
    (text.match(/\b(?:aqs|nodejs|process)_\w+/g) ?? []).map((name) =>
      known.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, ""),
    );
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)));
  const watched = namesIn(readFileSync("deploy/alerts.yml", "utf8"));
  expect([...shown, ...watched].filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => name.startsWith("aqs_") && !shown.includes(name))).toEqual([]);
});

test("sync counts blocks, outputs and reorganisations", async () => {
  await serve();
  const { registry, tips, progress, reorganised } = createSyncMetrics();
  tips({ height: 9, storedHeight: 9, nodeHeight: 12, blocks: 0, outputs: 0 });
  expect(await registry.metrics()).toMatch(/aqs_sync_height 9\n(.*\n)*aqs_sync_lag_blocks 3\n/);
  const now = { height: 9, storedHeight: 9, nodeHeight: 12, blocks: 10, outputs: 30 };
  progress(now);
  Object.assign(now, { height: 11, blocks: 12, outputs: 33 });
  progress(now);
  reorganised(2);
  const text = await registry.metrics();
  for (const line of [
    "aqs_sync_height 11",
    "aqs_sync_lag_blocks 1",
    "aqs_sync_blocks_total 12",
    "aqs_sync_outputs_total 33",
    "aqs_sync_reorganisations_total 1",
    "aqs_sync_reverted_blocks_total 2",
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});
