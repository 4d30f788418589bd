import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { commandLine, paying, tipOf } from "#lib/testing/command-line.ts";

const cli = commandLine();
const { aqs, aqsHere, folder, start, write } = cli;

/** The message with which a command fails. */
async function failure(...args: string[]): Promise<string> {
  const { code, stderr } = await aqs(...args);
  expect([args, code]).toEqual([args, 1]);
  return stderr;
}

describe("backup", () => {
  test("copies a database while sync writes it; the restored one is right, and sync continues from there", async () => {
    const many = paying(3_000);
    const node = await StandInNode.start({ blocks: many.blocks });
    const saved = join(folder, "saved.db");
    try {
      const running = start("sync", "--rpc", node.url, "--once");
      while (!existsSync(cli.file) || tipOf(cli.file) < 200) await new Promise((done) => setImmediate(done));
      const first = await aqsHere("backup", saved);
      expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/MB, checked\.\n$/) });
      expect((await running.ended).code).toBe(0);
      expect(tipOf(cli.file)).toBe(3_000);
      const height = tipOf(saved);
      expect(height).toBeGreaterThanOrEqual(200);
      expect(statSync(saved).mode & 0o777).toBe(0o600);

      cli.file = join(folder, "new", "restored.db");
      expect((await aqsHere("restore", saved)).code).toBe(0);
      expect(readdirSync(folder).filter((name) => name.startsWith("saved"))).toEqual(["saved.db"]);
      expect(tipOf(cli.file)).toBe(height);
      expect((await aqsHere("verify")).code).toBe(0);
      expect((await aqs("sync", "--rpc", node.url, "--once")).code).toBe(0);
      expect(tipOf(cli.file)).toBe(3_000);
      expect((await aqsHere("verify")).code).toBe(0);
    } finally {
      await node.close();
    }
  });

  test("overwrites nothing, and takes only a whole database of this service", async () => {
    await aqsHere("migrate");
    const taken = write("taken.db", "mine");
    expect(await failure("backup", taken)).toContain("already exists: move it away first");
    expect(readFileSync(taken, "utf8")).toBe("mine");
    const cut = join(folder, "cut.db");
    expect((await aqsHere("backup", cut)).code).toBe(0);
    writeFileSync(cut, readFileSync(cut).subarray(0, 20_480));
    expect(await failure("restore", taken)).toContain("already exists");
    cli.file = join(folder, "fresh.db");
    const left = write("fresh.db-wal", "of another database");
    expect(await failure("restore", cut)).toContain("fresh.db-wal already exists: move it away first");
    rmSync(left);
    expect(await failure("backup", join(folder, "x.db"))).toContain("there is no such file");
    expect(await failure("restore", taken)).toContain("file is not a database");
    expect(await failure("restore", cut)).toMatch(/malformed|damaged/);
    new DatabaseSync(join(folder, "other.db")).exec("CREATE TABLE blocks (x)");
    expect(await failure("restore", join(folder, "other.db"))).toContain("not a database of this service");
    expect(readdirSync(folder).filter((name) => /fresh|unfinished|^x/.test(name))).toEqual([]);
  });
});
