/** The schema, and how it came to be. */
import {
  COUNT_TRANSACTIONS,
  FILL_LAST_SPENT,
  FILL_LIVE_OUTPUTS,
  FILL_RUNS,
  FILL_TOUCHES,
  FILL_TRANSACTIONS,
  REFILL_TOUCHES,
  sumChanges,
} from "./fill-statements.ts";
import { type EngineName, HASH_PREFIX, keyStart, type Statement } from "./statement.ts";
import { RUN_BITS } from "./transaction-id.ts";

/**
 * A step of a database's history; steps are only added. SQL cannot fold names as `foldCase` does: a step that changes names
 * sets `name_folded` to `''` and removes the tokens' `asset_names`, and the engine makes both again.
 */
export interface Migration extends Readonly<Record<EngineName, readonly string[]>> {
  readonly name: string;
  /**
   * Afterwards, statements that fill new tables from the blocks of some heights. `$1`: the first id of a transaction at them,
   * `$2`: the first one above. Some blocks are one transaction, so what was interrupted goes on where it was.
   */
  readonly fill: readonly Statement[];
}

/** Types of columns, and what follows the columns of a table. PostgreSQL compares text by its bytes, on any server. */
const WORDS = {
  sqlite: {
    engine: "sqlite",
    text: "TEXT",
    bytes: "BLOB",
    bigint: "INTEGER",
    integer: "INTEGER",
    boolean: "INTEGER",
    // An integer while it fits in 64 bits, and text beyond.
    amount: "ANY",
    owner: "address_id",
    ownerType: "INTEGER",
    rowsByKey: "STRICT, WITHOUT ROWID",
    rowsByNumber: "STRICT",
    sums: "STRICT, WITHOUT ROWID",
  },
  postgres: {
    engine: "postgres",
    text: 'text COLLATE "C"',
    bytes: "bytea",
    bigint: "bigint",
    integer: "integer",
    boolean: "boolean",
    amount: "numeric",
    owner: "address_key",
    ownerType: "bytea",
    rowsByKey: "",
    rowsByNumber: "",
    sums: "WITH (fillfactor = 80)",
  },
} as const;
type Words = (typeof WORDS)[EngineName];

const migration = (
  name: string,
  statements: (words: Words) => string[],
  fill: readonly Statement[] = [],
): Migration => ({ name, sqlite: statements(WORDS.sqlite), postgres: statements(WORDS.postgres), fill });

/**
 * How each engine keeps an address's unspent outputs, so that a page is one range scan at any depth.
 *
 * SQLite: `live_outputs` is a partial index of `outputs`, so the two cannot disagree. Addresses have numbers.
 *
 * PostgreSQL: `live_outputs` is a table, read by an index-only scan of its primary key. What one batch creates and spends never
 * enters it, it is distributed by address, and it carries the transaction's hash. Addresses stand by their key, so that a page
 * needs one statement and one shard. Every unique constraint contains the column that distributes its table (distribute.ts).
 */
const OUTPUT_TABLES: Record<EngineName, string[]> = {
  sqlite: [
    `CREATE TABLE addresses (
      id INTEGER PRIMARY KEY,
      key BLOB NOT NULL UNIQUE,
      text TEXT NOT NULL,
      first_height INTEGER NOT NULL
    ) STRICT`,
    "CREATE TABLE transactions (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE) STRICT",
    `CREATE TABLE outputs (
      transaction_id INTEGER NOT NULL,
      output_index INTEGER NOT NULL,
      address_id INTEGER NOT NULL,
      token_id INTEGER NOT NULL,
      amount ANY,               -- of the token; NULL for the native asset, whose amount is the capacity
      capacity ANY NOT NULL,
      spent_transaction_id INTEGER,
      spent_input_index INTEGER,
      PRIMARY KEY (transaction_id, output_index)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX live_outputs
      ON outputs (address_id, transaction_id, output_index, token_id, amount, capacity)
      WHERE spent_transaction_id IS NULL`,
    `CREATE INDEX live_outputs_by_token
      ON outputs (address_id, token_id, transaction_id, output_index, amount, capacity)
      WHERE spent_transaction_id IS NULL`,
  ],
  postgres: [
    `CREATE TABLE addresses (
      key bytea PRIMARY KEY,
      text text COLLATE "C" NOT NULL,
      first_height bigint NOT NULL
    )`,
    "CREATE TABLE transactions (hash bytea PRIMARY KEY, id bigint NOT NULL)",
    "CREATE INDEX transactions_by_id ON transactions (id)",
    `CREATE TABLE outputs (
      transaction_id bigint NOT NULL,
      output_index bigint NOT NULL,
      spent_transaction_id bigint,
      spent_input_index integer,
      token_id integer NOT NULL,
      address_key bytea NOT NULL,
      amount numeric,           -- of the token; NULL for the native asset, whose amount is the capacity
      capacity numeric NOT NULL,
      PRIMARY KEY (transaction_id, output_index)
    )`,
    // An index-only scan reads only the index where vacuum has seen the rows.
    `CREATE TABLE live_outputs (
      transaction_id bigint NOT NULL,
      output_index bigint NOT NULL,
      token_id integer NOT NULL,
      address_key bytea NOT NULL,
      transaction_hash bytea NOT NULL,
      amount numeric,           -- as in outputs
      capacity numeric NOT NULL,
      PRIMARY KEY (address_key, transaction_id, output_index) INCLUDE (token_id, transaction_hash, amount, capacity)
    ) WITH (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.01)`,
    `CREATE INDEX live_outputs_by_token
      ON live_outputs (address_key, token_id, transaction_id, output_index)
      INCLUDE (transaction_hash, amount, capacity)`,
  ],
};

/** A block's changes together in order of first appearance, by what is asked for. */
const CHANGES_KEY: Record<EngineName, [columns: string, key: string]> = {
  sqlite: ["height INTEGER NOT NULL, ordinal INTEGER NOT NULL, token_id INTEGER NOT NULL", "height"],
  postgres: [
    "block_hash bytea NOT NULL, ordinal integer NOT NULL, token_id integer NOT NULL, height bigint NOT NULL",
    "block_hash",
  ],
};

/** `$.name` of a registry entry that is JSON text. */
const inEntry = ({ engine }: Words, name: string): string =>
  engine === "sqlite" ? `json_extract(r.entry, '$.${name}')` : `r.entry::json ->> '${name}'`;

const SQLITE_LIVE_OUTPUTS = [
  "DROP INDEX live_outputs",
  "DROP INDEX live_outputs_by_token",
  `CREATE TABLE live_outputs (
    address_id INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    output_index INTEGER NOT NULL,
    token_id INTEGER NOT NULL,
    transaction_hash BLOB NOT NULL,
    amount ANY,               -- as in outputs
    capacity ANY NOT NULL,
    PRIMARY KEY (address_id, transaction_id, output_index)
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX live_outputs_by_token ON live_outputs (address_id, token_id, transaction_id, output_index)",
];
/** Of a holding's amount, in SQLite: texts of one length sort as their numbers. */
export const sqliteSize = (amount: string): string => `iif(typeof(${amount}) = 'text', length(${amount}), 0)`;

/** `index`: of their hashes, in place of any that there is. */
const sqliteTransactions = (index: string): string[] => [
  "ALTER TABLE transactions RENAME TO old_transactions",
  "DROP INDEX IF EXISTS transactions_by_hash",
  "CREATE TABLE transactions (id INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT",
  `CREATE ${index}`,
  // Of blocks that are not indexed.
  "INSERT INTO transactions SELECT id, hash FROM old_transactions WHERE id < 0",
];
const dropOldTransactions = ({ engine }: Words): string[] =>
  engine === "sqlite" ? ["DROP TABLE old_transactions"] : [];
const SQLITE_TOUCHES = `CREATE TABLE touches (
  address_id INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL,
  last_spent INTEGER NOT NULL,
  PRIMARY KEY (address_id, transaction_id)
) STRICT, WITHOUT ROWID`;

/**
 * A transaction's id is its place in the chain (transaction-id.ts). An output spent here whose own block is not indexed hangs
 * on a negative id. Hashes are 32 bytes.
 */
export const migrations: readonly Migration[] = [
  migration("0001-chain", (is) => [
    `CREATE TABLE state (key ${is.text} PRIMARY KEY, value ${is.text} NOT NULL) ${is.rowsByKey}`,
    `CREATE TABLE blocks (
      height ${is.bigint} PRIMARY KEY,
      hash ${is.bytes} NOT NULL UNIQUE,
      parent_hash ${is.bytes} NOT NULL,
      timestamp ${is.bigint} NOT NULL,
      transaction_count ${is.integer} NOT NULL,
      change_count ${is.integer} NOT NULL
    ) ${is.rowsByNumber}`,
    "CREATE INDEX blocks_by_timestamp ON blocks (timestamp)",
    `CREATE TABLE abandoned_blocks (
      hash ${is.bytes} PRIMARY KEY,
      height ${is.bigint} NOT NULL,
      parent_hash ${is.bytes} NOT NULL
    ) ${is.rowsByKey}`,
    "CREATE INDEX abandoned_blocks_by_height ON abandoned_blocks (height)",
    `CREATE TABLE tokens (
      id ${is.integer} PRIMARY KEY,
      asset_id ${is.text} NOT NULL UNIQUE,
      -- facts of the chain
      standard ${is.text} NOT NULL,
      fungible ${is.boolean} NOT NULL,
      content_type ${is.text} NOT NULL,
      chain_parent_id ${is.text} NOT NULL,
      first_height ${is.bigint},
      first_mint_height ${is.bigint},
      supply ${is.amount} NOT NULL ${is.engine === "sqlite" ? "" : "DEFAULT 0"},
      -- what is shown: the facts, the earliest claim, and the registry over both
      layer ${is.integer} NOT NULL DEFAULT 2,
      parent_id ${is.text} NOT NULL DEFAULT '',
      name ${is.text} NOT NULL DEFAULT '',
      name_folded ${is.text} NOT NULL DEFAULT '',
      symbol ${is.text} NOT NULL DEFAULT '',
      decimals ${is.integer} NOT NULL DEFAULT 0,
      icon ${is.text} NOT NULL DEFAULT '',
      description ${is.text} NOT NULL DEFAULT '',
      keywords ${is.text} NOT NULL DEFAULT '',
      public ${is.boolean} NOT NULL DEFAULT ${is.engine === "sqlite" ? "0" : "false"},
      tags ${is.engine === "sqlite" ? "TEXT NOT NULL DEFAULT '[]'" : `text[] COLLATE "C" NOT NULL DEFAULT '{}'`}
    ) ${is.engine === "sqlite" ? "STRICT" : "WITH (fillfactor = 70) -- supplies change with every block"}`,
    "CREATE INDEX tokens_by_chain_parent ON tokens (chain_parent_id) WHERE chain_parent_id <> ''",
    `CREATE TABLE claims (
      asset_id ${is.text} NOT NULL,
      transaction_id ${is.bigint} NOT NULL,
      output_index ${is.bigint} NOT NULL,
      name ${is.text} NOT NULL,
      symbol ${is.text} NOT NULL,
      decimals ${is.integer},
      PRIMARY KEY (asset_id, transaction_id, output_index)
    ) ${is.rowsByKey}`,
    "CREATE INDEX claims_by_transaction ON claims (transaction_id)",
    ...OUTPUT_TABLES[is.engine],
    `CREATE INDEX spent_outputs
      ON outputs (spent_transaction_id, spent_input_index) WHERE spent_transaction_id IS NOT NULL`,
    // What each address holds of each asset: sums over its live outputs.
    `CREATE TABLE holdings (
      ${is.owner} ${is.ownerType} NOT NULL,
      token_id ${is.integer} NOT NULL,
      output_count ${is.bigint} NOT NULL,
      amount ${is.amount} NOT NULL,
      capacity ${is.amount} NOT NULL,
      PRIMARY KEY (${is.owner}, token_id)
    ) ${is.sums}`,
    `CREATE TABLE asset_changes (
      ${CHANGES_KEY[is.engine][0]},
      amount ${is.amount} NOT NULL,
      amount_usd ${is.amount} NOT NULL,  -- units of 10^-8 US dollars
      PRIMARY KEY (${CHANGES_KEY[is.engine][1]}, ordinal)
    ) ${is.rowsByKey}`,
    "CREATE INDEX asset_changes_by_token ON asset_changes (token_id, height)",
    `CREATE TABLE registry (asset_id ${is.text} PRIMARY KEY, entry ${is.text} NOT NULL) ${is.rowsByKey}`,
    `CREATE TABLE prices (
      asset_id ${is.text} NOT NULL,
      time ${is.bigint} NOT NULL,
      usd ${is.engine === "sqlite" ? "TEXT" : "numeric"} NOT NULL, -- scaled by 10^18
      PRIMARY KEY (asset_id, time)
    ) ${is.rowsByKey}`,
    `CREATE TABLE access_tokens (
      id ${is.text} PRIMARY KEY,
      hash ${is.bytes} NOT NULL UNIQUE,
      name ${is.text} NOT NULL,
      scopes ${is.text} NOT NULL,
      hint ${is.text} NOT NULL,
      created_at ${is.bigint} NOT NULL,
      expires_at ${is.bigint},
      revoked_at ${is.bigint}
    ) ${is.rowsByKey}`,
  ]),
  // Names were folded with a final sigma, and capital sharp s, left as they were.
  migration("0002-folded-names", () => [
    `UPDATE tokens SET name_folded = replace(replace(name_folded, 'ς', 'σ'), 'ß', 'ss')
      WHERE name_folded <> replace(replace(name_folded, 'ς', 'σ'), 'ß', 'ss')`,
  ]),
  // Shown icons were the registry's texts; they become our own pictures, which `aqs assets load` fetches.
  migration("0003-icons", (is) => [
    `CREATE TABLE icons (
      asset_id ${is.text} PRIMARY KEY,
      picture ${is.bytes} NOT NULL,
      etag ${is.text} NOT NULL
    ) ${is.rowsByNumber}`,
    "UPDATE tokens SET icon = '' WHERE icon <> ''",
  ]),
  // Names, symbols and media types from the chain had no limit: see lib/contract/texts.ts.
  migration("0004-limited-claims", (is) => {
    const cut = (table: string, column: string, length: number, also = "") =>
      `UPDATE ${table} SET ${column} = substr(${column}, 1, ${length - 1}) || '…'${also} WHERE length(${column}) > ${length}`;
    const notListed = (column: string) => `AND NOT EXISTS (SELECT 1 FROM registry r
      WHERE r.asset_id = tokens.asset_id AND ${inEntry(is, column)} IS NOT NULL)`;
    return [
      cut("claims", "name", 256),
      cut("claims", "symbol", 64),
      cut("tokens", "content_type", 256),
      `${cut("tokens", "name", 256, ", name_folded = ''")} ${notListed("name")}`,
      `${cut("tokens", "symbol", 64)} ${notListed("symbol")}`,
    ];
  }),
  // What is missing below the tip: read with every answer, so it cannot be looked for among the blocks.
  migration("0005-gaps", (is) => [
    `CREATE TABLE gaps (first_height ${is.bigint} PRIMARY KEY, last_height ${is.bigint} NOT NULL) ${is.rowsByNumber}`,
    `INSERT INTO gaps (first_height, last_height)
      SELECT below + 1, height - 1
      FROM (SELECT height, coalesce(lag(height) OVER (ORDER BY height), -1) AS below FROM blocks) neighbours
      WHERE height > below + 1`,
  ]),
  // NULL: what RATE_LIMIT_PER_MINUTE says.
  migration("0006-token-rates", (is) => [
    `ALTER TABLE access_tokens ADD COLUMN rate_per_minute ${is.bigint}`,
  ]),
  // Milliseconds since the Unix epoch; NULL: no use was noted.
  migration("0007-token-uses", (is) => [`ALTER TABLE access_tokens ADD COLUMN last_used_at ${is.bigint}`]),
  // NULL: stored by an earlier version, which did not read it.
  migration("0008-output-kinds", (is) => [`ALTER TABLE outputs ADD COLUMN kind ${is.text}`]),
  // Of an abandoned block, the joined keys of the addresses that it touched, until the block is far below the tip.
  migration("0009-abandoned-touches", (is) => [
    `CREATE TABLE abandoned_touches (
      hash ${is.bytes} PRIMARY KEY,
      height ${is.bigint} NOT NULL,
      keys ${is.bytes} NOT NULL
    ) ${is.rowsByNumber}`,
    "CREATE INDEX abandoned_touches_by_height ON abandoned_touches (height)",
  ]),
  // Of earlier outputs without a type script, nobody looked for data: their kind '' stays.
  migration("0010-kinds", (is) => [
    // NULL: stored by an earlier version.
    `ALTER TABLE blocks ADD COLUMN header_facts ${is.bytes}`,
    // Of each address, its live outputs that hold only the native asset and are not plain: sums by their kind's word.
    `CREATE TABLE kinds (
        ${is.owner} ${is.ownerType} NOT NULL,
        kind ${is.text} NOT NULL,
        output_count ${is.bigint} NOT NULL,
        capacity ${is.amount} NOT NULL,
        PRIMARY KEY (${is.owner}, kind)
      ) ${is.sums}`,
    `INSERT INTO kinds
        SELECT ${is.owner}, ${
          is.engine === "sqlite"
            ? "coalesce(substr(kind, 1, instr(kind || '@', '@') - 1), '')"
            : "split_part(coalesce(kind, ''), '@', 1)"
        } AS word, count(*), sum(capacity)
        FROM outputs WHERE spent_transaction_id IS NULL AND amount IS NULL
        GROUP BY ${is.owner}, word`,
  ]),
  // SQLite's live outputs become a table, as PostgreSQL's are: a page is one range of it, with the transactions' hashes.
  migration(
    "0011-history",
    (is) => [
      ...(is.engine === "sqlite" ? SQLITE_LIVE_OUTPUTS : []),
      `CREATE TABLE touches (
        ${is.owner} ${is.ownerType} NOT NULL,
        transaction_id ${is.bigint} NOT NULL,
        created ${is.integer} NOT NULL,
        spent ${is.integer} NOT NULL,
        live ${is.integer} NOT NULL,
        last_spent ${is.bigint} NOT NULL,
        PRIMARY KEY (${is.owner}, transaction_id)
      ) ${is.sums}`,
    ],
    [FILL_LIVE_OUTPUTS, FILL_TOUCHES],
  ),
  migration(
    "0012-change-sums",
    (is) => [
      // How many transactions of the block moved the asset.
      `ALTER TABLE asset_changes ADD COLUMN transaction_count ${is.integer} NOT NULL DEFAULT 0`,
      // Sums over the changes of each asset in a group of blocks: see rules/change-sums.ts.
      `CREATE TABLE change_sums (
        size ${is.integer} NOT NULL,
        first_height ${is.bigint} NOT NULL,
        token_id ${is.integer} NOT NULL,
        amount ${is.amount} NOT NULL,
        amount_usd ${is.amount} NOT NULL,
        blocks ${is.integer} NOT NULL,
        transactions ${is.bigint} NOT NULL,
        first_place ${is.bigint} NOT NULL, -- of the first change: height << 20, and ordinal
        PRIMARY KEY (size, first_height, token_id)
      ) ${is.sums}`,
    ],
    [COUNT_TRANSACTIONS, ...[16, 256, 4096].map(sumChanges)],
  ),
  migration("0013-holders", (is) => [
    // In order of amount: beyond 64 bits, SQLite has texts, which follow its integers, the longer the higher.
    is.engine === "sqlite"
      ? `CREATE INDEX holders ON holdings (token_id, ${sqliteSize("amount")}, amount, address_id)`
      : "CREATE INDEX holders ON holdings (token_id, amount, address_key)",
    `ALTER TABLE tokens ADD COLUMN holder_count ${is.bigint} NOT NULL DEFAULT 0`,
    `ALTER TABLE tokens ADD COLUMN output_count ${is.bigint} NOT NULL DEFAULT 0`,
    `UPDATE tokens SET holder_count = counted.holders, output_count = counted.outputs
      FROM (SELECT token_id, count(*) AS holders, sum(output_count) AS outputs FROM holdings GROUP BY token_id) counted
      WHERE counted.token_id = tokens.id`,
    // What assets are found by and mistaken for: see rules/asset-names.ts, which fills it.
    `CREATE TABLE asset_names (
      kind ${is.integer} NOT NULL,
      text ${is.text} NOT NULL,
      unlisted ${is.integer} NOT NULL,
      token_id ${is.integer} NOT NULL,
      PRIMARY KEY (kind, text, unlisted, token_id)
    ) ${is.rowsByKey}`,
    "CREATE INDEX asset_names_by_token ON asset_names (token_id)",
  ]),
  // What a list as of a block skips: see rules/runs.ts.
  migration(
    "0014-touch-runs",
    (is) => [
      `CREATE TABLE touch_runs (
        ${is.owner} ${is.ownerType} NOT NULL,
        first_id ${is.bigint} NOT NULL,
        last_spent ${is.bigint} NOT NULL,
        PRIMARY KEY (${is.owner}, first_id)
      ) ${is.sums}`,
    ],
    [FILL_RUNS],
  ),
  // Where each run ends is known once all begin.
  migration("0015-spends-of-touch-runs", () => [], [FILL_LAST_SPENT]),
  migration("0016-more-sizes-of-change-sums", () => [], [64, 1024, 16384].map(sumChanges)),
  // Hashes are random: in an index of all of them, each changes a page of its own.
  migration(
    "0017-hash-runs",
    ({ engine }) =>
      engine === "sqlite"
        ? sqliteTransactions(`UNIQUE INDEX transactions_by_hash ON transactions (id >> ${RUN_BITS}, hash)`)
        : [],
    [FILL_TRANSACTIONS],
  ),
  migration("0018-old-transactions", dropOldTransactions),
  // Names are found by their later words, too: the engine makes them again. Members of a collection are listed in order.
  migration("0019-words-and-members", () => [
    "DELETE FROM asset_names",
    "DROP INDEX tokens_by_chain_parent",
    "CREATE INDEX tokens_by_chain_parent ON tokens (chain_parent_id, id) WHERE chain_parent_id <> ''",
  ]),
  // The counts of touches are counted when they are asked for. SQLite is filled anew, since it would make no smaller tables of
  // old ones but in one transaction, however long that took.
  migration(
    "0020-less-space",
    ({ engine }) =>
      engine === "sqlite"
        ? [
            "DROP TABLE touches",
            SQLITE_TOUCHES,
            ...sqliteTransactions(
              `INDEX transactions_by_hash ON transactions (id >> ${RUN_BITS}, ${HASH_PREFIX})`,
            ),
          ]
        : ["ALTER TABLE touches DROP COLUMN created, DROP COLUMN spent, DROP COLUMN live"],
    [REFILL_TOUCHES, FILL_TRANSACTIONS],
  ),
  migration("0021-old-transactions", dropOldTransactions),
  // Equal amounts come in the order of keys, as they do in PostgreSQL.
  migration("0022-order-of-holders", ({ engine }) =>
    engine === "sqlite"
      ? [
          "ALTER TABLE holdings ADD COLUMN key_start BLOB NOT NULL DEFAULT x''",
          "DROP INDEX holders",
          `UPDATE holdings SET key_start = (SELECT ${keyStart("key")} FROM addresses WHERE id = address_id)`,
          `CREATE INDEX holders ON holdings (token_id, ${sqliteSize("amount")}, amount, key_start)`,
        ]
      : [],
  ),
  migration("0023-sums-of-four-blocks", () => [], [sumChanges(4)]),
];
