import { type BigIntStats, statSync } from "node:fs";
import { StoreLostError, StoreUnavailableError } from "#lib/store/errors.ts";

/** The WAL is cut back to this after a checkpoint, in bytes. Old readers, and transactions of a sync that catches up, make it longer. */
export const WAL_LIMIT = 64 * 1024 * 1024;
/** Between two looks at the files before reads, in milliseconds. */
const LOOK_EVERY = 250;

function seen(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw new StoreUnavailableError((error as Error).message, { cause: error });
  }
}

/**
 * Notices when another program removes, replaces or cuts the files of an open database. SQLite would write on into files without
 * a name. What is lost stays lost, even if a file comes back: nobody knows what was written to it meanwhile.
 */
export class FileWatch {
  readonly #file: string;
  readonly #walBytes: () => number;
  readonly #inode: bigint | undefined;
  readonly #walInode: bigint | undefined;
  #size = 0n;
  #walSize = 0n;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lost: StoreLostError | null = null;

  /** Must be made while the connection holds the database open. `walBytes`: how long the WAL must be by now. */
  constructor(file: string, walBytes: () => number) {
    this.#file = file;
    this.#walBytes = walBytes;
    this.#inode = seen(file)?.ino;
    this.#walInode = seen(`${file}-wal`)?.ino;
  }

  /** Bytes of the WAL when it was last looked at. */
  get walSize(): number {
    return Number(this.#walSize);
  }

  /** As `look`, but not more often than a page could notice. */
  glance(): void {
    if (this.#lost || performance.now() - this.#lookedAt >= LOOK_EVERY) this.look();
  }

  /** Throws StoreLostError if the files are not the ones that were opened, or are shorter than they must be. */
  look(): void {
    if (this.#lost) throw this.#lost;
    this.#lookedAt = performance.now();
    const database = seen(this.#file);
    if (database?.ino !== this.#inode) this.#lose(this.#file, "was removed or replaced");
    if (database && database.size < this.#size) this.#lose(this.#file, "was cut or vacuumed");
    this.#size = database?.size ?? 0n;
    if (this.#walInode === undefined) return;
    // Twice: between the question and the look, another connection may begin the WAL again, which SQLite then cuts.
    if (this.#walIsShort() && this.#walIsShort()) this.#lose(`${this.#file}-wal`, "was cut");
  }

  #walIsShort(): boolean {
    const least = this.#walBytes();
    const wal = seen(`${this.#file}-wal`);
    if (wal?.ino !== this.#walInode) this.#lose(`${this.#file}-wal`, "was removed or replaced");
    this.#walSize = wal?.size ?? 0n;
    return this.#walSize < least;
  }

  #lose(file: string, what: string): never {
    this.#lost = new StoreLostError(
      `${file}: the file ${what} by another program while it was in use. Stop everything that uses this database, ` +
        "put the file back or restore a backup, run `aqs verify`, and start again",
    );
    throw this.#lost;
  }
}
