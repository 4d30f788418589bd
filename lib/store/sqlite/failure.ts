import { codeOf } from "#lib/contract/errors.ts";
import { CANTOPEN, CORRUPT, FULL, IOERR, READONLY } from "#lib/store/errors.ts";

const NOTADB = 26;
/** An extended code: the file ends before the place that is read. */
const SHORT_READ = IOERR + 2 * 256;

const DAMAGED = "is damaged: restore a backup, or fill a new database";
/** Explanations of result codes to the operator. SQLite's own message about other ones says enough. */
const MEANINGS: Readonly<Record<number, string>> = {
  [FULL]: "the disk is full",
  [IOERR]: "the disk cannot be read or written",
  [READONLY]: "the file or its file system is read-only",
  [CANTOPEN]: "the file cannot be opened: its folder must be writable and have space",
  // SQLite reports both alike: it takes EIO for damage (`unixRead` in its `os_unix.c`).
  [CORRUPT]:
    "the file is damaged, or the disk fails to read it: look at the system's log, and restore a backup, or fill a new database",
  [NOTADB]: DAMAGED,
  [SHORT_READ]: DAMAGED,
};

/** An error whose message names the file and explains the cause; the error itself if it needs no explanation. */
export function explain(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.message.startsWith(`${file}: `)) return error;
  // Node reports it if there is no space to create a file or a folder.
  const code = codeOf(error) === "ENOSPC" ? FULL : "errcode" in error ? Number(error.errcode) : 0;
  const meaning = MEANINGS[code] ?? MEANINGS[code % 256];
  if (meaning === undefined) return error;
  const explained = new Error(`${file}: ${meaning} (${error.message}, SQLite's code ${code})`, {
    cause: error,
  });
  return Object.assign(explained, { errcode: meaning === DAMAGED ? NOTADB : code });
}
