import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { cacheable } from "./responses.ts";

test("a response has the bytes of its text, however long, and keeps them when others are created", () => {
  const texts = ["", "plain", "ä€😀\ud800", "€".repeat(750_000), "a".repeat(2 ** 21)];
  const answers = texts.map((text) => cacheable(text, null));
  for (const [i, { body, digest }] of answers.entries()) {
    const bytes = Buffer.from(texts[i]!);
    expect(body.equals(bytes)).toBe(true);
    expect(body.buffer.byteLength).toBe(bytes.length);
    expect(hash("sha256", bytes, "base64url").startsWith(digest)).toBe(true);
  }
});
