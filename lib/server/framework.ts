import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { duplexPair } from "node:stream";
import { readAtMost } from "#lib/util/http.ts";
import { renderFor } from "./rendered-request.ts";

export interface Rendered {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface Renderer {
  /** Further sources of scripts for the content security policy. */
  readonly scripts?: string;
  /** The timeout of a page in milliseconds, if it exceeds that of other responses. */
  readonly pageMs?: number;
  /** Throws what the framework throws, and an Error if the page is too long or takes too long. */
  render(method: string, path: string, headers: IncomingHttpHeaders): Promise<Rendered>;
  /** The used heap of the rendering thread, if there is one; undefined once it ends. */
  heapBytes?(): Promise<number | undefined>;
}

const MAX_PAGE_BYTES = 32 * 1024 * 1024;
/** Milliseconds for a page. The database's own timeouts are far shorter. */
const MAX_RENDER_MS = 30_000;
/** More than clients may send, because the server adds headers. */
const MAX_HEAD_BYTES = 131_072;
/** Headers that concern only one connection. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "date"];

/** Collects the framework's responses in memory, so that slow readers do not keep it busy. */
export class Framework implements Renderer {
  readonly #server: Server;
  readonly scripts: string;
  readonly pageMs: number;

  constructor(
    handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
    { scripts = "", pageMs = MAX_RENDER_MS } = {},
  ) {
    this.scripts = scripts;
    this.pageMs = pageMs;
    this.#server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
      const rendered = renderFor(request, response, () => handler(request, response));
      rendered.catch((error) => request.socket.destroy(error));
    });
  }

  async render(method: string, path: string, headers: IncomingHttpHeaders): Promise<Rendered> {
    const [near, far] = duplexPair();
    const failed = Promise.withResolvers<never>();
    far.on("error", failed.reject);
    this.#server.emit("connection", far);
    const signal = AbortSignal.timeout(this.pageMs);
    const sent = request({ method, path, headers, signal, createConnection: () => near });
    const responded = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", resolve).on("error", reject).end();
    });
    try {
      const response = await Promise.race([responded, failed.promise]);
      const body = await Promise.race([readAtMost({ body: response }, MAX_PAGE_BYTES), failed.promise]);
      if (body === null) throw new Error(`The page is longer than ${MAX_PAGE_BYTES} bytes`);
      const given = Object.entries(response.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      return {
        status: response.statusCode!,
        headers: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
        body,
      };
    } finally {
      near.destroy();
    }
  }
}
