import { statement } from "#lib/store/statement.ts";
import type { Session } from "./session.ts";

/**
 * The column that distributes each table. A page of an address and the changes of a block each read one shard; the other tables
 * that they need are on every node. Reads of transactions, events and past
 * states also need `outputs` and `transactions`, from all shards.
 */
const DISTRIBUTED: { table: string; column: string; with?: string }[] = [
  { table: "live_outputs", column: "address_key" },
  { table: "holdings", column: "address_key", with: "live_outputs" },
  { table: "kinds", column: "address_key", with: "live_outputs" },
  { table: "touches", column: "address_key", with: "live_outputs" },
  { table: "touch_runs", column: "address_key", with: "live_outputs" },
  { table: "addresses", column: "key", with: "live_outputs" },
  { table: "asset_changes", column: "block_hash" },
  { table: "change_sums", column: "token_id" },
  { table: "transactions", column: "hash" },
  { table: "outputs", column: "transaction_id" },
];

/** Tables that every node has as a whole. */
const REFERENCE = [
  "state",
  "blocks",
  "gaps",
  "abandoned_blocks",
  "abandoned_touches",
  "tokens",
  "asset_names",
  "claims",
  "registry",
  "icons",
  "prices",
  "access_tokens",
];

const CITUS = statement(`SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS created,
          EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'citus') AS available`);

const DONE = statement("SELECT logicalrelid::text AS name FROM pg_dist_partition");

/**
 * Spreads the tables over the nodes of a Citus cluster. The session must be the coordinator's. It skips tables that are distributed
 * already, so another run can finish an interrupted one. Throws without Citus. Resolves to the tables that it moved.
 */
export async function distribute(session: Session): Promise<string[]> {
  const { created, available } = (await session.get<{ created: boolean; available: boolean }>(CITUS))!;
  if (!created) {
    throw new Error(
      available
        ? "Citus is installed on this server, but not in this database: run CREATE EXTENSION citus on every node, add the workers with citus_add_node, and try again"
        : "This PostgreSQL server has no Citus extension: the tables stay on one machine, and everything works as before",
    );
  }
  const done = (await session.all<{ name: string }>(DONE)).map((row) => row.name);
  const moves = [
    // Tables with the same type of key would be colocated by default, and then be moved together for no reason.
    ...DISTRIBUTED.map(({ table, column, with: other }) => ({
      table,
      sql: `SELECT create_distributed_table('${table}', '${column}', colocate_with => '${other ?? "none"}')`,
    })),
    ...REFERENCE.map((table) => ({ table, sql: `SELECT create_reference_table('${table}')` })),
  ];
  const left = moves.filter(({ table }) => !done.includes(table));
  for (const { sql } of left) await session.exec(sql);
  // Citus copies the rows into shards, but leaves them in the coordinator's own table, which nothing reads any more.
  for (const { table } of moves) {
    await session.exec(
      `SELECT truncate_local_data_after_distributing_table('${table}') WHERE pg_relation_size('${table}') > 0`,
    );
  }
  return left.map(({ table }) => table);
}
