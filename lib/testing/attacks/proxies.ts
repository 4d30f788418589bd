/**
 * `npm run build && npm run attack -- proxies`: two servers behind `deploy/nginx.conf` and `deploy/Caddyfile`, over
 * TLS: the API, its events, sign-in with a `__Host-` cookie, and pages of another site.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { freePort } from "#lib/util/free-port.ts";
import { HOST, startCaddy, startNginx } from "./proxy.ts";
import { demoDatabase, report, startServer } from "./served-app.ts";

/** Timeout for a proxy to listen, and for the first event through it. */
const TIMEOUT_MS = 10_000;
const APP = "https://app.example";

type Check = Parameters<typeof report>[0][number];

const database = await demoDatabase();
const ports: [number, number] = [await freePort(), await freePort()];
const servers = await Promise.all(
  ports.map((port) =>
    startServer(database.url, { PORT: String(port), LOG_LEVEL: "warn", CORS_ORIGINS: APP }),
  ),
);

/** Sends a request through the proxy, and returns the head of the response. */
function send(port: number, path: string, headers: Record<string, string>, method = "GET", body = "") {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const target = { host: "127.0.0.1", port, path, method, servername: HOST, rejectUnauthorized: false };
    const sent = request(
      { ...target, agent: false, headers: { Host: `${HOST}:${port}`, ...headers } },
      resolve,
    );
    sent.on("error", reject).end(body);
  });
}

async function untilUp(port: number): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; ; await setTimeout(50)) {
    const answer = await send(port, "/healthz", {}).catch(() => null);
    if (answer) return void answer.resume();
    if (Date.now() > end) throw new Error("the proxy does not listen");
  }
}

async function checks(name: string, port: number): Promise<Check[]> {
  const own = `https://${HOST}:${port}`;
  const bearer = { Authorization: `Bearer ${database.token}` };
  const page = await send(port, "/v0/blocks/tip/asset-changes", bearer);
  await text(page);
  const tag = { ...bearer, "If-None-Match": page.headers.etag ?? "" };
  const again = await send(port, "/v0/blocks/tip/asset-changes", tag);
  again.resume();
  const lines = await send(port, `/v0/addresses/${database.notable.busyAddress}/utxos`, {
    ...bearer,
    Accept: "application/x-ndjson",
  });
  const lineCount = (await text(lines)).trim().split("\n").length;

  const signIn = (origin: string) =>
    send(
      port,
      "/session",
      { Origin: origin, "Content-Type": "application/json" },
      "POST",
      JSON.stringify({ token: database.token }),
    );
  const [signedIn, other, plain] = [
    await signIn(own),
    await signIn("https://evil.example"),
    await signIn(own.replace("https", "http")),
  ];
  for (const answer of [signedIn, other, plain]) answer.resume();
  const cookies = signedIn.headers["set-cookie"] ?? [];
  const session = cookies.find((cookie) => cookie.startsWith("__Host-aqs_session=aqs_")) ?? "";
  const docs = await send(port, "/docs", { Cookie: session.split(";")[0] ?? "" });
  const html = await text(docs);

  const began = performance.now();
  const events = await send(port, "/v0/events", bearer);
  const [first] = (await once(events, "data", { signal: AbortSignal.timeout(TIMEOUT_MS) })) as [Buffer];
  const firstMs = Math.round(performance.now() - began);
  // Its connection is meant to be cut.
  events.on("error", () => {}).destroy();

  const preflight = await send(
    port,
    "/v0/events",
    {
      Origin: APP,
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "authorization",
    },
    "OPTIONS",
  );
  preflight.resume();
  return [
    [
      `${name}: the API, and again with its ETag`,
      `${page.statusCode}, ${again.statusCode}`,
      page.statusCode === 200 && again.statusCode === 304,
    ],
    [`${name}: lines of a streamed list`, lineCount, lines.statusCode === 200 && lineCount > 1_000],
    [
      `${name}: the session's cookie`,
      session.replace(/aqs_[\w-]{43}/, "…"),
      /^__Host-.*; Path=\/; .*Secure$/.test(session),
    ],
    [
      `${name}: sign-in from another site, and over http`,
      `${other.statusCode}, ${plain.statusCode}`,
      other.statusCode === 403 && plain.statusCode === 403,
    ],
    [
      `${name}: a page of the session has samples for`,
      /https?:\/\/assets\.example[^/"]*/.exec(html)?.[0] ?? "",
      docs.statusCode === 200 && html.includes(`${own}/v0/`),
    ],
    [
      `${name}: Strict-Transport-Security`,
      String(docs.headers["strict-transport-security"]),
      docs.headers["strict-transport-security"] !== undefined,
    ],
    [
      `${name}: milliseconds until the first part of a stream of events`,
      firstMs,
      first.length > 0 && events.statusCode === 200,
    ],
    [
      `${name}: the request of another site's page`,
      `${preflight.statusCode} ${preflight.headers["access-control-allow-origin"]}`,
      preflight.statusCode === 204,
    ],
  ];
}

for (const [name, start] of [
  ["nginx", startNginx],
  ["Caddy", startCaddy],
] as const) {
  const folder = mkdtempSync(join(tmpdir(), "aqs-proxy-"));
  const port = await freePort();
  const stop = await start(folder, port, ports);
  try {
    await untilUp(port);
    report(await checks(name, port));
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
for (const server of servers) await server.stop();
database.remove();
