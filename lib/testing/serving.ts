import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Service } from "#lib/api/service.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer } from "#lib/server/server.ts";

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
