/** Names of server settings, each with its value as an SQL expression. */
export type Settings = Readonly<Record<string, string>>;

/** Settings that older servers lack. */
const NEWER = new Set(["transaction_timeout"]);

/** The statement that changes these settings, until the connection or the transaction ends. */
export function set(settings: Settings, until: "connection" | "transaction"): string {
  const calls = Object.entries(settings).map(([name, value]) => {
    const call = `set_config('${name}', ${value}, ${until === "transaction"})`;
    return NEWER.has(name) ? `CASE WHEN current_setting('${name}', true) IS NOT NULL THEN ${call} END` : call;
  });
  return calls.length === 0 ? "" : `SELECT ${calls.join(", ")};`;
}

/** Milliseconds after which the server gives up a statement; 0: never, nor its transaction. */
export const timeLimit = (milliseconds: number): Settings => ({
  statement_timeout: `'${milliseconds}'`,
  ...(milliseconds === 0 && { transaction_timeout: "'0'" }),
});

/**
 * Settings of connections for queries. A page must be a range scan of its index, so plans that sort a whole address are ruled out.
 * Planning takes longer than running, so plans are generic; on Citus they cannot be, because it chooses the shard when it plans.
 * Without its timeout, the coordinator would wait 30 seconds for each connection to a node that hangs.
 */
export const READ_SETTINGS: Settings = {
  "citus.node_connection_timeout": "'2000'",
  enable_bitmapscan: "'off'",
  enable_seqscan: "'off'",
  jit: "'off'",
  plan_cache_mode: `CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
    THEN 'auto' ELSE 'force_generic_plan' END`,
};
/** The server detects within a minute that a client's machine is dead. By default it takes two hours. */
const DEAD_CLIENTS: Settings = {
  tcp_keepalives_idle: "'30'",
  tcp_keepalives_interval: "'10'",
  tcp_keepalives_count: "'3'",
  tcp_user_timeout: "'60000'",
};

/** A dead writer must not keep the lock of writers, and one that gave up must not wait for it. */
export const WRITE_SETTINGS: Settings = {
  jit: "'off'",
  ...DEAD_CLIENTS,
  client_connection_check_interval: "'10000'",
};

/**
 * On Citus, a transaction may change both distributed and reference tables only if it visits shards one by one. Each connection to a
 * node is one more transaction to commit, so there is one for each node.
 */
export const DISTRIBUTED_WRITE: Settings = {
  "citus.multi_shard_modify_mode": "'sequential'",
  "citus.max_adaptive_executor_pool_size": "'1'",
};

/** Allows joins of tables that are distributed by different columns, which checks need. */
export const DISTRIBUTED_JOINS: Settings = { "citus.enable_repartition_joins": "'on'" };

/** The server does not disconnect an idle sync. */
export const LOCK_SETTINGS: Settings = { ...DEAD_CLIENTS, idle_session_timeout: "'0'" };
