import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { litecoin } from "#lib/chains/bitcoin/chain.ts";
import { chain } from "#lib/chains/ckb/chain.ts";
import { InvalidInputError, readInput } from "./input.ts";
import { parsePrices } from "./prices.ts";
import { parseRegistry } from "./registry.ts";

const id = `0x${"ab".repeat(32)}`;

function faults(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return (error as Error).message.split("\n");
  }
  throw new Error("was not refused");
}

describe("a price file", () => {
  test("takes RFC 3339 and Unix times, quotes, CRLF and no header", () => {
    const text = `asset_id,time,usd\r\n${id},2026-01-02T03:04:05Z,1.5\r\n"${id.toUpperCase().replace("0X", "0x")}","1700000000","0"\n${id},1700000000123,0.000000000000000001\n\n`;
    expect(parsePrices(text, "p.csv")).toEqual([
      { assetId: id, time: Date.UTC(2026, 0, 2, 3, 4, 5), usd: 15n * 10n ** 17n },
      { assetId: id, time: 1_700_000_000_000, usd: 0n },
      { assetId: id, time: 1_700_000_000_123, usd: 1n },
    ]);
    expect(parsePrices(`${id},1700000000,2`, "p.csv")).toHaveLength(1);
  });

  test("is refused whole, each bad line named with its number", () => {
    const lines = [
      `${id},2026-01-01,1`,
      `x,1700000000,1`,
      `${id},1700000000,1e3`,
      `${id},1700000000`,
      `${id},1700000000,-1`,
      `${id},2026-02-29T00:00:00Z,1`,
      `${id},2026-04-31 00:00Z,1`,
      `${id},2026-01-01T24:00:00Z,1`,
      `${id},2024-02-29T23:59:59+01:00,1`,
    ];
    const found = faults(() => parsePrices(["asset_id,time,usd", ...lines].join("\n"), "p.csv"));
    expect(found.map((fault) => fault.split(" ").slice(0, 2).join(""))).toEqual([
      "p.csv:2:time:",
      "p.csv:3:asset_id:",
      "p.csv:4:usd:",
      "p.csv:5:expected",
      "p.csv:6:usd:",
      "p.csv:7:time:",
      "p.csv:8:time:",
      "p.csv:9:time:",
    ]);
    expect(faults(() => parsePrices("asset_id,time,usd\n", "p.csv"))).toHaveLength(1);
  });

  test("names no asset that the chain cannot have", () => {
    const { assetIdFault } = chain;
    const found = faults(() =>
      parseRegistry('[\n{"id":"0x01"},\n{"id":"0x80000135"}]', "r.json", assetIdFault),
    );
    expect(found).toEqual(["r.json:2: asset 1: id: 0x01 is neither 0x80000135 nor 0x and 64 hex digits"]);
    expect(litecoin.assetIdFault("0x80000135")).toBe("is not 0x80000002, the only asset");
    expect([assetIdFault(id), litecoin.assetIdFault("0x80000002")]).toEqual([null, null]);
  });

  test("has no time in the future, except for a clock difference", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(parsePrices(`${id},2026-01-01T00:05:00Z,1`, "p.csv", now)).toHaveLength(1);
    for (const time of ["2026-01-01T00:05:00.001Z", "99999999999", "999999999999999"]) {
      const found = faults(() => parsePrices(`${id},${time},1`, "p.csv", now));
      expect(found).toEqual([`p.csv:1: time: ${time} is in the future`]);
    }
  });
});

describe("a registry file", () => {
  test("is an array, or an object with the array", () => {
    const entry = { id: id.toUpperCase().replace("0X", "0x"), name: "N", tags: ["t"] };
    const expected = [{ id, name: "N", tags: ["t"] }];
    expect(parseRegistry(JSON.stringify([entry]), "r.json")).toEqual(expected);
    expect(parseRegistry(JSON.stringify({ assets: [entry] }), "r.json")).toEqual(expected);
  });

  test("is refused with texts that are too long, in words", () => {
    const long = {
      id: `0x${"ab".repeat(65)}`,
      name: "n".repeat(257),
      symbol: "😀".repeat(65),
      parentId: "p".repeat(257),
      description: "d".repeat(1025),
      keywords: ["k".repeat(1000), "k".repeat(24)],
      tags: ["t".repeat(65), ...Array.from({ length: 32 }, (_, i) => `t${i}`)],
    };
    const most = {
      id,
      name: "n".repeat(256),
      symbol: "😀".repeat(64),
      description: "d".repeat(1024),
      keywords: ["k".repeat(1000), "k".repeat(23)],
      tags: ["t".repeat(64), ...long.tags.slice(2)],
    };
    expect(parseRegistry(JSON.stringify([most]), "r.json")).toEqual([most]);
    expect(
      faults(() => parseRegistry(JSON.stringify([long]), "r.json")).map((fault) => fault.slice(19)),
    ).toEqual(
      expect.arrayContaining([
        "id: Has more than 64 bytes",
        "name: Has more than 256 characters",
        "symbol: Has more than 64 characters",
        "parentId: Has more than 256 characters",
        "description: Has more than 1024 characters",
        "keywords: Has more than 1024 characters in all",
        "tags: Has more than 32 tags",
      ]),
    );
  });

  test("is refused with a comma in a tag, which no request could ask for", () => {
    const text = JSON.stringify([{ id, tags: ["rgb++", "a,b"] }]);
    expect(faults(() => parseRegistry(text, "r.json"))).toEqual([
      "r.json:1: asset 1: tags.1: Has a comma, which separates tags in requests",
    ]);
  });

  test("is refused whole, each bad entry named with its line and field", () => {
    const text = `{ "assets": [\n  { "id": "${id}", "name": "a [ \\" {" },\n  { "id": "${id}" },\n\n  { "id": "0x1", "decimals": -1, "colour": "red" },\n  7\n] }`;
    const found = faults(() => parseRegistry(text, "r.json"));
    expect(found[0]).toBe(`r.json:3: asset 2: ${id} is already listed in line 2`);
    expect(
      found
        .filter((fault) => fault.startsWith("r.json:5: asset 3: "))
        .map((fault) => fault.slice(19).split(":")[0]),
    ).toEqual(expect.arrayContaining(["id", "decimals"]));
    expect(found.join()).toContain("colour");
    expect(found.at(-1)).toMatch(/^r\.json:6: asset 4: /);
    expect(faults(() => parseRegistry(`[\n "x", {},\n {"id": 1}\n]`, "r.json"))).toEqual([
      expect.stringMatching(/^r\.json:2: asset 1: /),
      expect.stringMatching(/^r\.json:2: asset 2: id: /),
      expect.stringMatching(/^r\.json:3: asset 3: id: /),
    ]);
    const noted = `{"note": ["a", {}],\n"assets": [\n{"id": 1}]}`;
    expect(faults(() => parseRegistry(noted, "r.json"))[0]).toMatch(/^r\.json:3: asset 1: id: /);
    expect(faults(() => parseRegistry("[{}", "r.json"))[0]).toContain("r.json:1: not JSON");
    expect(faults(() => parseRegistry(`[\n {"id":"0xab"},\n {"id":zz}\n]`, "r.json"))[0]).toContain(
      "r.json:3: not JSON",
    );
    expect(faults(() => parseRegistry("{}", "r.json"))[0]).toContain("expected an array");
  });

  test("is refused in words if it is nested too deep, be it JSON or not", () => {
    const open = `{"assets":\n[{"id":"0x01","tags":${"[".repeat(5_000)}`;
    for (const text of [`${open}${"]".repeat(5_000)}}]}`, open, `\n${"[".repeat(1_000_000)}`]) {
      expect(faults(() => parseRegistry(text, "r.json"))).toEqual([
        "r.json:2: nested more than 16 levels deep",
      ]);
    }
    const deepest = `${"[".repeat(16)}${"]".repeat(16)}`;
    expect(faults(() => parseRegistry(deepest, "r.json"))[0]).toMatch(/^r\.json:1: asset 1: /);
  });
});

describe("a file with very many faults", () => {
  test("has the first hundred of its bad prices named, and the others counted", () => {
    const text = Array(1000).fill(`${id},1700000000,1\n${id},now,1`).join("\n");
    const found = faults(() => parsePrices(text, "p.csv"));
    expect(found).toHaveLength(101);
    expect(found[99]).toMatch(/^p\.csv:200: time: /);
    expect(found.at(-1)).toBe("p.csv: 900 more faults are not listed, 1000 in all");
  });

  test("has the first hundred of its bad assets named, with their lines", () => {
    const found = faults(() => parseRegistry(`[${Array(1000).fill('{"id":"0x1"}').join(",\n")}]`, "r.json"));
    expect(found).toHaveLength(101);
    expect(found[99]).toMatch(/^r\.json:100: asset 100: id: /);
    expect(found.at(-1)).toBe("r.json: 900 more faults are not listed, 1000 in all");
  });
});

test("the line of a bad asset is right whatever comes before it", () => {
  const bad = '{"id":"0x1"}';
  const cases: [text: string, line: number][] = [
    [`[${bad}]`, 1],
    [`[\r\n${bad}]`, 2],
    [`{\n"assets": [\n${bad}]}`, 3],
    [`{"a": [1, {"assets": [\n1]}],\n "assets" : [\n\n${bad}\n], "b": {"assets": [1]}}`, 5],
    [`{"assets": [\n1, 2], "as\\u0073ets": [${bad}]}`, 2],
    [`{"note": "assets", "x": {"assets": []}, "assets": [\n${bad}]}`, 2],
    [`[{"id":"${id}","tags":["a;[{","b\\"]"]\n,"name":"\\\\"},\n${bad}]`, 3],
  ];
  for (const [text, line] of cases) {
    expect(faults(() => parseRegistry(text, "r.json"))[0], text).toMatch(
      new RegExp(`^r\\.json:${line}: asset`),
    );
  }
});

test("a file that is too long is refused before it is in memory", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-input-"));
  try {
    const file = join(folder, "long.csv");
    writeFileSync(file, "");
    truncateSync(file, 2_000_000_000);
    await expect(readInput(file, 3_000_000)).rejects.toThrow("long.csv: longer than 3 MB, which is the most");
    await expect(readInput(join(folder, "none"), 1)).rejects.toThrow(/none: ENOENT/);
    await expect(readInput(folder, 1)).rejects.toThrow(/EISDIR/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
