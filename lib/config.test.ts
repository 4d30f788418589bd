import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { databaseName, readConfig, storeOptions } from "#lib/config.ts";

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

test("a replica is for PostgreSQL alone", () => {
  const replica = { DATABASE_READ_URL: "postgres://replica/aqs" };
  expect(() => readConfig(replica)).toThrow(/DATABASE_READ_URL: A replica is for PostgreSQL, but/);
  expect(readConfig({ ...replica, DATABASE_URL: "postgres://a/aqs" }).DATABASE_READ_URL).toBe(
    replica.DATABASE_READ_URL,
  );
});

test("a base path is a path, and the path of the public URL", () => {
  const read = (BASE_PATH: string) => readConfig({ BASE_PATH }).BASE_PATH;
  expect(["", "/", "/a", "/a/", "/a/b-c_1.x"].map(read)).toEqual(["", "", "/a", "/a", "/a/b-c_1.x"]);
  for (const wrong of [
    "a",
    "//a",
    "/a//b",
    "/..",
    "/a/../b",
    "/a?b",
    "/a b",
    "/%61",
    "https://a.example/b",
  ]) {
    expect(() => read(wrong), wrong).toThrow("BASE_PATH: Expected a path");
  }
  const both = (PUBLIC_URL: string) => readConfig({ BASE_PATH: "/assets", PUBLIC_URL }).PUBLIC_URL;
  expect(both("https://example.org/assets/")).toBe("https://example.org/assets");
  expect(() => both("https://example.org")).toThrow("PUBLIC_URL: Expected a URL whose path is BASE_PATH");
});

test("origins are given as browsers send them, and proxies as addresses, ranges and words", () => {
  const origins = (CORS_ORIGINS: string) => readConfig({ CORS_ORIGINS }).CORS_ORIGINS;
  expect(origins("")).toEqual([]);
  expect(origins("https://a.example, http://b.example:81/")).toEqual([
    "https://a.example",
    "http://b.example:81",
  ]);
  for (const wrong of [
    "*",
    "null",
    "a.example",
    "https://a.example/b",
    "https://a.example:443",
    "https://A.example",
  ]) {
    expect(() => origins(wrong), wrong).toThrow(`instead of ${wrong}`);
  }
  const proxies = (TRUST_PROXY: string) => readConfig({ TRUST_PROXY }).TRUST_PROXY;
  const trusts = (setting: string, address: string) => proxies(setting).check(address, "ipv4");
  expect(trusts("", "127.0.0.1")).toBe(true);
  expect(trusts("none", "127.0.0.1")).toBe(false);
  expect([trusts("private", "172.31.0.1"), trusts("private", "172.32.0.1")]).toEqual([true, false]);
  for (const wrong of ["all", "10.0.0.0/33", "10.0.0.0/", "10.0.0", "10.0.0.0/8/8", "::/129", "1"]) {
    expect(() => proxies(wrong), wrong).toThrow(`instead of ${wrong}`);
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

test("a number has decimal digits only and is not too large for a timer, and spaces are no setting", () => {
  expect(readConfig({ PORT: " 80 ", CACHE_MB: " ", LOG_SAMPLE: " " })).toMatchObject({
    ...{ PORT: 80, CACHE_MB: 32, LOG_SAMPLE: 1 },
  });
  const most: [string, number][] = [
    ["PORT", 65_535],
    ["DATABASE_STATEMENT_TIMEOUT_MS", 2 ** 31 - 1],
    ["SHUTDOWN_SECONDS", 86_400],
  ];
  for (const [name, limit] of most) {
    expect(readConfig({ [name]: `${limit}` })).toMatchObject({ [name]: limit });
    for (const wrong of [`${limit + 1}`, "-1", "1e3", "0x50", "1.5", "9007199254740993", "many"]) {
      expect(() => readConfig({ [name]: wrong }), wrong).toThrow(
        `${name}: Expected a whole number from 0 to ${limit}`,
      );
    }
  }
});

test("wrong and unknown settings are all named in one error", () => {
  expect(() => readConfig({ PORT: "x", MAX_TIP_AGE: "-1", RATE_LIMIT_PER_MINUT: "5" })).toThrow(
    /^Wrong settings in the environment: PORT: .*; MAX_TIP_AGE: .*; RATE_LIMIT_PER_MINUT: there is no such setting. Did you mean RATE_LIMIT_PER_MINUTE\?$/,
  );
});

test("a variable with nearly the name of a setting is unknown, and other programs' variables are not", () => {
  for (const name of [
    "database_url",
    "DATABASEURL",
    "DATABASE_ULR",
    "DATABASE_URI",
    "LOG_LEVELS",
    "OG_LEVEL",
  ]) {
    expect(() => readConfig({ [name]: "x" }), name).toThrow(`${name}: there is no such setting`);
  }
  const others = {
    PATH: "/bin",
    POST: "1",
    HOSTS: "a",
    HOSTNAME: "a",
    DATABASE: "x",
    LOG: "1",
    constructor: "1",
  };
  expect(readConfig(others)).toEqual(readConfig({}));
});

test("everything in .env is a setting, but for what other programs read there", () => {
  expect(() => readConfig({}, { POTR: "1", NODE_OPTIONS: "-x", PGPASSWORD: "x" })).toThrow(
    /environment: POTR: there is no such setting \(in \.env\)$/,
  );
  expect(readConfig({ PORT: "2" }, { PORT: "1", HOST: "a" })).toMatchObject({ PORT: 2, HOST: "a" });
  expect(readConfig({ HOST: "" }, { HOST: "a" }).HOST).toBe("127.0.0.1");
});

test("the example names every setting with its default", () => {
  const names = [...readFileSync(".env.example", "utf8").matchAll(/^([A-Z_]+)=(.*)$/gm)];
  const example = Object.fromEntries(names.map(([, name, value]) => [name!, value]));
  expect(readConfig({}, example)).toEqual(readConfig({}));
  const optional = {
    AQS_TOKEN: "x",
    GUEST_TOKEN: "x",
    DATABASE_URL: "postgres://a/aqs",
    DATABASE_READ_URL: "x",
    RPC_URL: "x",
    METRICS_PORT: "1",
    SYNC_METRICS_PORT: "2",
  };
  const settings = Object.keys(readConfig(optional));
  expect(Object.keys(example).sort()).toEqual(settings.sort());
});

test("CACHE_MB is what a server keeps of SQLite's file, too, and not what sync does", () => {
  const config = readConfig({ CACHE_MB: "8" });
  expect(storeOptions(config, { readOnly: true }).cacheMb).toBe(8);
  expect(storeOptions(config).cacheMb).toBeUndefined();
});
