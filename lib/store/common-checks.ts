/** Promises about the tables that both engines check in the same words. */
import { done, type Steps } from "./rules/steps.ts";
import { type Connection, statement } from "./statement.ts";

/** Rows that must not be there, in words, and the statement that counts them. */
export type Check = readonly [what: string, sql: string];

/**
 * Counts what is in the first table and not in the second, as the number of rows without the number of those that fit:
 * Citus joins tables that are distributed by different columns (it moves rows between its nodes for that), but knows no
 * `NOT EXISTS` between them. A row that fits twice would hide another, but that is a fault of its own.
 */
export const missing = (from: string, join: string, condition = "true"): string =>
  `SELECT (SELECT count(*) FROM ${from} WHERE ${condition})
     - (SELECT count(*) FROM ${from} JOIN ${join} WHERE ${condition}) AS n`;

/** Gaps as the blocks make them. The row below the lowest block stands for height -1. */
const ACTUAL_GAPS = `
  SELECT below + 1 AS first_height, height - 1 AS last_height
  FROM (SELECT height, coalesce(lag(height) OVER (ORDER BY height), -1) AS below FROM blocks) neighbours
  WHERE height > below + 1`;

const CHECKS: readonly Check[] = [
  ["outputs without a transaction", missing("outputs o", "transactions x ON x.id = o.transaction_id")],
  ["outputs without a token", missing("outputs o", "tokens t ON t.id = o.token_id")],
  [
    "outputs spent by a transaction that is not stored",
    missing(
      "outputs o",
      "transactions x ON x.id = o.spent_transaction_id",
      "o.spent_transaction_id IS NOT NULL",
    ),
  ],
  [
    "outputs that are spent before they are created",
    "SELECT count(*) AS n FROM outputs WHERE spent_transaction_id <= transaction_id",
  ],
  [
    "outputs of which it is not clear whether they are spent",
    `SELECT count(*) AS n FROM outputs
     WHERE (spent_transaction_id IS NULL) <> (spent_input_index IS NULL)
        OR (transaction_id < 0 AND spent_transaction_id IS NULL)`,
  ],
  [
    "outputs of which it is not clear whether they hold a token",
    `SELECT count(*) AS n FROM outputs
     WHERE (amount IS NULL) <> (token_id = (SELECT min(id) FROM tokens WHERE standard = 'native'))`,
  ],
  [
    "transactions whose block is not stored",
    missing("transactions x", "blocks b ON b.height = (x.id >> 20)", "x.id >= 0"),
  ],
  [
    "transactions outside the indexed blocks of which nothing is spent",
    `SELECT (SELECT count(*) FROM transactions WHERE id < 0)
       - (SELECT count(DISTINCT transaction_id) FROM outputs WHERE transaction_id < 0) AS n`,
  ],
  [
    "claims whose transaction is not stored",
    missing("claims c", "transactions x ON x.id = c.transaction_id"),
  ],
  [
    "addresses whose key does not have 32 bytes",
    "SELECT count(*) AS n FROM addresses WHERE length(key) <> 32",
  ],
  [
    "gaps between the blocks that are not stored as they are",
    `SELECT (SELECT count(*) FROM (SELECT first_height, last_height FROM gaps EXCEPT ${ACTUAL_GAPS}) more)
       + (SELECT count(*) FROM (${ACTUAL_GAPS} EXCEPT SELECT first_height, last_height FROM gaps) less) AS n`,
  ],
  [
    "blocks that are stored and listed as abandoned",
    "SELECT count(*) AS n FROM abandoned_blocks a JOIN blocks b ON b.hash = a.hash",
  ],
  [
    "remembered touches of blocks that are not abandoned",
    missing("abandoned_touches t", "abandoned_blocks a ON a.hash = t.hash AND a.height = t.height"),
  ],
  [
    "abandoned blocks that are not at the height above their parent",
    `SELECT (SELECT count(*) FROM abandoned_blocks a JOIN blocks b ON b.hash = a.parent_hash
             WHERE a.height <> b.height + 1)
       + (SELECT count(*) FROM abandoned_blocks a JOIN abandoned_blocks b ON b.hash = a.parent_hash
          WHERE a.height <> b.height + 1) AS n`,
  ],
];

/** Of each table, its columns of amounts. */
const AMOUNTS = {
  outputs: ["amount", "capacity"],
  holdings: ["amount", "capacity"],
  kinds: ["capacity"],
  tokens: ["supply"],
  asset_changes: ["amount", "amount_usd"],
};

/**
 * A line for each promise that some rows break.
 * @param isAmount the condition that a value is a whole number from 0 on, as the engine writes it
 * @param own what only the engine has
 */
export function* integrityFaults(
  db: Connection,
  isAmount: (value: string) => string,
  own: readonly Check[],
): Steps<string[]> {
  const amounts = Object.entries(AMOUNTS).map(([table, columns]): Check => {
    const rightly = columns.map((column) => `(${column} IS NULL OR ${isAmount(column)})`).join(" AND ");
    return [
      `rows of ${table} with an amount that is not a whole number`,
      `SELECT count(*) AS n FROM ${table} WHERE NOT (${rightly})`,
    ];
  });
  const faults: string[] = [];
  for (const [i, [what, sql]] of [...CHECKS, ...amounts, ...own].entries()) {
    const [row] = yield* done(db.all<{ n: number }>(statement(`check-${i}`, sql)));
    if (row!.n > 0) faults.push(`${row!.n} ${what}`);
  }
  return faults;
}

/** The search for wrong holdings ends with this many: there may be as many of them as holdings. */
export const MAX_WRONG_HOLDINGS = 1_000;

export const wrongHolding = (token: number, address: number | string): string =>
  `The holding of token ${token} by address ${address} is not the sum of its live outputs`;

export const wrongKindsOf = (address: number | string): string =>
  `The sums by kind of address ${address} are not those of its live outputs`;
