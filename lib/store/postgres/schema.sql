-- The schema of a PostgreSQL database. A change here also needs a migration: see lib/store/migrations.ts.
--
-- A transaction's id is its place in the chain: height << 20 | index in the block. An output that is spent in an indexed
-- block, but was created in a block that is not indexed, belongs to a transaction with a negative id. Hashes have 32 bytes.
-- Text has the collation "C": it is compared by its bytes, on any server. Every unique constraint contains the column by which
-- Citus distributes its table: see distribute.ts.

-- The migration steps that ran.
CREATE TABLE schema_migrations (
  ordinal integer PRIMARY KEY,
  name text COLLATE "C" NOT NULL
);

-- Facts about the database as a whole, such as its network, the tip and the key that signs cursors.
CREATE TABLE state (
  key text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);

-- Canonical blocks.
CREATE TABLE blocks (
  height bigint PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  parent_hash bytea NOT NULL,
  timestamp bigint NOT NULL, -- milliseconds since the Unix epoch
  transaction_count integer NOT NULL,
  change_count integer NOT NULL, -- rows of asset_changes
  header_facts bytea NOT NULL -- what the chain's folder needs of the header to judge outputs later
);
CREATE INDEX blocks_by_timestamp ON blocks (timestamp);

-- Ranges of heights below the tip that are not indexed. Every response depends on them.
CREATE TABLE gaps (
  first_height bigint PRIMARY KEY,
  last_height bigint NOT NULL
);

-- Blocks that a reorganisation replaced.
CREATE TABLE abandoned_blocks (
  hash bytea PRIMARY KEY,
  height bigint NOT NULL,
  parent_hash bytea NOT NULL
);
CREATE INDEX abandoned_blocks_by_height ON abandoned_blocks (height);

-- The addresses that a replaced block touched, until it is far below the tip.
CREATE TABLE abandoned_touches (
  hash bytea PRIMARY KEY,
  height bigint NOT NULL,
  keys bytea NOT NULL -- the addresses' keys, joined
);
CREATE INDEX abandoned_touches_by_height ON abandoned_touches (height);

-- Transactions by hash and by id.
CREATE TABLE transactions (
  hash bytea PRIMARY KEY,
  id bigint NOT NULL
);
CREATE INDEX transactions_by_id ON transactions (id);

-- Addresses that an output was ever paid to. Other tables refer to them by key, so that a page needs one statement and one shard.
CREATE TABLE addresses (
  key bytea PRIMARY KEY, -- the same for all forms of the address
  text text COLLATE "C" NOT NULL,
  first_height bigint NOT NULL
);
CREATE INDEX addresses_by_text ON addresses (text);
-- The last six characters tell nearly all addresses apart. On CKB, most begin alike.
CREATE INDEX addresses_by_end ON addresses (substr(text, length(text) - 5));

-- Assets: the native one has id 1.
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
  -- shown fields: facts of the chain, overridden by the earliest claim, overridden by the registry
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
  tags text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- sums over holdings
  holder_count bigint NOT NULL DEFAULT 0,
  output_count bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70); -- supplies change with every block
CREATE INDEX tokens_by_chain_parent ON tokens (chain_parent_id, id) WHERE chain_parent_id <> '';

-- Texts that find an asset, or show that another asset imitates it: see rules/asset-names.ts.
CREATE TABLE asset_names (
  kind integer NOT NULL,
  text text COLLATE "C" NOT NULL,
  unlisted integer NOT NULL,
  token_id integer NOT NULL,
  PRIMARY KEY (kind, text, unlisted, token_id)
);
CREATE INDEX asset_names_by_token ON asset_names (token_id);

-- Names that outputs claim for an asset.
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

-- All outputs, live and spent.
CREATE TABLE outputs (
  transaction_id bigint NOT NULL,
  output_index bigint NOT NULL,
  spent_transaction_id bigint,
  spent_input_index integer,
  token_id integer NOT NULL,
  address_key bytea NOT NULL,
  amount numeric, -- NULL for the native asset, whose amount is the capacity
  capacity numeric NOT NULL,
  kind text COLLATE "C" NOT NULL,
  PRIMARY KEY (transaction_id, output_index)
);
CREATE INDEX spent_outputs
  ON outputs (spent_transaction_id, spent_input_index) WHERE spent_transaction_id IS NOT NULL;

-- Live outputs again, by address: a page of an address is one index-only scan at any depth. Such a scan reads only the index
-- where vacuum has seen the rows, so vacuum runs often. An output that one batch both creates and spends never gets here.
CREATE TABLE live_outputs (
  transaction_id bigint NOT NULL,
  output_index bigint NOT NULL,
  token_id integer NOT NULL,
  address_key bytea NOT NULL,
  transaction_hash bytea NOT NULL,
  amount numeric, -- as in outputs
  capacity numeric NOT NULL,
  PRIMARY KEY (address_key, transaction_id, output_index) INCLUDE (token_id, transaction_hash, amount, capacity)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.01);
CREATE INDEX live_outputs_by_token
  ON live_outputs (address_key, token_id, transaction_id, output_index)
  INCLUDE (transaction_hash, amount, capacity);

-- Holdings: sums over the live outputs of an address, by asset. The index lists an asset's holders by amount.
CREATE TABLE holdings (
  address_key bytea NOT NULL,
  token_id integer NOT NULL,
  output_count bigint NOT NULL,
  amount numeric NOT NULL,
  capacity numeric NOT NULL,
  PRIMARY KEY (address_key, token_id)
) WITH (fillfactor = 80);
CREATE INDEX holders ON holdings (token_id, amount, address_key);

-- Sums over each address's live outputs that hold only the native asset and are not plain, by kind.
CREATE TABLE kinds (
  address_key bytea NOT NULL,
  kind text COLLATE "C" NOT NULL,
  output_count bigint NOT NULL,
  capacity numeric NOT NULL,
  PRIMARY KEY (address_key, kind)
) WITH (fillfactor = 80);

-- Transactions that create or spend outputs of an address.
CREATE TABLE touches (
  address_key bytea NOT NULL,
  transaction_id bigint NOT NULL,
  last_spent bigint NOT NULL, -- the last transaction that spends an output which this one creates, or 0
  PRIMARY KEY (address_key, transaction_id)
) WITH (fillfactor = 80);

-- Groups of an address's touches, which a list as of a block skips as a whole: see rules/runs.ts.
CREATE TABLE touch_runs (
  address_key bytea NOT NULL,
  first_id bigint NOT NULL,
  last_spent bigint NOT NULL,
  PRIMARY KEY (address_key, first_id)
) WITH (fillfactor = 80);

-- The amount of each asset that a block moved, in order of first appearance.
CREATE TABLE asset_changes (
  block_hash bytea NOT NULL,
  ordinal integer NOT NULL,
  token_id integer NOT NULL,
  height bigint NOT NULL,
  amount numeric NOT NULL,
  amount_usd numeric NOT NULL, -- units of 10^-8 US dollars
  transaction_count integer NOT NULL, -- transactions of the block that moved the asset
  PRIMARY KEY (block_hash, ordinal)
);
CREATE INDEX asset_changes_by_token ON asset_changes (token_id, height);

-- Sums over the changes of each asset in a group of blocks: see rules/change-sums.ts.
CREATE TABLE change_sums (
  size integer NOT NULL, -- blocks in the group
  first_height bigint NOT NULL,
  token_id integer NOT NULL,
  amount numeric NOT NULL,
  amount_usd numeric NOT NULL,
  blocks integer NOT NULL,
  transactions bigint NOT NULL,
  first_place bigint NOT NULL, -- height << 20 | ordinal of the first change
  PRIMARY KEY (size, first_height, token_id)
) WITH (fillfactor = 80);

-- Entries of the operator's asset registry, as JSON.
CREATE TABLE registry (
  asset_id text COLLATE "C" PRIMARY KEY,
  entry text COLLATE "C" NOT NULL
);

-- Pictures of listed assets, which `aqs assets load` fetched and encoded again.
CREATE TABLE icons (
  asset_id text COLLATE "C" PRIMARY KEY,
  picture bytea NOT NULL,
  etag text COLLATE "C" NOT NULL
);

-- Prices in US dollars.
CREATE TABLE prices (
  asset_id text COLLATE "C" NOT NULL,
  time bigint NOT NULL, -- milliseconds since the Unix epoch
  usd numeric NOT NULL, -- price of one whole token, scaled by 10^18
  PRIMARY KEY (asset_id, time)
);

-- Access tokens. Only their hashes are stored. Times are milliseconds since the Unix epoch.
CREATE TABLE access_tokens (
  id text COLLATE "C" PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  scopes text COLLATE "C" NOT NULL,
  hint text COLLATE "C" NOT NULL, -- the last characters of the token
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  rate_per_minute bigint, -- NULL: RATE_LIMIT_PER_MINUTE
  last_used_at bigint -- NULL: never
);
