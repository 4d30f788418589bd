/** The statements that fill tables which a migration makes: see `Migration.fill`. */
import { isLandmarkIn, lastSpentOfRun } from "./rules/runs.ts";
import { type Statement, statement } from "./statement.ts";

/** PostgreSQL has had this table from the start. */
export const FILL_LIVE_OUTPUTS = statement({
  sqlite: `INSERT INTO live_outputs
    SELECT address_id, transaction_id, output_index, token_id, x.hash, amount, capacity
    FROM outputs JOIN transactions x ON x.id = transaction_id
    WHERE transaction_id >= $1 AND transaction_id < $2 AND spent_transaction_id IS NULL`,
  postgres: "SELECT WHERE $1::bigint > $2::bigint",
});

export const FILL_TRANSACTIONS = statement({
  sqlite: "INSERT INTO transactions SELECT id, hash FROM old_transactions WHERE id >= $1 AND id < $2",
  postgres: "SELECT WHERE $1::bigint > $2::bigint",
});

/** Of each change of an asset, the transactions of its block that moved the asset. Every output holds the native one, 1. */
export const COUNT_TRANSACTIONS = statement(({ engine }) => {
  const moved = (id: string, token: string) =>
    `SELECT ${id} AS id, ${token} AS token_id FROM outputs WHERE ${id} >= $1 AND ${id} < $2`;
  const [from, ofBlock] = {
    sqlite: ["", "asset_changes.height = counted.height"],
    postgres: ["blocks b,", "b.height = counted.height AND asset_changes.block_hash = b.hash"],
  }[engine] as [string, string];
  return `UPDATE asset_changes SET transaction_count = counted.n
    FROM ${from} (
      SELECT id >> 20 AS height, token_id, count(*) AS n
      FROM (
        ${["transaction_id", "spent_transaction_id"].flatMap((id) => [moved(id, "token_id"), moved(id, "1")]).join(" UNION ")}
      ) moved
      GROUP BY id >> 20, token_id
    ) counted
    WHERE ${ofBlock} AND asset_changes.token_id = counted.token_id`;
});

/** The sums of asset changes over groups of so many blocks, of which some may be filled already. */
export const sumChanges = (size: number): Statement =>
  statement((sql) => {
    const added = ["amount", "amount_usd"].map(
      (column) => `${column} = ${sql.add(`change_sums.${column}`, `excluded.${column}`)}`,
    );
    return `INSERT INTO change_sums
        (size, first_height, token_id, amount, amount_usd, blocks, transactions, first_place)
      SELECT ${size}, b.height - b.height % ${size} AS first_height, c.token_id, ${sql.total("c.amount")},
             ${sql.total("c.amount_usd")}, count(*), sum(c.transaction_count), min((b.height << 20) + c.ordinal)
      FROM blocks b JOIN asset_changes c ON ${sql.changeOf("b")}
      WHERE b.height >= CAST($1 AS bigint) >> 20 AND b.height < CAST($2 AS bigint) >> 20
      GROUP BY b.height - b.height % ${size}, c.token_id
      ON CONFLICT (size, first_height, token_id) DO UPDATE SET ${added},
        blocks = change_sums.blocks + excluded.blocks,
        transactions = change_sums.transactions + excluded.transactions,
        first_place = ${sql.least("change_sums.first_place", "excluded.first_place")}`;
  });

/** Touches of all outputs that these transactions create or spend. */
export const FILL_TOUCHES = statement(
  ({ owner: { column } }) => `INSERT INTO touches
           (${column}, transaction_id, created, spent, live, last_spent)
         SELECT ${column}, touching, sum(created), sum(spent), sum(live), max(last_spent)
         FROM (
           SELECT ${column}, transaction_id AS touching, 1 AS created, 0 AS spent,
                  CASE WHEN spent_transaction_id IS NULL THEN 1 ELSE 0 END AS live, coalesce(spent_transaction_id, 0) AS last_spent
           FROM outputs WHERE transaction_id >= $1 AND transaction_id < $2
           UNION ALL
           SELECT ${column}, spent_transaction_id, 0, 1, 0, 0
           FROM outputs WHERE spent_transaction_id >= $1 AND spent_transaction_id < $2 AND transaction_id >= 0
         ) touching
         GROUP BY ${column}, touching`,
);

/** The same for SQLite's new table of them, which has no counts. */
export const REFILL_TOUCHES = statement({
  sqlite: `INSERT INTO touches
    SELECT address_id, touching, max(last_spent)
    FROM (
      SELECT address_id, transaction_id AS touching, coalesce(spent_transaction_id, 0) AS last_spent
      FROM outputs WHERE transaction_id >= $1 AND transaction_id < $2
      UNION ALL
      SELECT address_id, spent_transaction_id, 0
      FROM outputs WHERE spent_transaction_id >= $1 AND spent_transaction_id < $2 AND transaction_id >= 0
    )
    GROUP BY address_id, touching`,
  postgres: "SELECT WHERE $1::bigint > $2::bigint",
});

/** Where runs of touches begin. Where each ends is known once all begin. */
export const FILL_RUNS = statement(
  ({ owner: { column } }) => `INSERT INTO touch_runs (${column}, first_id, last_spent)
         SELECT ${column}, id, 0
         FROM (
           SELECT ${column}, transaction_id AS id FROM outputs WHERE transaction_id >= $1 AND transaction_id < $2
           UNION
           SELECT ${column}, spent_transaction_id FROM outputs
           WHERE spent_transaction_id >= $1 AND spent_transaction_id < $2 AND transaction_id >= 0
         ) touching
         WHERE ${isLandmarkIn("id")}`,
);

export const FILL_LAST_SPENT = statement(
  ({ owner: { column } }) => `INSERT INTO touch_runs (${column}, first_id, last_spent)
         SELECT ${column}, first_id, ${lastSpentOfRun(column)}
         FROM touch_runs WHERE first_id >= $1 AND first_id < $2
         ON CONFLICT (${column}, first_id) DO UPDATE SET last_spent = excluded.last_spent`,
);
