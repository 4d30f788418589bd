import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Config } from "#lib/config.ts";
import { serverIsBusy } from "#lib/contract/errors.ts";

/** Requests of one connection that may wait for their answers; one more closes it. No browser sends a second one early. */
export const MAX_UNFINISHED_PER_SOCKET = 4;
/** From the request's last header to the last byte of its answer that the operating system took. */
export const MAX_EXCHANGE_MS = 30_000;
/** Of the API's answers that their readers have not taken yet, all together. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** A reader that has taken this long gives way if the server is full. */
const SLOW_READER_MS = 5_000;
const SWEEP_MS = 1_000;
/** A page counts as rendered this long after its reader has gone, if the framework does not say so earlier. */
const ABANDONED_MS = 5_000;

/** Answers that go on for as long as their readers read: events of the chain, and lists line by line. */
export type StreamKind = "events" | "ndjson";

/** A request, until its answer is flushed or its connection is closed. */
export interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** When it began; a stream begins again with each piece. */
  since: number;
  /** Bytes of the answer, as far as they are counted. */
  bytes: number;
  /** Set when the answer turns out to be a stream. */
  stream: StreamKind | null;
}

/**
 * Decides which requests the server takes on. What is not flushed yet counts, however slowly it is read: so many
 * requests, pages, bytes, and requests of one connection.
 */
export class Admission {
  readonly #maxRequests: number;
  readonly #maxPages: number;
  readonly #bySocket = new WeakMap<Socket, Set<Exchange>>();
  /** The exchanges that hold a slot, the oldest first. */
  readonly #admitted = new Set<Exchange>();
  readonly #pages = new Set<Exchange>();
  /** Answers that are made while they are read. Their number has a limit of its own. */
  readonly #streams = new Set<Exchange>();
  /** All exchanges. */
  readonly #unfinished = new Set<Exchange>();
  #connections = 0;
  #isStopping = false;
  #unreadBytes = 0;

  constructor({ MAX_CONCURRENT_REQUESTS, MAX_CONCURRENT_PAGES }: Config) {
    this.#maxRequests = MAX_CONCURRENT_REQUESTS;
    this.#maxPages = MAX_CONCURRENT_PAGES;
  }

  /** Follows the server's connections, and cuts those that take too long. */
  watch(server: Server): void {
    server.on("connection", (socket) => {
      const exchanges = new Set<Exchange>();
      this.#bySocket.set(socket, exchanges);
      this.#connections += 1;
      socket.once("close", () => {
        this.#connections -= 1;
        for (const exchange of exchanges) this.#end(exchange);
      });
    });
    const sweep = setInterval(() => this.#cutOverdue(), SWEEP_MS).unref();
    server.once("close", () => clearInterval(sweep));
  }

  /** A request that has arrived. Null if its connection is closed, which happens if too many are unfinished on it. */
  begin({ socket }: IncomingMessage, response: ServerResponse): Exchange | null {
    const exchanges = this.#bySocket.get(socket);
    // Node has parsed all requests of one packet before it notices that the connection is closed.
    if (!exchanges || socket.destroyed) return null;
    if (exchanges.size >= MAX_UNFINISHED_PER_SOCKET) {
      socket.destroy();
      return null;
    }
    const exchange = { response, socket, since: performance.now(), bytes: 0, stream: null };
    exchanges.add(exchange);
    this.#unfinished.add(exchange);
    if (this.#isStopping) closeAfterwards(exchange);
    response.once("finish", () => {
      exchanges.delete(exchange);
      this.#end(exchange);
    });
    return exchange;
  }

  /** What is going on now, in numbers. */
  get load() {
    const streams: Record<StreamKind, number> = { events: 0, ndjson: 0 };
    for (const { stream } of this.#streams) if (stream) streams[stream] += 1;
    return {
      connections: this.#connections,
      requests: this.#unfinished.size,
      pages: this.#pagesInWork(),
      unreadBytes: this.#unreadBytes,
      streams,
    };
  }

  /** From now on, each connection is closed after the answer that is due on it (`Connection: close`). */
  stop(): void {
    this.#isStopping = true;
    for (const exchange of this.#unfinished) closeAfterwards(exchange);
  }

  /** Gives the exchange a slot until it ends. Throws SERVICE_UNAVAILABLE if the server has none. */
  admit(exchange: Exchange): void {
    const isFull = this.#admitted.size >= this.#maxRequests || this.#unreadBytes >= MAX_UNREAD_BYTES;
    if (isFull && !this.#cutSlowest()) throw serverIsBusy();
    this.#admitted.add(exchange);
  }

  /** Renders a page. Throws SERVICE_UNAVAILABLE instead if too many are being rendered, for absent readers or not. */
  async render(exchange: Exchange, work: () => Promise<void>): Promise<void> {
    if (this.#pagesInWork() >= this.#maxPages) throw serverIsBusy();
    const { socket } = exchange;
    // If the reader disconnects while the page's last bytes are being sent, the framework's promise never settles.
    const abandoned = Promise.withResolvers<void>();
    const abandon = () => setTimeout(abandoned.resolve, ABANDONED_MS).unref();
    socket.once("close", abandon);
    this.#pages.add(exchange);
    try {
      await Promise.race([work(), abandoned.promise]);
    } finally {
      this.#pages.delete(exchange);
      socket.off("close", abandon);
    }
  }

  /** Counts the bytes of an answer until they are flushed. Throws SERVICE_UNAVAILABLE if too many wait already. */
  hold(exchange: Exchange, bytes: number): void {
    if (exchange.socket.destroyed) return;
    while (this.#unreadBytes + bytes > MAX_UNREAD_BYTES) if (!this.#cutSlowest()) throw serverIsBusy();
    exchange.bytes = bytes;
    this.#unreadBytes += bytes;
  }

  /** Gives the slot back although the answer goes on: a stream has limits of its own. */
  leave(exchange: Exchange, kind: StreamKind): void {
    this.#release(exchange);
    exchange.stream = kind;
    this.progressed(exchange);
    if (!exchange.socket.destroyed) this.#streams.add(exchange);
  }

  /** The reader of a stream has taken a piece, and has the whole time again for the next one. */
  progressed(exchange: Exchange): void {
    exchange.since = performance.now();
  }

  /** A page that only waits for its reader keeps no one from rendering another. */
  #pagesInWork(): number {
    let count = 0;
    for (const page of this.#pages) if (!waitsForReader(page)) count++;
    return count;
  }

  /** Makes room by closing the connection of the oldest answer that is read slowly. False if there is none. */
  #cutSlowest(): boolean {
    const now = performance.now();
    for (const exchange of this.#admitted) {
      if (now - exchange.since < SLOW_READER_MS) return false;
      if (waitsForReader(exchange)) {
        this.#cut(exchange);
        return true;
      }
    }
    return false;
  }

  #cutOverdue(): void {
    const now = performance.now();
    const isOverdue = ({ since }: Exchange) => now - since >= MAX_EXCHANGE_MS;
    for (const exchange of this.#streams) {
      if (isOverdue(exchange) && waitsForReader(exchange)) this.#cut(exchange);
    }
    for (const exchange of this.#admitted) {
      if (!isOverdue(exchange)) return;
      this.#cut(exchange);
    }
  }

  #cut(exchange: Exchange): void {
    exchange.socket.destroy();
    for (const each of this.#bySocket.get(exchange.socket) ?? []) this.#release(each);
  }

  #end(exchange: Exchange): void {
    this.#unfinished.delete(exchange);
    this.#release(exchange);
  }

  #release(exchange: Exchange): void {
    this.#admitted.delete(exchange);
    this.#streams.delete(exchange);
    this.#unreadBytes -= exchange.bytes;
    exchange.bytes = 0;
  }
}

/** Nothing changes for an answer whose head is out. */
function closeAfterwards({ response }: Exchange): void {
  response.shouldKeepAlive = false;
}

function waitsForReader({ response }: Exchange): boolean {
  return response.writableEnded || response.writableLength > 0;
}
