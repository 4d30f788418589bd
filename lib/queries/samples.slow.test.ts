import { execFile, spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddress } from "#lib/chains/ckb/address.ts";
import type { Sample } from "#lib/contract/operation.ts";
import { loadDemo } from "#lib/demo/load.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { type DemoServer, serveDemo } from "#lib/testing/demo-server.ts";
import { compileStrictly, programFolder, writeFiles } from "#lib/testing/programs.ts";
import { operations } from "./operations.ts";

const run = promisify(execFile);
let demo: DemoServer;

beforeAll(async () => {
  demo = await serveDemo(1200);
});

afterAll(() => demo.close());

const programs = {
  cURL: ["bash", "-c"],
  JavaScript: [process.execPath, "--input-type=module", "-e"],
  Python: ["python3", "-c"],
};

async function output(inEachLanguage: Sample[], language: Sample["language"]): Promise<string> {
  const [program, ...args] = programs[language] as [string, ...string[]];
  const { code } = inEachLanguage.find((sample) => sample.language === language)!;
  const { stdout } = await run(program, [...args, code], {
    env: { ...process.env, TOKEN: demo.token },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** A line for each output of the address that has 1,200. */
function walk(language: Sample["language"]): Promise<string> {
  const path = `/v0/addresses/${demo.chain.notable.busyAddress}/utxos`;
  return output(operations.addressUtxos.reference.samples(demo.origin, path), language);
}

const installed = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

test("a page has 100 outputs by default", async () => {
  const path = `${demo.origin}/v0/addresses/${demo.chain.notable.busyAddress}/utxos`;
  const response = await fetch(path, { headers: { Authorization: `Bearer ${demo.token}` } });
  const { result, hasNext } = (await response.json()) as { result: unknown[]; hasNext: boolean };
  expect([result.length, hasNext]).toEqual([100, true]);
});

describe("the reference's programs", () => {
  test("in JavaScript walk an address to its end and print a block's exact amounts", async () => {
    expect((await walk("JavaScript")).trim().split("\n")).toHaveLength(1200);
    const changes = await output(
      operations.blockAssetChanges.reference.samples(
        demo.origin,
        `/v0/blocks/${demo.chain.notable.hugeBlockHash}/asset-changes`,
      ),
      "JavaScript",
    );
    expect(changes).toMatch(new RegExp(`${demo.chain.notable.maximumToken} \\d{39,}`));
  });

  test.skipIf(!installed("python3"))("in Python do the same", async () => {
    expect((await walk("Python")).trim().split("\n")).toHaveLength(1200);
    const path = `/v0/blocks/${demo.chain.notable.hugeBlockHash}/asset-changes`;
    const inJavaScript = await output(
      operations.blockAssetChanges.reference.samples(demo.origin, path),
      "JavaScript",
    );
    expect(await output(operations.blockAssetChanges.reference.samples(demo.origin, path), "Python")).toBe(
      inJavaScript,
    );
  });

  test.skipIf(!installed("curl"))("for a shell give a page as JSON", async () => {
    const page = JSON.parse(
      await output(
        operations.addressUtxos.reference.samples(
          demo.origin,
          `/v0/addresses/${demo.chain.notable.smallAddress}/utxos`,
        ),
        "cURL",
      ),
    );
    expect((page as { result: unknown[] }).result).toHaveLength(3);
  });
});

const exampleNames = ["balances", "top-assets", "follow"] as const;
type ExampleName = (typeof exampleNames)[number];

const languages = [
  ["TypeScript", "ts", process.execPath],
  ["Python", "py", "python3"],
] as const;

describe.each(languages.filter(([, , program]) => installed(program)))(
  "the examples in %s",
  (_, ending, program) => {
    const fileOf = (name: ExampleName) => `docs/examples/${name}.${ending}`;
    const environment = () => ({
      ...process.env,
      TOKEN: demo.token,
      BASE: demo.origin,
      ADDRESS: demo.chain.notable.busyAddress,
    });

    test("have at most 30 lines", () => {
      for (const name of exampleNames) {
        const lines = readFileSync(fileOf(name), "utf8")
          .split("\n")
          .filter((line) => !/^(#|\/\/|$)/.test(line));
        expect(lines.length).toBeLessThanOrEqual(30);
      }
    });

    test("sum up what an address holds", async () => {
      const { stdout } = await run(program, [fileOf("balances")], { env: environment() });
      const addressKey = parseAddress(demo.chain.notable.busyAddress, "testnet").key;
      const page = await demo.store.query(utxosOfAddress, { addressKey, order: "asc", limit: 10_000 });
      const balances = new Map<string, bigint>();
      for (const { token, amount } of page.rows)
        balances.set(token.id, (balances.get(token.id) ?? 0n) + BigInt(amount));
      const lines = [...balances].map(([token, amount]) => `${token} ${amount}`);
      expect(lines.length).toBeGreaterThan(15);
      expect(stdout.trim().split("\n").sort()).toEqual(lines.sort());
    });

    test("find the top assets of the last 10 blocks", async () => {
      const { stdout } = await run(program, [fileOf("top-assets")], { env: environment() });
      const expected = new Map<string, bigint>();
      for (const { hash } of demo.ledger.blocks.slice(-10)) {
        const query = { blockHash: hash, assetName: "", tags: [], offset: 0, limit: 10_000 };
        for (const { asset, amountUsd } of (await demo.store.query(assetChangesOfBlock, query))!.rows) {
          expected.set(asset.id, (expected.get(asset.id) ?? 0n) + BigInt(amountUsd));
        }
      }
      const [id, usd] = [...expected].sort((a, b) => (a[1] < b[1] ? 1 : -1))[0]!;
      const [first, ...others] = stdout.trim().split("\n");
      expect(first).toBe(`${id} ${usd / 10n ** 8n}.${String(usd % 10n ** 8n).padStart(8, "0")}`);
      expect(others).toHaveLength(4);
    });

    test("follow the chain through a reorganisation", async () => {
      const { blocks, fork, forkHeight } = demo.ledger;
      await demo.store.write(revertTo, forkHeight - 1);
      await loadDemo(demo.store, { ...demo.ledger, blocks: [...blocks.slice(0, forkHeight), ...fork] });
      const follower = spawn(program, [fileOf("follow")], { env: environment() });
      try {
        const lines: string[] = [];
        for await (const line of createInterface(follower.stdout)) {
          lines.push(line.replace(/ \d+ assets moved$/, ""));
          if (lines.length === 1) await loadDemo(demo.store, demo.ledger);
          if (line.includes(blocks.at(-1)!.hash)) break;
        }
        const lost = fork.at(-1)!;
        expect(lines[0]).toBe(`added ${lost.height} ${lost.hash}`);
        expect(lines[1]).toBe(`reverted ${lost.height} ${lost.hash}`);
        const since = blocks.slice(lost.height);
        expect(lines.slice(2)).toEqual(since.map(({ height, hash }) => `added ${height} ${hash}`));
      } finally {
        follower.kill();
      }
    });
  },
);

test("the programs of the reference compile under strict TypeScript", async () => {
  const ofReference = Object.entries(operations).flatMap(([name, { reference }]) =>
    (reference.samples(demo.origin, "/v0/some/path") as Sample[])
      .filter(({ language }) => language === "JavaScript")
      .map(({ code }) => [name, code] as const),
  );
  const folder = programFolder();
  try {
    const files = ofReference.map(([name, code]) => [`${name}.ts`, `${code}\nexport {};\n`]);
    expect(files).toHaveLength(2);
    writeFiles(folder, Object.fromEntries(files));
    await compileStrictly(folder, "module");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
