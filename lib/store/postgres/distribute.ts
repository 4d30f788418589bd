import { statement } from "#lib/store/statement.ts";
import type { Session } from "./session.ts";

/**
 * The column that distributes each table. A page of an address and the changes of a block each read one shard. What both read
 * besides stands whole on every node. `outputs` and `transactions` serve ingest and checks only.
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

/**
 * Spreads the tables over the nodes of a Citus cluster; the session is the coordinator's. Skips tables that are already
 * distributed, so another run can finish an interrupted one. Throws without Citus. Resolves to the tables that it moved.
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
  const done = new Set(
    (
      await session.all<{ name: string }>(
        statement("SELECT logicalrelid::text AS name FROM pg_dist_partition"),
      )
    ).map((row) => row.name),
  );
  const moved: string[] = [];
  for (const { table, column, with: other } of DISTRIBUTED) {
    if (done.has(table)) continue;
    // Tables of one kind of key would be colocated by default, and then moved together for no reason.
    await session.exec(
      `SELECT create_distributed_table('${table}', '${column}', colocate_with => '${other ?? "none"}')`,
    );
    moved.push(table);
  }
  for (const table of REFERENCE) {
    if (done.has(table)) continue;
    await session.exec(`SELECT create_reference_table('${table}')`);
    moved.push(table);
  }
  // Citus copies the rows into shards and leaves them in the coordinator's own table, which nothing reads any more.
  for (const table of [...DISTRIBUTED.map((distributed) => distributed.table), ...REFERENCE]) {
    await session.exec(
      `SELECT truncate_local_data_after_distributing_table('${table}') WHERE pg_relation_size('${table}') > 0`,
    );
  }
  return moved;
}
