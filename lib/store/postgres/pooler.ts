import type pg from "pg";

/** How often to look whether a pooler shares its connections. */
const ROUNDS = 5;

/** The server process that answers the client. `deadline`: milliseconds; 0: no limit. */
async function processOf(client: pg.ClientBase, deadline: number): Promise<number> {
  // Without a name: behind a pooler, the names of prepared statements are not ours alone.
  const query = { text: "SELECT pg_backend_pid() AS pid", query_timeout: deadline };
  return (await client.query<{ pid: number }>(query)).rows[0]!.pid;
}

/**
 * Whether a pooler (PgBouncer) stands before the server: it makes up the process that it says we are connected to. What is set
 * for longer than a transaction would stay there for other clients.
 */
export async function isPooled(client: pg.ClientBase, deadline: number): Promise<boolean> {
  return !("processID" in client && client.processID === (await processOf(client, deadline)));
}

/**
 * Whether the pooler lends its connections for one transaction: one client gets different ones, as with `server_round_robin`,
 * or two clients get the same one. Other clients can hide that for a moment, so this looks several times.
 */
export async function lendsForTransactions(
  client: pg.ClientBase,
  other: pg.ClientBase,
  deadline: number,
): Promise<boolean> {
  const own = await processOf(client, deadline);
  for (let round = 0; round < ROUNDS; round++) {
    // Twice, because two clients in turn would each get the same one of two connections again.
    for (let i = 0; i < 2; i++) if ((await processOf(client, deadline)) !== own) return true;
    if ((await processOf(other, deadline)) === own) return true;
  }
  return false;
}
