import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { commandLine, endedAfter, paying, root, seen } from "#lib/testing/command-line.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { freePort } from "#lib/util/free-port.ts";

const cli = commandLine();
const { aqs, aqsHere, folder, start, startOn } = cli;

const chain = paying(12);
const { blocks } = chain;

describe("aqs sync", () => {
  let node: StandInNode;

  beforeEach(async () => {
    node = await StandInNode.start({ blocks });
    return () => node.close();
  });

  const status = async () => JSON.parse((await aqsHere("status")).stdout);

  test("with --once stops at the tip, and takes prices from a source meanwhile", async () => {
    await aqs("sync", "--rpc", node.url, "--once");
    // Then the sync has seen that there is nothing to store.
    const seen = new Promise<void>((resolve) => {
      node.onRequest((method) => method === "get_tip_header" && resolve());
    });
    const prices = createServer((_request, response) => {
      void seen.then(() => response.end('{"ckb":{"usd":0.5}}'));
    });
    await new Promise<void>((resolve) => prices.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(prices.address() as AddressInfo).port}/`;
    const args = ["--prices", url, "--price-key", "ckb=0x80000135"];
    const { code, stdout, stderr } = await aqs("sync", "--rpc", node.url, "--once", ...args);
    prices.closeAllConnections();
    prices.close();
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/0 blocks stored in \d+\.\d s; the tip is block 12\.\n$/);
    expect(await status()).toMatchObject({ tipHeight: 12, counts: { prices: 1 } });
  });

  test("reports failures of its node or price source, and the size of the WAL, as metrics", async () => {
    const port = await freePort();
    vi.stubEnv("SYNC_METRICS_PORT", String(port));
    const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const cut = start("sync", "--rpc", nowhere);
    await seen(cut, /; trying again/);
    expect(await figures()).toMatch(
      /^aqs_sync_waiting\{for="node"\} 1\naqs_sync_waiting\{for="database"\} 0$/m,
    );
    expect(await figures()).toContain("\naqs_sync_price_feed_failing 0\n");
    cut.child.kill("SIGTERM");
    await cut.ended;
    const args = ["--rpc", node.url, "--prices", nowhere, "--price-key", "ckb=0x80000135"];
    const following = start("sync", ...args);
    await seen(following, /ECONNREFUSED/);
    const text = await figures();
    expect(text).toContain('\naqs_sync_waiting{for="node"} 0\n');
    expect(text).toContain("\naqs_sync_price_feed_failing 1\n");
    expect(Number(/^aqs_sync_wal_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    following.child.kill("SIGTERM");
    await following.ended;
  });

  test("with --history removes older spent outputs, as status, verify, revert and a backup show", async () => {
    const args = ["--once", "--history", "5", "--max-reorganisation", "5"];
    expect((await aqs("sync", "--rpc", node.url, ...args)).code).toBe(0);
    expect(await status()).toMatchObject({ tipHeight: 12, coverage: "0-12", spentNotKeptUpTo: 7 });
    const verified = await aqsHere("verify");
    expect(verified).toMatchObject({ code: 0, stdout: "" });
    expect(verified.stderr).toMatch(
      /^Spent outputs are not kept: .* up to block 7\.\nAll invariants hold\.\n$/,
    );
    const reverted = await aqs("revert", "6");
    expect(reverted.code).toBe(1);
    expect(reverted.stderr).toMatch(/^Blocks cannot be reverted down to 6: .* Start a new database\n$/);
    const backup = join(folder, "of-a-limited-history.db");
    expect((await aqsHere("backup", backup)).code).toBe(0);
    const restored = await startOn(`sqlite:${backup}`, "verify", "--rpc", node.url).ended;
    expect(restored).toMatchObject({ code: 0, stdout: "" });
    expect((await aqsHere("revert", "7")).code).toBe(0);
    expect((await aqsHere("sync", "--rpc", node.url, "--once")).code).toBe(0);
    expect(await status()).toMatchObject({ tipHeight: 12, spentNotKeptUpTo: 7 });
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
    vi.stubEnv("RPC_URL", "http://me:50%secret@127.0.0.1:1");
    const bare = await aqs("sync", "--once");
    expect([bare.code, bare.stderr.match(/secret/)]).toEqual([2, null]);
    expect(bare.stderr).toMatch(/^RPC_URL: in the user and the password of a URL, write % as %25\n/);
  });

  test("verify compares with the node, wherever its URL comes from", async () => {
    await aqs("sync", "--rpc", node.url, "--once");
    const database = new DatabaseSync(cli.file);
    database.exec("UPDATE blocks SET timestamp = timestamp + 1 WHERE height = 5");
    database.close();
    expect((await aqs("verify")).code).toBe(0);
    const fault = /^block 5: timestamp is \d+, the node says \d+\n$/;
    const found = await aqs("verify", "--rpc", node.url);
    expect(found).toMatchObject({ code: 1, stdout: expect.stringMatching(fault) });
    expect(found.stderr).toBe("Not all invariants hold.\n");
    vi.stubEnv("RPC_URL", node.url);
    expect((await aqs("verify")).code).toBe(0);
    expect((await aqs("verify", "--sample", "all")).stdout).toMatch(fault);
    const sampled = await aqs("verify", "--sample", "13");
    expect(sampled.stdout).toMatch(fault);
    expect(sampled.stderr).toMatch(/^Comparing 13 blocks with the node\.\n/);
    vi.stubEnv("RPC_URL", "http://127.0.0.1:1");
    const { code, stderr } = await aqs("verify", "--sample", "1");
    expect([code, stderr.trim().split("\n").length]).toEqual([1, 2]);
    expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:1\/: /m);
  });

  test("escapes text from a node or a price source before it reaches the terminal", async () => {
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

  test("deploy/run.sh becomes the program, which gets the signals", async () => {
    const place = mkdtempSync(join(folder, "program-"));
    const program =
      "process.on('SIGUSR2', () => process.exit(7)); setInterval(() => {}, 1e6); console.log('on')";
    const manifest = { scripts: { start: `exec node -e "${program}"` } };
    writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
    const child = spawn(join(root, "deploy/run.sh"), ["start"], { cwd: place });
    await once(child.stdout, "data");
    child.kill("SIGUSR2");
    expect(await once(child, "exit")).toEqual([7, null]);
  });

  test.each([
    ["npm run --silent aqs --", "documented command"],
    ["sh deploy/run.sh aqs", "command of the container"],
  ])("ends with 0 on SIGTERM to %s, the %s, and leaves no process behind", async (words) => {
    const [command, ...args] = words.split(" ");
    const child = spawn(command!, [...args, "sync", "--rpc", node.url], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: `sqlite:${cli.file}`, ...cli.env },
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

  test("ends with 0 on SIGTERM and on SIGINT, with whole transactions, and can be resumed", async () => {
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
      expect((await aqsHere("verify")).code).toBe(0);
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
      const deep = await syncOn("forked", "--max-reorganisation", "5");
      expect([deep.code, deep.stdout]).toEqual([1, ""]);
      expect(deep.stderr).toMatch(/more than 5 blocks below our tip/);
      expect((await syncOn("forked")).code).toBe(0);
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
          stderr: expect.stringMatching(/^PostgreSQL at \S+ takes no writes now: .*read-only transaction\n$/),
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
