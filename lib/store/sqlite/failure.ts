/** SQLite's primary result codes: the lowest byte of an extended one. */
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** Extended: a file ends before the place that is read. */
const SHORT_READ = IOERR + 2 * 256;

const DAMAGED = "is damaged: restore a backup, or fill a new database";

/** What a result code means for whoever runs the service; undefined if SQLite's own words say enough. */
function meaningOf(code: number): string | undefined {
  if (code === SHORT_READ) return DAMAGED;
  switch (code % 256) {
    case FULL:
      return "the disk is full";
    case IOERR:
      return "the disk cannot be read or written";
    case READONLY:
      return "the file or its file system is read-only";
    case CANTOPEN:
      return "the file cannot be opened: its folder must be writable and have space";
    case CORRUPT:
    case NOTADB:
      return DAMAGED;
    default:
      return undefined;
  }
}

/** The error with its result codes, and with the file and the cause in words in its message. */
export function inWords(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || error.message.startsWith(`${file}: `))
    return error;
  const code = Number(error.errcode);
  const meaning = meaningOf(code);
  if (meaning === undefined) return error;
  const words = new Error(`${file}: ${meaning} (${error.message}, SQLite's code ${code})`, { cause: error });
  return Object.assign(words, { errcode: meaning === DAMAGED ? CORRUPT : code });
}
