import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { backUp, commandLine, paying, tipOf } from "#lib/testing/command-line.ts";

const cli = commandLine();
const { aqsHere, folder, write } = cli;

const { blocks } = paying(12);

test("deploy/backup.sh keeps the newest backups, and none that verify refuses", async () => {
  await aqsHere("import", write("all.ndjson", blocks.map((block) => JSON.stringify(block)).join("\n")));
  const backups = join(folder, "back ups");
  mkdirSync(backups);
  // This is left from a run that was killed.
  mkdirSync(join(backups, "trial"));
  writeFileSync(join(backups, "trial/backup.db"), "left");
  const env = { ...process.env, DATABASE_URL: `sqlite:${cli.file}` };
  const run = () => backUp("deploy/backup.sh", backups, env);
  const [first] = (await run()).kept;
  await run();
  const { code, kept } = await run();
  expect([code, kept]).toEqual([0, [expect.any(String), expect.any(String)]]);
  expect(kept).not.toContain(first);
  new DatabaseSync(cli.file).exec("UPDATE holdings SET output_count = output_count + 1");
  expect(await run()).toEqual({ code: 1, kept });
  expect(tipOf(join(backups, kept[1]!))).toBe(12);

  cli.file = join(folder, "empty.db");
  await aqsHere("migrate");
  const empty = { ...env, DATABASE_URL: `sqlite:${cli.file}` };
  expect(await backUp("deploy/backup.sh", backups, empty)).toEqual({ code: 1, kept });
});
