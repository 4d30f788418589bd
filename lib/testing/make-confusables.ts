/**
 * `npm run confusables -- FILE` writes `lib/util/confusables.json` from Unicode's `confusables.txt`
 * (https://www.unicode.org/Public/security/latest/confusables.txt). The table has the characters that pass for ASCII
 * letters and digits, without those that NFKD changes. Run it for each Unicode version, with
 * a migration that empties `asset_names`, which holds what it makes of names.
 */
import { readFileSync, writeFileSync } from "node:fs";

const TABLE = new URL("../util/confusables.json", import.meta.url);

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Give the path of Unicode's confusables.txt");
const data = readFileSync(file, "utf8");
const version = /^# Version: (\S+)/m.exec(data)?.[1];
const copyright = /^# (© .*)$/m.exec(data)?.[1];
if (version === undefined || copyright === undefined) throw new Error(`${file} is not confusables.txt`);

const text = (codePoints: string) =>
  String.fromCodePoint(...codePoints.split(" ").map((digits) => Number.parseInt(digits, 16)));

/** Characters by the ASCII character that they look like. */
const byTarget = new Map<string, string[]>();
for (const [, from, to] of data.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA/gm)) {
  const character = text(from!);
  const target = text(to!);
  if (!/^[0-9A-Za-z]+$/.test(target) || /[!-~]/.test(character)) continue;
  if (character.normalize("NFKD") !== character) continue;
  byTarget.set(target, [...(byTarget.get(target) ?? []), character].sort());
}

const order = new Intl.Collator("en", { caseFirst: "lower" }).compare;
const drawn = Object.fromEntries(
  [...byTarget]
    .toSorted(([a], [b]) => order(a, b))
    .map(([target, characters]) => [target, characters.join("")]),
);
const json = JSON.stringify({ version, copyright, drawn }, null, 2);
// Escaped: some of the characters cannot be seen, and some are written from right to left.
const escaped = json.replace(
  /[^ -~\n©®]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
);
writeFileSync(TABLE, `${escaped}\n`);
