import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";

test("a node that redirects is refused, and only the host that it names is logged", async () => {
  const paths: (string | undefined)[] = [];
  let location = "";
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.writeHead(paths.length % 2 ? 307 : 301, { location }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const node = new CkbNode(url);
  try {
    for (const [target, host] of [
      [`${url}elsewhere?key=k3y`, `127.0.0.1:${port}`],
      ["/elsewhere", `127.0.0.1:${port}`],
      ["http://us:s3cret@inside.example/latest/meta-data", "inside.example"],
      ["data:text/plain,x", "a URL without a host"],
    ] as const) {
      location = target;
      const tip = node.tip();
      await expect(tip).rejects.toThrow(SourceError);
      await expect(tip).rejects.toThrow(
        expect.objectContaining({ message: `${url}: redirects to ${host}; redirects are not followed` }),
      );
    }
    expect(paths).toEqual(["/", "/", "/", "/"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a response with more values than its calls can have is refused before it is parsed", async () => {
  let body = "";
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const node = new CkbNode(url);
  const parse = vi.spyOn(JSON, "parse");
  try {
    const result = `[${"[],".repeat(1000)}[]]`;
    for (const odd of [
      `[${"1,".repeat(1_000_000)}1]`,
      `[${"null,".repeat(1_000_000)}null]`,
      `[{"jsonrpc":"2.0","id":0,"result":${result}}]`,
      `${"[".repeat(100)}${"]".repeat(100)}`,
      "{".repeat(1_000_000),
    ]) {
      body = odd;
      await expect(node.tip()).rejects.toThrow(SourceError);
      await expect(node.tip()).rejects.toThrow(
        `${url}: the response has more than 1000 values, or is nested more than 16 levels deep`,
      );
    }
    expect(parse.mock.calls.filter(([text]) => text.length > 100)).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
