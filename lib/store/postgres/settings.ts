/** Names of server settings, each with its value as an SQL expression. */
export type Settings = Readonly<Record<string, string>>;

/** The statement that changes these settings, until the connection or the transaction ends. */
export function set(settings: Settings, until: "connection" | "transaction"): string {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${value}, ${until === "transaction"})`,
  );
  return calls.length === 0 ? "" : `SELECT ${calls.join(", ")};`;
}

/** Milliseconds after which the server gives up a statement; 0: never. */
export const timeLimit = (milliseconds: number): Settings => ({ statement_timeout: `'${milliseconds}'` });

/**
 * Settings of connections that answer questions. A page must be a range scan of its index, so plans that sort a whole address
 * are ruled out, and a plan is made once: compiling takes longer than running. Citus chooses the shard when it plans, and has no
 * generic plan; its coordinator would wait 30 seconds for each connection to a node that hangs.
 */
export const READ_SETTINGS: Settings = {
  "citus.node_connection_timeout": "'2000'",
  enable_bitmapscan: "'off'",
  enable_seqscan: "'off'",
  jit: "'off'",
  plan_cache_mode: `CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
    THEN 'auto' ELSE 'force_generic_plan' END`,
};
export const WRITE_SETTINGS: Settings = { jit: "'off'" };

/**
 * With Citus, one transaction changes tables of both kinds only if it visits shards in turn, and each connection to a node is
 * one more transaction to commit.
 */
export const DISTRIBUTED_WRITE: Settings = {
  "citus.multi_shard_modify_mode": "'sequential'",
  "citus.max_adaptive_executor_pool_size": "'1'",
};

/** Checks join tables that are distributed by different columns. */
export const DISTRIBUTED_JOINS: Settings = { "citus.enable_repartition_joins": "'on'" };

/** The server finds out within a minute that the machine of the sync is gone, and does not cut an idle sync off. */
export const LOCK_SETTINGS: Settings = {
  tcp_keepalives_idle: "'30'",
  tcp_keepalives_interval: "'10'",
  tcp_keepalives_count: "'3'",
  idle_session_timeout: "'0'",
};
