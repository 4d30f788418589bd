import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { account } from "#lib/chains/ckb/testing/cells.ts";
import { readConfig } from "#lib/config.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import type { AddressChange } from "#lib/queries/address-changes/contract.ts";
import type { StatementHolding, StatementLine } from "#lib/queries/address-statement/contract.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import { openStore } from "#lib/store/open.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { commandLine, paying, root } from "#lib/testing/command-line.ts";
import { readParquet } from "#lib/testing/parquet.ts";
import { exactUnits } from "#lib/util/amounts.ts";

const cli = commandLine();
const { aqs, aqsHere, folder, start, write } = cli;

const { blocks } = paying(12);
/** The id of some token: the last digits are the number. */
const assetId = (number: number) => `0x${String(number).padStart(64, "0")}`;
const ONE = assetId(1);

const commands = [
  "migrate",
  "import",
  "sync",
  "export",
  "copy",
  "backup",
  "restore",
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
  test("prints its usage on stdout on request, and opens no database for it", async () => {
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
    expect(() => new DatabaseSync(cli.file, { readOnly: true })).toThrow();
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
      ["token create --name a\u0007b", /^--name must be one line of plain text/],
      ["token burn", /^Unknown command: token burn\n/],
      ["assets", /^Unknown command: assets\n/],
      ["import", /^import needs at least one file\n\nUsage:/],
      ["import a.json --network devnet", /--network must be mainnet or testnet, not "devnet"/],
      ["import --cells", /--cells/],
      ["sync", /^sync needs --rpc, --rpc-file or RPC_URL\n/],
      ["sync --rpc http://x --rpc-file /dev/null", /^Give either --rpc or --rpc-file\n/],
      ["sync --rpc-file /dev/null", /^\/dev\/null does not hold an http or https URL\n/],
      ["sync --rpc ftp://x", /--rpc must be an http or https URL, not "ftp:\/\/x"/],
      ["sync --rpc 127.0.0.1:8114", /--rpc must be an http or https URL/],
      ["sync --rpc http://x --from -1", /--from/],
      ["sync --rpc http://x --from 1.5", /--from must be a whole number, not "1.5"/],
      ["sync --rpc http://x --from 0x10", /--from must be a whole number/],
      [
        "sync --rpc http://x --history 9 --max-reorganisation 10",
        /^--history 9 is too short: a reorganisation may revert 10 blocks/,
      ],
      ["sync --rpc http://x --max-reorganisation many", /--max-reorganisation must be a whole number/],
      ["sync --rpc http://x --prices http://y", /^--prices needs --price-key/],
      [`sync --rpc http://x --price-key a=${ONE} --prices nowhere`, /--prices must be an http or https URL/],
      [`sync --rpc http://x --price-key a=${ONE}`, /^--price-key needs --prices\n/],
      [
        `sync --rpc http://x --prices http://y --price-key a=${ONE} --price-key a=0x80000135`,
        /^--price-key a=0x80000135: a already stands for 0x/,
      ],
      ["sync --rpc http://x --history 1", /^--history 1 is too short: /],
      ["sync --rpc http://x --price-key a=0x01", /^--price-key a=0x01: the id is neither 0x80000135 nor /],
      ["sync --rpc http://x --price-key a", /--price-key must be NAME=ASSET_ID, not "a"/],
      ["sync --rpc http://x extra", /^Unexpected argument: extra\n/],
      ["assets load", /assets load takes one file/],
      ["prices load a b", /prices load takes one file/],
      ["prices list ckb", /^ASSET must be 0x and pairs of hex digits, not "ckb"/],
      ["prices remove", /prices remove takes one asset/],
      ["prices remove 0x01 --from noon", /^--from must be RFC 3339 .*, not "noon"/],
      ["prices remove 0x01 --from 2026", /^--from must be RFC 3339 .*, not "2026"/],
      ["prices remove 0x01 --to 20260101", /^--to must be RFC 3339 .*, not "20260101"/],
      ["revert", /revert takes one height/],
      ["revert 1 2", /revert takes one height/],
      ["revert tip", /^HEIGHT must be a whole number, not "tip"/],
      ["revert 12345678901", /^HEIGHT must be a whole number of at most 10 digits, not "12345678901"/],
      ["token create", /token create needs --name/],
      [
        `token create --name ${"x".repeat(100_000)}`,
        /^--name must be at most 100 characters, not "x{99}…"\n/,
      ],
      ["token create --name x --scope all", /--scope must be utxos:read or asset-changes:read, not "all"/],
      ["token create --name x --expires soon", /--expires must be a number and m, h, d or w/],
      ["token create --name x --expires 5001w", /--expires must be .* at most 5000w, not "5001w"/],
      ["token create --name x --rate 600", /--rate must be requests per minute, such as 600\/min, not "600"/],
      ["token rotate", /token rotate takes one id/],
      ["token rotate a --overlap 0h", /--overlap must be a number and m, h, d or w/],
      ["token list a b", /token list takes one prefix at most/],
      ["token revoke", /token revoke takes one id/],
      ["status now", /status takes no arguments/],
      ["verify --deep", /--deep/],
      ["verify now", /^Unexpected argument: now\n/],
      ["verify --sample 5", /^--sample needs --rpc, --rpc-file or RPC_URL\n/],
      ["verify --sample few --rpc http://x", /^--sample must be a whole number, not "few"\n/],
      ["migrate up", /migrate takes no arguments|Unexpected argument: up/],
      ["demo --big", /--big/],
    ];
    for (const [words, reason] of wrong) {
      const { code, stdout, stderr } = await aqsHere(...words.split(" ").filter(Boolean));
      expect([words, code, stdout]).toEqual([words, 2, ""]);
      expect(stderr).toMatch(reason);
      expect(stderr).toContain("Usage: npm run --silent aqs --");
    }
    expect(await aqs("sync")).toEqual(await aqsHere("sync"));
    expect(() => new DatabaseSync(cli.file, { readOnly: true })).toThrow();
  });

  test("exits 1 with only the reason if a setting is wrong, or the database cannot be opened", async () => {
    const env = { ...process.env, CHAIN: "dogecoin" };
    const failed = promisify(execFile)(process.execPath, ["lib/cli/main.ts", "status"], { cwd: root, env });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Wrong settings in the environment: CHAIN: .+\n$/),
    });
    cli.file = join(write("plain-file", "text"), "below.db");
    const { code, stdout, stderr } = await aqs("status");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^\S+below\.db: .+\n$/);
    cli.file = write(
      "no-database.db",
      "text, and not a little of it, so that it has a header's length of 100 bytes, and more than that.......",
    );
    expect((await aqs("status")).stderr).toMatch(
      /^\S+no-database\.db: is damaged: .*\(file is not a database, SQLite's code 26\)\n$/,
    );
  });

  test("prints no text from a file with control characters, nor as a line of its own", async () => {
    const hostile = "n\x1b[2J\x1b]0;title\x07\r\n2026-01-01 forged\u2028\u202e\x7f\x9b1m\u0000";
    const shown = "n\ufffd[2J\ufffd]0;title\ufffd2026-01-01 forged\ufffd1m\ufffd";
    const registry = write("hostile.json", [{ id: ONE, [hostile]: 1 }, { id: "1" }]);
    const assets = await aqs("assets", "load", registry);
    const lines = assets.stderr.split("\n");
    expect([assets.code, assets.stdout, lines.length]).toEqual([1, "", 3]);
    expect(lines[0]).toContain(`hostile.json:1: asset 1: Unrecognized key: "${shown}"`);
    expect(lines[1]).toContain("hostile.json:1: asset 2: id: ");

    const named = await aqs("assets", "load", join(folder, hostile.replace("\0", "")));
    expect(named.stderr).toMatch(/^[^\p{Cc}\u2028\u202e]*forged[^\p{Cc}\u2028\u202e]*\n$/u);
    const long = await aqs("assets", "load", write("long.json", [{ id: ONE, ["k".repeat(100_000)]: 1 }]));
    expect(long.stderr).toMatch(/^.{4000}… \(9\d{4} more characters\)\n$/);
  });

  test("continues when its reader has closed the pipe", async () => {
    const { child, ended } = start("--help");
    child.stdout!.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("brings a database to the current schema once", async () => {
    expect(await aqs("migrate")).toEqual({
      code: 0,
      stdout: "0.1.0\n",
      stderr: "The schema is current now.\n",
    });
    expect(await aqsHere("migrate")).toEqual({ code: 0, stdout: "", stderr: "The schema is current.\n" });
    // The key that signs cursors is there for servers that may only read.
    const database = new DatabaseSync(cli.file);
    expect(database.prepare("SELECT key FROM state").all()).toEqual([{ key: "cursor-key" }]);
    database.close();
  });

  test("imports files, names the refused ones on stderr, and prints the status as JSON", async () => {
    const good = write("good.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n"));
    const bad = write("bad.json", "{");
    const partly = await aqs("import", bad, good);
    expect([partly.code, partly.stdout]).toEqual([1, ""]);
    expect(partly.stderr).toMatch(
      /^\S+bad\.json: not JSON: .*\n13 blocks stored, 0 already known, 1 of 2 files refused\.\n$/,
    );
    expect(await aqsHere("import", good)).toEqual({
      code: 0,
      stdout: "",
      stderr: "0 blocks stored, 13 already known, 0 of 1 files refused.\n",
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

  test("exports the outputs of an address as the API streams them, as CSV or as Parquet, exactly", async () => {
    await aqsHere("demo");
    const store = await openStore(`sqlite:${cli.file}`);
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: Date.now() });
    const address = demoChain().notable.busyAddress;
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: "application/x-ndjson",
    };
    const streamOf = async (search: Record<string, string>) => {
      const request = { method: "GET", params: { address }, query: String(new URLSearchParams(search)) };
      const reply = await service.operations.addressUtxos.handle({
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
    const asset = entries.find((entry) => entry.token !== "0x80000135")!.tokenInfo;
    const { id } = asset;
    expect((await aqsHere("export", address, "--token", id)).stdout).toBe(await streamOf({ token: id }));

    const half = String(Math.floor(demoChain().blocks.length / 2));
    expect((await aqsHere("export", address, "--at", half)).stdout).toBe(await streamOf({ at: half }));

    const csv = (await aqsHere("export", address, "--format", "csv")).stdout.split("\r\n");
    expect(csv[0]).toBe(
      '\ufeff"address","out_point","block_height","token","symbol","name","decimals","amount","amount_in_units","capacity"',
    );
    expect(csv).toHaveLength(entries.length + 2);
    for (const [place, { outPoint, blockHeight, token, tokenInfo, amount, capacity }] of entries.entries()) {
      expect(csv[place + 1]!.startsWith(`"${address}","${outPoint}","${blockHeight}","${token}",`)).toBe(
        true,
      );
      const units = exactUnits(amount, tokenInfo);
      expect(csv[place + 1]!.endsWith(`"${tokenInfo.decimals}","${amount}","${units}","${capacity}"`)).toBe(
        true,
      );
    }
    await store.close();

    const fitting = (amount: string) => (amount.length > 38 ? null : amount);
    const env = { ...process.env, DATABASE_URL: `sqlite:${cli.file}` };
    const parquet = join(folder, "export.parquet");
    const toParquet = (options: string) =>
      promisify(execFile)(
        "sh",
        [
          "-c",
          `exec ${process.execPath} lib/cli/main.ts export ${address} --format parquet ${options} > ${parquet}`,
        ],
        { cwd: root, env },
      );
    await toParquet("");
    const rows = await readParquet(
      `SELECT out_point, token, amount, amount_text, capacity FROM '${parquet}'`,
    );
    expect(rows).toEqual(
      entries.map(({ outPoint, token, amount, capacity }) => [
        outPoint,
        token,
        fitting(amount),
        amount,
        capacity,
      ]),
    );

    const exportOf = async <Entry>(...options: string[]) => {
      const { stdout } = await aqsHere("export", address, "--token", id, ...options);
      const lines = stdout.trimEnd().split("\n");
      const end = JSON.parse(lines.pop()!) as { holdings?: StatementHolding[] };
      return { entries: lines.map((line) => JSON.parse(line) as Entry), end };
    };
    const { entries: changes } = await exportOf<AddressChange>("--changes");
    expect(changes.map(({ change }) => change)).toContain("spent");
    await toParquet(`--changes --token ${id}`);
    expect(
      await readParquet(
        `SELECT change, change_height, change_transaction, out_point, amount, amount_text, capacity_text FROM '${parquet}'`,
      ),
    ).toEqual(
      changes.map(({ change, changeHeight, changeTransaction, outPoint, amount, capacity }) => [
        change,
        `${changeHeight}`,
        changeTransaction,
        outPoint,
        fitting(amount),
        amount,
        capacity,
      ]),
    );

    // An empty range has no lines, but ends with what is held.
    for (const range of [[], ["--from", "tip"]]) {
      const statement = await exportOf<StatementLine>("--statement", ...range);
      const held = entries.filter((entry) => entry.token === id).map(({ amount }) => BigInt(amount));
      const total = `${held.reduce((sum, amount) => sum + amount, 0n)}`;
      expect(statement.end.holdings).toEqual([{ token: id, amount: total }]);
      expect(statement.entries.at(-1)?.closing).toBe(range.length === 0 ? total : undefined);
      const { name, symbol, decimals } = asset;
      const { number, hash } = demoChain().blocks.at(-1)!.header;
      const last = [`${Number(number)}`, hash, "", id, total, "0", "0", total];
      const rows = statement.entries.map((line) => [
        `${line.height}`,
        line.blockHash,
        line.time,
        line.token,
        ...[line.opening, line.in, line.out, line.closing],
      ]);
      await toParquet(`--statement --token ${id} ${range.join(" ")}`);
      const columns = ["height", "block_hash", "time", "token", "opening", "in", "out", "closing"];
      const selected = columns.map((name) => (name === "time" ? 'epoch_ms("time")' : `"${name}"`));
      const read = await readParquet(`SELECT ${selected} FROM '${parquet}'`);
      const millis = (text: string) => (text === "" ? null : `${Date.parse(text)}`);
      expect(read).toEqual(
        [...rows, last].map(([height, block, time, token, ...amounts]) => [
          ...[height, block, millis(time!), token],
          ...amounts.map(fitting),
        ]),
      );
      const texts = await readParquet(
        `SELECT opening_text, in_text, out_text, closing_text FROM '${parquet}'`,
      );
      expect(texts).toEqual([...rows, last].map((row) => row.slice(4)));

      const csv = (
        await aqsHere("export", address, "--token", id, "--statement", ...range, "--format", "csv")
      ).stdout;
      const [heads = "", ...lines] = csv.trimEnd().split("\r\n");
      const twice = ["opening", "in", "out", "closing"].flatMap((head) => [head, `${head}_in_units`]);
      expect(heads).toBe(
        `\ufeff${["address", ...columns.slice(0, 4), "symbol", "name", "decimals", ...twice, "price_usd", "value_usd"].map((head) => `"${head}"`)}`,
      );
      const field = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`;
      expect(lines).toEqual(
        [...rows, last].map((row) => {
          const amounts = row.slice(4).flatMap((amount) => [amount, exactUnits(amount!, asset)]);
          return [address, ...row.slice(0, 4), symbol, name, decimals, ...amounts, "", ""]
            .map(field)
            .join(",");
        }),
      );
    }
    const valued = await exportOf<StatementLine>("--statement", "--value", "usd");
    const { priceUsd, valueUsd } = valued.entries[0]!;
    const valuedCsv = await aqsHere(
      "export",
      address,
      "--token",
      id,
      "--statement",
      "--value",
      "usd",
      "--format",
      "csv",
    );
    expect(valuedCsv.stdout.split("\r\n")[1]).toMatch(new RegExp(`,"${priceUsd}","${valueUsd}"$`));

    for (const args of [
      [],
      ["ckt1nonsense"],
      [address, "--format", "xml"],
      [address, "--token", "1"],
      [address, "--from", "1"],
      [address, "--changes", "--statement"],
      [address, "--changes", "--at", "tip"],
      [address, "--changes", "--value", "usd"],
    ]) {
      const { code, stdout } = await aqsHere("export", ...args);
      expect([code, stdout]).toEqual([2, ""]);
    }
  });

  test("says why an export was refused, and ends it where it cannot be written", async () => {
    const nobody = encodeAddress(account("nobody"), "testnet");
    await aqsHere("migrate");
    expect(await aqsHere("export", nobody)).toMatchObject({ code: 0, stderr: "Nothing is indexed\n" });
    await aqsHere("import", write("paying.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
    const address = encodeAddress(account("ann"), "testnet");
    const changes = (...range: string[]) => aqsHere("export", address, "--changes", ...range);
    await expect(changes("--to", "9999")).rejects.toThrow(/^No such block is indexed$/);
    const [lower, higher] = [blocks[5]!.header.hash, blocks[6]!.header.hash];
    expect(await changes("--from", higher, "--to", lower)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^from: Expected a block that is not above/),
    });

    const env = { ...process.env, DATABASE_URL: `sqlite:${cli.file}` };
    for (const format of ["ndjson", "csv", "parquet"]) {
      // The device behaves like a full disk.
      const command = `exec ${process.execPath} lib/cli/main.ts export ${address} --format ${format} > /dev/full`;
      await expect(promisify(execFile)("sh", ["-c", command], { cwd: root, env })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The output cannot be written: ENOSPC[^\n]*\n$/),
      });
    }

    const store = await openStore(`sqlite:${cli.file}`);
    await store.write(raiseHorizon, 1);
    await store.close();
    await expect(changes()).rejects.toThrow(/^Outputs spent up to block 1 are not kept here/);
  });

  test("loads a registry and prices whole or not at all, naming each bad line", async () => {
    const loads: [string, unknown, number, RegExp][] = [
      ["assets", [{ id: "0x80000135", tags: ["native"] }], 0, /^1 assets loaded\.\n$/],
      ["assets", `[\n{"id":"${ONE}"},\n{"id":"1"}]`, 1, /^\S+:3: asset 2: id: [^\n]*\n$/],
      ["prices", "asset_id,time,usd\n0x80000135,2026-01-01T00:00:00Z,0.01\n", 0, /^1 prices loaded\.\n$/],
      [
        "prices",
        `asset_id,time,usd\n${ONE},1,1\n${ONE},yesterday,1\n0x01,2,1\n`,
        1,
        /^\S+:3: time.*\n\S+:4: asset_id.*\n$/,
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
    expect(JSON.parse((await aqsHere("status")).stdout)).toMatchObject({
      counts: { registryEntries: 1, prices: 1 },
    });
  });

  test("lists the stored prices as it loads them, and removes those of a time", async () => {
    const csv = `asset_id,time,usd
${ONE},2025-12-31T23:59:59.999Z,0.000000000000000001
${ONE},2026-01-01T00:00:00.000Z,2
0x80000135,2026-01-01T00:00:00.000Z,0.01
`;
    await aqsHere("prices", "load", write("prices.csv", csv));
    expect(await aqsHere("prices", "list")).toEqual({ code: 0, stdout: csv, stderr: "" });
    const removed = await aqsHere("prices", "remove", ONE, "--from", "2026-01-01T00:00Z");
    expect(removed).toEqual({ code: 0, stdout: "", stderr: "1 prices removed.\n" });
    expect((await aqsHere("prices", "list", ONE)).stdout.split("\n")).toHaveLength(3);
    expect((await aqsHere("prices", "remove", ONE)).stderr).toBe("1 prices removed.\n");
    expect((await aqsHere("prices", "list")).stdout).toBe(
      `asset_id,time,usd\n0x80000135,2026-01-01T00:00:00.000Z,0.01\n`,
    );
  });

  test("reverts every block above a height, unless a sync is running", async () => {
    await aqsHere("import", write("all.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
    const store = await openStore(`sqlite:${cli.file}`);
    const lock = await store.acquireSyncLock();
    await expect(aqsHere("revert", "5")).rejects.toThrow(/^Another sync .* is running/);
    await lock.release();
    await store.close();
    expect(await aqsHere("revert", "5")).toEqual({
      code: 0,
      stdout: "",
      stderr: `7 blocks above 5 reverted; the tip is block 5 (${blocks[5]!.header.hash}).\n`,
    });
    expect(JSON.parse((await aqsHere("status")).stdout)).toMatchObject({ tipHeight: 5, coverage: "0-5" });
    expect((await aqsHere("revert", "5")).stderr).toMatch(/^0 blocks above 5/);
    expect((await aqsHere("verify")).code).toBe(0);
  });

  test("loads prices again without rewriting those that are the same", async () => {
    const prices = (usd: number) =>
      write("prices.csv", `asset_id,time,usd\n${ONE},2026-01-01T00:00:00Z,${usd}\n`);
    expect((await aqsHere("prices", "load", prices(1))).code).toBe(0);
    const database = new DatabaseSync(cli.file);
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
      { id: ONE, icon: "icons/blue.png" },
      { id: assetId(2), icon: `data:image/png;base64,${png.toString("base64")}` },
      { id: assetId(3), icon: `https://127.0.0.1:${port}/a.png` },
      { id: assetId(4) },
      ...Array.from({ length: 20 }, (_, n) => ({ id: assetId(n + 10), icon: "../blue.png" })),
    ];
    const loaded = await aqs("assets", "load", write("icons.json", entries));
    expect(loaded).toMatchObject({ code: 0, stdout: "" });
    const lines = loaded.stderr.split("\n");
    expect(lines[0]).toMatch(/^0x0+3: icon not read: fetch failed: .*ECONNREFUSED/);
    expect(lines.slice(1, 20)).toEqual(
      entries.slice(4, -1).map(({ id }) => expect.stringContaining(`${id}: icon not read: Only files in`)),
    );
    expect(lines.slice(20)).toEqual([
      "and 1 more",
      "Icons that could not be read: 21.",
      "24 assets loaded, 2 with an icon.",
      "",
    ]);

    const pictured = () => {
      using database = new DatabaseSync(cli.file);
      return database.prepare("SELECT asset_id FROM icons").all();
    };
    const unread = await aqs("assets", "load", write("icons.json", [{ id: ONE, icon: "gone.png" }]));
    expect(unread.stderr).toMatch(/^0x\w+: icon not read: .*\n.*: 1\.\n1 assets loaded\. 23 others lost/);
    expect(pictured()).toEqual([{ asset_id: ONE }]);
    const without = await aqs("assets", "load", write("icons.json", [{ id: ONE }]));
    expect(without).toEqual({ code: 0, stdout: "", stderr: "1 assets loaded.\n" });
    expect(pictured()).toEqual([]);

    const none = write("none.json", []);
    const refused = await aqs("assets", "load", none);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      `${none} lists no asset, so 1 would lose their listing, such as ${ONE}: add --force to let them\n`,
    );
    const forced = await aqsHere("assets", "load", none, "--force");
    expect(forced.stderr).toBe("0 assets loaded. 1 others lost their listing.\n");
    expect((await aqsHere("assets", "load", none)).stderr).toBe("0 assets loaded.\n");
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

    const listed = await aqsHere("token", "list");
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    const [, row] = listed.stdout.trimEnd().split("\n");
    expect(row).toContain("a reader");
    expect(row).toContain(`…${token.slice(-4)}`);
    expect(listed.stdout).not.toContain(token);

    const id = row!.split(" ")[0]!;
    const rotated = await aqs("token", "rotate", id, "--overlap", "2h");
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^aqs_[A-Za-z0-9_-]{43}\n$/) });
    const time = String.raw`20\S+Z`;
    expect(rotated.stderr).toMatch(
      new RegExp(
        `^Token \\w+ takes the place of ${id}, which ends ${time}\\. It ends ${time}\\. It is shown`,
      ),
    );
    const rows = async (prefix: string) =>
      (await aqsHere("token", "list", prefix)).stdout.trimEnd().split("\n").length - 1;
    expect([await rows(id.slice(0, 6)), await rows("A READ"), await rows("reader")]).toEqual([1, 2, 0]);
    expect(await aqs("token", "revoke", id)).toMatchObject({ code: 0, stdout: "" });
    expect(await aqs("token", "revoke", "nobody")).toMatchObject({
      code: 1,
      stderr: "No token has the id nobody.\n",
    });
  });

  test("copies a database, but not one that does not exist", async () => {
    const target = join(folder, "copy.db");
    const nowhere = await aqs("copy", `sqlite:${cli.file}`, `sqlite:${target}`);
    expect(nowhere).toEqual({ code: 1, stdout: "", stderr: `${cli.file}: there is no such file\n` });
    expect([existsSync(cli.file), existsSync(target)]).toEqual([false, false]);

    await aqsHere("token", "create", "--name", "a reader");
    const copied = await aqs("copy", `sqlite:${cli.file}`, `sqlite:${target}`);
    expect([copied.code, copied.stdout]).toEqual([0, ""]);
    expect(copied.stderr).toMatch(/^The first database holds no chain\. 0 blocks copied; /);
    cli.file = target;
    expect((await aqsHere("token", "list")).stdout).toContain("a reader");
  });

  test("checks the preconditions of a demo before it builds anything, and names the remedy", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    vi.stubEnv("PORT", String(port));
    const serve = ["demo", "--serve", "--build"];
    expect(await aqs(...serve)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Port ${port} of 127.0.0.1 is in use: end the program that listens there, or set PORT\n`,
    });
    expect(existsSync(cli.file)).toBe(false);
    taken.close();
    // npm run demo --chain litecoin, and npm run demo --chain=litecoin.
    const given = await aqs(...serve, "litecoin");
    expect([given.code, given.stderr]).toEqual([2, expect.stringMatching(/npm needs -- before options\n/)]);
    vi.stubEnv("npm_config_chain", "litecoin");
    const swallowed = await aqs(...serve);
    expect([swallowed.code, swallowed.stderr]).toEqual([
      2,
      expect.stringMatching(/^npm takes .*put -- before/),
    ]);
    vi.unstubAllEnvs();
    vi.stubEnv("PORT", "0");
    const good = write("good.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n"));
    await aqsHere("import", good);
    expect((await aqs(...serve)).stderr).toBe(
      "This database holds testnet; the demo chain cannot be mixed into it\n",
    );
    const store = await openStore(`sqlite:${cli.file}`);
    const lock = await store.acquireSyncLock();
    expect((await aqs(...serve)).stderr).toMatch(
      /^Another sync into this database is running: process \d+, .* End it, or set DATABASE_URL/,
    );
    await lock.release();
    await store.close();
  });

  test("names the option for outputs that an imported block spends", async () => {
    const { code, stderr } = await aqs("import", write("late.json", blocks[12]));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /spends an unknown output: .*\n1 file needs blocks or outputs .* or give the outputs with --cells FILE\.\n0 blocks stored/,
    );
  });

  test("creates nothing for a command that needs a database, but says that there is none", async () => {
    cli.file = join(folder, "mistyped/aqs.db");
    for (const words of [
      "status",
      "verify",
      "revert 1",
      "export ckt1",
      "prices list",
      `prices remove ${ONE}`,
      "token list",
      "token rotate a",
      "token revoke a",
      "backup copy.db",
    ]) {
      const { code, stdout, stderr } = await aqs(...words.split(" "));
      expect([words, code, stdout, stderr]).toEqual([words, 1, "", `${cli.file}: there is no such file\n`]);
    }
    expect(existsSync(join(folder, "mistyped"))).toBe(false);
    cli.file = write("empty.db", "");
    expect((await aqs("verify")).stderr).toMatch(/^The database is empty: run /);
  });

  test("creates no database before it has checked the files that it is given", async () => {
    cli.file = join(folder, "mistyped/aqs.db");
    const nowhere = join(folder, "nowhere.json");
    const wrong = write("wrong.json", { assets: 5 });
    const block = write("block.json", blocks[0]);
    for (const [words, fault] of [
      [["import", nowhere], /^\S+nowhere\.json: ENOENT/],
      [["import", block, "--cells", nowhere], /^\S+nowhere\.json: ENOENT/],
      [["prices", "load", nowhere], /^\S+nowhere\.json: ENOENT/],
      [["assets", "load", nowhere], /^\S+nowhere\.json: ENOENT/],
      [["assets", "load", wrong], /^\S+wrong\.json: expected an array of assets/],
      [["restore", nowhere], /^\S+nowhere\.json: there is no such file\n$/],
    ] as const) {
      const { code, stdout, stderr } = await aqs(...words);
      expect([words, code, stdout, stderr]).toEqual([words, 1, "", expect.stringMatching(fault)]);
    }
    expect(existsSync(join(folder, "mistyped"))).toBe(false);
  });

  test("verifies the data, and lists every tampered value", async () => {
    await aqsHere("migrate");
    const empty = { code: 0, stdout: "", stderr: "Nothing is indexed, so nothing was checked.\n" };
    expect(await aqsHere("verify")).toEqual(empty);
    await aqsHere("import", write("all.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
    expect(await aqs("verify")).toEqual({ code: 0, stdout: "", stderr: "All invariants hold.\n" });
    const tamper = (sql: string) => {
      const database = new DatabaseSync(cli.file);
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
      const { code, stdout, stderr } = await aqsHere("verify");
      expect(code).toBe(1);
      expect(stdout).toMatch(fault);
      const found = stdout.trimEnd().split("\n").length;
      expect(found).toBeGreaterThan(lines);
      expect(stderr).toBe("Not all invariants hold.\n");
      lines = found;
    }
    tamper("DELETE FROM state WHERE key = 'identity'");
    expect((await aqsHere("verify")).stdout).toContain(
      "blocks are stored, but not which chain they belong to\n",
    );
  });
});
