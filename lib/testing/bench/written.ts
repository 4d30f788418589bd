import { readFileSync } from "node:fs";

/**
 * Bytes that this process gave to the system to write. Linux's `write_bytes` would count whole folios of its cache, which
 * may have 2 MB, for each 4 KB page of a database.
 */
export const written = (): number =>
  Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
