import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

test("an incomplete head or body gets 408", async () => {
  const store = await openStore("sqlite::memory:");
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  const server = createServer(service, new Framework(async (_request, response) => void response.end()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const answers = ["", "Content-Length: 9\r\n\r\n{"].map((rest) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST /session HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\n${rest}`);
    return text(socket);
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 408 /);
  server.close();
  await store.close();
});
