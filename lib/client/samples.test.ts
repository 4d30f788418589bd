import { execFile, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
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
import type { Store } from "#lib/store/store.ts";
import { type Sample, samples } from "./samples.ts";

const run = promisify(execFile);
const chain = demoChain({ liveOutputs: 1200 });
const ledger = demoLedger(chain);
let store: Store;
let server: Server;
let token: string;
let origin: string;

beforeAll(async () => {
  store = await openStore("sqlite::memory:");
  await loadDemo(store, ledger);
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

/** The first program in docs/api.md below this heading. */
function documented(heading: string): string {
  const docs = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  return /```\w+\n(.*?)```/s.exec(docs.slice(docs.indexOf(`### ${heading}`)))![1]!;
}

describe("the programs of docs/api.md", () => {
  const env = () => ({ ...process.env, TOKEN: token, BASE: origin });

  test("find the top assets of the last 10 blocks", async () => {
    const program = ["--input-type=module", "-e", documented("Top assets of the last 10 blocks")];
    const { stdout } = await run(process.execPath, program, { env: env() });
    const expected = new Map<string, bigint>();
    for (const { hash } of ledger.blocks.slice(-10)) {
      const query = { blockHash: hash, assetName: "", tags: [], offset: 0, limit: 10_000 };
      for (const { asset, amountUsd } of (await store.assetChangesOfBlock(query))!.rows) {
        expected.set(asset.id, (expected.get(asset.id) ?? 0n) + BigInt(amountUsd));
      }
    }
    const [id, usd] = [...expected].sort((a, b) => (a[1] < b[1] ? 1 : -1))[0]!;
    expect(stdout.split("\n")[0]).toBe(`${id} ${usd}e-8`);
    expect(stdout.trim().split("\n")).toHaveLength(5);
  });

  test.skipIf(!installed("python3"))("follow the chain through a reorganisation", async () => {
    const { blocks, fork, forkHeight } = ledger;
    await store.revertTo(forkHeight - 1);
    await loadDemo(store, { ...ledger, blocks: [...blocks.slice(0, forkHeight), ...fork] });
    const follower = spawn("python3", ["-c", documented("Follow the chain")], { env: env() });
    try {
      const lines: string[] = [];
      for await (const line of createInterface(follower.stdout)) {
        lines.push(line.replace(/ \d+ assets moved$/, ""));
        if (lines.length === 1) await loadDemo(store, ledger);
        if (line.includes(blocks.at(-1)!.hash)) break;
      }
      const lost = fork.at(-1)!;
      expect(lines[0]).toBe(`added ${lost.height} ${lost.hash}`);
      expect(lines[1]).toBe(`taken back ${lost.height} ${lost.hash}`);
      const since = blocks.slice(lost.height);
      expect(lines.slice(2)).toEqual(since.map(({ height, hash }) => `added ${height} ${hash}`));
    } finally {
      follower.kill();
    }
  });
});
