import { createHash } from "node:crypto";
import { SESSION_COOKIE } from "#lib/api/authenticate.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { account } from "#lib/chains/ckb/testing/cells.ts";
import type { ServedApp } from "#lib/testing/attacks/served-app.ts";
import { freePort } from "#lib/util/free-port.ts";
import { keepingBrotli } from "../brotli.ts";
import { expect, test } from "../support.ts";

const { serveApp } = await keepingBrotli(() => import("#lib/testing/attacks/served-app.ts"));

const VIEWS = 1_000;
/** The server warms up during these views. */
const WARM_UP = 200;
const MAX_GROWTH_MB = 150;

const hashOf = (n: number) => `0x${createHash("sha256").update(String(n)).digest("hex")}`;

/** One path for each kind of page and response. `n` makes paths differ where they can. */
const paths = (
  { smallAddress, busyAddress, busyBlockHash, replacedBlockHash, knownToken }: ServedApp["notable"],
  n: number,
): string[] => [
  "/",
  "/docs",
  `/sign-in?next=/blocks/${n}`,
  `/addresses/${smallAddress}`,
  `/addresses/${busyAddress}`,
  `/addresses/${busyAddress}?tab=holdings`,
  `/addresses/${busyAddress}?tab=statement`,
  `/addresses/${encodeAddress(account(`nobody ${n}`), "testnet")}`,
  `/addresses/ckt1${n}`,
  `/addresses/${smallAddress}/opengraph-image`,
  "/blocks/tip",
  `/blocks/${n % 900}`,
  `/blocks/${n % 900}/opengraph-image`,
  `/blocks/${busyBlockHash}`,
  `/blocks/${replacedBlockHash}`,
  `/blocks/${hashOf(n)}`,
  `/blocks/range?from=${n % 500}&to=900`,
  `/blocks/range?from=${n}&to=none`,
  `/assets/${knownToken}`,
  `/assets/${hashOf(n)}`,
  "/search?q=TIDE",
  "/search?q=t",
  `/search?q=nothing+${n}`,
  `/no/such/page/${n}`,
];

test("a thousand views of all kinds of pages leave nothing in memory", async () => {
  test.setTimeout(3_600_000);
  const metricsPort = await freePort();
  const app = await serveApp({ LOG_LEVEL: "silent", METRICS_PORT: String(metricsPort) });
  const headers = { cookie: `${SESSION_COOKIE}=${app.token}` };
  const statuses = new Set<number>();
  let early = 0;
  for (let n = 0; n < VIEWS; ) {
    const each = paths(app.notable, n);
    const response = await fetch(app.origin + each[n % each.length], { headers, redirect: "manual" });
    await response.arrayBuffer();
    statuses.add(response.status);
    // A busy server refuses some views, which are requested again.
    if (response.status !== 503) n += 1;
    if (n === WARM_UP) early = app.memory();
  }
  expect([...statuses].filter((status) => status >= 500 && status !== 503)).toEqual([]);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 307, 404]));
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const heap = Number(/^aqs_render_heap_bytes (\d+)$/m.exec(metrics)?.[1]) / 2 ** 20;
  console.log(
    `${early} MB after ${WARM_UP} views, ${app.memory()} MB after ${VIEWS}, of it pages ${heap.toFixed()} MB`,
  );
  expect(heap).toBeGreaterThan(10);
  expect(app.memory() - early).toBeLessThan(MAX_GROWTH_MB);
  await app.stop();
});
