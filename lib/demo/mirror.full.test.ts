import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { parseAddress } from "#lib/chains/ckb/address.ts";
import { CkbNodeThread } from "#lib/chains/ckb/node-thread.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { serveDemo, sleepUntilIndexed } from "#lib/testing/demo-server.ts";
import { followDemo } from "./load.ts";

const PROGRAM = "docs/examples/mirror.ts";
/** Blocks that the demo's node reverts change it. */
const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqvvqst94pj9xe37daqektqg9jgw0vljmdcnynpcx";
const MINED = 36;

test("the example that mirrors an address has at most 60 lines", () => {
  const lines = readFileSync(PROGRAM, "utf8").split("\n");
  expect(lines.filter((line) => !/^ *(\/\/|$)/.test(line)).length).toBeLessThanOrEqual(60);
});

test("the example that mirrors an address has its exact outputs at every block, through reorganisations", async () => {
  const demo = await serveDemo(40);
  const { store, token, origin } = demo;
  const { key: addressKey } = parseAddress(ADDRESS, "testnet");
  const env = { ...process.env, BASE: origin, TOKEN: token, ADDRESS };
  const miner = await demo.ledger.startNode();
  const stop = new AbortController();
  const node = new CkbNodeThread(miner.url, stop.signal);
  const program = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "inherit"] });
  const printed: string[] = [];
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  const arrive = async (hash: string) => {
    while (!printed.at(-1)?.startsWith(hash)) {
      const { value, done } = await lines.next();
      if (done) throw new Error("The program ended");
      printed.push(value);
    }
  };

  const truth = new Map<string, string>();
  let mined = 0;
  const logged: string[] = [];
  try {
    await followDemo(store, miner, node, {
      signal: stop.signal,
      log: (message) => logged.push(message),
      // The node mines again as soon as its blocks are indexed, and the program has them.
      async sleep(milliseconds, signal) {
        if (!(await sleepUntilIndexed(store, miner, milliseconds, signal))) return;
        const { tip, rows } = await store.query(utxosOfAddress, { addressKey, order: "asc", limit: 100_000 });
        const sum = rows.reduce((total, { capacity }) => total + BigInt(capacity), 0n);
        truth.set(tip!.hash, `${tip!.hash} ${rows.length} ${sum}`);
        await arrive(tip!.hash);
        if (mined++ === MINED) stop.abort();
      },
    });
  } finally {
    program.kill();
    node.close();
    await miner.close();
    await demo.close();
  }

  expect(logged).toContainEqual(expect.stringMatching(/^reorganisation: /));
  const known = printed.filter((line) => truth.has(line.slice(0, 66)));
  expect(known.length).toBeGreaterThan(MINED / 2);
  expect(known).toEqual(known.map((line) => truth.get(line.slice(0, 66))));
  expect(new Set(known.map((line) => line.slice(66))).size).toBeGreaterThan(3);
});
