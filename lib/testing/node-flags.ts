import { readFileSync } from "node:fs";

/** The flags that `npm start` or `npm run aqs` gives Node, so that a measurement runs what users run. */
export function nodeFlags(script: "start" | "aqs"): string[] {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { scripts } = JSON.parse(text) as { scripts: Record<typeof script, string> };
  return scripts[script].split(" ").filter((word) => word.startsWith("--"));
}
