/** Compares API responses of the framework alone, as `next start` runs it, with those of the front server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { UtxoList } from "#lib/queries/address-utxos/contract.ts";
import { apiRequests, readResponse } from "#lib/testing/api-requests.ts";
import { databaseOf, root, urlOf } from "./sites.ts";
import { expect, test } from "./support.ts";

/** Starts the framework on the demo site's database, on a free port. */
async function startFramework() {
  const { BASE_PATH: _, ...environment } = process.env;
  const framework = spawn(
    `${root}node_modules/.bin/node`,
    ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "0"],
    {
      cwd: root,
      env: { ...environment, NODE_ENV: "production", DATABASE_URL: databaseOf("demo"), LOG_LEVEL: "warn" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let printed = "";
  const origin = await new Promise<string>((resolve, reject) => {
    for (const stream of [framework.stdout, framework.stderr]) {
      stream.on("data", (piece: Buffer) => {
        printed += piece.toString();
        const at = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(printed)?.[0];
        if (at) resolve(at);
      });
    }
    framework.once("exit", () => reject(new Error(`The framework ended. It printed:\n${printed}`)));
  });
  return {
    origin,
    async stop() {
      const ended = once(framework, "exit");
      framework.kill("SIGKILL");
      await ended;
    },
  };
}

test("the framework's route handlers answer as the server does, byte for byte", async ({ facts }) => {
  const { smallAddress, busyBlockHash, knownToken } = facts.notable;
  const full = { headers: { Authorization: `Bearer ${facts.tokens.full}` } };
  const held = await fetch(`${urlOf("demo")}/v0/addresses/${smallAddress}/utxos`, full);
  const { outPoint } = ((await held.json()) as UtxoList).result[0]!;
  const requests = apiRequests({
    hash: outPoint.split(":")[0]!,
    outPoint,
    address: smallAddress!,
    blockHash: busyBlockHash!,
    id: knownToken!,
    tokens: facts.tokens,
  });
  const framework = await startFramework();
  try {
    for (const { path, ...sent } of requests) {
      const expected = await readResponse(await fetch(urlOf("demo") + path, sent));
      const answer = await readResponse(await fetch(framework.origin + path, sent));
      expect({ path, sent, answer }).toEqual({ path, sent, answer: expected });
    }
    const compressible = { "Accept-Encoding": "gzip, br", Authorization: `Bearer ${facts.tokens.full}` };
    const answer = await fetch(`${framework.origin}/v0/assets`, { headers: compressible });
    expect(await answer.json()).toMatchObject({ hasNext: expect.any(Boolean) });
  } finally {
    await framework.stop();
  }
});

test("the build keeps no answer of the API", () => {
  const manifest = readFileSync(`${root}.next/prerender-manifest.json`, "utf8");
  const { routes, dynamicRoutes } = JSON.parse(manifest) as Record<string, Record<string, unknown>>;
  expect(Object.keys({ ...routes, ...dynamicRoutes }).filter((path) => path.startsWith("/v0"))).toEqual([]);
});
