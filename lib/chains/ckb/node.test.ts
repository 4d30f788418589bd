import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
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
