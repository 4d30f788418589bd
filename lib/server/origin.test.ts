import { describe, expect, test } from "vitest";
import { isHttps, isSameOrigin, ownOrigin } from "./origin.ts";

const noSetting = { SECURE_COOKIES: false };
const setting = { SECURE_COOKIES: true };

const sent = (headers: Record<string, string | undefined>) => (name: string) => headers[name];
const proto = (value: string) => sent({ host: "aqs.example", "x-forwarded-proto": value });

describe("the scheme of a request", () => {
  test.each([
    ["https", true],
    ["HTTPS", true],
    ["https, http", true],
    ["http, https", false],
    ["http", false],
    ["httpsx", false],
    ["", false],
  ])("is https where X-Forwarded-Proto is %j: %s", (value, expected) => {
    expect(isHttps(proto(value), noSetting)).toBe(expected);
  });

  test("is https without that header only if the operator says so", () => {
    expect(isHttps(sent({}), noSetting)).toBe(false);
    expect(isHttps(sent({}), setting)).toBe(true);
  });
});

describe("the origin of a request's target", () => {
  test("is made of the scheme and Host", () => {
    expect(ownOrigin(proto("https"), noSetting)?.href).toBe("https://aqs.example/");
    expect(ownOrigin(sent({ host: "[::1]:3000" }), noSetting)?.href).toBe("http://[::1]:3000/");
    expect(ownOrigin(sent({ host: "u:p@aqs.example/path" }), noSetting)?.href).toBe("http://aqs.example/");
  });

  test.each([{}, { host: "" }, { host: "a b" }])("is none for %j", (headers) => {
    expect(ownOrigin(sent(headers), noSetting)).toBeNull();
  });
});

describe("a request of our own page", () => {
  const over = (scheme: string, host: string, origin: string) =>
    isSameOrigin(sent({ host, origin, "x-forwarded-proto": scheme }), noSetting);

  test("names our scheme, host and port", () => {
    expect(over("https", "aqs.example", "https://aqs.example")).toBe(true);
    expect(over("https", "AQS.example:443", "https://aqs.example")).toBe(true);
    expect(over("http", "aqs.example:3000", "http://aqs.example:3000")).toBe(true);
  });

  test("does not differ in one of them", () => {
    expect(over("https", "aqs.example", "http://aqs.example")).toBe(false);
    expect(over("http", "aqs.example", "https://aqs.example")).toBe(false);
    expect(over("https", "aqs.example", "https://aqs.example:8443")).toBe(false);
    expect(over("https", "aqs.example", "https://www.aqs.example")).toBe(false);
    expect(over("https", "a b", "null")).toBe(false);
    expect(isSameOrigin(sent({ host: "undefined" }), noSetting)).toBe(false);
    expect(isSameOrigin(sent({ origin: "http://undefined" }), noSetting)).toBe(false);
  });

  test("is over https if the operator says so, whatever the proxy leaves out", () => {
    const headers = { host: "aqs.example", origin: "https://aqs.example" };
    expect(isSameOrigin(sent(headers), setting)).toBe(true);
    expect(isSameOrigin(sent(headers), noSetting)).toBe(false);
  });
});
