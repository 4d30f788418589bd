/**
 * `npm run attack -- bad-inputs`: `aqs prices load` and `aqs assets load` read a million rows, good and bad, and files
 * that are too long. Memory must stay below a limit, faults must be named and counted, and nothing may be stored of a
 * refused file. Takes three minutes.
 */
import { closeSync, openSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { dataStatus } from "#lib/queries/status.ts";
import { openStore } from "#lib/store/open.ts";
import { aqs, check, inFolder } from "./drill.ts";

const ROWS = 1_000_000;
/** Megabytes of resident memory. */
const MAX_MEMORY = 1_000;
/** Maximum number of lines on stderr: a hundred faults, and a count of the others. */
const MAX_LINES = 102;

const id = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;

function write(
  file: string,
  rows: number,
  row: (i: number) => string,
  around: [string, string, string],
): void {
  const [before, between, after] = around;
  const handle = openSync(file, "w");
  writeSync(handle, before);
  for (let from = 0; from < rows; from += 10_000) {
    const part = Array.from({ length: 10_000 }, (_, i) => row(from + i)).join(between);
    writeSync(handle, `${part}${from + 10_000 < rows ? between : ""}`);
  }
  writeSync(handle, after);
  closeSync(handle);
}

const csv: [string, string, string] = ["asset_id,time,usd\n", "\n", "\n"];
const json: [string, string, string] = ["[", ",\n", "]"];

await inFolder(async (folder) => {
  const database = join(folder, "inputs.db");
  const file = join(folder, "input");
  const load = async (words: string[], what: string, code: number) => {
    const run = await aqs([...words, file], database);
    const figures = `${run.seconds.toFixed(1)} s, ${run.peak} MB, ${run.lines.length} lines; ${run.lines.at(-1)?.replace(`${folder}/`, "")}`;
    const right = run.code === code && run.peak < MAX_MEMORY && run.lines.length <= MAX_LINES;
    check(right, `${what}: exit ${code}`, figures);
  };
  write(file, ROWS, (i) => `${id(i % 1000)},${1_500_000_000 + i * 60},1.${i}`, csv);
  await load(["prices", "load"], "a million prices of a thousand assets", 0);
  write(file, ROWS, (i) => `${id(i % 1000)},never,1`, csv);
  await load(["prices", "load"], "a million bad prices", 1);
  write(file, ROWS, (i) => `${id(i % 1000)},${99_000_000_000 + i},1`, csv);
  await load(["prices", "load"], "a million prices from the future", 1);
  write(file, ROWS, (i) => `${id(i)},${1_500_000_000},1`, csv);
  await load(["prices", "load"], "a million prices of a million assets", 0);
  truncateSync(file, 5_000_000_000);
  await load(["prices", "load"], "5 GB of zeros for prices", 1);
  write(file, 500_000, (i) => `{"id":"${id(i)}","name":"${i}"}`, json);
  await load(["assets", "load"], "half a million assets", 0);
  write(file, ROWS, (i) => `{"id":"0x${i}x"}`, json);
  await load(["assets", "load"], "a million bad assets", 1);
  write(file, ROWS, (i) => `{"id":"0xab","name":"${i}"}`, ["[", ",\n", ",]"]);
  await load(["assets", "load"], "a million assets that are not JSON at the end", 1);
  truncateSync(file, 5_000_000_000);
  await load(["assets", "load"], "5 GB of zeros for a registry", 1);
  const store = await openStore(`sqlite:${database}`);
  const { counts } = await store.query(dataStatus);
  await store.close();
  check(
    counts.prices === 2 * ROWS - 1 || counts.prices === 2 * ROWS,
    "every good price is stored",
    `${counts.prices}`,
  );
  check(
    counts.registryEntries === 500_000,
    "the registry is the good one",
    `${counts.registryEntries} entries`,
  );
});
