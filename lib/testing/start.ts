/**
 * `npm run attack -- NAME [ARGUMENTS]` and `npm run bench -- NAME [ARGUMENTS]`: runs a program of that folder, which
 * `npm test` never does. Without a name, lists them.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const [room = "", name] = process.argv.slice(2);
const folder = join(import.meta.dirname, room);
// What exports something belongs to the programs beside it.
const programs = globSync("*.ts", { cwd: folder, exclude: ["*.test.ts"] })
  .filter((file) => !/^export /m.test(readFileSync(join(folder, file), "utf8")))
  .map((file) => basename(file, ".ts"))
  .sort();

if (name !== undefined && programs.includes(name)) {
  const program = join(folder, `${name}.ts`);
  // The program finds its own arguments where they are if it is started alone.
  process.argv.splice(1, 3, program);
  await import(program);
} else {
  console.error(`${name === undefined ? "Give a name" : `There is no ${name}`}: ${programs.join(", ")}`);
  process.exitCode = 1;
}
