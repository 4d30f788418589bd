import { expect, test } from "vitest";
import { createLog } from "./log.ts";

const HOSTILE = /[^\P{Cc}\n]|[\u2028\u202e]/u;

function logged(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog("info", { write: (line) => lines.push(line) }));
  return lines;
}

test("no control character of a URL, an error or a message gets into the log, escaped or not", () => {
  const text = "a\x1b[2J\x9b2J\x07\x7f\r\u2028\u202eb";
  const lines = logged((log) => {
    log.error(
      { url: `/v0/${text}`, err: new Error(text, { cause: new Error(text) }), deep: [{ text }] },
      text,
    );
  });
  expect(lines.length).toBe(1);
  expect(lines[0]).toMatch(/^[^\p{Cc}\u2028\u202e]+\n$/u);
  const texts: string[] = [];
  const entry = JSON.parse(lines[0]!, (_, value) => {
    if (typeof value === "string") texts.push(value);
    return value;
  }) as { err: { stack: string } };
  expect(entry).toMatchObject({ url: "/v0/a\ufffd[2J\ufffd2J\ufffdb", msg: "a\ufffd[2J\ufffd2J\ufffdb" });
  // The stack of the error, with that of its cause, keeps its line breaks.
  expect(entry.err.stack).toContain("\n    at ");
  for (const each of texts) expect(each).not.toMatch(HOSTILE);
});

test("an entry stays one line of JSON with its numbers and its level", () => {
  const [line] = logged((log) =>
    log.warn({ seconds: 12.5, backslash: "\\u009b \\\\" }, "the database answers again"),
  );
  expect(JSON.parse(line!)).toMatchObject({
    level: 40,
    seconds: 12.5,
    backslash: "\\u009b \\\\",
    msg: "the database answers again",
  });
});
