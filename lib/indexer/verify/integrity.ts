import { PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import { horizon, SETBACK_SQL } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import { GROUP_SIZES } from "#lib/store/rules/change-sums.ts";
import { isLandmarkIn, lastSpentOfRun } from "#lib/store/rules/runs.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import {
  all,
  type Dialect,
  dialects,
  type EngineName,
  first,
  keyStart,
  statement,
  statementWith,
} from "#lib/store/statement.ts";

/** Names of rows that must not exist, and for each the SQL that counts them. */
type Checks = Readonly<Record<string, string>>;

/**
 * Counts the rows of the first table that the second lacks: all rows less those that join. Citus has no `NOT EXISTS`
 * between tables that are distributed by different columns. A row that joins twice is a fault of its own.
 */
const missing = (from: string, join: string, condition = "true"): string =>
  `SELECT (SELECT count(*) FROM ${from} WHERE ${condition})
     - (SELECT count(*) FROM ${from} JOIN ${join} WHERE ${condition}) AS n`;

/** The gaps between the stored blocks, and the one below the lowest block. */
const ACTUAL_GAPS = `
  SELECT below + 1 AS first_height, height - 1 AS last_height
  FROM (SELECT height, coalesce(lag(height) OVER (ORDER BY height), -1) AS below FROM blocks) neighbours
  WHERE height > below + 1`;

/** The first transaction above the horizon; 0 if there is none. */
const ABOVE_HORIZON = `(SELECT coalesce((SELECT (CAST(value AS bigint) + 1) << 20 FROM state WHERE key = 'horizon'), 0))`;

/** Checks of a database with a horizon. */
const HORIZON_CHECKS: Checks = {
  "outputs that were spent up to the horizon": `SELECT count(*) AS n FROM outputs WHERE spent_transaction_id < ${ABOVE_HORIZON}`,
  "transactions up to the horizon of which nothing is kept": missing(
    "transactions x",
    "(SELECT transaction_id FROM outputs UNION SELECT transaction_id FROM claims) kept ON kept.transaction_id = x.id",
    `x.id < ${ABOVE_HORIZON}`,
  ),
};

const CHECKS: Checks = {
  "outputs without a transaction": missing("outputs o", "transactions x ON x.id = o.transaction_id"),
  "outputs without a token": missing("outputs o", "tokens t ON t.id = o.token_id"),
  "outputs spent by a transaction that is not stored": missing(
    "outputs o",
    "transactions x ON x.id = o.spent_transaction_id",
    "o.spent_transaction_id IS NOT NULL",
  ),
  "outputs that are spent before they are created":
    "SELECT count(*) AS n FROM outputs WHERE spent_transaction_id >> 20 < transaction_id >> 20",
  "outputs of which it is not clear whether they are spent": `SELECT count(*) AS n FROM outputs
     WHERE (spent_transaction_id IS NULL OR spent_transaction_id = transaction_id) <> (spent_input_index IS NULL)
        OR (transaction_id < 0 AND spent_transaction_id IS NULL)`,
  "outputs of which it is not clear whether they hold a token": `SELECT count(*) AS n FROM outputs
     WHERE (amount IS NULL) <> (token_id = (SELECT min(id) FROM tokens WHERE standard = 'native'))`,
  "transactions whose block is not stored": missing(
    "transactions x",
    "blocks b ON b.height = (x.id >> 20)",
    "x.id >= 0",
  ),
  "transactions outside the indexed blocks of which nothing is spent": `SELECT (SELECT count(*) FROM transactions WHERE id < 0)
       - (SELECT count(DISTINCT transaction_id) FROM outputs WHERE transaction_id < 0) AS n`,
  "claims whose transaction is not stored": missing("claims c", "transactions x ON x.id = c.transaction_id"),
  "names of assets that are not stored": missing("asset_names n", "tokens t ON t.id = n.token_id"),
  "assets whose holders or outputs are not counted correctly": `SELECT count(*) AS n FROM (
       SELECT id FROM (
         SELECT id, holder_count AS holders, output_count AS outputs FROM tokens
         UNION ALL SELECT token_id, -count(*), -sum(output_count) FROM holdings GROUP BY token_id
       ) compared GROUP BY id HAVING sum(holders) <> 0 OR sum(outputs) <> 0
     ) wrong`,
  "addresses whose key does not have 32 bytes": "SELECT count(*) AS n FROM addresses WHERE length(key) <> 32",
  "wrongly stored gaps between blocks": `SELECT (SELECT count(*) FROM (SELECT first_height, last_height FROM gaps EXCEPT ${ACTUAL_GAPS}) more)
       + (SELECT count(*) FROM (${ACTUAL_GAPS} EXCEPT SELECT first_height, last_height FROM gaps) less) AS n`,
  "blocks that are earlier than a lower block by more than the stored setback": `SELECT count(*) AS n
     FROM (SELECT max(timestamp) OVER (ORDER BY height) - timestamp AS back FROM blocks) b WHERE back > ${SETBACK_SQL}`,
  "blocks that are stored and listed as abandoned":
    "SELECT count(*) AS n FROM abandoned_blocks a JOIN blocks b ON b.hash = a.hash",
  "sums of asset changes over blocks that are no group below the tip": `SELECT count(*) AS n FROM change_sums WHERE size NOT IN (${GROUP_SIZES}) OR first_height % size <> 0
       OR first_height < 0 OR first_height > (SELECT coalesce(max(height), -1) FROM blocks)`,
  "touches of replaced blocks that are not listed as abandoned": missing(
    "abandoned_touches t",
    "abandoned_blocks a ON a.hash = t.hash AND a.height = t.height",
  ),
  "abandoned blocks that are not at the height above their parent": `SELECT (SELECT count(*) FROM abandoned_blocks a JOIN blocks b ON b.hash = a.parent_hash
             WHERE a.height <> b.height + 1)
       + (SELECT count(*) FROM abandoned_blocks a JOIN abandoned_blocks b ON b.hash = a.parent_hash
          WHERE a.height <> b.height + 1) AS n`,
};

/** The columns of amounts of each table. */
const AMOUNTS = {
  outputs: ["amount", "capacity"],
  live_outputs: ["amount", "capacity"],
  holdings: ["amount", "capacity"],
  kinds: ["capacity"],
  tokens: ["supply"],
  asset_changes: ["amount", "amount_usd"],
  change_sums: ["amount", "amount_usd"],
};

/** SQL that is true if the value is a whole number from 0 on. Beyond 64 bits, SQLite stores it as text. */
const isAmount: Record<EngineName, (value: string) => string> = {
  sqlite: (value) =>
    `typeof(${value}) = 'integer' AND ${value} >= 0
     OR typeof(${value}) = 'text' AND ${value} NOT GLOB '*[^0-9]*' AND ${value} NOT GLOB '0*'
        AND (length(${value}) > 19 OR length(${value}) = 19 AND ${value} > '9223372036854775807')`,
  // NaN and infinities have no scale.
  postgres: (value) => `${value} >= 0 AND coalesce(scale(${value}) = 0, false)`,
};

/** SQLite: live outputs that are neither plain nor hold a token. */
const LIVE_KINDS = `FROM live_outputs l
  CROSS JOIN outputs o ON o.transaction_id = l.transaction_id AND o.output_index = l.output_index
  WHERE l.amount IS NULL AND o.kind IS NOT '${PLAIN_OUTPUT}'`;

/** Checks whose SQL names columns that differ. Touches themselves are compared with the blocks. */
function dialectChecks({ changeOf, greatest, owner: { column: owner, primaryKey } }: Dialect): Checks {
  return {
    "outputs without an address": missing("outputs o", `addresses a ON a.${primaryKey} = o.${owner}`),
    "unspent outputs that are not among the live ones with the same values": missing(
      "outputs o",
      `live_outputs l ON l.${owner} = o.${owner} AND l.transaction_id = o.transaction_id
         AND l.output_index = o.output_index AND l.token_id = o.token_id
         AND l.amount IS NOT DISTINCT FROM o.amount AND l.capacity = o.capacity`,
      "o.spent_transaction_id IS NULL",
    ),
    "live outputs with the hash of another transaction": missing(
      "live_outputs l",
      "transactions x ON x.hash = l.transaction_hash AND x.id = l.transaction_id",
    ),
    "live outputs in excess of unspent ones": `SELECT (SELECT count(*) FROM live_outputs)
       - (SELECT count(*) FROM outputs WHERE spent_transaction_id IS NULL) AS n`,
    "touches that begin no run and should": missing(
      "touches t",
      `touch_runs r ON r.${owner} = t.${owner} AND r.first_id = t.transaction_id`,
      isLandmarkIn("t.transaction_id"),
    ),
    "runs of touches that do not begin at a landmark": missing(
      "touch_runs r",
      `touches t ON t.${owner} = r.${owner} AND t.transaction_id = r.first_id AND ${isLandmarkIn("t.transaction_id")}`,
    ),
    // A spend up to the horizon counts as none.
    "runs of touches with another last spend than theirs": `SELECT count(*) AS n FROM touch_runs
       WHERE last_spent < 0 OR ${greatest("last_spent", ABOVE_HORIZON)} <> ${greatest(lastSpentOfRun(owner), ABOVE_HORIZON)}`,
    "asset changes whose block is not stored": missing(
      "asset_changes c",
      `blocks b ON ${changeOf("b")} AND b.height = c.height`,
    ),
  };
}

const OWN: Record<EngineName, Checks> = {
  sqlite: {
    "holdings without a live output": `SELECT count(*) AS n FROM holdings h
       WHERE NOT EXISTS (SELECT 1 FROM live_outputs l
         WHERE l.address_id = h.address_id AND l.token_id = h.token_id)`,
    "holdings that are not in the order of their addresses": `SELECT count(*) AS n FROM holdings h JOIN addresses a ON a.id = h.address_id
       WHERE h.key_start <> ${keyStart("a.key")}`,
    "sums by kind without a live output": `SELECT count(*) AS n FROM kinds k
       WHERE NOT EXISTS (SELECT 1 ${LIVE_KINDS} AND l.address_id = k.address_id)`,
    "tokens of which it is not clear whether they are fungible or public":
      "SELECT count(*) AS n FROM tokens WHERE fungible NOT IN (0, 1) OR public NOT IN (0, 1)",
  },
  postgres: {
    "transactions that share an id": "SELECT count(*) - count(DISTINCT id) AS n FROM transactions",
  },
};

function checksOf(engine: EngineName, hasHorizon: boolean): Checks {
  const checks = { ...CHECKS };
  for (const [table, columns] of Object.entries(AMOUNTS)) {
    const rightly = columns.map((column) => `(${column} IS NULL OR ${isAmount[engine](column)})`);
    checks[`rows of ${table} with an amount that is not a whole number`] =
      `SELECT count(*) AS n FROM ${table} WHERE NOT (${rightly.join(" AND ")})`;
  }
  return { ...checks, ...dialectChecks(dialects[engine]), ...OWN[engine], ...(hasHorizon && HORIZON_CHECKS) };
}

/** Checks the pages and indexes of SQLite's file. */
const FILE = statement("PRAGMA integrity_check");

/** Limit of each of the searches below, as all sums may be wrong. */
const MAX_WRONG = 1_000;

/** Holdings that are not the sums of their live outputs. SQLite reads one index in its order. */
const WRONG_HOLDINGS = statement((sql) => {
  const { column } = sql.owner;
  const rightly = isAmount[sql.engine];
  const [live, join] = {
    sqlite: [
      `live_outputs INDEXED BY live_outputs_by_token
       WHERE (amount IS NULL OR ${rightly("amount")}) AND (${rightly("capacity")})`,
      "LEFT JOIN",
    ],
    postgres: ["live_outputs", "FULL JOIN"],
  }[sql.engine] as [string, string];
  return `SELECT ${column} AS owner, token_id
    FROM (SELECT ${column}, token_id, count(*) AS output_count, ${sql.sum("coalesce(amount, capacity)")} AS amount,
                 ${sql.sum("capacity")} AS capacity
          FROM ${live} GROUP BY ${column}, token_id) summed
    ${join} holdings h USING (${column}, token_id)
    WHERE summed.output_count IS DISTINCT FROM h.output_count
       OR summed.amount IS DISTINCT FROM CAST(h.amount AS TEXT)
       OR summed.capacity IS DISTINCT FROM CAST(h.capacity AS TEXT)
    ORDER BY ${column}, token_id LIMIT ${MAX_WRONG}`;
});

/** Addresses whose sums by kind are not those of their live outputs that are neither plain nor hold a token. */
const WRONG_KINDS = statement((sql) => {
  if (sql.engine === "postgres") {
    return `SELECT address_key AS owner
      FROM (
        SELECT address_key, split_part(coalesce(kind, ''), '@', 1) AS kind, count(*) AS output_count,
               sum(capacity) AS capacity
        FROM outputs WHERE spent_transaction_id IS NULL AND amount IS NULL AND kind IS DISTINCT FROM '${PLAIN_OUTPUT}'
        GROUP BY 1, 2
        UNION ALL
        SELECT address_key, kind, -output_count, -capacity FROM kinds
      ) compared
      GROUP BY address_key, kind
      HAVING count(*) <> 2 OR sum(output_count) <> 0 OR sum(capacity) <> 0
      ORDER BY address_key LIMIT ${MAX_WRONG}`;
  }
  // Addresses are checked one by one, so that memory does not grow with their number.
  const summed = `SELECT substr(coalesce(kind, ''), 1, instr(coalesce(kind, '') || '@', '@') - 1) AS word, count(*),
      ${sql.sum("l.capacity")} ${LIVE_KINDS} AND (${isAmount.sqlite("l.capacity")}) AND l.address_id = each.address_id
    GROUP BY word`;
  const stored =
    "SELECT kind, output_count, CAST(capacity AS TEXT) FROM kinds WHERE address_id = each.address_id";
  return `SELECT address_id AS owner FROM (SELECT DISTINCT l.address_id ${LIVE_KINDS}) each
    WHERE EXISTS (SELECT * FROM (${summed}) EXCEPT ${stored}) OR EXISTS (${stored} EXCEPT SELECT * FROM (${summed}))
    LIMIT ${MAX_WRONG}`;
});

/**
 * For each group size, the groups from `$from` to `$to` whose sums differ from those of the next smaller size, or of the
 * changes themselves. Both heights must be ends of groups.
 */
const WRONG_CHANGE_SUMS = GROUP_SIZES.map((size, i) => ({
  size,
  query: statementWith(["from", "to"])((sql) => {
    const rightly = isAmount[sql.engine];
    const below = GROUP_SIZES[i - 1];
    const parts = below
      ? `SELECT first_height AS height, token_id, amount, amount_usd, blocks, transactions, first_place
         FROM change_sums WHERE size = ${below} AND first_height >= $from AND first_height <= $to`
      : `SELECT b.height, c.token_id, c.amount, c.amount_usd, 1 AS blocks, c.transaction_count AS transactions,
           (b.height << 20) + c.ordinal AS first_place
         FROM blocks b JOIN asset_changes c ON ${sql.changeOf("b")} WHERE b.height >= $from AND b.height <= $to`;
    const actual = `SELECT height - height % ${size} AS first_height, token_id, ${sql.sum("amount")} AS amount,
        ${sql.sum("amount_usd")} AS usd, sum(blocks) AS blocks, sum(transactions) AS transactions,
        min(first_place) AS first_place
      FROM (${parts}) parts WHERE (${rightly("amount")}) AND (${rightly("amount_usd")})
      GROUP BY height - height % ${size}, token_id`;
    const stored = `SELECT first_height, token_id, CAST(amount AS TEXT), CAST(amount_usd AS TEXT), blocks,
        transactions, first_place
      FROM change_sums WHERE size = ${size} AND first_height >= $from AND first_height <= $to`;
    return `SELECT DISTINCT first_height, token_id
      FROM (SELECT * FROM (${actual} EXCEPT ${stored}) less UNION ALL SELECT * FROM (${stored} EXCEPT ${actual}) more) wrong
      ORDER BY first_height, token_id LIMIT ${MAX_WRONG}`;
  }),
}));
const HIGHEST = statement("SELECT max(height) AS height FROM blocks");

/** Blocks that are checked at once, to bound memory. */
const CHECKED_BLOCKS = 4096;

function* changeSumFaults(db: Reader): Steps<string[]> {
  const faults: string[] = [];
  const highest = (yield* first<{ height: number | null }>(db, HIGHEST))!.height ?? -1;
  type Wrong = { first_height: number; token_id: number };
  for (const { size, query } of WRONG_CHANGE_SUMS) {
    const step = Math.max(size, CHECKED_BLOCKS);
    for (let from = 0; from <= highest && faults.length < MAX_WRONG; from += step) {
      for (const { first_height, token_id } of yield* all<Wrong>(db, query({ from, to: from + step - 1 }))) {
        faults.push(
          `The sums of token ${token_id} over the ${size} blocks from ${first_height} on are not those of its changes`,
        );
      }
    }
  }
  return faults;
}

/** Returns a line for each broken invariant of the tables. */
export const integrityFaults: Query<void, string[]> = {
  effort: "endless",
  *read(db) {
    const faults: string[] = [];
    if (db.engine === "sqlite") {
      for (const { integrity_check: said } of yield* all<{ integrity_check: string }>(db, FILE)) {
        if (said !== "ok") faults.push(`SQLite: ${said}`);
      }
    }
    for (const [what, sql] of Object.entries(checksOf(db.engine, (yield* horizon(db)) >= 0))) {
      const { n } = (yield* first<{ n: number }>(db, statement(sql)))!;
      if (n > 0) faults.push(`${n} ${what}`);
    }
    type Wrong = { token_id: number; owner: number | string };
    for (const { token_id, owner } of yield* all<Wrong>(db, WRONG_HOLDINGS)) {
      faults.push(`The holding of token ${token_id} by address ${owner} is not the sum of its live outputs`);
    }
    for (const { owner } of yield* all<Pick<Wrong, "owner">>(db, WRONG_KINDS)) {
      faults.push(`The sums by kind of address ${owner} are not those of its live outputs`);
    }
    faults.push(...(yield* changeSumFaults(db)));
    return faults;
  },
};
