import pg from "pg";
import { StoreUnavailableError } from "#lib/store/errors.ts";

/** SQLSTATEs (PostgreSQL manual, appendix A), or classes of them, of a server that cannot serve just now. */
const UNAVAILABLE: Record<string, string> = {
  "08": "cannot be reached",
  "08006": "cannot reach a node of its cluster",
  "25006": "takes no writes now",
  "25P03": "closed the connection",
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

/** Words of libpq for a broken connection. A Citus coordinator passes them on if it loses a node, with code XX000 or 58030. */
const LOST_NODE =
  /server closed the connection|SSL SYSCALL error|SSL connection has been closed|could not (receive data from|send data to) server|connection not open|failed to COPY to shard|failure on connection marked as essential/;

/** Codes of the operating system, such as ECONNREFUSED; Node's own begin with ERR_. */
const SYSTEM = /^E(?!RR_)[A-Z_]+$/;

/** The words of pg, which gives these errors no code. */
const LOST = /timeout exceeded when trying to connect|timeout expired|Connection terminated|is not queryable/;

/** The server reported an error, and the connection is still good. */
export const isOfStatement = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.severity === "ERROR";

/** Explains a failure of the database or of the way to it; passes on any other error. `place`: host and port. */
export function explain(error: unknown, place: string): unknown {
  if (!(error instanceof Error)) return error;
  const unavailable = (what: string) =>
    new StoreUnavailableError(`PostgreSQL at ${place} ${what}`, { cause: error });
  const code = "code" in error ? String(error.code) : "";
  if (error instanceof pg.DatabaseError) {
    // libpq's messages have several lines, with tabs, and Citus passes them on.
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
  // Where a name has several addresses, the error gathers the failures and says nothing itself.
  return unavailable(`does not answer: ${error.message || code}`);
}
