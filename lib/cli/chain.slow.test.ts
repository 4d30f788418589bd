import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { hasLitecoind, Litecoind, NO_LITECOIND } from "#lib/chains/bitcoin/testing/litecoind.ts";
import { commandLine } from "#lib/testing/command-line.ts";

const cli = commandLine();
beforeEach(() => vi.stubEnv("CHAIN", "litecoin"));

test("help names the served chain, and the options of its node alone", async () => {
  const { stdout } = await cli.aqs("sync", "--help");
  expect(stdout).toContain("Follow a Litecoin node");
  expect(stdout).toMatch(/--rpc-cookie FILE/);
  expect(stdout).toMatch(/--from HEIGHT .*needs txindex=1/);
  vi.stubEnv("CHAIN", "ckb");
  expect((await cli.aqs("sync", "--help")).stdout).not.toContain("cookie");
  expect(await cli.aqs("sync", "--rpc", "http://127.0.0.1:1", "--rpc-cookie", "x")).toMatchObject({
    code: 2,
  });
});

test("a cookie that is not there ends a sync that follows its node once", async () => {
  const none = join(cli.folder, "none/.cookie");
  expect(await cli.aqs("sync", "--once", "--rpc", "http://127.0.0.1:1", "--rpc-cookie", none)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${none}: ENOENT`),
  });
});

test("no command changes a database of another chain", async () => {
  vi.stubEnv("CHAIN", "ckb");
  expect(await cli.aqs("demo")).toMatchObject({ code: 0 });
  vi.stubEnv("CHAIN", "litecoin");
  const assets = join(cli.folder, "assets.json");
  writeFileSync(assets, "[]");
  for (const words of [
    "revert 0",
    `assets load ${assets}`,
    "prices remove 0x80000002",
    "token create --name x",
  ]) {
    expect(await cli.aqs(...words.split(" ")), words).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The database holds CKB, but the setting CHAIN names Litecoin"),
    });
  }
  vi.stubEnv("CHAIN", "ckb");
  expect(JSON.parse((await cli.aqs("status")).stdout)).toMatchObject({ tipHeight: expect.any(Number) });
});

describe.skipIf(!hasLitecoind)(`with a node${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`, () => {
  let node: Litecoind;
  beforeAll(async () => {
    node = await Litecoind.start("txindex=1");
  });
  afterAll(() => node[Symbol.asyncDispose]());

  test("its cookie authenticates the commands, and its database is for no other chain", async () => {
    await node.call("generatetodescriptor", 3, await node.descriptorOf("51"));
    const rpc = ["--rpc", node.url, "--rpc-cookie", node.cookie];
    const synced = await cli.aqs("sync", "--once", ...rpc);
    expect(synced).toMatchObject({ code: 0, stderr: expect.stringContaining("the tip is block 3") });
    expect(await cli.aqs("verify", ...rpc)).toMatchObject({ code: 0, stderr: "All invariants hold.\n" });
    vi.stubEnv("CHAIN", "bitcoin");
    const other = await cli.aqs("verify");
    expect(other.stdout).toContain("The database holds Litecoin, but the setting CHAIN names Bitcoin");
  });
});
