import { openSync, readSync } from "node:fs";

/** The header stands twice at the beginning of the file, 48 bytes each (SQLite's "WAL-mode File Format", section 2.1). */
const HEADER_BYTES = 48;
/** Of the log itself ("The WAL File Format", sections 1.1 and 1.2): before all frames, and before the page of each. */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * The header of a database's wal-index, the file `-shm`: what SQLite itself compares at the beginning of each read. It
 * counts commits and holds the salts and the checksum of the log's last frame, so no two states of the database share
 * it. `PRAGMA data_version` tells the same, but takes and gives back locks for it: 21 µs of a request instead of 7.
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
   * Another value after each commit, of whichever process. Null while one is being written: then only SQLite can say.
   * What is read from the database afterwards is of this version or a newer one.
   */
  get version(): string | null {
    const header = this.#header;
    if (readSync(this.#file, header, 0, header.length, 0) < header.length) return null;
    const isWhole = header.compare(header, 0, HEADER_BYTES, HEADER_BYTES, 2 * HEADER_BYTES) === 0;
    return isWhole ? header.toString("latin1", 0, HEADER_BYTES) : null;
  }

  /** How long the log must be, in bytes, for the frames that it has at the version read last. */
  get walBytes(): number {
    // Numbers are in the machine's own order, as in typed arrays.
    const pageSize = new Uint16Array(this.#header.buffer)[7]!;
    const frames = new Uint32Array(this.#header.buffer)[4]!;
    // The largest page, of 65,536 bytes, is written as 1.
    const frameBytes = FRAME_HEADER_BYTES + (pageSize === 1 ? 65_536 : pageSize);
    return frames === 0 ? 0 : WAL_HEADER_BYTES + frames * frameBytes;
  }
}
