import { type BigIntStats, statSync } from "node:fs";
import { StoreLostError } from "#lib/store/store.ts";

/** The WAL is cut back to this after a checkpoint, in bytes; without old readers it hardly ever grows beyond. */
export const WAL_LIMIT = 64 * 1024 * 1024;
/** Between two looks at the files before reads, in milliseconds. */
const LOOK_EVERY = 250;

const seen = (file: string): BigIntStats | undefined =>
  statSync(file, { bigint: true, throwIfNoEntry: false });

/**
 * Notices when the files of an open database are removed, replaced or cut by someone else. SQLite does not: it would
 * write on into files that have no name any more, and everything would be gone when it closes them.
 */
export class FileWatch {
  readonly #file: string;
  readonly #inode: bigint | undefined;
  readonly #walInode: bigint | undefined;
  #size = 0n;
  #walSize = 0n;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** Must be made while the connection holds the database open: SQLite keeps both files in place from then on. */
  constructor(file: string) {
    this.#file = file;
    this.#inode = seen(file)?.ino;
    this.#walInode = seen(`${file}-wal`)?.ino;
  }

  /** Bytes of the WAL when it was last looked at. */
  get walSize(): number {
    return Number(this.#walSize);
  }

  /** As `look`, but not more often than a page could notice. */
  glance(): void {
    const now = performance.now();
    if (now - this.#lookedAt >= LOOK_EVERY) this.look();
  }

  /** Throws StoreLostError if the files are not the ones that were opened, or are shorter than they must be. */
  look(): void {
    this.#lookedAt = performance.now();
    const database = seen(this.#file);
    if (database?.ino !== this.#inode) throw this.#lost(this.#file, "was removed or replaced");
    if (database && database.size < this.#size) throw this.#lost(this.#file, "was cut or vacuumed");
    this.#size = database?.size ?? 0n;
    if (this.#walInode === undefined) return;
    const wal = seen(`${this.#file}-wal`);
    if (wal?.ino !== this.#walInode) throw this.#lost(`${this.#file}-wal`, "was removed or replaced");
    // SQLite cuts it to nothing, or back to the limit.
    const least = this.#walSize < WAL_LIMIT ? this.#walSize : BigInt(WAL_LIMIT);
    if (wal && wal.size > 0n && wal.size < least) throw this.#lost(`${this.#file}-wal`, "was cut");
    this.#walSize = wal?.size ?? 0n;
  }

  #lost(file: string, what: string): StoreLostError {
    return new StoreLostError(
      `${file}: the file ${what} by another program while it was in use. Stop everything that uses this database, ` +
        "put the file back or restore a backup, run `aqs verify`, and start again",
    );
  }
}
