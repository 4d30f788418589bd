import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Locked {
  version: string;
  dev?: boolean;
  dependencies?: object;
  optionalDependencies?: object;
}
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, Locked>;
};
const [, section = ""] = /^## Packages$(.*?)^## /ms.exec(readFileSync("docs/security.md", "utf8")) ?? [];

test("the documented versions of packages that read what strangers send are the locked ones", () => {
  const documented = [...section.matchAll(/^\| `([^`]+)`[^|]* \| (\S+) \|/gm)].map(([, name, version]) => [
    name,
    version,
  ]);
  expect(documented.length).toBeGreaterThan(5);
  expect(documented).toEqual(documented.map(([name]) => [name, packages[`node_modules/${name}`]?.version]));
});

test("each package of production is documented as reading what strangers send, or not", () => {
  const { dependencies, optionalDependencies } = packages[""]!;
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

test("production has no HTTP client but that of Node", () => {
  const production = Object.keys(packages).filter((path) => !packages[path]!.dev);
  expect(production.filter((path) => /\/(undici|axios|node-fetch|got)$/.test(path))).toEqual([]);
});
