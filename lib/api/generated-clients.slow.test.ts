import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { type DemoServer, serveDemo } from "#lib/testing/demo-server.ts";
import { compileStrictly, programFolder, runTool, writeFiles } from "#lib/testing/programs.ts";

/** A program author generates a client from `/openapi.json`, writes a program, compiles and runs it. */

const run = promisify(execFile);

/** Reads an address and a block to the end, and prints what it found. */
const program = `
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const { BASE, TOKEN, ADDRESS, BLOCK } = process.env as Record<string, string>;
const client = createClient<paths>({ baseUrl: BASE!, headers: { Authorization: \`Bearer \${TOKEN}\` } });

async function got<Data>(answer: Promise<{ data?: Data; error?: { code: string } }>): Promise<Data> {
  const { data, error } = await answer;
  if (!data) throw new Error(error?.code);
  return data;
}

async function main(): Promise<void> {
  const outPoints = new Set<string>();
  for (let cursor = ""; ; ) {
    const page = await got(
      client.GET("/v0/addresses/{address}/utxos", {
        params: { path: { address: ADDRESS! }, query: { pageSize: 500, cursor } },
      }),
    );
    for (const { outPoint } of page.result) outPoints.add(outPoint);
    const hasNext: boolean = page.hasNext;
    if (!hasNext) break;
    cursor = page.lastCursor;
  }
  const moved: string[] = [];
  for (let number = 1; ; number++) {
    const page = await got(
      client.GET("/v0/blocks/{blockHash}/asset-changes", {
        params: { path: { blockHash: BLOCK! }, query: { pageSize: 100, page: number } },
      }),
    );
    for (const { asset, amountExact } of page.result) moved.push(\`\${asset.id} \${amountExact}\`);
    if (moved.length >= page.total || page.result.length === 0) break;
  }
  console.log(JSON.stringify({ outPoints: outPoints.size, moved }));
}
void main();
`;

let demo: DemoServer;
let folder: string;

beforeAll(async () => {
  demo = await serveDemo(1200);
  folder = programFolder();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await demo.close();
});

test("a client that a stock generator makes compiles under strict TypeScript, walks an address and pages through a block", async () => {
  const description = await (await fetch(`${demo.origin}/openapi.json`)).text();
  writeFiles(folder, { "openapi.json": description, "program.ts": program });
  await runTool("openapi-typescript", ["openapi.json", "--output", "schema.ts"], folder);
  await compileStrictly(folder, "commonjs");

  const { busyAddress, busyBlockHash } = demo.chain.notable;
  const env = {
    ...process.env,
    BASE: demo.origin,
    TOKEN: demo.token,
    ADDRESS: busyAddress,
    BLOCK: busyBlockHash,
  };
  const { stdout } = await run(process.execPath, [join(folder, "out/program.js")], { env });
  const { outPoints, moved } = JSON.parse(stdout) as { outPoints: number; moved: string[] };
  expect(outPoints).toBe(1200);
  const query = { blockHash: busyBlockHash, assetName: "", tags: [], offset: 0, limit: 1000 };
  const { rows } = (await demo.store.query(assetChangesOfBlock, query))!;
  expect(moved).toEqual(rows.map(({ asset, amount }) => `${asset.id} ${amount}`));
});
