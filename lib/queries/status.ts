import { horizon, tip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainIdentity, IndexTip } from "#lib/store/rows.ts";
import { first, statement } from "#lib/store/statement.ts";
import { chainIdentity } from "./chain.ts";

export interface Status {
  schemaVersion: number;
  identity: ChainIdentity | null;
  tip: IndexTip | null;
  /** Milliseconds since the Unix epoch, of the tip block. */
  tipTime: number | null;
  lowestHeight: number | null;
  /** Outputs that blocks up to this height spent are not kept; -1: all are. */
  horizon: number;
  counts: Counts;
}

/** What is counted, and the rows of each. */
const COUNTED = {
  blocks: "blocks",
  transactions: "transactions WHERE id >= 0",
  outputs: "outputs WHERE transaction_id >= 0",
  liveOutputs: "outputs WHERE spent_transaction_id IS NULL",
  addresses: "addresses",
  tokens: "tokens",
  assetChanges: "asset_changes",
  abandonedBlocks: "abandoned_blocks",
  registryEntries: "registry",
  prices: "prices",
  accessTokens: "access_tokens",
};
type Counts = Record<keyof typeof COUNTED, number>;

const SCHEMA_VERSION = statement({
  sqlite: "SELECT user_version AS version FROM pragma_user_version",
  postgres: "SELECT max(ordinal) AS version FROM schema_migrations",
});
const LOWEST = statement("SELECT min(height) AS height FROM blocks");
const TIP_TIME = statement("SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1");
const COUNTS = statement(
  `SELECT ${Object.entries(COUNTED).map(([name, rows]) => `(SELECT count(*) FROM ${rows}) AS "${name}"`)}`,
);

/** Counts everything, so it takes a while on much data. Throws what `chainIdentity` throws. */
export const dataStatus: Query<void, Status> = {
  effort: "endless",
  *read(db) {
    return {
      schemaVersion: (yield* first<{ version: number }>(db, SCHEMA_VERSION))!.version,
      identity: yield* chainIdentity.read(db, undefined),
      tip: yield* tip(db),
      tipTime: (yield* first<{ timestamp: number }>(db, TIP_TIME))?.timestamp ?? null,
      lowestHeight: (yield* first<{ height: number | null }>(db, LOWEST))?.height ?? null,
      horizon: yield* horizon(db),
      counts: { ...(yield* first<Counts>(db, COUNTS))! },
    };
  },
};
