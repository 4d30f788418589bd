import { horizon, tip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainIdentity, IndexTip } from "#lib/store/rows.ts";
import { first, statement } from "#lib/store/statement.ts";
import { chainIdentity } from "./chain.ts";

export interface Status {
  schemaVersion: number;
  identity: ChainIdentity | null;
  tip: IndexTip | null;
  /** Time of the tip, in milliseconds since the Unix epoch. */
  tipTime: number | null;
  lowestHeight: number | null;
  /** Outputs spent up to this height are not kept; -1: all are kept. */
  horizon: number;
  counts: Counts;
}

/** The rows of each count. */
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
const ENDS = statement(
  `SELECT (SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1) AS "tipTime",
     (SELECT min(height) FROM blocks) AS "lowestHeight"`,
);
const COUNTS = statement(
  `SELECT ${Object.entries(COUNTED).map(([name, rows]) => `(SELECT count(*) FROM ${rows}) AS "${name}"`)}`,
);

/** Counts all rows, which takes minutes in a large database. Throws as `chainIdentity` does. */
export const dataStatus: Query<void, Status> = {
  effort: "endless",
  *read(db) {
    return {
      schemaVersion: (yield* first<{ version: number }>(db, SCHEMA_VERSION))!.version,
      identity: yield* chainIdentity.read(db, undefined),
      tip: yield* tip(db),
      ...(yield* first<Pick<Status, "tipTime" | "lowestHeight">>(db, ENDS))!,
      horizon: yield* horizon(db),
      counts: { ...(yield* first<Counts>(db, COUNTS))! },
    };
  },
};
