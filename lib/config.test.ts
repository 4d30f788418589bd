import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

test("a public URL is an http or https origin, with or without a path", () => {
  const read = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).PUBLIC_URL;
  expect(readConfig({}).PUBLIC_URL).toBe("");
  expect(read("")).toBe("");
  expect(read("https://Assets.example")).toBe("https://assets.example");
  expect(read("https://assets.example/")).toBe("https://assets.example");
  expect(read("http://127.0.0.1:3000/")).toBe("http://127.0.0.1:3000");
  expect(read("https://example.org/assets/ckb/")).toBe("https://example.org/assets/ckb");
  for (const wrong of [
    "assets.example",
    "//assets.example",
    "/assets",
    "ftp://assets.example",
    "javascript:alert(1)",
    "https://",
    "https://assets.example/?a=b",
    "https://assets.example/?",
    "https://assets.example/#top",
    "https://user@assets.example",
    "https://user:secret@assets.example",
  ]) {
    expect(() => read(wrong), wrong).toThrow("PUBLIC_URL: Expected an http or https URL");
  }
});
