/**
 * `npm run attack -- NAME [ARGUMENTS]` and `npm run bench -- NAME [ARGUMENTS]` run a program of that folder, or list
 * them without a name. `npm test` runs none of them.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const [room = "", name] = process.argv.slice(2);
const folder = join(import.meta.dirname, room);
// A file with exports is a part of other programs.
const programs = globSync("*.ts", { cwd: folder, exclude: ["*.test.ts"] })
  .filter((file) => !/^export /m.test(readFileSync(join(folder, file), "utf8")))
  .map((file) => basename(file, ".ts"))
  .sort();

if (name !== undefined && programs.includes(name)) {
  const program = join(folder, `${name}.ts`);
  // The program finds its arguments where they stand when it is started by itself.
  process.argv.splice(1, 3, program);
  await import(program);
} else {
  console.error(`${name === undefined ? "Give a name" : `There is no ${name}`}: ${programs.join(", ")}`);
  process.exitCode = 1;
}
