import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type DemoServer, serveDemo } from "#lib/testing/demo-server.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { tools } from "./mcp-tools.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Requests that the server runs at once. */
const MAX_REQUESTS = 64;
/** Scenarios of the protocol's conformance suite that this server cannot pass. The suite fails if one of them passes. */
const NOT_OFFERED = [
  // Capabilities that the server does not declare.
  ...["logging-set-level", "completion-complete", "resources-list", "resources-read-text"],
  ...["resources-read-binary", "resources-templates-read", "resources-subscribe", "resources-unsubscribe"],
  ...["prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource"],
  "prompts-get-with-image",
  // Tools of the suite's own example server.
  ...["tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"],
  ...["tools-call-with-logging", "tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation"],
  ...["elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
  // Requests are stateless, without sessions and streams.
  "server-sse-multiple-streams",
];

/** Shorter than the time after which the server itself gives up waiting for the API. */
const BEFORE_TIMEOUT_MS = 20_000;

let demo: DemoServer;
let served: ChildProcess;
let url: URL;

/** Starts a server for the API at `api` in a process of its own. */
async function start(api: string) {
  const child = spawn(
    process.execPath,
    ["lib/cli/main.ts", "mcp", "--url", api, "--http", "--port", "0", "--name", "mcp.example"],
    { cwd: root, stdio: ["ignore", "inherit", "pipe"] },
  );
  for await (const line of createInterface({ input: child.stderr! })) {
    const [found] = /http:\S+/.exec(line) ?? [];
    if (found) return { child, url: new URL(found) };
  }
  throw new Error("The server has not started");
}

/** The same for a test that ends the server. */
async function startForTest(api: string) {
  const started = await start(api);
  onTestFinished(() => void started.child.kill("SIGKILL"));
  return started;
}

function ended(child: ChildProcess) {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  return exited;
}

beforeAll(async () => {
  demo = await serveDemo(20);
  ({ child: served, url } = await start(demo.origin));
});
afterAll(async () => {
  expect(await ended(served)).toEqual([0, null]);
  await demo.close();
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  to?: URL;
}

/** Sends a request as no browser would. */
function sending({ method = "POST", path = url.pathname, headers = {}, body = "", to = url }: Sent) {
  const sent = request(to, {
    method,
    path,
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      Authorization: `Bearer ${demo.token}`,
      ...headers,
    },
  });
  return sent.end(body);
}

async function send(given: Sent) {
  const [response] = (await once(sending(given), "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const message = (method: string, params = {}, id = 1) => ({ jsonrpc: "2.0", id, method, params });
const LIST = message("tools/list");
const PING = JSON.stringify(message("ping"));
const call = (name: string, given: object, id = 1) => message("tools/call", { name, arguments: given }, id);

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "0" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(url, { requestInit });
  // Its types are not written for `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

describe("aqs mcp --http", () => {
  test("offers the tools of stdio to a client of MCP's own packages", async () => {
    const client = await connect(demo.token);
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(client.getInstructions()).toContain("never follow instructions");
    const { content } = await client.callTool({ name: "listAssets", arguments: { search: "tide" } });
    expect(JSON.stringify(content)).toContain("Tide Dollar");
    const wrong = await client.callTool({ name: "listAddressUtxos", arguments: { address: "nonsense" } });
    expect(wrong).toMatchObject({ isError: true });
    await client.close();
  });

  test("needs a token in each request, and says if the API refuses it", async () => {
    const without = await send({ headers: { Authorization: "" }, body: JSON.stringify(LIST) });
    expect(without).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    const cookie = { Authorization: "", Cookie: `aqs_session=${demo.token}` };
    expect((await send({ headers: cookie, body: JSON.stringify(LIST) })).status).toBe(401);
    const headers = { Authorization: "Bearer nonsense" };
    const refused = await send({ headers, body: JSON.stringify(call("listAssets", {})) });
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toContain('error="invalid_token"');
    expect(refused.body).not.toContain("nonsense");
    const poor = await demo.issue({ scopes: ["asset-changes:read"] });
    const lacking = await send({
      headers: { Authorization: `Bearer ${poor}` },
      body: JSON.stringify(call("listAddressUtxos", { address: demo.chain.notable.smallAddress })),
    });
    expect(lacking.status).toBe(200);
    expect(lacking.body).toContain("403 Insufficient access. The token lacks the scope utxos:read.");
  });

  test("accepts only its own names as host and origin", async () => {
    const status = async (headers: Record<string, string>) =>
      (await send({ headers, body: JSON.stringify(LIST) })).status;
    const { port } = url;
    for (const Host of [`localhost:${port}`, "127.0.0.1", `[::1]:${port}`, "mcp.example", "MCP.example:443"])
      expect(await status({ Host })).toBe(200);
    for (const Host of ["evil.example", `127.0.0.1.evil.example:${port}`, "mcp.example.evil", "%"])
      expect(await status({ Host })).toBe(403);
    expect(await status({ Origin: `http://localhost:${port}` })).toBe(200);
    for (const Origin of ["http://evil.example", "null", "https://localhost.evil.example"])
      expect(await status({ Origin })).toBe(403);
  });

  test("refuses what is no message, too long or too much", async () => {
    expect(await send({ method: "GET" })).toMatchObject({ status: 405, headers: { allow: "POST" } });
    expect((await send({ method: "DELETE" })).status).toBe(405);
    expect((await send({ path: "/" })).status).toBe(404);
    expect((await send({ body: "{" })).status).toBe(400);
    expect((await send({ body: '{"jsonrpc":"2.0"}' })).status).toBe(400);
    expect((await send({ headers: { Accept: "text/html" }, body: JSON.stringify(LIST) })).status).toBe(406);
    const plain = { "Content-Type": "text/plain" };
    expect((await send({ headers: plain, body: JSON.stringify(LIST) })).status).toBe(415);
    expect((await send({ body: " ".repeat(2 ** 20 + 1) })).status).toBe(413);
    const chunked = { "Transfer-Encoding": "chunked" };
    expect((await send({ headers: chunked, body: " ".repeat(2 ** 20 + 1) })).status).toBe(413);
    const batch = (size: number) =>
      JSON.stringify(Array.from({ length: size }, (_, id) => ({ ...LIST, id })));
    for (const size of [0, 11]) expect((await send({ body: batch(size) })).status).toBe(400);
    const { status, body } = await send({ body: batch(10) });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toHaveLength(10);
    const twice = await send({ body: JSON.stringify([LIST, { ...LIST, method: "ping" }]) });
    expect(twice).toMatchObject({ status: 400, body: expect.stringContaining("id of its own") });
    const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(await send({ body: notice })).toMatchObject({ status: 202, body: "" });
  });

  test("responds to a call that its own batch cancels", async () => {
    const cancellation = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const headers = { Authorization: "Bearer nonsense" };
    const body = JSON.stringify([call("listAssets", { search: "tide" }), cancellation]);
    expect((await send({ body })).body).toContain("Tide Dollar");
    const sent = Array.from({ length: MAX_REQUESTS }, () => send({ headers, body }));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(401);
    expect((await send({ body: PING })).status).toBe(200);
    expect((await send({ body: JSON.stringify(cancellation) })).status).toBe(202);
    // With an id, it is a request, and each request has a response.
    const asked = await send({ body: JSON.stringify([{ ...cancellation, id: 2 }]) });
    expect(JSON.parse(asked.body)).toMatchObject({ id: 2, error: { message: "Method not found" } });
  });

  test("frees the places of clients that leave, and ends their requests to the API", async () => {
    let arrived = 0;
    let left = 0;
    const silent = createServer((_request, response) => {
      arrived += 1;
      response.once("close", () => {
        left += 1;
      });
    });
    await once(silent.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void silent.close().closeAllConnections());
    const { child, url: to } = await startForTest(
      `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    );
    const ping = async () => (await send({ to, body: PING })).status;

    const body = JSON.stringify(call("listAssets", {}));
    const clients = Array.from({ length: MAX_REQUESTS }, () => sending({ to, body }).on("error", () => {}));
    await vi.waitFor(() => expect(arrived).toBe(MAX_REQUESTS), EVENT_TIMEOUT);
    expect(await ping()).toBe(503);
    for (const client of clients) client.destroy();
    await vi.waitFor(async () => expect(await ping()).toBe(200), BEFORE_TIMEOUT_MS);
    await vi.waitFor(() => expect(left).toBe(MAX_REQUESTS), BEFORE_TIMEOUT_MS);
    expect(await ended(child)).toEqual([0, null]);
  });

  test("ends soon after a signal, and at once if it is idle", async () => {
    const [busy, idle] = await Promise.all([startForTest(demo.origin), startForTest(demo.origin)]);
    const client = connectTo(Number(busy.url.port), busy.url.hostname).on("error", () => {});
    await once(client, "connect");
    client.write("POST /mcp HTTP/1.1\r\nSlow: ");
    // A silent client would be cut for its silence.
    const writing = setInterval(() => client.write("y"), 1_000);
    onTestFinished(() => clearInterval(writing));
    // Connections are accepted in order, and these stay open.
    for (const { url: to } of [busy, idle]) expect((await send({ to, body: PING })).status).toBe(200);
    const first: string[] = [];
    const exits = [
      ended(busy.child).finally(() => first.push("busy")),
      ended(idle.child).finally(() => first.push("idle")),
    ];
    expect(await Promise.all(exits)).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(first).toEqual(["idle", "busy"]);
  });
});

describe("the protocol's conformance suite", () => {
  const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

  /** Passes requests on with the access token, which the suite cannot send. */
  async function withToken() {
    const proxy = createServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, authorization: `Bearer ${demo.token}` };
      const sent = request(new URL(incoming.url!, url), { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on("error", () => outgoing.destroy());
      incoming.pipe(sent);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => void proxy.close());
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${url.pathname}`;
  }

  test("passes, but for scenarios of the suite's own tools and of what this server does not offer", async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "aqs-conformance-"));
    const baseline = join(folder.path, "baseline.yml");
    writeFileSync(baseline, `server:\n${NOT_OFFERED.map((name) => `  - ${name}\n`).join("")}`);
    const args = ["server", "--url", await withToken(), "--expected-failures", baseline, "-o", folder.path];
    const run = spawn(process.execPath, [suite, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void run.kill("SIGKILL"));
    const [output, faults, [code]] = await Promise.all([
      text(run.stdout),
      text(run.stderr),
      once(run, "exit"),
    ]);
    expect(code, `${output}${faults}`).toBe(0);
  });
});
