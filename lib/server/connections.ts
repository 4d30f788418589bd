import type { Socket } from "node:net";
import type { Config } from "#lib/config.ts";
import { isTrusted, networkOf } from "./caller.ts";
import { Shares } from "./shares.ts";

/**
 * The server's open connections. If they are full, a new one replaces the longest idle one of the network with the most idle
 * connections. A network holds at most as many as are left for others. Trusted proxies bring the connections of many networks
 * and limit each, so they may hold all.
 */
export class Connections {
  readonly #config: Pick<Config, "MAX_CONNECTIONS" | "TRUST_PROXY">;
  readonly #shares: Shares;
  readonly #networks = new Map<Socket, string>();
  /** Idle connections by network, the longest idle first. */
  readonly #idle = new Map<string, Set<Socket>>();

  constructor(config: Pick<Config, "MAX_CONNECTIONS" | "TRUST_PROXY">) {
    this.#config = config;
    this.#shares = new Shares(config.MAX_CONNECTIONS);
  }

  get size(): number {
    return this.#networks.size;
  }

  /** Makes room for a connection. Closes it and returns false if there is none. */
  add(socket: Socket): boolean {
    const address = socket.remoteAddress ?? "";
    const network = networkOf(address);
    const isOverShare = !isTrusted(address, this.#config) && !this.#shares.isLeftFor(network, 1);
    if (isOverShare || this.size >= this.#config.MAX_CONNECTIONS) {
      const idle = isOverShare ? this.#idle.get(network) : this.#mostIdle();
      const [longest] = idle ?? [];
      (longest ?? socket).destroy();
      if (!longest) return false;
      this.remove(longest);
    }
    this.#networks.set(socket, network);
    this.#shares.take(network, 1);
    this.setIdle(socket, true);
    return true;
  }

  remove(socket: Socket): void {
    const network = this.#networks.get(socket);
    if (network === undefined) return;
    this.setIdle(socket, false);
    this.#networks.delete(socket);
    this.#shares.take(network, -1);
  }

  setIdle(socket: Socket, isIdle: boolean): void {
    const network = this.#networks.get(socket);
    if (network === undefined) return;
    const idle = this.#idle.get(network) ?? new Set();
    if (isIdle) this.#idle.set(network, idle.add(socket));
    else if (idle.delete(socket) && idle.size === 0) this.#idle.delete(network);
  }

  #mostIdle(): Set<Socket> | undefined {
    let most: Set<Socket> | undefined;
    for (const idle of this.#idle.values()) if (idle.size > (most?.size ?? 0)) most = idle;
    return most;
  }
}
