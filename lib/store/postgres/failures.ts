import pg from "pg";
import { codeOf } from "#lib/contract/errors.ts";
import { StoreUnavailableError } from "#lib/store/errors.ts";

/** SQLSTATEs, or classes of them, of a server that is unavailable (PostgreSQL manual, appendix A). */
const UNAVAILABLE: Record<string, string> = {
  "08": "cannot be reached",
  "08006": "cannot reach a node of its cluster",
  "25006": "takes no writes now",
  "25P03": "closed the connection",
  "25P04": "closed the connection",
  "40001": "cancelled a read because of recovery",
  "40P01": "was blocked by another transaction",
  "53": "is out of resources",
  "53100": "has no disk space left",
  "53300": "has no connection left",
  "55P03": "did not answer in time",
  "57": "closed the connection",
  "57014": "did not answer in time",
  "57P01": "is shutting down",
  "57P02": "crashed and is restarting",
  "57P03": "does not answer",
};

const HINT_FOR_READERS =
  ". A role that may only read can serve a database once its owner has run aqs migrate and granted it SELECT on all tables";

/** Messages of libpq about a broken connection. A Citus coordinator that loses a node sends them with code XX000 or 58030. */
const LOST_NODE =
  /server closed the connection|SSL SYSCALL error|SSL connection has been closed|could not (receive data from|send data to) server|connection not open|failed to COPY to shard|failure on connection marked as essential/;

/** Codes of the operating system, such as ECONNREFUSED, but not Node's own, which begin with ERR_. */
const SYSTEM = /^E(?!RR_)[A-Z_]+$/;

/** Messages of pg for errors without a code. */
const LOST = /timeout exceeded when trying to connect|timeout expired|Connection terminated|is not queryable/;

/** SQLSTATEs of errors that end the connection. The word of the severity may be in the server's language. */
const FATAL = /^(08P01|25P0[34]|57P)/;

/** Whether the server reported the error, and the connection is still usable. */
export const isOfStatement = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.severity !== "FATAL" && !FATAL.test(error.code ?? "");

/** Explains a failure of the server or the network; returns any other error as it is. `place`: host and port. */
export function explain(error: unknown, place: string): unknown {
  if (!(error instanceof Error)) return error;
  const unavailable = (what: string) =>
    new StoreUnavailableError(`PostgreSQL at ${place} ${what}`, { cause: error });
  const code = codeOf(error);
  if (error instanceof pg.DatabaseError) {
    // Messages of libpq, which Citus passes on, have several lines and tabs.
    const said = error.message.replace(/\s+/g, " ");
    const lostNode = /^(XX000|58030)$/.test(code) && LOST_NODE.test(error.message);
    const what = UNAVAILABLE[lostNode ? "08006" : code] ?? UNAVAILABLE[code.slice(0, 2)];
    if (what) return unavailable(`${what}: ${said}`);
    // Classes 28 and 3D: wrong user or password, no such database. 42501: the role may not do that.
    if (!/^(28|3D|42501)/.test(code)) return error;
    const hint = code === "42501" ? HINT_FOR_READERS : "";
    return new Error(`PostgreSQL at ${place} refuses: ${said}${hint}`, { cause: error });
  }
  if (error.message === "Query read timeout") return unavailable("did not answer in time: it may be frozen");
  if (!SYSTEM.test(code) && !LOST.test(error.message)) return error;
  // For a name with several addresses, the error only collects the failures and has no message.
  return unavailable(`does not answer: ${error.message || code}`);
}
