import { expect, test } from "vitest";
import { databaseName, readConfig } from "./config.ts";

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

test("a database's name in logs is the file, or host and database, and never a password", () => {
  const names: [string, string][] = [
    ["sqlite:data/aqs.db", "sqlite:data/aqs.db"],
    ["sqlite::memory:", "sqlite::memory:"],
    ["sqlite:file:data/aqs.db?key=s3cret", "sqlite:file:data/aqs.db"],
    ["postgres://db.example/aqs", "postgres://db.example/aqs"],
    ["postgresql://us:s3cret@db.example:5433/aqs", "postgresql://db.example:5433/aqs"],
    ["postgres://db.example/aqs?user=us&password=s3cret#s3cret", "postgres://db.example/aqs"],
    ["postgres://us:s3cr@s3cret@db.example/aqs", "postgres://db.example/aqs"],
    ["postgres:///aqs?host=/run/postgresql&password=s3cret", "postgres:///aqs"],
    ["postgres://us:s3cret/s3cret@db.example/aqs", "a URL that cannot be read"],
    ["postgres://us:1/s3cret@db.example/aqs", "postgres://…"],
  ];
  for (const [url, name] of names) expect(databaseName(url)).toBe(name);
});
