import type pg from "pg";

/** Number of attempts to find out whether a pooler shares its connections. */
const ATTEMPTS = 5;

/** The server process behind the connection. `deadline`: milliseconds; 0: no limit. */
async function processOf(client: pg.ClientBase, deadline: number): Promise<number> {
  // The statement has no name, because clients of a pooler share the names of prepared statements.
  const query = { text: "SELECT pg_backend_pid() AS pid", query_timeout: deadline };
  return (await client.query<{ pid: number }>(query)).rows[0]!.pid;
}

/**
 * Whether a pooler (PgBouncer) is in front of the server: it invents the process that it claims to connect to. Settings that last
 * longer than a transaction would affect its other clients.
 */
export async function isPooled(client: pg.ClientBase, deadline: number): Promise<boolean> {
  return !("processID" in client && client.processID === (await processOf(client, deadline)));
}

/**
 * Whether the pooler lends its connections for one transaction. Then one client gets different connections, as with
 * `server_round_robin`, or two clients get the same one. Other clients can hide that for a moment, so it makes several attempts.
 */
export async function lendsForTransactions(
  client: pg.ClientBase,
  other: pg.ClientBase,
  deadline: number,
): Promise<boolean> {
  const own = await processOf(client, deadline);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Ask twice: with two connections in rotation, each client would get its own again.
    for (let i = 0; i < 2; i++) if ((await processOf(client, deadline)) !== own) return true;
    if ((await processOf(other, deadline)) === own) return true;
  }
  return false;
}
