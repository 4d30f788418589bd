/**
 * One step of a database's history. Steps are only ever added; `name` is the same on every engine. SQL cannot fold
 * names as `foldCase` does: a step that changes names sets `name_folded` to `''`, and the engine folds them again.
 */
export interface Migration {
  name: string;
  sql: string;
}

/**
 * How the tables serve the two questions:
 *
 * - `live_outputs` keeps an address's unspent outputs together in chain order with all that a page shows,
 *   so that a page is one range scan at any depth. It is a partial index of `outputs`: spending an output
 *   takes it out, and the two cannot disagree.
 * - `asset_changes` keeps a block's changes together in order of first appearance.
 * - `transactions.hash` finds an output by out point.
 *
 * A transaction's id is its place in the chain: height * 2^20 + its index in the block, so that comparing
 * ids compares places. An output spent here whose own block is not indexed hangs on a negative id.
 *
 * Amounts are SQLite integers while they fit in 64 bits and decimal text beyond (`ANY` keeps both as they
 * are); `ORDER BY length(x), x` puts such a column in numeric order. Hashes are 32-byte blobs.
 */
export const migrations: Migration[] = [
  {
    name: "0001-chain",
    sql: `
      CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE blocks (
        height INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        parent_hash BLOB NOT NULL,
        timestamp INTEGER NOT NULL,
        transaction_count INTEGER NOT NULL,
        change_count INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX blocks_by_timestamp ON blocks (timestamp);

      CREATE TABLE abandoned_blocks (
        hash BLOB PRIMARY KEY,
        height INTEGER NOT NULL,
        parent_hash BLOB NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX abandoned_blocks_by_height ON abandoned_blocks (height);

      CREATE TABLE addresses (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        text TEXT NOT NULL,
        first_height INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE tokens (
        id INTEGER PRIMARY KEY,
        asset_id TEXT NOT NULL UNIQUE,
        -- facts of the chain
        standard TEXT NOT NULL,
        fungible INTEGER NOT NULL,
        content_type TEXT NOT NULL,
        chain_parent_id TEXT NOT NULL,
        first_height INTEGER,
        first_mint_height INTEGER,
        supply ANY NOT NULL,
        -- what is shown: the facts, the earliest claim, and the registry over both
        layer INTEGER NOT NULL DEFAULT 2,
        parent_id TEXT NOT NULL DEFAULT '',
        name TEXT NOT NULL DEFAULT '',
        name_folded TEXT NOT NULL DEFAULT '',
        symbol TEXT NOT NULL DEFAULT '',
        decimals INTEGER NOT NULL DEFAULT 0,
        icon TEXT NOT NULL DEFAULT '',
        description TEXT NOT NULL DEFAULT '',
        keywords TEXT NOT NULL DEFAULT '',
        public INTEGER NOT NULL DEFAULT 0,
        tags TEXT NOT NULL DEFAULT '[]'
      ) STRICT;
      CREATE INDEX tokens_by_chain_parent ON tokens (chain_parent_id) WHERE chain_parent_id <> '';

      CREATE TABLE claims (
        asset_id TEXT NOT NULL,
        transaction_id INTEGER NOT NULL,
        output_index INTEGER NOT NULL,
        name TEXT NOT NULL,
        symbol TEXT NOT NULL,
        decimals INTEGER,
        PRIMARY KEY (asset_id, transaction_id, output_index)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX claims_by_transaction ON claims (transaction_id);

      CREATE TABLE transactions (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE) STRICT;

      CREATE TABLE outputs (
        transaction_id INTEGER NOT NULL,
        output_index INTEGER NOT NULL,
        address_id INTEGER NOT NULL,
        token_id INTEGER NOT NULL,
        amount ANY,               -- of the token; NULL for the native asset, whose amount is the capacity
        capacity ANY NOT NULL,
        spent_transaction_id INTEGER,
        spent_input_index INTEGER,
        PRIMARY KEY (transaction_id, output_index)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX live_outputs
        ON outputs (address_id, transaction_id, output_index, token_id, amount, capacity)
        WHERE spent_transaction_id IS NULL;
      CREATE INDEX live_outputs_by_token
        ON outputs (address_id, token_id, transaction_id, output_index, amount, capacity)
        WHERE spent_transaction_id IS NULL;
      CREATE INDEX spent_outputs
        ON outputs (spent_transaction_id, spent_input_index)
        WHERE spent_transaction_id IS NOT NULL;

      -- What each address holds of each asset: sums over its live outputs.
      CREATE TABLE holdings (
        address_id INTEGER NOT NULL,
        token_id INTEGER NOT NULL,
        output_count INTEGER NOT NULL,
        amount ANY NOT NULL,
        capacity ANY NOT NULL,
        PRIMARY KEY (address_id, token_id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE asset_changes (
        height INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        token_id INTEGER NOT NULL,
        amount ANY NOT NULL,
        amount_usd ANY NOT NULL,  -- units of 10^-8 US dollars
        PRIMARY KEY (height, ordinal)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX asset_changes_by_token ON asset_changes (token_id, height);

      CREATE TABLE registry (asset_id TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE prices (
        asset_id TEXT NOT NULL,
        time INTEGER NOT NULL,
        usd TEXT NOT NULL,        -- scaled by 10^18
        PRIMARY KEY (asset_id, time)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE access_tokens (
        id TEXT PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        scopes TEXT NOT NULL,
        hint TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        revoked_at INTEGER
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // Names were folded with a final sigma, and capital sharp s, left as they were.
    name: "0002-folded-names",
    sql: `
      UPDATE tokens SET name_folded = replace(replace(name_folded, 'ς', 'σ'), 'ß', 'ss')
        WHERE name_folded <> replace(replace(name_folded, 'ς', 'σ'), 'ß', 'ss');
    `,
  },
  {
    // Shown icons were the registry's texts; they become our own pictures, which `aqs assets load` fetches.
    name: "0003-icons",
    sql: `
      CREATE TABLE icons (asset_id TEXT PRIMARY KEY, picture BLOB NOT NULL, etag TEXT NOT NULL) STRICT;
      UPDATE tokens SET icon = '' WHERE icon <> '';
    `,
  },
  {
    // Names, symbols and media types from the chain had no limit: see lib/contract/texts.ts.
    name: "0004-limited-claims",
    sql: `
      UPDATE claims SET name = substr(name, 1, 255) || '…' WHERE length(name) > 256;
      UPDATE claims SET symbol = substr(symbol, 1, 63) || '…' WHERE length(symbol) > 64;
      UPDATE tokens SET content_type = substr(content_type, 1, 255) || '…' WHERE length(content_type) > 256;
      UPDATE tokens SET name = substr(name, 1, 255) || '…', name_folded = '' WHERE length(name) > 256
        AND NOT EXISTS (SELECT 1 FROM registry r WHERE r.asset_id = tokens.asset_id AND json_extract(r.entry, '$.name') IS NOT NULL);
      UPDATE tokens SET symbol = substr(symbol, 1, 63) || '…' WHERE length(symbol) > 64
        AND NOT EXISTS (SELECT 1 FROM registry r WHERE r.asset_id = tokens.asset_id AND json_extract(r.entry, '$.symbol') IS NOT NULL);
    `,
  },
  {
    // What is missing below the tip: read with every answer, so it cannot be looked for among the blocks.
    name: "0005-gaps",
    sql: `
      CREATE TABLE gaps (first_height INTEGER PRIMARY KEY, last_height INTEGER NOT NULL) STRICT;
      INSERT INTO gaps (first_height, last_height)
        SELECT below + 1, height - 1
        FROM (SELECT height, coalesce(lag(height) OVER (ORDER BY height), -1) AS below FROM blocks) neighbours
        WHERE height > below + 1;
    `,
  },
  {
    name: "0006-token-rates",
    // NULL: what RATE_LIMIT_PER_MINUTE says.
    sql: "ALTER TABLE access_tokens ADD COLUMN rate_per_minute INTEGER",
  },
  {
    name: "0007-token-uses",
    // Milliseconds since the Unix epoch; NULL: no use was noted.
    sql: "ALTER TABLE access_tokens ADD COLUMN last_used_at INTEGER",
  },
  {
    name: "0008-output-kinds",
    // NULL: stored by an earlier version, which did not read it.
    sql: "ALTER TABLE outputs ADD COLUMN kind TEXT",
  },
  {
    name: "0009-abandoned-touches",
    sql: `
      -- Of an abandoned block, the joined keys of the addresses that it touched, until the block is far below the tip.
      CREATE TABLE abandoned_touches (
        hash BLOB PRIMARY KEY,
        height INTEGER NOT NULL,
        keys BLOB NOT NULL
      ) STRICT;
      CREATE INDEX abandoned_touches_by_height ON abandoned_touches (height);
    `,
  },
  {
    // Of earlier outputs without a type script, nobody looked for data: their kind '' stays.
    name: "0010-kinds",
    sql: `
      ALTER TABLE blocks ADD COLUMN header_facts BLOB; -- NULL: stored by an earlier version
      -- Of each address, its live outputs that hold only the native asset and are not plain: sums by their kind's word.
      CREATE TABLE kinds (
        address_id INTEGER NOT NULL,
        kind TEXT NOT NULL,
        output_count INTEGER NOT NULL,
        capacity ANY NOT NULL,
        PRIMARY KEY (address_id, kind)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO kinds
        SELECT address_id, coalesce(substr(kind, 1, instr(kind || '@', '@') - 1), '') AS word, count(*), sum(capacity)
        FROM outputs WHERE spent_transaction_id IS NULL AND amount IS NULL
        GROUP BY address_id, word;
    `,
  },
];
