import { format } from "node:util";
import type { Service } from "#lib/api/service.ts";

/** Writes what the framework prints as errors and warnings to the service's log, each as one line of JSON. */
export function logConsole(log: Pick<Service["log"], "error" | "warn">): void {
  console.error = (...values: unknown[]) => log.error(format(...values));
  console.warn = (...values: unknown[]) => log.warn(format(...values));
}
