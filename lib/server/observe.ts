import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service } from "#lib/api/service.ts";
import { operationNames } from "#lib/queries/operations.ts";
import { dashboardRouteNames } from "./dashboard.ts";

/** The first segments of the pages' paths. */
export const PAGES = [
  "addresses",
  "assets",
  "blocks",
  "docs",
  "search",
  "sign-in",
  "transactions",
  "wallet",
] as const;
/** Names of requests in the log and the metrics. They never contain text from outside. */
export const ROUTES = [
  ...operationNames,
  "events",
  "v0",
  "healthz",
  "readyz",
  "home",
  ...PAGES,
  ...dashboardRouteNames,
  "file",
  "unknown",
] as const;
export type RouteName = (typeof ROUTES)[number];
const HEALTH: readonly RouteName[] = ["healthz", "readyz"];

export function routeOfPage(path: string): RouteName {
  const segment = path.split("/")[1] ?? "";
  return segment === "" ? "home" : (PAGES.find((page) => page === segment) ?? "file");
}

export interface Visit {
  readonly id: string;
  route: RouteName;
  /** The id of the access token, never the token itself; null while it is unknown. */
  token: string | null;
}

/** A request whose response is flushed, or whose connection was closed before. */
export interface Outcome extends Visit {
  /** The status of the response; null if none was begun. */
  status: number | null;
  seconds: number;
  /** Bytes of the response, its head included. */
  bytes: number;
}

/** Follows a request, and calls `ended` once its response is flushed or its connection closed. */
export function observe(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  ended: (outcome: Outcome, isWhole: boolean) => void,
): Visit {
  const visit: Visit = { id, route: "unknown", token: null };
  const { socket } = request;
  const start = performance.now();
  const written = socket.bytesWritten;
  response.on("close", () => {
    const outcome = {
      ...visit,
      status: response.headersSent ? response.statusCode : null,
      seconds: (performance.now() - start) / 1000,
      bytes: socket.bytesWritten - written,
    };
    ended(outcome, response.writableFinished);
  });
  return visit;
}

/** Logs every failed request, so that its id can be found, and a share of LOG_SAMPLE of the others. */
export function logRequests({ log, config }: Pick<Service, "log" | "config">) {
  return ({ id, route, status, seconds, bytes, token }: Outcome, isWhole: boolean): void => {
    const hasFailed = status === null || status >= 400 || !isWhole;
    if (!hasFailed && config.LOG_SAMPLE < 1 && Math.random() >= config.LOG_SAMPLE) return;
    const level = (status ?? 0) >= 500 ? "warn" : !hasFailed && HEALTH.includes(route) ? "debug" : "info";
    if (!log.isLevelEnabled(level)) return;
    const line = { id, route, status, ms: Math.round(seconds * 1e5) / 100, bytes, token };
    log[level](isWhole ? line : { ...line, cut: true }, "request");
  };
}
