import { describe, expect, test } from "vitest";
import { parseRemoteUrl } from "./source.ts";

describe("the URL of a source", () => {
  test("is requested as it is, and named without what follows the host", () => {
    expect(parseRemoteUrl("http://127.0.0.1:8114")).toEqual({
      url: "http://127.0.0.1:8114/",
      headers: {},
      name: "http://127.0.0.1:8114/",
    });
    expect(parseRemoteUrl("https://node.example/rpc/k3y?token=s3cret")).toEqual({
      url: "https://node.example/rpc/k3y?token=s3cret",
      headers: {},
      name: "https://node.example/…",
    });
  });

  test("gives its user name and password as a header", () => {
    expect(parseRemoteUrl("https://ann:p%40ss:w%C3%B6rd@node.example/")).toEqual({
      url: "https://node.example/",
      headers: { Authorization: `Basic ${Buffer.from("ann:p@ss:wörd").toString("base64")}` },
      name: "https://node.example/",
    });
  });
});
