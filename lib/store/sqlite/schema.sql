-- The schema of a SQLite database. A change here also needs a migration: see lib/store/migrations.ts.
--
-- A transaction's id is its place in the chain: height << 20 | index in the block. An output that is spent in an indexed
-- block, but was created in a block that is not indexed, belongs to a transaction with a negative id. Hashes have 32 bytes.
-- An amount is an integer up to 64 bits, and text beyond: columns of type ANY hold both.

-- Facts about the database as a whole, such as its network, the tip and the key that signs cursors.
CREATE TABLE state (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Canonical blocks.
CREATE TABLE blocks (
  height INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  parent_hash BLOB NOT NULL,
  timestamp INTEGER NOT NULL, -- milliseconds since the Unix epoch
  transaction_count INTEGER NOT NULL,
  change_count INTEGER NOT NULL, -- rows of asset_changes
  header_facts BLOB NOT NULL -- what the chain's folder needs of the header to judge outputs later
) STRICT;
CREATE INDEX blocks_by_timestamp ON blocks (timestamp);

-- Ranges of heights below the tip that are not indexed. Every response depends on them.
CREATE TABLE gaps (
  first_height INTEGER PRIMARY KEY,
  last_height INTEGER NOT NULL
) STRICT;

-- Blocks that a reorganisation replaced.
CREATE TABLE abandoned_blocks (
  hash BLOB PRIMARY KEY,
  height INTEGER NOT NULL,
  parent_hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX abandoned_blocks_by_height ON abandoned_blocks (height);

-- The addresses that a replaced block touched, until it is far below the tip.
CREATE TABLE abandoned_touches (
  hash BLOB PRIMARY KEY,
  height INTEGER NOT NULL,
  keys BLOB NOT NULL -- the addresses' keys, joined
) STRICT;
CREATE INDEX abandoned_touches_by_height ON abandoned_touches (height);

-- Transactions by id. The index finds a hash by its first 8 bytes within a segment of neighbouring blocks: hashes are random, and
-- in one index over all blocks each new hash would change another page.
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX transactions_by_hash ON transactions (id >> 37, substr(hash, 1, 8));

-- Addresses that an output was ever paid to.
CREATE TABLE addresses (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE, -- the same for all forms of the address
  text TEXT NOT NULL,
  first_height INTEGER NOT NULL
) STRICT;
CREATE INDEX addresses_by_text ON addresses (text);
-- The last six characters tell nearly all addresses apart. On CKB, most begin alike.
CREATE INDEX addresses_by_end ON addresses (substr(text, length(text) - 5));

-- Assets: the native one has id 1.
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
  -- shown fields: facts of the chain, overridden by the earliest claim, overridden by the registry
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
  tags TEXT NOT NULL DEFAULT '[]',
  -- sums over holdings
  holder_count INTEGER NOT NULL DEFAULT 0,
  output_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tokens_by_chain_parent ON tokens (chain_parent_id, id) WHERE chain_parent_id <> '';

-- Texts that find an asset, or show that another asset imitates it: see rules/asset-names.ts.
CREATE TABLE asset_names (
  kind INTEGER NOT NULL,
  text TEXT NOT NULL,
  unlisted INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  PRIMARY KEY (kind, text, unlisted, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_names_by_token ON asset_names (token_id);

-- Names that outputs claim for an asset.
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

-- All outputs, live and spent.
CREATE TABLE outputs (
  transaction_id INTEGER NOT NULL,
  output_index INTEGER NOT NULL,
  address_id INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  amount ANY, -- NULL for the native asset, whose amount is the capacity
  capacity ANY NOT NULL,
  spent_transaction_id INTEGER,
  spent_input_index INTEGER,
  kind TEXT NOT NULL,
  PRIMARY KEY (transaction_id, output_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_outputs
  ON outputs (spent_transaction_id, spent_input_index) WHERE spent_transaction_id IS NOT NULL;

-- Live outputs again, by address: a page of an address is one range scan at any depth.
CREATE TABLE live_outputs (
  address_id INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL,
  output_index INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  transaction_hash BLOB NOT NULL,
  amount ANY, -- as in outputs
  capacity ANY NOT NULL,
  PRIMARY KEY (address_id, transaction_id, output_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX live_outputs_by_token ON live_outputs (address_id, token_id, transaction_id, output_index);

-- Holdings: sums over the live outputs of an address, by asset. The index lists an asset's holders by amount. Text sorts after
-- integers, and longer text is the larger number.
CREATE TABLE holdings (
  address_id INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  output_count INTEGER NOT NULL,
  amount ANY NOT NULL,
  capacity ANY NOT NULL,
  key_start BLOB NOT NULL DEFAULT x'', -- first bytes of the address's key, which order equal amounts
  PRIMARY KEY (address_id, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX holders
  ON holdings (token_id, iif(typeof(amount) = 'text', length(amount), 0), amount, key_start);

-- Sums over each address's live outputs that hold only the native asset and are not plain, by kind.
CREATE TABLE kinds (
  address_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  output_count INTEGER NOT NULL,
  capacity ANY NOT NULL,
  PRIMARY KEY (address_id, kind)
) STRICT, WITHOUT ROWID;

-- Transactions that create or spend outputs of an address.
CREATE TABLE touches (
  address_id INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL,
  last_spent INTEGER NOT NULL, -- the last transaction that spends an output which this one creates, or 0
  PRIMARY KEY (address_id, transaction_id)
) STRICT, WITHOUT ROWID;

-- Groups of an address's touches, which a list as of a block skips as a whole: see rules/runs.ts.
CREATE TABLE touch_runs (
  address_id INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_spent INTEGER NOT NULL,
  PRIMARY KEY (address_id, first_id)
) STRICT, WITHOUT ROWID;

-- The amount of each asset that a block moved, in order of first appearance.
CREATE TABLE asset_changes (
  height INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  amount ANY NOT NULL,
  amount_usd ANY NOT NULL, -- units of 10^-8 US dollars
  transaction_count INTEGER NOT NULL, -- transactions of the block that moved the asset
  PRIMARY KEY (height, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_changes_by_token ON asset_changes (token_id, height);

-- Sums over the changes of each asset in a group of blocks: see rules/change-sums.ts.
CREATE TABLE change_sums (
  size INTEGER NOT NULL, -- blocks in the group
  first_height INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  amount ANY NOT NULL,
  amount_usd ANY NOT NULL,
  blocks INTEGER NOT NULL,
  transactions INTEGER NOT NULL,
  first_place INTEGER NOT NULL, -- height << 20 | ordinal of the first change
  PRIMARY KEY (size, first_height, token_id)
) STRICT, WITHOUT ROWID;

-- Entries of the operator's asset registry, as JSON.
CREATE TABLE registry (
  asset_id TEXT PRIMARY KEY,
  entry TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Pictures of listed assets, which `aqs assets load` fetched and encoded again.
CREATE TABLE icons (
  asset_id TEXT PRIMARY KEY,
  picture BLOB NOT NULL,
  etag TEXT NOT NULL
) STRICT;

-- Prices in US dollars.
CREATE TABLE prices (
  asset_id TEXT NOT NULL,
  time INTEGER NOT NULL, -- milliseconds since the Unix epoch
  usd TEXT NOT NULL, -- price of one whole token, scaled by 10^18
  PRIMARY KEY (asset_id, time)
) STRICT, WITHOUT ROWID;

-- Access tokens. Only their hashes are stored. Times are milliseconds since the Unix epoch.
CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hint TEXT NOT NULL, -- the last characters of the token
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rate_per_minute INTEGER, -- NULL: RATE_LIMIT_PER_MINUTE
  last_used_at INTEGER -- NULL: never
) STRICT, WITHOUT ROWID;
