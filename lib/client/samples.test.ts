import { execFile, spawnSync } from "node:child_process";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "#lib/api/access.ts";
import { createService } from "#lib/api/service.ts";
import { demoChain } from "#lib/chains/ckb/demo/demo-chain.ts";
import { demoLedger } from "#lib/chains/ckb/demo/demo-ledger.ts";
import { readConfig } from "#lib/config.ts";
import { loadDemo } from "#lib/ingest/demo.ts";
import { createServer } from "#lib/server/server.ts";
import { openStore } from "#lib/store/open.ts";
import { type Sample, samples } from "./samples.ts";

const run = promisify(execFile);
const chain = demoChain({ liveOutputs: 1200 });
let server: Server;
let token: string;
let origin: string;

beforeAll(async () => {
  const store = await openStore("sqlite::memory:");
  await loadDemo(store, demoLedger(chain));
  token = (await issueToken(store, { name: "samples", scopes: [], expiresAt: null, now: Date.now() })).token;
  server = createServer(
    await createService(store, readConfig({ LOG_LEVEL: "silent" })),
    async (_, response) => {
      response.writeHead(404).end();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const programs = {
  cURL: ["bash", "-c"],
  JavaScript: [process.execPath, "--input-type=module", "-e"],
  Python: ["python3", "-c"],
};

async function output(inEachLanguage: Sample[], language: Sample["language"]): Promise<string> {
  const [program, ...args] = programs[language] as [string, ...string[]];
  const { code } = inEachLanguage.find((sample) => sample.language === language)!;
  const { stdout } = await run(program, [...args, code], {
    env: { ...process.env, TOKEN: token },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

const installed = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

describe("the reference's programs", () => {
  test("in JavaScript walk an address to its end and print a block's exact amounts", async () => {
    const lines = (
      await output(
        samples.addressUtxos(origin, `/v0/addresses/${chain.notable.busyAddress}/utxos`),
        "JavaScript",
      )
    ).trim();
    expect(lines.split("\n")).toHaveLength(1200);
    const changes = await output(
      samples.blockAssetChanges(origin, `/v0/blocks/${chain.notable.hugeBlockHash}/asset-changes`),
      "JavaScript",
    );
    expect(changes).toMatch(new RegExp(`${chain.notable.maximumToken} \\d{39,}`));
  });

  test.skipIf(!installed("python3"))("in Python do the same", async () => {
    const lines = (
      await output(samples.addressUtxos(origin, `/v0/addresses/${chain.notable.busyAddress}/utxos`), "Python")
    ).trim();
    expect(lines.split("\n")).toHaveLength(1200);
    const path = `/v0/blocks/${chain.notable.hugeBlockHash}/asset-changes`;
    const inJavaScript = await output(samples.blockAssetChanges(origin, path), "JavaScript");
    expect(await output(samples.blockAssetChanges(origin, path), "Python")).toBe(inJavaScript);
  });

  test.skipIf(!installed("curl"))("for a shell give a page as JSON", async () => {
    const page = JSON.parse(
      await output(samples.addressUtxos(origin, `/v0/addresses/${chain.notable.smallAddress}/utxos`), "cURL"),
    );
    expect((page as { result: unknown[] }).result).toHaveLength(3);
  });
});
