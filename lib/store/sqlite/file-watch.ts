import { type BigIntStats, statSync } from "node:fs";
import { StoreLostError, StoreUnavailableError } from "#lib/store/errors.ts";

/** Size in bytes to which a checkpoint cuts the WAL. Old readers and long transactions of a sync make it larger. */
export const WAL_LIMIT = 64 * 1024 * 1024;
/** Milliseconds between two checks of the files before reads. */
const LOOK_EVERY = 250;

function seen(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw new StoreUnavailableError((error as Error).message, { cause: error });
  }
}

/**
 * Notices when another program removes, replaces or truncates the files of an open database: SQLite would go on and write into
 * deleted files. A lost database stays lost even if the file comes back, because it may have changed in the meantime.
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

  /** The database must be open. `walBytes`: the least size of the WAL, in bytes. */
  constructor(file: string, walBytes: () => number) {
    this.#file = file;
    this.#walBytes = walBytes;
    this.#inode = seen(file)?.ino;
    this.#walInode = seen(`${file}-wal`)?.ino;
  }

  /** Size of the WAL at the last look, in bytes. */
  get walSize(): number {
    return Number(this.#walSize);
  }

  /** Like `look`, but skipped if the last one was a moment ago. */
  glance(): void {
    if (this.#lost || performance.now() - this.#lookedAt >= LOOK_EVERY) this.look();
  }

  /** Throws StoreLostError if the files are not the ones that were opened, or are too short. */
  look(): void {
    if (this.#lost) throw this.#lost;
    this.#lookedAt = performance.now();
    const database = seen(this.#file);
    if (database?.ino !== this.#inode) this.#lose(this.#file, "was removed or replaced");
    if (database && database.size < this.#size) this.#lose(this.#file, "was cut or vacuumed");
    this.#size = database?.size ?? 0n;
    if (this.#walInode === undefined) return;
    // Check twice: between reading both sizes, another connection may restart the WAL, which SQLite then truncates.
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
