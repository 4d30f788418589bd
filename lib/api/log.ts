import cluster from "node:cluster";
import { format } from "node:util";
import pino, { type DestinationStream, type Logger } from "pino";
import { plainText } from "#lib/util/plain-text.ts";

const plain = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? plainText(value) : value;

/** The server's log. All texts are made plain: JSON escapes C0 characters only until it is decoded, and C1 never. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(2)): Logger =>
  pino(
    {
      level,
      base: cluster.worker ? { worker: cluster.worker.id } : null,
      hooks: { streamWrite: (line) => `${JSON.stringify(JSON.parse(line), plain)}\n` },
    },
    destination,
  );

/** Redirects the framework's errors and warnings from the console to the service's log. */
export function logConsole(log: Pick<Logger, "error" | "warn">): void {
  console.error = (...values: unknown[]) => log.error(format(...values));
  console.warn = (...values: unknown[]) => log.warn(format(...values));
}
