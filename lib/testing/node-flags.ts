import { readFileSync } from "node:fs";

type Script = "start" | "aqs";

function wordsOf(script: Script): string[] {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { scripts } = JSON.parse(text) as { scripts: Record<Script, string> };
  return scripts[script].split(" ");
}

/** The flags that `npm start` or `npm run aqs` gives Node, so that a measurement runs what users run. */
export function nodeFlags(script: Script): string[] {
  return wordsOf(script).filter((word) => word.startsWith("--"));
}

/** The C library's memory settings in `npm start` or `npm run aqs`, as environment variables. */
export function allocation(script: Script): Record<string, string> {
  const settings = wordsOf(script).map((word) => /^(MALLOC_\w+)=.*:-(\d+)\}$/.exec(word));
  return Object.fromEntries(settings.flatMap((found) => (found ? [[found[1], found[2]]] : [])));
}
