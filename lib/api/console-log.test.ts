import { afterEach, expect, test } from "vitest";
import { createLog, logConsole } from "./log.ts";

const { error, warn } = console;
afterEach(() => Object.assign(console, { error, warn }));

test("what the framework prints is one line without control characters", () => {
  const lines: string[] = [];
  logConsole(createLog("info", { write: (line) => lines.push(line) }));
  console.error("No page %s", "/\x1b[2J\x9b\r\nforged\u2028");
  console.warn(new Error("of\x07 a\npage"), { path: "/\x00" });
  expect(lines.length).toBe(2);
  for (const line of lines) expect(line).toMatch(/^[^\p{Cc}\u2028]+\n$/u);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50 }, { level: 40 }]);
});
