import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the files of each folder may import of ours. Tests may import anything. */
const allowed: Record<string, string[]> = {
  "lib/contract": ["lib/contract"],
  "lib/chains": ["lib/chains", "lib/contract"],
  // The rules of the ledger know no SQL. The first folder that holds a file counts.
  "lib/store/rules": ["lib/store/rules", "lib/store/store.ts", "lib/store/transaction-id.ts", "lib/contract"],
  "lib/store": ["lib/store", "lib/contract"],
  "lib/ingest": ["lib/ingest", "lib/chains", "lib/store", "lib/contract"],
  "lib/api": ["lib/api", "lib/chains", "lib/store", "lib/contract", "lib/config.ts"],
  "lib/server": ["lib/server", "lib/api", "lib/contract", "lib/config.ts"],
  "lib/cli": ["lib/cli", "lib/api", "lib/ingest", "lib/chains", "lib/store", "lib/contract", "lib/config.ts"],
  "lib/client": ["lib/client", "lib/chains/ckb/terms.ts", "lib/contract"],
  components: ["components", "lib/client", "lib/chains/ckb/terms.ts", "lib/contract"],
  app: ["app", "components", "lib/api", "lib/chains", "lib/store", "lib/client", "lib/contract"],
};

/** Browser code, wherever it stands, knows only the contract, the client and the chain's words. */
const browserAllowed = ["components", "lib/client", "lib/chains/ckb/terms.ts", "lib/contract"];

const sources = globSync("{app,components,lib}/**/*.{ts,tsx}", { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file) && !file.startsWith("lib/testing/"))
  .sort();

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)["']([^"']+)["']/g)].map(
    (match) => match[1]!,
  );
  return found.flatMap((name) => {
    if (name.startsWith("#chain/")) return [`lib/chains/ckb/${name.slice(7)}`];
    if (name.startsWith("#")) return [name.slice(1)];
    return name.startsWith(".") ? [relative(root, join(root, dirname(file), name))] : [];
  });
}

const isWithin = (file: string, places: string[]) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

describe("imports", () => {
  test("point one way: contract ← chain, store ← ingest, api ← pages, server, command line", () => {
    const wrong = sources.flatMap((file) => {
      const folder = Object.keys(allowed).find((place) => isWithin(file, [place]));
      if (!folder) return file === "lib/config.ts" ? [] : [`${file} is in no known folder`];
      return importsOf(file)
        .filter((target) => !isWithin(target, allowed[folder]!))
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test("of browser code reach only the contract and the client", () => {
    const wrong = sources
      .filter((file) => /^\s*["']use client["']/m.test(readFileSync(join(root, file), "utf8").slice(0, 500)))
      .flatMap((file) =>
        importsOf(file)
          .filter(
            (target) =>
              !isWithin(target, browserAllowed) &&
              dirname(target) !== dirname(file) &&
              !target.startsWith("app/"),
          )
          .map((target) => `${file} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test("read the environment in one place", () => {
    // The reference's programs are text; they run elsewhere.
    const programs = "lib/client/samples.ts";
    const readers = sources.filter(
      (file) => file !== programs && /process\.env\b/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(readers).toEqual(["lib/config.ts"]);
  });
});
