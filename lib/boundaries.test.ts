import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const packageJson = readFileSync(join(root, "package.json"), "utf8");
const { imports } = JSON.parse(packageJson) as { imports: Record<string, string> };
/** The folder that an alias stands for. */
const folderOf = (alias: string) => imports[`${alias}/*`]!.slice("./".length, -"/*".length);
/** The chain that is served, and its demo chain. */
const [served, demo] = [folderOf("#chain"), folderOf("#demo")];
const pathOf = (name: string) => name.replace("#chain", served).replace("#demo", demo);

/** What browser code may import of the served chain: plain data and small functions. */
const chainInBrowser = ["#chain/terms.ts", "#chain/search.ts"];
const chain = ["#chain/chain.ts", "#chain/examples.json", ...chainInBrowser];

/** What a browser may know of the questions: their contracts, and of the list of them its types. */
const contracts = globSync("lib/questions/*/contract.ts", { cwd: root });
const LIST = "lib/questions/list.ts";

/** What the files of each folder may import of ours. Tests may import anything. */
const allowed: Record<string, string[]> = {
  "lib/contract": ["lib/contract"],
  // The first folder that holds a file counts.
  [demo]: [demo, served, "lib/contract"],
  "lib/demo": ["lib/demo/load.ts", "lib/ingest", "lib/questions", "lib/store", "lib/contract"],
  ...Object.fromEntries(
    globSync("lib/chains/*", { cwd: root }).map((each) => [each, [each, "lib/contract"]]),
  ),
  "lib/store": ["lib/store", "lib/contract"],
  ...Object.fromEntries(contracts.map((file) => [file, [...contracts, "lib/contract"]])),
  "lib/questions": ["lib/questions", "#chain/chain.ts", "lib/store", "lib/contract"],
  "lib/reference": ["lib/reference", "lib/questions", "lib/contract"],
  "lib/ingest": ["lib/ingest", "lib/questions", "lib/store", "lib/contract"],
  "lib/api": ["lib/api", ...chain, "lib/questions", "lib/store", "lib/contract", "lib/config.ts"],
  "lib/dashboard": ["lib/dashboard", "lib/api", "lib/questions", "lib/store", "lib/client", "lib/contract"],
  "lib/metrics": ["lib/metrics"],
  "lib/server": [
    "lib/server",
    "#chain/examples.json",
    "lib/dashboard",
    "lib/api",
    "lib/metrics",
    "lib/reference",
    "lib/questions",
    "lib/store/store.ts",
    "lib/client",
    "lib/contract",
    "lib/config.ts",
  ],
  "lib/cli": [
    "lib/cli",
    ...chain,
    "#demo/demo.ts",
    "lib/demo/load.ts",
    "lib/api",
    "lib/ingest",
    "lib/metrics",
    "lib/reference",
    "lib/questions",
    "lib/store",
    "lib/contract",
    "lib/config.ts",
  ],
  "lib/client": ["lib/client", ...chainInBrowser, ...contracts, LIST, "lib/contract"],
  components: ["components", ...chainInBrowser, ...contracts, "lib/client", "lib/contract"],
  app: [
    "app",
    ...chain,
    "components",
    "lib/dashboard",
    "lib/server/origin.ts",
    "lib/server/web.ts",
    "lib/api",
    "lib/reference",
    "lib/questions",
    "lib/store",
    "lib/client",
    "lib/contract",
  ],
};

/** Browser code, in any folder, knows only the contracts, the client and the chain's words. */
const browserAllowed = ["components", ...chainInBrowser, ...contracts, "lib/client", "lib/contract"];

const sources = globSync("{app,components,lib}/**/*.{ts,tsx,css}", { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file) && !/^lib\/(.+\/)?testing\//.test(file))
  .sort();
const programs = sources.filter((file) => !file.endsWith(".css"));

/** The files of ours that a file imports, by path; those of the served chain keep their alias. */
function importsOf(file: string, text = readFileSync(join(root, file), "utf8")): string[] {
  const found = [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)["']([^"']+)["']/g)].map(
    (match) => match[1]!,
  );
  return found.flatMap((name) => {
    if (/^#(chain|demo)\//.test(name)) return [name];
    if (name.startsWith("#")) return [name.slice(1)];
    return name.startsWith(".") ? [relative(root, join(root, dirname(file), name))] : [];
  });
}

const isWithin = (file: string, places: string[]) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

describe("imports", () => {
  test("point one way: contract ← chains, store ← questions ← ingest, api ← pages, server, command line", () => {
    const wrong = programs.flatMap((file) => {
      const folder = Object.keys(allowed).find((place) => isWithin(file, [place]));
      if (!folder) return file === "lib/config.ts" ? [] : [`${file} is in no known folder`];
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

  test("of the list of questions reach the client as types alone", () => {
    const withoutTypes = (file: string) =>
      readFileSync(join(root, file), "utf8").replace(/^import type [^;]+;/gm, "");
    const clients = programs.filter((file) => isWithin(file, ["lib/client"]));
    expect(clients.filter((file) => importsOf(file, withoutTypes(file)).includes(LIST))).toEqual([]);
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
        !/^lib\/questions\/.*\/reference\.ts$/.test(file) &&
        /process\.env\b/.test(readFileSync(join(root, file), "utf8")),
    );
    // The build puts the base path in the place of the variable.
    expect(readers).toEqual(["lib/client/base-path.ts", "lib/config.ts"]);
  });
});

describe("the chain", () => {
  test("gives browsers files that need only each other, its constants and the contract", () => {
    const places = ["terms.ts", "search.ts", "constants.ts", "output-kinds.ts"].map(
      (file) => `${served}/${file}`,
    );
    const wrong = places.flatMap((file) => {
      const withoutTypes = readFileSync(join(root, file), "utf8").replace(/^import type [^;]+;/gm, "");
      return importsOf(file, withoutTypes)
        .filter((target) => !isWithin(target, [...places, "lib/contract"]))
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test("is named in its own folders alone: no other file or file name has its words", () => {
    const words = /ckb(?!ox)|ckt1|shannon|nervos/i;
    // As a word of its own or as a part of a name: `cell`, `CellsByAge`, `liveCells`, but not `cancelled`.
    const cell = /(?<![a-zA-Z])[cC]ells?(?![a-z])|(?<=[a-z])Cells?(?![a-z])/;
    // A table's cell, as TanStack Table, HTML, CSS and ARIA write it: `cell: (…`, `cell.id`, `role="cell"`.
    const tableCell =
      /\bcell(?=: [A-Z({]|=\{|\.[a-z])|\.cells?\b|\btable-cell\b|[({]cell[)}]|\b(?:getAllCells|CellContext)\b|\brole(?:=|: )"cell"/g;
    const wrong = sources
      .filter((file) => !isWithin(file, ["lib/chains", demo]))
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
