import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll } from "vitest";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer } from "#lib/server/server.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";

/** A service behind a real server without pages. */
export interface Serving {
  /** Sends the request there, for the host that its URL names. */
  ask(request: Request): Promise<Response>;
  /** Closes the server, not the service. */
  close(): void;
}

/** Serves on a free port. */
export async function serving(service: Service): Promise<Serving> {
  const framework = new Framework(async (_request, response) => void response.writeHead(404).end());
  const server = createServer(service, framework).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    async ask({ url, method, headers, body }) {
      const { host, pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      // `fetch` would name the host that it connects to.
      const given = { ...Object.fromEntries(headers), host };
      const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers: given });
      Readable.from(body ?? []).pipe(sent);
      const [answer]: IncomingMessage[] = await once(sent, "response");
      const { statusCode: status, rawHeaders } = answer!;
      const received = new Headers();
      for (let at = 0; at < rawHeaders.length; at += 2) received.append(rawHeaders[at]!, rawHeaders[at + 1]!);
      return new Response(Buffer.concat(await answer!.toArray()), { status, headers: received });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Serves a database to all tests of a file. Its parts are there once it is filled. */
export function servedStore(fill: (store: Store) => Promise<unknown>, settings: Record<string, string> = {}) {
  const served = {} as { store: Store; service: Service; ask: Serving["ask"] };
  let server: Serving;
  beforeAll(async () => {
    const store = await openStore("sqlite::memory:");
    await fill(store);
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent", ...settings }));
    server = await serving(service);
    Object.assign(served, { store, service, ask: server.ask });
  });
  afterAll(async () => {
    server.close();
    await served.store.close();
  });
  return served;
}
