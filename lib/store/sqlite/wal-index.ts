import { openSync, readSync } from "node:fs";

/** The header stands twice at the beginning of the file, 48 bytes each (SQLite's "WAL-mode File Format", section 2.1). */
const HEADER_BYTES = 48;

/**
 * The header of a database's wal-index (`-shm`), which SQLite compares at the beginning of each read: no two states share it.
 * `PRAGMA data_version` tells the same, but takes a lock: 21 µs of a request instead of 7.
 */
export class WalIndex {
  /** Never closed: when a process closes a file, it gives up all its locks on it (POSIX), SQLite's own included. */
  readonly #file: number;
  readonly #header = Buffer.alloc(2 * HEADER_BYTES);

  /** Throws if the file is not there. It is as long as a connection has the database open. */
  constructor(database: string) {
    this.#file = openSync(`${database}-shm`, "r");
  }

  /**
   * Another value after each commit of any process. Null while one is being written, or if the file cannot be read. Later reads
   * of the database are of this version or a newer one.
   */
  get version(): string | null {
    const header = this.#header;
    try {
      if (readSync(this.#file, header, 0, header.length, 0) < header.length) return null;
    } catch {
      return null;
    }
    const isWhole = header.compare(header, 0, HEADER_BYTES, HEADER_BYTES, 2 * HEADER_BYTES) === 0;
    return isWhole ? header.toString("latin1", 0, HEADER_BYTES) : null;
  }

  /** Frames of the log that may be read, now; 0 while that is being written. */
  get frames(): number {
    // Numbers are in the machine's own order, as in typed arrays.
    return this.version === null ? 0 : new Uint32Array(this.#header.buffer)[4]!;
  }
}
