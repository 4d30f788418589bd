import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Service } from "#lib/api/service.ts";
import type { WorkQueue } from "#lib/api/work-queue.ts";
import { isApiError, serverIsBusy } from "#lib/contract/errors.ts";
import { readAtMost } from "#lib/util/http.ts";
import { callerOf } from "./caller.ts";
import { Connections } from "./connections.ts";
import { Shares } from "./shares.ts";

/** Unfinished requests per connection; one more closes it. Browsers send one at a time. */
export const MAX_UNFINISHED_PER_SOCKET = 4;
/** Time from the last header of a request until the operating system has the whole response. */
export const MAX_EXCHANGE_MS = 30_000;
/** Bytes of all responses that are not flushed yet. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
export const MAX_BODIES = 64;
/** Time after which a slow reader may be cut if the server is full. */
const SLOW_READER_MS = 5_000;
const SWEEP_MS = 1_000;

export type StreamKind = "events" | "ndjson";

export interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly caller: string;
  /** Start of the exchange; for a stream, the time of its last piece. */
  since: number;
  bytes: number;
  stream: StreamKind | null;
}

/** The gate of all requests but health checks. It limits requests and bytes until responses are flushed. */
export class Admission {
  readonly #service: Pick<Service, "config" | "ticks">;
  readonly #slots: Shares;
  readonly #unread = new Shares(MAX_UNREAD_BYTES);
  readonly #bodies = new Shares(MAX_BODIES);
  readonly #bySocket = new WeakMap<Socket, Set<Exchange>>();
  /** The exchanges that hold a slot, the oldest first. */
  readonly #admitted = new Set<Exchange>();
  readonly #unfinished = new Set<Exchange>();
  readonly #connections: Connections;
  readonly #exchangeMs: number;
  #isStopping = false;

  constructor(service: Pick<Service, "config" | "ticks">, exchangeMs = MAX_EXCHANGE_MS) {
    this.#service = service;
    this.#exchangeMs = exchangeMs;
    this.#slots = new Shares(service.config.MAX_CONCURRENT_REQUESTS);
    this.#connections = new Connections(service.config);
  }

  /** Follows the server's connections and cuts those that take too long. */
  watch(server: Server): void {
    server.on("connection", (socket) => {
      this.#service.ticks.connected();
      if (!this.#connections.add(socket)) return;
      const exchanges = new Set<Exchange>();
      this.#bySocket.set(socket, exchanges);
      socket.once("close", () => {
        this.#connections.remove(socket);
        for (const exchange of exchanges) this.#end(exchange);
      });
    });
    const sweep = setInterval(() => this.#cutOverdue(), SWEEP_MS).unref();
    server.once("close", () => clearInterval(sweep));
  }

  /** Registers a request. Null if its connection is closed, which too many unfinished requests cause. */
  begin(request: IncomingMessage, response: ServerResponse): Exchange | null {
    const { socket } = request;
    this.#service.ticks.arrived();
    const exchanges = this.#bySocket.get(socket);
    // Node parses all requests of a packet before it notices that the connection is closed.
    if (!exchanges || socket.destroyed) return null;
    if (exchanges.size >= MAX_UNFINISHED_PER_SOCKET) {
      socket.destroy();
      return null;
    }
    const caller = callerOf(request, this.#service.config);
    const exchange = { response, socket, caller, since: performance.now(), bytes: 0, stream: null };
    exchanges.add(exchange);
    this.#connections.setIdle(socket, false);
    this.#unfinished.add(exchange);
    if (this.#isStopping) closeAfterwards(exchange);
    response.on("finish", () => {
      exchanges.delete(exchange);
      if (exchanges.size === 0) this.#connections.setIdle(socket, true);
      this.#end(exchange);
    });
    return exchange;
  }

  get load() {
    const streams: Record<StreamKind, number> = { events: 0, ndjson: 0 };
    for (const { stream } of this.#unfinished) if (stream) streams[stream] += 1;
    return {
      connections: this.#connections.size,
      requests: this.#unfinished.size,
      unreadBytes: this.#unread.total,
      streams,
    };
  }

  /** Closes each connection after its pending response (`Connection: close`). */
  stop(): void {
    this.#isStopping = true;
    for (const exchange of this.#unfinished) closeAfterwards(exchange);
  }

  /**
   * Gives the exchange a slot until it ends, and runs `work` in the queue. Throws SERVICE_UNAVAILABLE if no slot is free or
   * the queue refuses, but not before the event loop is ready for another refusal.
   */
  async admit<T>(exchange: Exchange, queue: WorkQueue, work: () => Promise<T>): Promise<T> {
    const { caller, socket } = exchange;
    try {
      while (!this.#slots.isLeftFor(caller, 1) || !this.#unread.isLeftFor(caller, 1)) this.#makeRoom(caller);
      this.#admitted.add(exchange);
      this.#slots.take(caller, 1);
      return await queue.run(caller, () => {
        if (socket.destroyed) throw serverIsBusy();
        return work();
      });
    } catch (error) {
      if (isApiError(error) && error.code === "SERVICE_UNAVAILABLE") {
        this.#release(exchange);
        await this.#service.ticks.refusal();
      }
      throw error;
    }
  }

  /**
   * Reads the body of a request, which holds no slot yet; null if it is longer than `most` bytes. Node cuts slow senders.
   * Throws SERVICE_UNAVAILABLE if too many bodies are being received, or if the sender is gone.
   */
  async body({ caller, socket }: Exchange, request: IncomingMessage, most: number): Promise<Buffer | null> {
    // After a tick Node has read a body that came with its head. Such a body is never refused.
    await nextTick();
    const count = request.complete ? 0 : 1;
    if (count > 0 && !this.#bodies.isLeftFor(caller, count)) {
      await this.#service.ticks.refusal();
      throw serverIsBusy();
    }
    this.#bodies.take(caller, count);
    try {
      return await readAtMost({ body: request.iterator({ destroyOnReturn: false }) }, most);
    } catch (error) {
      throw socket.destroyed ? serverIsBusy() : error;
    } finally {
      this.#bodies.take(caller, -count);
    }
  }

  /** Counts the bytes of a response until they are flushed. Throws SERVICE_UNAVAILABLE if too many wait already. */
  hold(exchange: Exchange, bytes: number): void {
    const { caller, socket } = exchange;
    if (socket.destroyed) return;
    while (!this.#unread.isLeftFor(caller, bytes)) this.#makeRoom(caller);
    exchange.bytes = bytes;
    this.#unread.take(caller, bytes);
  }

  /** Frees the slot of a stream, which has limits of its own: see `Streams`. */
  leave(exchange: Exchange, kind: StreamKind): void {
    this.#release(exchange);
    exchange.stream = kind;
    this.progressed(exchange);
  }

  /** Restarts the timeout of a stream after its reader has taken a piece. */
  progressed(exchange: Exchange): void {
    exchange.since = performance.now();
  }

  /** Cuts the oldest slow response, or the caller's own if it holds slots. Throws SERVICE_UNAVAILABLE if there is none. */
  #makeRoom(caller: string): void {
    const now = performance.now();
    const isOwn = this.#slots.heldBy(caller) > 0;
    for (const exchange of this.#admitted) {
      if (now - exchange.since < SLOW_READER_MS) break;
      if (!waitsForReader(exchange) || (isOwn && exchange.caller !== caller)) continue;
      this.#cut(exchange);
      return;
    }
    throw serverIsBusy();
  }

  #cutOverdue(): void {
    const now = performance.now();
    const isOverdue = ({ since }: Exchange) => now - since >= this.#exchangeMs;
    for (const exchange of this.#unfinished) {
      if (exchange.stream && isOverdue(exchange) && waitsForReader(exchange)) this.#cut(exchange);
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
    const { caller, bytes } = exchange;
    if (this.#admitted.delete(exchange)) this.#slots.take(caller, -1);
    this.#unread.take(caller, -bytes);
    exchange.bytes = 0;
  }
}

function closeAfterwards({ response }: Exchange): void {
  response.shouldKeepAlive = false;
}

function waitsForReader({ response }: Exchange): boolean {
  return response.writableEnded || response.writableLength > 0;
}
