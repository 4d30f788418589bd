import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { readConfig } from "#lib/config.ts";
import { account, ChainBuilder, CKB } from "#lib/demo/ckb/chain-builder.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import type { UtxoEntry } from "#lib/questions/address-utxos/contract.ts";
import { openStore } from "#lib/store/open.ts";
import { migrations } from "#lib/store/sqlite/migrations.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { run } from "./run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let folder: string;
let file: string;
let databases = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-cli-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  databases += 1;
  file = join(folder, `${databases}.db`);
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts `aqs` in a process of its own, with a pipe in place of a terminal and nothing to read. */
function start(...args: string[]): Running {
  return startOn(`sqlite:${file}`, ...args);
}

function startOn(database: string, ...args: string[]): Running {
  const child = spawn(process.execPath, ["lib/cli/main.ts", ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: database, NODE_COMPILE_CACHE: join(folder, "compiled") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]!.setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  return { child, ended };
}

/** Resolves once the process has written the line. */
async function seen({ child }: Running, line: RegExp): Promise<void> {
  let text = "";
  await new Promise<void>((resolve) => {
    child.stderr!.on("data", (part: string) => {
      text += part;
      if (line.test(text)) resolve();
    });
  });
}

/** What a process has written when it is told to end, after it wrote `line`. */
async function endedAfter(running: Running, line: RegExp): Promise<Ended> {
  await Promise.race([seen(running, line), running.ended]);
  running.child.kill("SIGTERM");
  return running.ended;
}

const aqs = (...args: string[]): Promise<Ended> => start(...args).ended;

/** Runs `aqs` in this process, for what needs none of its own: a process takes a third of a second to start. */
async function aqsHere(...args: string[]): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  vi.stubEnv("DATABASE_URL", `sqlite:${file}`);
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      output[stream] += text;
      return true;
    }),
  );
  try {
    return { code: await run(args), ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** -1 while there is no block. */
function tipOf(database: string): number {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 10_000 });
  try {
    const blocks = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'blocks'").get();
    if (!blocks) return -1;
    return (db.prepare("SELECT max(height) AS tip FROM blocks").get() as { tip: number | null }).tip ?? -1;
  } finally {
    db.close();
  }
}

/** The message with which a command fails. */
async function failure(...args: string[]): Promise<string> {
  const { code, stderr } = await aqs(...args);
  expect([args, code]).toEqual([args, 1]);
  return stderr;
}

const chain = new ChainBuilder();
for (let i = 0; i < 12; i++) {
  chain.transfer({ to: account("ann"), amount: 300n * CKB });
  chain.block();
}
const { blocks } = chain;

const commands = [
  "migrate",
  "import",
  "sync",
  "assets load",
  "prices load",
  "prices list",
  "prices remove",
  "token create",
  "token list",
  "token rotate",
  "token revoke",
  "demo",
  "mcp",
  "status",
  "revert",
  "verify",
];

describe("the command line", () => {
  test("tells on stdout how it is used, for the asking, and opens no database for it", async () => {
    for (const words of ["--help", "-h", "help", "token --help", "assets -h"]) {
      const { code, stdout, stderr } = await aqsHere(...words.split(" "));
      expect([words, code, stderr]).toEqual([words, 0, ""]);
      expect(stdout).toMatch(/^Usage: npm run --silent aqs -- COMMAND …\n/);
      const listed = words.startsWith("token")
        ? ["token create", "token list", "token rotate", "token revoke"]
        : ["assets load"];
      for (const command of words.includes(" ") ? listed : commands) expect(stdout).toContain(`  ${command}`);
    }
    for (const words of commands.flatMap((command) => [`${command} --help`, `${command} -h`])) {
      const { code, stdout, stderr } = await aqsHere(...words.split(" "));
      expect([words, code, stderr]).toEqual([words, 0, ""]);
      expect(stdout).toContain(`Usage: npm run --silent aqs -- ${words.replace(/ -.*/, "")}`);
    }
    // The process itself adds nothing to it.
    expect(await aqs("--help")).toEqual(await aqsHere("--help"));
    expect(() => new DatabaseSync(file, { readOnly: true })).toThrow();
  });

  test("shows the served chain's own option, networks and name in the help", async () => {
    expect((await aqs("import", "--help")).stdout).toMatch(
      /import FILE… \[--cells FILE\] \[--network mainnet\|testnet\]\n\nStore blocks as a CKB node's get_block returns them\.\n/,
    );
    expect((await aqs("sync", "--help")).stdout).toContain("Follow a Nervos CKB node");
  });

  test("exits 2 on wrong usage, with the reason and the right one on stderr and nothing on stdout", async () => {
    const wrong: [string, RegExp][] = [
      ["", /^Usage:/],
      ["frobnicate", /^Unknown command: frobnicate\n\nUsage:/],
      ["token", /^Unknown command: token\n/],
      ["constructor", /^Unknown command: constructor\n/],
      ["token create --name a\u0007b", /^--name is one line of plain text/],
      ["token burn", /^Unknown command: token burn\n/],
      ["assets", /^Unknown command: assets\n/],
      ["import", /^import needs at least one file\n\nUsage:/],
      ["import a.json --network devnet", /--network is mainnet or testnet, not "devnet"/],
      ["import --cells", /--cells/],
      ["sync", /^sync needs --rpc, --rpc-file or RPC_URL\n/],
      ["sync --rpc http://x --rpc-file /dev/null", /^Give either --rpc or --rpc-file\n/],
      ["sync --rpc-file /dev/null", /^\/dev\/null does not hold an http or https URL\n/],
      ["sync --rpc ftp://x", /--rpc is an http or https URL, not "ftp:\/\/x"/],
      ["sync --rpc 127.0.0.1:8114", /--rpc is an http or https URL/],
      ["sync --rpc http://x --from -1", /--from/],
      ["sync --rpc http://x --from 1.5", /--from is a whole number, not "1.5"/],
      ["sync --rpc http://x --from 0x10", /--from is a whole number/],
      ["sync --rpc http://x --max-reorganisation many", /--max-reorganisation is a whole number/],
      ["sync --rpc http://x --prices http://y", /^--prices needs --price-key/],
      ["sync --rpc http://x --price-key a=0x01 --prices nowhere", /--prices is an http or https URL/],
      ["sync --rpc http://x --price-key a", /--price-key is NAME=ASSET_ID, not "a"/],
      ["sync --rpc http://x extra", /^Unexpected: extra\n/],
      ["assets load", /assets load takes one file/],
      ["prices load a b", /prices load takes one file/],
      ["prices list ckb", /^ASSET is 0x and pairs of hex digits, not "ckb"/],
      ["prices remove", /prices remove takes one asset/],
      ["prices remove 0x01 --from noon", /^--from is RFC 3339 .*, not "noon"/],
      ["revert", /revert takes one height/],
      ["revert 1 2", /revert takes one height/],
      ["revert tip", /^HEIGHT is a whole number, not "tip"/],
      ["token create", /token create needs --name/],
      ["token create --name x --scope all", /--scope is utxos:read or asset-changes:read, not "all"/],
      ["token create --name x --expires soon", /--expires is a number and m, h, d or w/],
      ["token create --name x --rate 600", /--rate is requests per minute, such as 600\/min, not "600"/],
      ["token rotate", /token rotate takes one id/],
      ["token rotate a --overlap 0h", /--overlap is a number and m, h, d or w/],
      ["token list a b", /token list takes one prefix at most/],
      ["token revoke", /token revoke takes one id/],
      ["status now", /status takes no arguments/],
      ["verify --deep", /--deep/],
      ["verify now", /^Unexpected: now\n/],
      ["verify --sample 5", /^--sample needs --rpc, --rpc-file or RPC_URL\n/],
      ["verify --sample few --rpc http://x", /^--sample is a whole number, not "few"\n/],
      ["migrate up", /migrate takes no arguments|Unexpected: up/],
      ["demo --big", /--big/],
    ];
    for (const [words, reason] of wrong) {
      const { code, stdout, stderr } = await aqsHere(...words.split(" ").filter(Boolean));
      expect([words, code, stdout]).toEqual([words, 2, ""]);
      expect(stderr).toMatch(reason);
      expect(stderr).toContain("Usage: npm run --silent aqs --");
    }
    expect(await aqs("sync")).toEqual(await aqsHere("sync"));
    expect(() => new DatabaseSync(file, { readOnly: true })).toThrow();
  });

  test("exits 1 with only the reason if the database cannot be opened", async () => {
    file = join(write("plain-file", "text"), "below.db");
    const { code, stdout, stderr } = await aqs("status");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^\S+below\.db: .+\n$/);
    file = write(
      "no-database.db",
      "text, and not a little of it, so that it has a header's length of 100 bytes, and more than that.......",
    );
    expect((await aqs("status")).stderr).toMatch(
      /^\S+no-database\.db: is damaged: .*\(file is not a database, SQLite's code 26\)\n$/,
    );
  });

  test("lets no text from a file reach the terminal with control characters, nor as a line of its own", async () => {
    const hostile = "n\x1b[2J\x1b]0;title\x07\r\n2026-01-01 forged\u2028\u202e\x7f\x9b1m\u0000";
    const shown = "n\ufffd[2J\ufffd]0;title\ufffd2026-01-01 forged\ufffd1m\ufffd";
    const registry = write("hostile.json", [{ id: "0x01", [hostile]: 1 }, { id: "1" }]);
    const assets = await aqs("assets", "load", registry);
    const lines = assets.stderr.split("\n");
    expect([assets.code, assets.stdout, lines.length]).toEqual([1, "", 3]);
    expect(lines[0]).toContain(`hostile.json:1: asset 1: Unrecognized key: "${shown}"`);
    expect(lines[1]).toContain("hostile.json:1: asset 2: id: ");

    const named = await aqs("assets", "load", join(folder, hostile.replace("\0", "")));
    expect(named.stderr).toMatch(/^[^\p{Cc}\u2028\u202e]*forged[^\p{Cc}\u2028\u202e]*\n$/u);
    const long = await aqs("assets", "load", write("long.json", [{ id: "0x01", ["k".repeat(100_000)]: 1 }]));
    expect(long.stderr).toMatch(/^.{4000}… \(9\d{4} more characters\)\n$/);
  });

  test("goes on where nobody reads its output any more", async () => {
    const { child, ended } = start("--help");
    child.stdout!.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("brings a database to the current schema once", async () => {
    expect(await aqs("migrate")).toEqual({
      code: 0,
      stdout: migrations.map(({ name }) => `${name}\n`).join(""),
      stderr: `${migrations.length} migrations ran.\n`,
    });
    expect(await aqs("migrate")).toEqual({ code: 0, stdout: "", stderr: "The schema is current.\n" });
    // The key that signs cursors is there for servers that may only read.
    const database = new DatabaseSync(file);
    expect(database.prepare("SELECT key FROM state").all()).toEqual([{ key: "cursor-key" }]);
    database.close();
  });

  test("imports files, names the refused ones on stderr, and tells as JSON what there is", async () => {
    const good = write("good.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n"));
    const bad = write("bad.json", "{");
    const partly = await aqs("import", bad, good);
    expect([partly.code, partly.stdout]).toEqual([1, ""]);
    expect(partly.stderr).toMatch(
      /^\S+bad\.json: not JSON: .*\n13 blocks stored, 0 known already, 1 of 2 files refused\.\n$/,
    );
    expect(await aqs("import", good)).toEqual({
      code: 0,
      stdout: "",
      stderr: "0 blocks stored, 13 known already, 0 of 1 files refused.\n",
    });

    const { code, stdout, stderr } = await aqs("status");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      network: "testnet",
      demo: false,
      tipHeight: 12,
      tipHash: blocks[12]!.header.hash,
      tipTime: new Date(Number(blocks[12]!.header.timestamp)).toISOString(),
      lowestHeight: 0,
      coverage: "0-12",
      counts: { blocks: 13, transactions: 25 },
      engine: "sqlite",
      schemaVersion: expect.any(Number),
    });

    const demo = await aqs("demo");
    expect([demo.code, demo.stdout]).toEqual([1, ""]);
    expect(demo.stderr).toBe("This database holds testnet; the demo chain cannot be mixed into it\n");
  });

  test("exports the outputs of an address as the API streams them, or as CSV, exactly", async () => {
    await aqsHere("demo");
    const store = await openStore(`sqlite:${file}`);
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: Date.now() });
    const address = demoChain().notable.busyAddress;
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: "application/x-ndjson",
    };
    const streamOf = async (search: Record<string, string>) => {
      const request = { method: "GET", params: { address }, query: String(new URLSearchParams(search)) };
      const reply = await service.operations.addressUtxos.answer({
        ...request,
        header: (name) => headers[name],
      });
      let text = "";
      for await (const piece of reply.body as AsyncIterable<string>) text += piece;
      return text;
    };
    const streamed = await streamOf({});
    expect(await aqs("export", address)).toEqual({ code: 0, stdout: streamed, stderr: "" });
    const entries = streamed
      .trimEnd()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as UtxoEntry);
    expect(entries.length).toBeGreaterThan(1000);
    const id = entries.find((entry) => entry.token !== "0x80000135")!.token;
    expect((await aqsHere("export", address, "--token", id)).stdout).toBe(await streamOf({ token: id }));

    const csv = (await aqsHere("export", address, "--format", "csv")).stdout.split("\r\n");
    expect(csv[0]).toBe('"out_point","block_height","token","symbol","name","decimals","amount","capacity"');
    expect(csv).toHaveLength(entries.length + 2);
    for (const [place, { outPoint, blockHeight, token, amount, capacity }] of entries.entries()) {
      expect(csv[place + 1]!.startsWith(`"${outPoint}","${blockHeight}","${token}",`)).toBe(true);
      expect(csv[place + 1]!.endsWith(`"${amount}","${capacity}"`)).toBe(true);
    }
    await store.close();

    for (const args of [[], ["ckt1nonsense"], [address, "--format", "xml"], [address, "--token", "1"]]) {
      const { code, stdout } = await aqsHere("export", ...args);
      expect([code, stdout]).toEqual([2, ""]);
    }
  });

  test("loads a registry and prices whole or not at all, naming each bad line", async () => {
    const loads: [string, unknown, number, RegExp][] = [
      ["assets", [{ id: "0x80000135", tags: ["native"] }], 0, /^1 assets loaded\.\n$/],
      ["assets", '[\n{"id":"0x01"},\n{"id":"1"}]', 1, /^\S+:3: asset 2: id: [^\n]*\n$/],
      ["prices", "asset_id,time,usd\n0x80000135,2026-01-01T00:00:00Z,0.01\n", 0, /^1 prices loaded\.\n$/],
      [
        "prices",
        "asset_id,time,usd\n0x01,1,1\n0x01,yesterday,1\n0x01,2,x\n",
        1,
        /^\S+:3: time.*\n\S+:4: usd.*\n$/,
      ],
    ];
    for (const [i, [what, content, expected, report]] of loads.entries()) {
      const { code, stdout, stderr } = await aqs(what, "load", write(`load-${i}`, content));
      expect([code, stdout]).toEqual([expected, ""]);
      expect(stderr).toMatch(report);
    }
    const missing = await aqs("prices", "load", join(folder, "nowhere.csv"));
    expect(missing).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/nowhere\.csv: ENOENT/),
    });
    expect(JSON.parse((await aqs("status")).stdout)).toMatchObject({
      counts: { registryEntries: 1, prices: 1 },
    });
  });

  test("lists the stored prices as it loads them, and removes those of a time", async () => {
    const csv = `asset_id,time,usd
0x01,2025-12-31T23:59:59.999Z,0.000000000000000001
0x01,2026-01-01T00:00:00.000Z,2
0x80000135,2026-01-01T00:00:00.000Z,0.01
`;
    await aqsHere("prices", "load", write("prices.csv", csv));
    expect(await aqsHere("prices", "list")).toEqual({ code: 0, stdout: csv, stderr: "" });
    const removed = await aqsHere("prices", "remove", "0x01", "--from", "2026-01-01T00:00Z");
    expect(removed).toEqual({ code: 0, stdout: "", stderr: "1 prices removed.\n" });
    expect((await aqsHere("prices", "list", "0x01")).stdout.split("\n")).toHaveLength(3);
    expect((await aqsHere("prices", "remove", "0x01")).stderr).toBe("1 prices removed.\n");
    expect((await aqsHere("prices", "list")).stdout).toBe(
      `asset_id,time,usd\n0x80000135,2026-01-01T00:00:00.000Z,0.01\n`,
    );
  });

  test("takes back every block above a height, unless a sync is running", async () => {
    await aqsHere("import", write("all.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
    const store = await openStore(`sqlite:${file}`);
    const lock = await store.acquireSyncLock();
    await expect(aqsHere("revert", "5")).rejects.toThrow(/^Another sync .* is running/);
    await lock.release();
    await store.close();
    expect(await aqsHere("revert", "5")).toEqual({
      code: 0,
      stdout: "",
      stderr: `7 blocks above 5 taken back; the tip is block 5 (${blocks[5]!.header.hash}).\n`,
    });
    expect(JSON.parse((await aqsHere("status")).stdout)).toMatchObject({ tipHeight: 5, coverage: "0-5" });
    expect((await aqsHere("revert", "5")).stderr).toMatch(/^0 blocks above 5/);
    expect((await aqsHere("verify")).code).toBe(0);
  });

  test("loads prices again without rewriting those that are the same", async () => {
    const prices = (usd: number) =>
      write("prices.csv", `asset_id,time,usd\n0x01,2026-01-01T00:00:00Z,${usd}\n`);
    expect((await aqsHere("prices", "load", prices(1))).code).toBe(0);
    const database = new DatabaseSync(file);
    database.exec(
      "CREATE TRIGGER rewritten BEFORE UPDATE ON prices BEGIN SELECT RAISE(ABORT, 'rewritten'); END",
    );
    database.close();
    expect((await aqsHere("prices", "load", prices(1))).code).toBe(0);
    await expect(aqsHere("prices", "load", prices(2))).rejects.toThrow("rewritten");
  });

  test("loads icons from files and data URIs, and reports those that cannot be read", async () => {
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#00f" } })
      .png()
      .toBuffer();
    mkdirSync(join(folder, "icons"));
    writeFileSync(join(folder, "icons/blue.png"), png);
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const entries = [
      { id: "0x01", icon: "icons/blue.png" },
      { id: "0x02", icon: `data:image/png;base64,${png.toString("base64")}` },
      { id: "0x03", icon: `https://127.0.0.1:${port}/a.png` },
      { id: "0x04" },
      ...Array.from({ length: 20 }, (_, n) => ({ id: `0x10${n + 10}`, icon: "../blue.png" })),
    ];
    const loaded = await aqs("assets", "load", write("icons.json", entries));
    expect(loaded).toMatchObject({ code: 0, stdout: "" });
    const lines = loaded.stderr.split("\n");
    expect(lines[0]).toMatch(/^0x03: no icon: fetch failed: .*ECONNREFUSED/);
    expect(lines.slice(1, 20)).toEqual(
      entries.slice(4, -1).map(({ id }) => expect.stringContaining(`${id}: no icon: Only files in`)),
    );
    expect(lines.slice(20)).toEqual([
      "and 1 more",
      "Icons that could not be read: 21.",
      "24 assets loaded, 2 with an icon.",
      "",
    ]);

    const without = await aqs("assets", "load", write("icons.json", [{ id: "0x01" }]));
    expect(without).toEqual({ code: 0, stdout: "", stderr: "1 assets loaded.\n" });
  });

  test("prints a new token alone on stdout, lists it without its secret, and revokes it", async () => {
    const created = await aqs(
      "token",
      "create",
      "--name",
      "a reader",
      "--scope",
      "utxos:read",
      "--expires",
      "2w",
    );
    expect(created.code).toBe(0);
    expect(created.stdout).toMatch(/^aqs_[A-Za-z0-9_-]{43}\n$/);
    expect(created.stderr).toContain("utxos:read");
    const token = created.stdout.trim();
    expect(created.stderr).not.toContain(token);

    const listed = await aqs("token", "list");
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    const [, row] = listed.stdout.trimEnd().split("\n");
    expect(row).toContain("a reader");
    expect(row).toContain(`…${token.slice(-4)}`);
    expect(listed.stdout).not.toContain(token);

    const id = row!.split(" ")[0]!;
    const rotated = await aqs("token", "rotate", id, "--overlap", "2h");
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^aqs_[A-Za-z0-9_-]{43}\n$/) });
    expect(rotated.stderr).toContain(`takes the place of ${id}, which ends in 2h`);
    const rows = async (prefix: string) =>
      (await aqs("token", "list", prefix)).stdout.trimEnd().split("\n").length - 1;
    expect([await rows(id.slice(0, 6)), await rows("A READ"), await rows("reader")]).toEqual([1, 2, 0]);
    expect(await aqs("token", "revoke", id)).toMatchObject({ code: 0, stdout: "" });
    expect(await aqs("token", "revoke", "nobody")).toMatchObject({
      code: 1,
      stderr: "No token has the id nobody.\n",
    });
  });

  test("copies a database, but not one that does not exist", async () => {
    const target = join(folder, "copy.db");
    const nowhere = await aqs("copy", `sqlite:${file}`, `sqlite:${target}`);
    expect(nowhere).toEqual({ code: 1, stdout: "", stderr: `${file}: there is no such file\n` });
    expect([existsSync(file), existsSync(target)]).toEqual([false, false]);

    await aqs("token", "create", "--name", "a reader");
    const copied = await aqs("copy", `sqlite:${file}`, `sqlite:${target}`);
    expect([copied.code, copied.stdout]).toEqual([0, ""]);
    expect(copied.stderr).toMatch(/^The first database holds no chain\. 0 blocks copied; /);
    file = target;
    expect((await aqs("token", "list")).stdout).toContain("a reader");
  });

  test("verifies the data, and lists what was tampered with", async () => {
    await aqs("import", write("all.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
    expect(await aqs("verify")).toEqual({ code: 0, stdout: "", stderr: "All invariants hold.\n" });
    const tamper = (sql: string) => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    };
    const cases: [string, RegExp][] = [
      ["UPDATE asset_changes SET amount = amount + 1 WHERE height = 5", /block 5: the stored changes/],
      [
        "UPDATE tokens SET supply = supply + 7",
        /token 0x80000135: totalSupply is \d+, the blocks and the registry make it \d+/,
      ],
      [
        "UPDATE asset_changes SET amount_usd = 5 WHERE height = 6",
        /block 6: 0x80000135 is valued at 5, its price makes it 0/,
      ],
      ["UPDATE tokens SET decimals = 7", /token 0x80000135: decimals is 7, .* make it 8/],
      ["UPDATE tokens SET name_folded = 'x'", /token 0x80000135: foldedName is x, .* make it ckb/],
      [`UPDATE tokens SET tags = '["b","a"]'`, /token 0x80000135: tags is \["b","a"\], .* make it \[\]/],
      ["UPDATE addresses SET text = 'ckt1' || text WHERE id = 1", /address ckt1ckt1/],
      ["DELETE FROM transactions WHERE id = 3 * 1048576", /\d+ outputs without a transaction/],
      ["UPDATE holdings SET output_count = output_count + 1", /is not the sum of its live outputs/],
    ];
    let lines = 0;
    for (const [sql, fault] of cases) {
      tamper(sql);
      const { code, stdout, stderr } = await aqs("verify");
      expect(code).toBe(1);
      expect(stdout).toMatch(fault);
      const found = stdout.trimEnd().split("\n").length;
      expect(found).toBeGreaterThan(lines);
      expect(stderr).toBe(`${found} invariants are broken.\n`);
      lines = found;
    }
    tamper("DELETE FROM state WHERE key = 'identity'");
    expect((await aqs("verify")).stdout).toContain("blocks are stored, but not which chain they belong to\n");
  });

  describe("backup", () => {
    test("copies a database while sync writes it; the restored one is right, and sync goes on from there", async () => {
      const many = new ChainBuilder();
      for (let i = 0; i < 3_000; i++) {
        many.transfer({ to: account("ann"), amount: 300n * CKB });
        many.block();
      }
      const node = await StandInNode.start({ blocks: many.blocks });
      const saved = join(folder, "saved.db");
      try {
        const running = start("sync", "--rpc", node.url, "--once");
        while (!existsSync(file) || tipOf(file) < 200) await new Promise((done) => setImmediate(done));
        const first = await aqsHere("backup", saved);
        expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/MB, checked\.\n$/) });
        expect((await running.ended).code).toBe(0);
        expect(tipOf(file)).toBe(3_000);
        const height = tipOf(saved);
        expect(height).toBeGreaterThanOrEqual(200);
        expect(statSync(saved).mode & 0o777).toBe(0o600);

        file = join(folder, "restored.db");
        expect((await aqsHere("restore", saved)).code).toBe(0);
        expect(tipOf(file)).toBe(height);
        expect((await aqs("verify")).code).toBe(0);
        expect((await aqs("sync", "--rpc", node.url, "--once")).code).toBe(0);
        expect(tipOf(file)).toBe(3_000);
        expect((await aqs("verify")).code).toBe(0);
      } finally {
        await node.close();
      }
    });

    test("deploy/backup.sh keeps the newest backups, and none that verify refuses", async () => {
      await aqs("import", write("all.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
      const backups = join(folder, "back ups");
      mkdirSync(backups);
      // Of a run that was killed.
      mkdirSync(join(backups, "trial"));
      writeFileSync(join(backups, "trial/backup.db"), "left");
      const run = async () => {
        const env = { ...process.env, DATABASE_URL: `sqlite:${file}` };
        const child = spawn("sh", ["deploy/backup.sh", backups, "2"], { cwd: root, env, stdio: "ignore" });
        const [code] = await once(child, "exit");
        return { code, kept: readdirSync(backups) };
      };
      const [first] = (await run()).kept;
      await run();
      const { code, kept } = await run();
      expect([code, kept]).toEqual([0, [expect.any(String), expect.any(String)]]);
      expect(kept).not.toContain(first);
      new DatabaseSync(file).exec("UPDATE holdings SET output_count = output_count + 1");
      expect(await run()).toEqual({ code: 1, kept });
      expect(tipOf(join(backups, kept[1]!))).toBe(12);
    });

    test("overwrites nothing, and takes only a whole database of this service", async () => {
      await aqsHere("migrate");
      const taken = write("taken.db", "mine");
      expect(await failure("backup", taken)).toContain("exists already: move it away first");
      expect(readFileSync(taken, "utf8")).toBe("mine");
      const cut = join(folder, "cut.db");
      expect((await aqsHere("backup", cut)).code).toBe(0);
      writeFileSync(cut, readFileSync(cut).subarray(0, 20_480));
      expect(await failure("restore", taken)).toContain("exists already");
      file = join(folder, "fresh.db");
      expect(await failure("backup", join(folder, "x.db"))).toContain("there is no such file");
      expect(await failure("restore", taken)).toContain("file is not a database");
      expect(await failure("restore", cut)).toMatch(/malformed|damaged/);
      new DatabaseSync(join(folder, "other.db")).exec("CREATE TABLE blocks (x)");
      expect(await failure("restore", join(folder, "other.db"))).toContain("not a database of this service");
      expect(readdirSync(folder).filter((name) => /fresh|unfinished|^x/.test(name))).toEqual([]);
    });
  });

  describe("sync", () => {
    let node: StandInNode;

    beforeEach(async () => {
      node = await StandInNode.start({ blocks });
      return () => node.close();
    });

    const status = async () => JSON.parse((await aqs("status")).stdout);

    test("with --once stops at the tip, and takes prices from a source meanwhile", async () => {
      // Slower than it takes to see that there is nothing to store.
      const prices = createServer((_request, response) =>
        setTimeout(() => response.end('{"ckb":{"usd":0.5}}'), 300),
      );
      await new Promise<void>((resolve) => prices.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(prices.address() as AddressInfo).port}/`;
      const args = ["--prices", url, "--price-key", "ckb=0x80000135"];
      await aqs("sync", "--rpc", node.url, "--once");
      const { code, stdout, stderr } = await aqs("sync", "--rpc", node.url, "--once", ...args);
      prices.closeAllConnections();
      prices.close();
      expect([code, stdout]).toEqual([0, ""]);
      expect(stderr).toMatch(/0 blocks stored in \d+\.\d s; the tip is block 12\.\n$/);
      expect(await status()).toMatchObject({ tipHeight: 12, counts: { prices: 1 } });
    });

    test("takes the URL from a file or the environment, and warns of a password among the arguments", async () => {
      const secret = node.url.replace("http://", "http://me:secret@");
      const urlFile = join(folder, "rpc-url");
      writeFileSync(urlFile, `${secret}\n`);
      const warning = /^Every user of this machine can read the password in --rpc\./;
      const quiet = await aqs("sync", "--rpc-file", urlFile, "--once");
      expect(quiet.stderr).toMatch(/^13 blocks stored in/m);
      vi.stubEnv("RPC_URL", secret);
      const again = await aqs("sync", "--once");
      expect(again.stderr).toMatch(/^0 blocks stored in/);
      const warned = await aqs("sync", "--rpc", secret, "--once");
      expect([warned.code, warned.stderr.match(/secret/)]).toEqual([0, null]);
      expect(warned.stderr).toMatch(warning);
      expect((await aqs("sync", "--rpc", node.url, "--once")).stderr).not.toMatch(warning);
      vi.stubEnv("RPC_URL", "ftp://me:secret@x");
      const wrong = await aqs("sync", "--once");
      expect([wrong.code, wrong.stderr.match(/secret/)]).toEqual([2, null]);
      expect(wrong.stderr).toMatch(/^RPC_URL does not hold an http or https URL\n/);
    });

    test("verify compares with the node, wherever its URL comes from", async () => {
      await aqs("sync", "--rpc", node.url, "--once");
      const database = new DatabaseSync(file);
      database.exec("UPDATE blocks SET timestamp = timestamp + 1 WHERE height = 5");
      database.close();
      expect((await aqs("verify")).code).toBe(0);
      const fault = /^block 5: timestamp is \d+, the node says \d+\n$/;
      const found = await aqs("verify", "--rpc", node.url);
      expect(found).toMatchObject({ code: 1, stdout: expect.stringMatching(fault) });
      expect(found.stderr).toBe("1 invariants are broken.\n");
      vi.stubEnv("RPC_URL", node.url);
      expect((await aqs("verify")).code).toBe(0);
      expect((await aqs("verify", "--sample", "all")).stdout).toMatch(fault);
      const sampled = await aqs("verify", "--sample", "13", "--seed", "7");
      expect(sampled.stdout).toMatch(fault);
      expect(sampled.stderr).toMatch(/^Comparing 13 blocks with the node, chosen with --seed 7\.\n/);
      vi.stubEnv("RPC_URL", "http://127.0.0.1:1");
      const { code, stderr } = await aqs("verify", "--sample", "1");
      expect([code, stderr.trim().split("\n").length]).toEqual([1, 2]);
      expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:1\/: /m);
    });

    test("lets no text from a node or a price source reach the terminal as it is", async () => {
      const message = "no\x1b[2J\x1b]0;title\x07\r\n2026-01-01T00:00:00.000Z forged\u2028\u202e\x9b";
      const hostile = createServer((_request, response) =>
        response.end(JSON.stringify({ error: { code: -1, message: message + "x".repeat(100_000) } })),
      );
      const prices = createServer((_request, response) => response.end(message));
      for (const server of [hostile, prices]) await once(server.listen(0, "127.0.0.1"), "listening");
      const urlOf = (server: typeof hostile) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      try {
        const failing = start("sync", "--rpc", urlOf(hostile));
        const { stderr } = await endedAfter(failing, /more characters/);
        const lines = stderr.trimEnd().split("\n");
        for (const line of lines) {
          expect(line).toMatch(/^(20\d\d-[^ ]+Z http:|0 blocks stored in )/);
          expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
        }
        expect(lines[0]).toMatch(
          /: no\ufffd\[2J\ufffd\]0;title\ufffd2026-01-01T00:00:00\.000Z forged\ufffdx+… \(/,
        );

        const args = ["--prices", urlOf(prices), "--price-key", "ckb=0x80000135"];
        const done = await aqs("sync", "--rpc", node.url, "--once", ...args);
        expect(done.code).toBe(0);
        expect(done.stderr).toMatch(/^20\S+Z http:\S+ .*not valid JSON$/m);
        expect(done.stderr).not.toMatch(/^20\S+Z forged/m);
        expect(done.stderr.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
      } finally {
        for (const server of [hostile, prices]) {
          server.closeAllConnections();
          server.close();
        }
      }
    });

    test("deploy/run.sh runs the scripts of package.json alone", async () => {
      const child = spawn("sh", ["deploy/run.sh", "status"], {
        cwd: root,
        stdio: ["ignore", "ignore", "pipe"],
      });
      const [[code], words] = await Promise.all([once(child, "close"), text(child.stderr)]);
      expect([code, words]).toEqual([2, "run start, or run aqs COMMAND\n"]);
    });

    test.each([
      ["npm run --silent aqs --", "documented command"],
      ["sh deploy/run.sh aqs", "command of the container"],
    ])("ends with 0 on SIGTERM to %s, the %s, and leaves no process behind", async (words) => {
      const [command, ...args] = words.split(" ");
      const child = spawn(command!, [...args, "sync", "--rpc", node.url], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: `sqlite:${file}`, NODE_COMPILE_CACHE: join(folder, "compiled") },
        stdio: ["ignore", "ignore", "pipe"],
      });
      child.stderr.resume();
      const ended = once(child, "close");
      while (node.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      // The lock is free, so nobody writes any more.
      expect((await aqs("sync", "--rpc", node.url, "--once")).code).toBe(0);
    });

    test("ends with 0 on SIGTERM and on SIGINT, with whole transactions, and is taken up again", async () => {
      for (const [signal, method] of [
        ["SIGTERM", "get_block_by_number"],
        ["SIGINT", "get_tip_header"],
      ] as const) {
        const { child, ended } = start("sync", "--rpc", node.url);
        const forget = node.onRequest((asked) => {
          if (asked !== method) return;
          forget();
          child.kill(signal);
        });
        const { code, stdout } = await ended;
        expect([signal, code, stdout]).toEqual([signal, 0, ""]);
        expect((await aqs("verify")).code).toBe(0);
      }
      expect((await aqs("sync", "--rpc", node.url, "--once")).code).toBe(0);
      expect(await status()).toMatchObject({ tipHeight: 12 });
    });

    test("ends with 0 on SIGTERM while the node does not answer", async () => {
      node.failNext({ kind: "hang", count: 1000 });
      const { child, ended } = start("sync", "--rpc", node.url);
      while (node.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ code: 0, stdout: "" });
      expect(await status()).toMatchObject({ tipHeight: null });
    });

    test("waits for a database that is away when it starts, and ends with 0 on SIGTERM", async () => {
      const away = startOn("postgres://127.0.0.1:1/aqs", "sync", "--rpc", node.url, "--once");
      const { code, stdout, stderr } = await endedAfter(away, /trying again/);
      expect([code, stdout]).toEqual([0, ""]);
      expect(stderr).toMatch(/^20\S+Z PostgreSQL at 127\.0\.0\.1:1\S* does not answer: .*; trying again\n$/);
    });

    test("refuses a second one into the same database, and says who is there", async () => {
      const first = start("sync", "--rpc", node.url);
      while (node.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = await aqs("sync", "--rpc", node.url, "--once");
      expect([second.code, second.stdout]).toEqual([1, ""]);
      expect(second.stderr).toContain(`process ${first.child.pid}`);
      first.child.kill("SIGTERM");
      expect((await first.ended).code).toBe(0);
    });

    test("exits 1 on a fork too deep and on another network, with a message and no stack", async () => {
      await aqs("sync", "--rpc", node.url, "--once");
      const other = chain.fork(4);
      other.emptyBlocks(12);
      node.setChain(other.blocks);
      const deep = await aqs("sync", "--rpc", node.url, "--once", "--max-reorganisation", "5");
      expect([deep.code, deep.stdout]).toEqual([1, ""]);
      expect(deep.stderr).toMatch(/more than 5 blocks below our tip, block 12 .*raise --max-reorganisation/);
      expect(deep.stderr).not.toMatch(/^\s+at /m);
      expect(await status()).toMatchObject({ tipHash: blocks[12]!.header.hash });

      const mainnet = await StandInNode.start({ chain: "ckb", blocks });
      const wrong = await aqs("sync", "--rpc", mainnet.url, "--once");
      await mainnet.close();
      expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
      expect(wrong.stderr).toMatch(/says it is mainnet, but its first block is 0x/);
      expect(wrong.stderr).not.toMatch(/^\s+at /m);
    });

    const withServer = process.env.ENGINES !== "sqlite" && postgresBinaries() !== null;
    describe.skipIf(!withServer)(`on PostgreSQL${withServer ? "" : `: ${NO_POSTGRES}`}`, () => {
      let server: ThrowawayServer;
      beforeAll(() => {
        server = startPostgres();
      });
      afterAll(() => server?.stop());

      const syncOn = (database: string, ...args: string[]) =>
        startOn(server.url(database), "sync", "--rpc", node.url, "--once", ...args).ended;

      test("that fails ends at once with 1, and the next one gets the lock", async () => {
        await server.run("CREATE DATABASE forked");
        expect((await syncOn("forked")).code).toBe(0);
        const other = chain.fork(4);
        other.emptyBlocks(12);
        node.setChain(other.blocks);
        const began = performance.now();
        const deep = await syncOn("forked", "--max-reorganisation", "5");
        expect([deep.code, deep.stdout]).toEqual([1, ""]);
        expect(deep.stderr).toMatch(/more than 5 blocks below our tip/);
        expect(performance.now() - began).toBeLessThan(15_000);
        expect((await syncOn("forked")).code).toBe(0);
      });

      test("goes on through a restart of the server, which it tells once", async () => {
        await server.run("CREATE DATABASE restarted");
        const running = startOn(server.url("restarted"), "sync", "--rpc", node.url);
        let tipsAsked = 0;
        const atTip = node.onRequest((method) => {
          if (method === "get_tip_header") tipsAsked += 1;
        });
        await vi.waitFor(() => expect(tipsAsked).toBeGreaterThan(1), 30_000);
        atTip();
        const back = seen(running, /the database answers again/);
        await server.restart(() => seen(running, /trying again/));
        await back;
        running.child.kill("SIGTERM");
        const { code, stderr } = await running.ended;
        expect(code).toBe(0);
        // Not a line for each try. A server that shuts down may answer once more in between.
        expect(stderr.match(/trying again/g)!.length).toBeLessThanOrEqual(2);
        expect((await syncOn("restarted")).code).toBe(0);
      });

      test("into a server that freezes ends within 15 s of SIGTERM, in a transaction or not", async () => {
        await server.run("CREATE DATABASE frozen");
        expect((await startOn(server.url("frozen"), "migrate").ended).code).toBe(0);
        const stopped = async (running: Running) => {
          server.freeze();
          const began = performance.now();
          try {
            running.child.kill("SIGTERM");
            const { code, stderr } = await running.ended;
            expect(performance.now() - began).toBeLessThan(15_000);
            return { code, last: stderr.trimEnd().split("\n").at(-1) };
          } finally {
            server.thaw();
          }
        };

        const admin = new pg.Client({ connectionString: server.url("frozen") });
        await admin.connect();
        await admin.query("BEGIN; LOCK TABLE blocks IN EXCLUSIVE MODE");
        const writing = startOn(server.url("frozen"), "sync", "--rpc", node.url);
        await vi.waitFor(async () => {
          const { rows } = await admin.query("SELECT FROM pg_locks WHERE NOT granted");
          expect(rows.length).toBe(1);
        }, 30_000);
        expect(await stopped(writing)).toEqual({
          code: 1,
          last: expect.stringMatching(
            /^The database did not answer within 10 s .* the transaction .* given up/,
          ),
        });
        await admin.end();

        // The server ends the session of the first one, and with it its lock, when it notices.
        await vi.waitFor(async () => expect((await syncOn("frozen")).code).toBe(0), 30_000);
        const waiting = startOn(server.url("frozen"), "sync", "--rpc", node.url);
        const tipsAsked = () => node.requests.filter(({ method }) => method === "get_tip_header").length;
        const asked = tipsAsked();
        await vi.waitFor(() => expect(tipsAsked()).toBeGreaterThan(asked + 1), 30_000);
        // While it waits for the node, it asks the database nothing.
        const release = node.hold();
        const askedUntilHeld = tipsAsked();
        await vi.waitFor(() => expect(tipsAsked()).toBeGreaterThan(askedUntilHeld), 30_000);
        try {
          expect(await stopped(waiting)).toEqual({
            code: 0,
            last: expect.stringMatching(/the tip is block 12/),
          });
        } finally {
          release();
        }
        expect((await startOn(server.url("frozen"), "verify").ended).code).toBe(0);
      });

      test("into a database that takes no writes waits until it does, and still ends on SIGTERM", async () => {
        await server.run("CREATE DATABASE standby");
        expect((await startOn(server.url("standby"), "migrate").ended).code).toBe(0);
        await server.run("ALTER DATABASE standby SET default_transaction_read_only = on");
        const args = ["sync", "--rpc", node.url, "--once"];
        const refused = /PostgreSQL at \S+ takes no writes now: .*read-only transaction; trying again/;
        const stopped = await endedAfter(startOn(server.url("standby"), ...args), refused);
        expect([stopped.code, stopped.stdout]).toEqual([0, ""]);
        // Other commands do not wait.
        await server.run("CREATE DATABASE writable");
        expect((await startOn(server.url("writable"), "migrate").ended).code).toBe(0);
        for (const command of [
          ["token", "create", "--name", "a"],
          ["copy", server.url("writable"), server.url("standby")],
        ]) {
          expect(await startOn(server.url("standby"), ...command).ended, command[0]).toEqual({
            code: 1,
            stdout: "",
            stderr: expect.stringMatching(
              /^PostgreSQL at \S+ takes no writes now: .*read-only transaction\n$/,
            ),
          });
        }

        const waiting = startOn(server.url("standby"), ...args);
        await seen(waiting, refused);
        await server.run("ALTER DATABASE standby RESET default_transaction_read_only");
        await server.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'standby' AND pid <> pg_backend_pid()",
        );
        const { code, stderr } = await waiting.ended;
        expect(code).toBe(0);
        const faults = stderr.split("\n").filter((line) => /trying again|answers again/.test(line));
        expect(faults).toEqual([
          expect.stringMatching(refused),
          expect.stringMatching(/^\S+ the database answers again$/),
        ]);
      });
    });
  });
});
