/**
 * `npm run confusables -- FILE` writes `lib/client/confusables.ts` from Unicode's `confusables.txt`
 * (https://www.unicode.org/Public/security/latest/confusables.txt). The table has the characters that pass for ASCII
 * letters and digits, without those that NFKD changes. Run it for each Unicode version.
 */
import { readFileSync, writeFileSync } from "node:fs";

const TABLE = new URL("../client/confusables.ts", import.meta.url);

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Give the path of Unicode's confusables.txt");
const data = readFileSync(file, "utf8");
const version = /^# Version: (\S+)/m.exec(data)?.[1];
const copyright = /^# (© .*)$/m.exec(data)?.[1];
if (version === undefined || copyright === undefined) throw new Error(`${file} is not confusables.txt`);

const text = (codePoints: string) =>
  String.fromCodePoint(...codePoints.split(" ").map((digits) => Number.parseInt(digits, 16)));

/** Characters by what they pass for. */
const byTarget = new Map<string, string[]>();
for (const [, from, to] of data.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA/gm)) {
  const character = text(from!);
  const target = text(to!);
  if (!/^[0-9A-Za-z]+$/.test(target) || /[!-~]/.test(character)) continue;
  if (character.normalize("NFKD") !== character) continue;
  const escaped = `\\u{${from!.toLowerCase().replace(/^0+/, "")}}`;
  byTarget.set(target, [...(byTarget.get(target) ?? []), escaped].sort());
}

const order = new Intl.Collator("en", { caseFirst: "lower" }).compare;
const lines = [...byTarget]
  .toSorted(([a], [b]) => order(a, b))
  .map(
    ([target, characters]) => `  ${/^\d/.test(target) ? `"${target}"` : target}: "${characters.join("")}",`,
  );
writeFileSync(
  TABLE,
  `/**
 * Characters that pass for ASCII letters and digits, by what they pass for. Written by \`npm run confusables\`: do not
 * edit. From Unicode's confusables.txt, version ${version} (UTS 39). ${copyright}
 * Used under the Unicode License V3, docs/unicode-license.txt.
 */
// biome-ignore format: one line for each target
export const confusables: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`,
);
