import { format } from "node:util";
import type { Service } from "#lib/api/service.ts";
import { plainLine } from "#lib/contract/plain-text.ts";

/**
 * Writes what the framework prints as errors and warnings to the service's log, each as one line of JSON. Text of
 * strangers in it, such as a URL, can neither clear a terminal nor look like a line of its own.
 */
export function logConsole(log: Pick<Service["log"], "error" | "warn">): void {
  // The line breaks of a stack are escaped in JSON; not all other control characters are.
  const plain = (values: unknown[]) =>
    format(...values)
      .split("\n")
      .map(plainLine)
      .join("\n");
  console.error = (...values: unknown[]) => log.error(plain(values));
  console.warn = (...values: unknown[]) => log.warn(plain(values));
}
