/**
 * One step of a database's history. Steps are only ever added; `name` is the same on every engine. Each statement of
 * `sql` ends its line.
 */
export interface Migration {
  name: string;
  sql: string;
}

/**
 * How the tables serve the two questions, each from one place:
 *
 * - `live_outputs` holds an address's unspent outputs. Its primary key is also a covering index with all that
 *   a page shows, so that a page is one index-only range scan at any depth. It stands beside `outputs`
 *   instead of being a partial index of it for three reasons: what is created and spent in one batch never
 *   enters it, an index of another table cannot be distributed by address, and the row may carry what the
 *   page needs of other tables (the transaction's hash). `outputs` remembers every output and who spent it;
 *   that the two agree is one of the things `checkIntegrity` checks.
 * - `asset_changes` holds a block's changes by the block's hash, so that they are read by what is asked for.
 *
 * Addresses stand by their 32-byte key, not by a number that would have to be looked up first: the answer then
 * comes from one statement and, with Citus, from one shard. Transactions keep a number, their place in the
 * chain: height * 2^20 + index in the block, so that comparing ids compares places. An output spent here
 * whose own block is not indexed hangs on a negative id.
 *
 * Every unique constraint contains the column that its table is distributed by (see distribute.ts); therefore
 * `transactions.id` has a plain index, and the writer keeps ids unique: there is only one at a time.
 *
 * Amounts are `numeric`: exact at any size. Text compares by its bytes (`COLLATE "C"`), on any server.
 */
export const migrations: Migration[] = [
  {
    name: "0001-chain",
    sql: `
      CREATE TABLE state (key text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL);

      CREATE TABLE blocks (
        height bigint PRIMARY KEY,
        hash bytea NOT NULL UNIQUE,
        parent_hash bytea NOT NULL,
        timestamp bigint NOT NULL,
        transaction_count integer NOT NULL,
        change_count integer NOT NULL
      );
      CREATE INDEX blocks_by_timestamp ON blocks (timestamp);

      CREATE TABLE abandoned_blocks (
        hash bytea PRIMARY KEY,
        height bigint NOT NULL,
        parent_hash bytea NOT NULL
      );
      CREATE INDEX abandoned_blocks_by_height ON abandoned_blocks (height);

      CREATE TABLE addresses (
        key bytea PRIMARY KEY,
        text text COLLATE "C" NOT NULL,
        first_height bigint NOT NULL
      );

      CREATE TABLE tokens (
        id integer PRIMARY KEY,
        asset_id text COLLATE "C" NOT NULL UNIQUE,
        -- facts of the chain
        standard text COLLATE "C" NOT NULL,
        fungible boolean NOT NULL,
        content_type text COLLATE "C" NOT NULL,
        chain_parent_id text COLLATE "C" NOT NULL,
        first_height bigint,
        first_mint_height bigint,
        supply numeric NOT NULL DEFAULT 0,
        -- what is shown: the facts, the earliest claim, and the registry over both
        layer integer NOT NULL DEFAULT 2,
        parent_id text COLLATE "C" NOT NULL DEFAULT '',
        name text COLLATE "C" NOT NULL DEFAULT '',
        name_folded text COLLATE "C" NOT NULL DEFAULT '',
        symbol text COLLATE "C" NOT NULL DEFAULT '',
        decimals integer NOT NULL DEFAULT 0,
        icon text COLLATE "C" NOT NULL DEFAULT '',
        description text COLLATE "C" NOT NULL DEFAULT '',
        keywords text COLLATE "C" NOT NULL DEFAULT '',
        public boolean NOT NULL DEFAULT false,
        tags text[] COLLATE "C" NOT NULL DEFAULT '{}'
      ) WITH (fillfactor = 70); -- supplies change with every block
      CREATE INDEX tokens_by_chain_parent ON tokens (chain_parent_id) WHERE chain_parent_id <> '';

      CREATE TABLE claims (
        asset_id text COLLATE "C" NOT NULL,
        transaction_id bigint NOT NULL,
        output_index bigint NOT NULL,
        name text COLLATE "C" NOT NULL,
        symbol text COLLATE "C" NOT NULL,
        decimals integer,
        PRIMARY KEY (asset_id, transaction_id, output_index)
      );
      CREATE INDEX claims_by_transaction ON claims (transaction_id);

      CREATE TABLE transactions (hash bytea PRIMARY KEY, id bigint NOT NULL);
      CREATE INDEX transactions_by_id ON transactions (id);

      CREATE TABLE outputs (
        transaction_id bigint NOT NULL,
        output_index bigint NOT NULL,
        spent_transaction_id bigint,
        spent_input_index integer,
        token_id integer NOT NULL,
        address_key bytea NOT NULL,
        amount numeric,           -- of the token; NULL for the native asset, whose amount is the capacity
        capacity numeric NOT NULL,
        PRIMARY KEY (transaction_id, output_index)
      );
      CREATE INDEX spent_outputs
        ON outputs (spent_transaction_id, spent_input_index)
        WHERE spent_transaction_id IS NOT NULL;

      CREATE TABLE live_outputs (
        transaction_id bigint NOT NULL,
        output_index bigint NOT NULL,
        token_id integer NOT NULL,
        address_key bytea NOT NULL,
        transaction_hash bytea NOT NULL,
        amount numeric,           -- as in outputs
        capacity numeric NOT NULL,
        PRIMARY KEY (address_key, transaction_id, output_index)
          INCLUDE (token_id, transaction_hash, amount, capacity)
      ) WITH (
        -- An index-only scan reads only the index where vacuum has seen the rows.
        autovacuum_vacuum_insert_scale_factor = 0.01,
        autovacuum_vacuum_scale_factor = 0.01
      );
      CREATE INDEX live_outputs_by_token
        ON live_outputs (address_key, token_id, transaction_id, output_index)
        INCLUDE (transaction_hash, amount, capacity);

      -- What each address holds of each asset: sums over its live outputs.
      CREATE TABLE holdings (
        address_key bytea NOT NULL,
        token_id integer NOT NULL,
        output_count bigint NOT NULL,
        amount numeric NOT NULL,
        capacity numeric NOT NULL,
        PRIMARY KEY (address_key, token_id)
      ) WITH (fillfactor = 80);

      CREATE TABLE asset_changes (
        block_hash bytea NOT NULL,
        ordinal integer NOT NULL,
        token_id integer NOT NULL,
        height bigint NOT NULL,
        amount numeric NOT NULL,
        amount_usd numeric NOT NULL,  -- units of 10^-8 US dollars
        PRIMARY KEY (block_hash, ordinal)
      );
      CREATE INDEX asset_changes_by_token ON asset_changes (token_id, height);

      CREATE TABLE registry (asset_id text COLLATE "C" PRIMARY KEY, entry text COLLATE "C" NOT NULL);

      CREATE TABLE prices (
        asset_id text COLLATE "C" NOT NULL,
        time bigint NOT NULL,
        usd numeric NOT NULL,         -- scaled by 10^18
        PRIMARY KEY (asset_id, time)
      );

      CREATE TABLE access_tokens (
        id text COLLATE "C" PRIMARY KEY,
        hash bytea NOT NULL UNIQUE,
        name text COLLATE "C" NOT NULL,
        scopes text COLLATE "C" NOT NULL,
        hint text COLLATE "C" NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint,
        revoked_at bigint
      );
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
      CREATE TABLE icons (
        asset_id text COLLATE "C" PRIMARY KEY,
        picture bytea NOT NULL,
        etag text COLLATE "C" NOT NULL
      );
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
        AND NOT EXISTS (SELECT 1 FROM registry r WHERE r.asset_id = tokens.asset_id AND r.entry::json ->> 'name' IS NOT NULL);
      UPDATE tokens SET symbol = substr(symbol, 1, 63) || '…' WHERE length(symbol) > 64
        AND NOT EXISTS (SELECT 1 FROM registry r WHERE r.asset_id = tokens.asset_id AND r.entry::json ->> 'symbol' IS NOT NULL);
    `,
  },
  {
    // What is missing below the tip: read with every answer, so it cannot be looked for among the blocks.
    name: "0005-gaps",
    sql: `
      CREATE TABLE gaps (first_height bigint PRIMARY KEY, last_height bigint NOT NULL);
      INSERT INTO gaps (first_height, last_height)
        SELECT below + 1, height - 1
        FROM (SELECT height, coalesce(lag(height) OVER (ORDER BY height), -1) AS below FROM blocks) neighbours
        WHERE height > below + 1;
    `,
  },
  {
    name: "0006-token-rates",
    // NULL: what RATE_LIMIT_PER_MINUTE says.
    sql: "ALTER TABLE access_tokens ADD COLUMN rate_per_minute bigint",
  },
  {
    name: "0007-token-uses",
    // Milliseconds since the Unix epoch; NULL: no use was noted.
    sql: "ALTER TABLE access_tokens ADD COLUMN last_used_at bigint",
  },
  {
    name: "0008-output-kinds",
    // NULL: stored by an earlier version, which did not read it.
    sql: 'ALTER TABLE outputs ADD COLUMN kind text COLLATE "C"',
  },
  {
    name: "0009-abandoned-touches",
    sql: `
      -- Of an abandoned block, the joined keys of the addresses that it touched, until the block is far below the tip.
      CREATE TABLE abandoned_touches (
        hash bytea PRIMARY KEY,
        height bigint NOT NULL,
        keys bytea NOT NULL
      );
      CREATE INDEX abandoned_touches_by_height ON abandoned_touches (height);
    `,
  },
  {
    // Of earlier outputs without a type script, nobody looked for data: their kind '' stays.
    name: "0010-kinds",
    sql: `
      -- NULL: stored by an earlier version
      ALTER TABLE blocks ADD COLUMN header_facts bytea;
      -- Of each address, its live outputs that hold only the native asset and are not plain: sums by their kind's word.
      CREATE TABLE kinds (
        address_key bytea NOT NULL,
        kind text COLLATE "C" NOT NULL,
        output_count bigint NOT NULL,
        capacity numeric NOT NULL,
        PRIMARY KEY (address_key, kind)
      ) WITH (fillfactor = 80);
      INSERT INTO kinds
        SELECT address_key, split_part(coalesce(kind, ''), '@', 1), count(*), sum(capacity)
        FROM outputs WHERE spent_transaction_id IS NULL AND amount IS NULL GROUP BY 1, 2;
    `,
  },
];
