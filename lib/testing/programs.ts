import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a program of one of the project's packages in a folder; throws with what it printed if it fails. */
export async function runTool(name: string, args: string[], cwd: string): Promise<void> {
  await run(join(root, "node_modules/.bin", name), args, { cwd }).catch(({ stdout, stderr }) => {
    throw new Error(`${name} failed: ${stdout}${stderr}`);
  });
}

/** A new folder, below the project's own packages, so that the programs in it find theirs. */
export function programFolder(): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, "programs-"));
}

/** Writes a folder of files: texts by path. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Compiles all programs of a folder, as their authors would under strict rules, into its folder `out`. */
export async function compileStrictly(folder: string, type: "commonjs" | "module"): Promise<void> {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    target: "ES2024",
    lib: ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    module: "nodenext",
    types: ["node"],
    outDir: "out",
  };
  writeFiles(folder, {
    "package.json": JSON.stringify({ type }),
    "tsconfig.json": JSON.stringify({ compilerOptions }),
  });
  await runTool("tsc", [], folder);
}
