import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const foldersIn = (place: string) =>
  readdirSync(join(root, place), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${place}/${entry.name}`] : [],
  );
/** Each has its folder, and may have one of its demo. */
const [chains, demos] = [foldersIn("lib/chains"), foldersIn("lib/demo")];
/** These choose the chain by the setting. */
const choice = ["lib/chains/chain.ts", "lib/chains/examples.ts", "#terms"];
/** The chains' folders share these files. */
const sharedByChains = ["lib/chains/json-rpc.ts"];
/** `#terms` outside browsers. */
const pathOf = (name: string) => (name === "#terms" ? "lib/chains/terms.ts" : name);

/** A browser may import the contracts of queries, and the types of their list. */
const contracts = globSync("lib/queries/*/contract.ts", { cwd: root });
const OPERATIONS = "lib/queries/operations.ts";

/** The imports of our files that each folder may have. Tests may import anything. */
const allowed: Record<string, string[]> = {
  "lib/util": ["lib/util"],
  "lib/contract": ["lib/contract", "lib/util"],
  // The first folder that holds a file counts.
  ...Object.fromEntries(chains.map((each) => [each, [each, ...sharedByChains, "lib/contract", "lib/util"]])),
  "lib/chains": ["lib/chains", "lib/config.ts", "lib/contract", "lib/util"],
  ...Object.fromEntries(
    demos.map((each) => [
      each,
      [each, each.replace("demo", "chains"), "lib/demo/types.ts", "lib/contract", "lib/util"],
    ]),
  ),
  "lib/demo": [
    "lib/demo",
    "lib/config.ts",
    "lib/chains/names.ts",
    "lib/indexer",
    "lib/queries",
    "lib/store",
    "lib/contract",
    "lib/util",
  ],
  "lib/store": ["lib/store", "lib/contract", "lib/util"],
  ...Object.fromEntries(contracts.map((file) => [file, [...contracts, "lib/contract", "lib/util"]])),
  "lib/config.ts": ["lib/chains/names.ts", "lib/util"],
  "lib/queries": ["lib/queries", "lib/chains/chain.ts", "lib/store", "lib/contract", "lib/util"],
  "lib/reference": ["lib/reference", "#terms", "lib/queries", "lib/contract", "lib/util"],
  "lib/indexer": ["lib/indexer", "lib/queries", "lib/store", "lib/contract", "lib/util"],
  "lib/api": ["lib/api", ...choice, "lib/queries", "lib/store", "lib/contract", "lib/util", "lib/config.ts"],
  "lib/dashboard": [
    "lib/dashboard",
    "lib/api",
    "lib/queries",
    "lib/store",
    "lib/client",
    "lib/contract",
    "lib/util",
  ],
  "lib/metrics": ["lib/metrics", "lib/util"],
  "lib/server": [
    "lib/server",
    "lib/chains/examples.ts",
    "lib/dashboard",
    "lib/api",
    "lib/metrics",
    "lib/reference",
    "lib/queries",
    "lib/store/rows.ts",
    "lib/store/errors.ts",
    "lib/client",
    "lib/contract",
    "lib/util",
    "lib/config.ts",
  ],
  "lib/cli": [
    "lib/cli",
    ...choice,
    "lib/demo/demo.ts",
    "lib/demo/load.ts",
    "lib/demo/types.ts",
    "lib/api",
    "lib/indexer",
    "lib/metrics",
    "lib/reference",
    "lib/queries",
    "lib/store",
    "lib/contract",
    "lib/util",
    "lib/config.ts",
  ],
  "lib/client": ["lib/client", "#terms", ...contracts, OPERATIONS, "lib/contract", "lib/util"],
  components: ["components", "#terms", ...contracts, "lib/client", "lib/contract", "lib/util"],
  app: [
    "app",
    ...choice,
    "components",
    "lib/dashboard",
    "lib/server/origin.ts",
    "lib/server/rendered-request.ts",
    "lib/server/route-handlers.ts",
    "lib/api",
    "lib/reference",
    "lib/queries",
    "lib/store",
    "lib/client",
    "lib/contract",
    "lib/util",
  ],
};

/** Browser code, in any folder, knows only the contracts, the client and the chain's words. */
const browserAllowed = ["components", "#terms", ...contracts, "lib/client", "lib/contract", "lib/util"];

const sources = globSync("{app,components,lib}/**/*.{ts,tsx,css}", { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file) && !/^lib\/(.+\/)?testing\//.test(file))
  .sort();
const programs = sources.filter((file) => !file.endsWith(".css"));

/** The files of ours that a file imports, by path. */
function importsOf(file: string, text = readFileSync(join(root, file), "utf8")): string[] {
  const found = [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)["']([^"']+)["']/g)].map(
    (match) => match[1]!,
  );
  return found.flatMap((name) => {
    if (name === "#terms") return [name];
    if (name.startsWith("#")) return [name.slice(1)];
    return name.startsWith(".") ? [relative(root, join(root, dirname(file), name))] : [];
  });
}

const isWithin = (file: string, places: string[]) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

describe("imports", () => {
  test("point one way: util ← contract ← chains, store ← queries ← indexer, api ← pages, server, command line", () => {
    const wrong = programs.flatMap((file) => {
      const folder = Object.keys(allowed).find((place) => isWithin(file, [place]));
      if (!folder) return [`${file} is in no known folder`];
      return importsOf(file)
        .filter((target) => !isWithin(target, allowed[folder]!))
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test("form no circle, even of types alone", () => {
    const circles: string[] = [];
    const seen = new Set<string>();
    const visit = (file: string, way: string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" → "));
      if (seen.has(file)) return;
      seen.add(file);
      for (const next of importsOf(file)) {
        const target = pathOf(next);
        if (/\.tsx?$/.test(target)) visit(target, [...way, file]);
      }
    };
    for (const file of globSync("{app,components,lib}/**/*.{ts,tsx}", { cwd: root })) visit(file, []);
    expect(circles).toEqual([]);
  });

  test("of browser code reach only the contract and the client", () => {
    const wrong = programs
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

  test("of the list of queries reach the client as types alone", () => {
    const withoutTypes = (file: string) =>
      readFileSync(join(root, file), "utf8").replace(/^import type [^;]+;/gm, "");
    const clients = programs.filter((file) => isWithin(file, ["lib/client"]));
    expect(clients.filter((file) => importsOf(file, withoutTypes(file)).includes(OPERATIONS))).toEqual([]);
  });

  test("of what the container image is built from are all in it", () => {
    const left = readFileSync(join(root, ".dockerignore"), "utf8")
      .split("\n")
      .filter((line) => /^(\*\*|[^#*!])/.test(line));
    const isLeft = (file: string) => left.some((each) => matchesGlob(file, each) || isWithin(file, [each]));
    const all = globSync("{app,components,lib}/**/*.{ts,tsx}", { cwd: root });
    const built = all.filter((file) => !isLeft(file));
    const missing = built.flatMap((file) =>
      importsOf(file)
        .map(pathOf)
        .filter((name) => all.includes(name) && !built.includes(name))
        .map((name) => `${file} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("read the environment in one place", () => {
    // The reference's programs are text; they run elsewhere.
    const readers = programs.filter(
      (file) =>
        !/^lib\/queries\/.*\/reference\.ts$/.test(file) &&
        /process\.env\b/.test(readFileSync(join(root, file), "utf8")),
    );
    // The build puts the base path and the version in the place of the variables. How commands are called is no setting.
    expect(readers).toEqual([
      "lib/client/base-path.ts",
      "lib/client/failure.ts",
      "lib/config.ts",
      "lib/util/program.ts",
    ]);
  });
});

describe("the chain", () => {
  test("is named in its own folders alone: no other file or file name has its words", () => {
    const words = /ckb(?!ox)|ckt1|shannon|nervos|bitcoin|litecoin|satoshi|litoshi/i;
    // As a word of its own or as a part of a name: `cell`, `CellsByAge`, `liveCells`, but not `cancelled`.
    const cell = /(?<![a-zA-Z])[cC]ells?(?![a-z])|(?<=[a-z])Cells?(?![a-z])/;
    // A table's cell, as TanStack Table, HTML, CSS and ARIA write it: `cell: (…`, `cell.id`, `role="cell"`.
    const tableCell =
      /\bcell(?=: [A-Z({]|=\{|\.[a-z])|\.cells?\b|\btable-cell\b|[({]cell[)}]|\b(?:getVisibleCells|CellContext)\b|\brole(?:=|: )"cell"/g;
    const wrong = sources
      .filter((file) => !isWithin(file, ["lib/chains", ...demos, "lib/demo/demo.ts"]))
      .flatMap((file) => {
        const lines = [file, ...readFileSync(join(root, file), "utf8").split("\n")];
        return lines.flatMap((line, number) =>
          words.test(line) || cell.test(line.replace(tableCell, ""))
            ? [`${file}:${number}: ${line.trim()}`]
            : [],
        );
      });
    expect(wrong).toEqual([]);
  });
});
